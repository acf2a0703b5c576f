#include <charconv>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "data/formats/mds/mds_value.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

std::string BytesText(absl::string_view bytes) {
  constexpr size_t kShown = 16;
  return absl::StrCat("<", bytes.size(), bytes.size() == 1 ? " byte" : " bytes",
                      bytes.empty() ? "" : " ", absl::BytesToHexString(bytes.substr(0, kShown)),
                      bytes.size() > kShown ? "...>" : ">");
}

std::string QuotedText(absl::string_view text) {
  constexpr size_t kShown = 100;
  const std::string quoted =
      nlohmann::json(std::string(text.substr(0, kShown)))
          .dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
  return text.size() <= kShown ? quoted : absl::StrCat(quoted, "... (", text.size(), " bytes)");
}

struct TextOf {
  std::string operator()(int64_t value) const { return absl::StrCat(value); }
  std::string operator()(uint64_t value) const { return absl::StrCat(value); }
  std::string operator()(double value) const {
    char buffer[32];
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr);
  }
  std::string operator()(const MdsText& value) const { return QuotedText(value.text); }
  std::string operator()(const MdsBytes& value) const { return BytesText(value.bytes); }
  std::string operator()(const MdsArray& value) const {
    return absl::StrCat(MdsDtypeName(value.dtype), " [", absl::StrJoin(value.dims, ", "), "] ",
                        BytesText(value.bytes));
  }
  std::string operator()(const MdsPil& value) const {
    return absl::StrCat(value.mode, " ", value.width, " x ", value.height, " ",
                        BytesText(value.pixels));
  }
  std::string operator()(const MdsList& value) const {
    return absl::StrCat("[",
                        absl::StrJoin(value.items, ", ",
                                      [](std::string* out, absl::string_view item) {
                                        absl::StrAppend(out, BytesText(item));
                                      }),
                        "]");
  }
};

}  // namespace

std::string ToText(const MdsValue& value) { return std::visit(TextOf(), value); }

}  // namespace tessera
