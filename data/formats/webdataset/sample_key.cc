#include "data/formats/webdataset/sample_key.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace tessera {
namespace {

constexpr size_t kNone = absl::string_view::npos;

// "__x__" and "__x__/a.jpg", but not "__x__.jpg".
bool IsReserved(absl::string_view name) {
  const absl::string_view first = name.substr(0, name.find('/'));
  return first.size() >= 4 && absl::StartsWith(first, "__") && absl::EndsWith(first, "__");
}

// Whether the folder of `folder`/.ext may stand for a key, as WebDataset's regular expression has
// it: its last part has no dot.
bool IsKey(absl::string_view folder) {
  if (folder.empty()) return false;
  folder.remove_suffix(1);  // the slash
  const size_t slash = folder.rfind('/');
  return folder.find('.', slash == kNone ? 0 : slash) == kNone;
}

}  // namespace

std::optional<SampleKey> SplitSampleName(absl::string_view name) {
  if (IsReserved(name)) return std::nullopt;
  const size_t slash = name.rfind('/');
  const size_t base = slash == kNone ? 0 : slash + 1;
  const size_t dot = name.find('.', base);
  if (dot == kNone || (dot == base && !IsKey(name.substr(0, base)))) return std::nullopt;
  return SampleKey{name.substr(0, dot), absl::AsciiStrToLower(name.substr(dot + 1))};
}

}  // namespace tessera
