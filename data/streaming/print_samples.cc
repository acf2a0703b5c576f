#include "data/streaming/print_samples.h"

#include <algorithm>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "data/formats/hash/hash.h"
#include "data/formats/mds/mds_value.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

constexpr size_t kNumberSize = 8;  // payloads up to this size may be single numbers

// The value of a part on one line.
absl::StatusOr<std::string> TextOf(const Part& part) {
  MdsColumn column;
  if (part.encoding.empty()) {  // of a WebDataset sample: a file
    column = {.name = std::string(part.name), .encoding = "bytes", .size = 0};
  } else {
    TESSERA_ASSIGN_OR_RETURN(column,
                             MakeMdsColumn(std::string(part.name), std::string(part.encoding)));
  }
  // Columns that are said to be files hold whatever the writer was given.
  TESSERA_ASSIGN_OR_RETURN(const MdsValue value, DecodeMds(column, part.value));
  return ToText(value);
}

absl::Status PrintText(int64_t index, const Record& record) {
  std::cout << "sample " << index << "\n";
  for (const Part& part : record.parts) {
    TESSERA_ASSIGN_OR_RETURN(const std::string text, TextOf(part));
    std::cout << absl::StrFormat(
        "  %s%s: %s\n", part.name,
        part.encoding.empty() ? "" : absl::StrCat(" (", part.encoding, ")"), text);
  }
  return absl::OkStatus();
}

absl::Status PrintJson(int64_t index, const Record& record) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::object();
  for (const Part& part : record.parts) {
    TESSERA_ASSIGN_OR_RETURN(const std::string sha256, HashHex("sha256", part.value));
    nlohmann::ordered_json& out = parts[std::string(part.name)];
    if (!part.encoding.empty()) out["encoding"] = std::string(part.encoding);
    out["bytes"] = part.value.size();
    out["sha256"] = sha256;
    if (part.encoding.empty() || part.value.size() > kNumberSize) continue;
    if (const absl::StatusOr<std::string> text = TextOf(part); text.ok()) out["value"] = *text;
  }
  std::cout << nlohmann::ordered_json{{"index", index}, {"parts", parts}}.dump(
                   -1, ' ', /*ensure_ascii=*/false,
                   nlohmann::ordered_json::error_handler_t::replace)
            << "\n";
  return absl::OkStatus();
}

}  // namespace

absl::Status PrintSamples(const StreamingSet& set, int64_t count, bool json) {
  Record record;
  for (int64_t index = 0; index < std::min(count, set.size()); ++index) {
    TESSERA_RETURN_IF_ERROR(set.Get(index, &record));
    TESSERA_RETURN_IF_ERROR(json ? PrintJson(index, record) : PrintText(index, record));
  }
  return absl::OkStatus();
}

}  // namespace tessera
