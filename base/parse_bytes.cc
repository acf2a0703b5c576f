#include "base/parse_bytes.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

// The power of 1024 that a unit stands for; -1 if there is no such unit.
int PowerOf(const std::string& unit) {
  constexpr absl::string_view kUnits[] = {"b", "kb", "mb", "gb", "tb", "pb"};
  if (unit.empty()) return 0;
  for (int power = 0; power < 6; ++power) {
    if (kUnits[power] == unit) return power;
  }
  return -1;
}

}  // namespace

absl::StatusOr<uint64_t> ParseBytes(absl::string_view text) {
  const absl::string_view trimmed = absl::StripAsciiWhitespace(text);
  const size_t digits = std::min(trimmed.find_first_not_of("0123456789."), trimmed.size());
  const int power =
      PowerOf(absl::AsciiStrToLower(absl::StripLeadingAsciiWhitespace(trimmed.substr(digits))));
  double number = 0;
  if (power >= 0 && absl::SimpleAtod(trimmed.substr(0, digits), &number)) {
    const double bytes = std::ldexp(number, 10 * power);
    if (bytes < 0x1p63) return static_cast<uint64_t>(bytes);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "\"", text, "\" is not a number of bytes; expected a number and b, kb, mb, gb, tb or pb"));
}

}  // namespace tessera
