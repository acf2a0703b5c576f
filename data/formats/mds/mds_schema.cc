#include "data/formats/mds/mds_schema.h"

#include <cstring>

#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

struct Encoding {
  absl::string_view name;
  uint32_t size;  // 0: varies
};

// Everything that MDS defines but pickles and arrays that name their type (ndarray:float32).
constexpr Encoding kEncodings[] = {
    {"bytes", 0},      {"str", 0},         {"int", 8},       {"uint8", 1},      {"uint16", 2},
    {"uint32", 4},     {"uint64", 8},      {"int8", 1},      {"int16", 2},      {"int32", 4},
    {"int64", 8},      {"float16", 2},     {"float32", 4},   {"float64", 8},    {"str_int", 0},
    {"str_float", 0},  {"str_decimal", 0}, {"pil", 0},       {"jpeg", 0},       {"png", 0},
    {"jpeg_array", 0}, {"jpegarray", 0},   {"list[pil]", 0}, {"list[jpeg]", 0}, {"list[png]", 0},
    {"ndarray", 0},    {"json", 0},
};

}  // namespace

absl::StatusOr<MdsColumn> MakeMdsColumn(const std::string& name, const std::string& encoding) {
  if (encoding == "pkl") {
    return absl::InvalidArgumentError(absl::StrCat(
        "column ", name, " has encoding pkl, which runs code when it is read: refused"));
  }
  for (const Encoding& known : kEncodings) {
    if (known.name == encoding) return MdsColumn{name, encoding, known.size};
  }
  return absl::UnimplementedError(
      absl::StrCat("column ", name, " has encoding \"", encoding, "\", which is not supported"));
}

absl::Status SplitMdsSample(const MdsSchema& schema, absl::string_view sample,
                            absl::Span<absl::string_view> payloads) {
  size_t lengths = 0;
  for (const MdsColumn& column : schema) lengths += column.size == 0 ? sizeof(uint32_t) : 0;
  if (lengths > sample.size()) {
    return absl::DataLossError(absl::StrCat("a sample of ", sample.size(),
                                            " bytes cannot hold the ", lengths,
                                            " bytes of its columns' lengths"));
  }
  size_t length_at = 0, payload_at = lengths;
  for (size_t i = 0; i < schema.size(); ++i) {
    uint32_t size = schema[i].size;
    if (size == 0) {
      std::memcpy(&size, sample.data() + length_at, sizeof(size));
      length_at += sizeof(size);
    }
    if (size > sample.size() - payload_at) {
      return absl::DataLossError(absl::StrCat("column ", schema[i].name, " has ", size,
                                              " bytes, but ", sample.size() - payload_at,
                                              " are left of its sample"));
    }
    payloads[i] = sample.substr(payload_at, size);
    payload_at += size;
  }
  if (payload_at != sample.size()) {
    return absl::DataLossError(
        absl::StrCat("a sample has ", sample.size(), " bytes, its columns take ", payload_at));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> JoinMdsSample(const MdsSchema& schema,
                                          absl::Span<const absl::string_view> payloads) {
  if (payloads.size() != schema.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a sample has ", payloads.size(), " payloads, expected ", schema.size()));
  }
  std::string sample;
  for (size_t i = 0; i < schema.size(); ++i) {
    const auto size = static_cast<uint32_t>(payloads[i].size());
    if (payloads[i].size() > UINT32_MAX || (schema[i].size != 0 && schema[i].size != size)) {
      return absl::InvalidArgumentError(
          absl::StrCat("column ", schema[i].name, " has ", payloads[i].size(), " bytes, expected ",
                       schema[i].size == 0 ? "less than 4 GiB" : absl::StrCat(schema[i].size)));
    }
    if (schema[i].size == 0) {
      sample.append(reinterpret_cast<const char*>(&size), sizeof(size));
    }
  }
  for (const absl::string_view payload : payloads) absl::StrAppend(&sample, payload);
  return sample;
}

std::string EncodeMdsInt(int64_t value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace tessera
