#include "data/formats/mds/mds_number.h"

#include <cmath>
#include <cstdint>
#include <variant>

#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

template <typename... Args>
absl::Status Bad(const Args&... args) {
  return absl::InvalidArgumentError(absl::StrCat(args...));
}

// `bits` is the value as 64 bits of two's complement, whose low bytes are those of narrower types.
absl::StatusOr<std::string> EncodeInteger(MdsDtype dtype, bool negative, uint64_t bits) {
  const uint32_t width = 8 * MdsDtypeSize(dtype);
  const uint64_t most = UINT64_MAX >> (64 - width + (IsSigned(dtype) ? 1 : 0));
  const uint64_t found = negative ? ~bits : bits;  // of -1, -2, ...: 0, 1, ...
  if (found > most || (negative && !IsSigned(dtype))) {
    const std::string number =
        negative ? absl::StrCat(static_cast<int64_t>(bits)) : absl::StrCat(bits);
    const std::string least =
        IsSigned(dtype) ? absl::StrCat(static_cast<int64_t>(~most)) : std::string("0");
    return Bad("the number ", number, " does not fit; expected ", least, " to ", most);
  }
  return std::string(reinterpret_cast<const char*>(&bits), MdsDtypeSize(dtype));
}

template <typename Float>
absl::StatusOr<std::string> EncodeFloat(double value) {
  const auto narrow = static_cast<Float>(value);
  if (std::isfinite(value) && std::isinf(static_cast<double>(narrow))) {
    return Bad("the number ", value, " does not fit");
  }
  std::string out;
  AppendNumber(narrow, &out);
  return out;
}

}  // namespace

MdsValue DecodeNumber(MdsDtype dtype, absl::string_view bytes) {
  switch (dtype) {
    case MdsDtype::kUint8:
      return uint64_t{TakeNumber<uint8_t>(&bytes)};
    case MdsDtype::kUint16:
      return uint64_t{TakeNumber<uint16_t>(&bytes)};
    case MdsDtype::kUint32:
      return uint64_t{TakeNumber<uint32_t>(&bytes)};
    case MdsDtype::kUint64:
      return uint64_t{TakeNumber<uint64_t>(&bytes)};
    case MdsDtype::kInt8:
      return int64_t{TakeNumber<int8_t>(&bytes)};
    case MdsDtype::kInt16:
      return int64_t{TakeNumber<int16_t>(&bytes)};
    case MdsDtype::kInt32:
      return int64_t{TakeNumber<int32_t>(&bytes)};
    case MdsDtype::kInt64:
      return int64_t{TakeNumber<int64_t>(&bytes)};
    case MdsDtype::kFloat16:
      return static_cast<double>(TakeNumber<_Float16>(&bytes));
    case MdsDtype::kFloat32:
      return static_cast<double>(TakeNumber<float>(&bytes));
    case MdsDtype::kFloat64:
      return TakeNumber<double>(&bytes);
  }
  return int64_t{0};  // no such dtype
}

absl::StatusOr<std::string> EncodeNumber(MdsDtype dtype, const MdsValue& value) {
  const auto* const integer = std::get_if<int64_t>(&value);
  const auto* const natural = std::get_if<uint64_t>(&value);
  const auto* const real = std::get_if<double>(&value);
  if (integer == nullptr && natural == nullptr && (real == nullptr || !IsFloat(dtype))) {
    return Bad("the value is ", ToText(value), "; expected a number of type ", MdsDtypeName(dtype));
  }
  if (!IsFloat(dtype)) {
    return integer != nullptr ? EncodeInteger(dtype, *integer < 0, static_cast<uint64_t>(*integer))
                              : EncodeInteger(dtype, false, *natural);
  }
  const double number = real != nullptr      ? *real
                        : integer != nullptr ? static_cast<double>(*integer)
                                             : static_cast<double>(*natural);
  if (dtype == MdsDtype::kFloat16) return EncodeFloat<_Float16>(number);
  if (dtype == MdsDtype::kFloat32) return EncodeFloat<float>(number);
  return EncodeFloat<double>(number);
}

}  // namespace tessera
