#include "data/formats/mds/mds_text.h"

#include <cstdint>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

// Takes the digits that lead `text`; whether there are any.
bool ConsumeDigits(absl::string_view* text) {
  const size_t size = text->size();
  while (!text->empty() && absl::ascii_isdigit(text->front())) text->remove_prefix(1);
  return text->size() < size;
}

void ConsumeSign(absl::string_view* text) {
  if (!text->empty() && (text->front() == '-' || text->front() == '+')) text->remove_prefix(1);
}

// Digits with a point, an exponent, both or none; no sign.
bool IsFinite(absl::string_view text) {
  bool digits = ConsumeDigits(&text);
  if (absl::ConsumePrefix(&text, ".")) digits |= ConsumeDigits(&text);
  if (!digits) return false;
  if (absl::ConsumePrefix(&text, "e") || absl::ConsumePrefix(&text, "E")) {
    ConsumeSign(&text);
    if (!ConsumeDigits(&text)) return false;
  }
  return text.empty();
}

// Bytes of the UTF-8 sequence that leads `text`, which is not empty; 0 if none does.
size_t Utf8Length(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first < 0xc2   ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                        : first < 0xf5 ? 4
                                       : 0;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Longer than need be, a surrogate, or beyond U+10FFFF.
  const bool bad = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) >= 0xa0) ||
                   (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) >= 0x90);
  return bad ? 0 : length;
}

// The size of the constant of Python's json that leads `text`, 0 if none does.
size_t ConstantLength(absl::string_view text) {
  for (const absl::string_view name : {"NaN", "Infinity", "-Infinity"}) {
    if (absl::StartsWith(text, name)) return name.size();
  }
  return 0;
}

}  // namespace

bool IsUtf8(absl::string_view text) {
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool IsPythonInt(absl::string_view text) {
  ConsumeSign(&text);
  return ConsumeDigits(&text) && text.empty();
}

bool IsPythonFloat(absl::string_view text) {
  ConsumeSign(&text);
  return text == "nan" || text == "inf" || IsFinite(text);
}

bool IsPythonDecimal(absl::string_view text) {
  ConsumeSign(&text);
  if (text == "Infinity" || IsFinite(text)) return true;
  absl::ConsumePrefix(&text, "s");
  if (!absl::ConsumePrefix(&text, "NaN")) return false;
  ConsumeDigits(&text);  // a NaN may carry a number
  return text.empty();
}

bool IsPythonJson(absl::string_view text) {
  if (nlohmann::json::accept(text.begin(), text.end())) return true;
  // The words become nulls, with spaces around so that "1NaN" does not turn into a number.
  std::string plain;
  bool in_string = false;
  while (!text.empty()) {
    size_t size = 1;
    if (in_string) {
      size = text.front() == '\\' && text.size() > 1 ? 2 : 1;
    } else if (const size_t word = ConstantLength(text); word > 0) {
      plain += " null ";
      text.remove_prefix(word);
      continue;
    }
    if (text.front() == '"') in_string = !in_string;
    plain.append(text.data(), size);
    text.remove_prefix(size);
  }
  return nlohmann::json::accept(plain);
}

}  // namespace tessera
