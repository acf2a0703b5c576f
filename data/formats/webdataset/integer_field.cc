#include "data/formats/webdataset/integer_field.h"

#include <algorithm>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

constexpr absl::string_view kExtensions[] = {"cls", "cls2", "class", "count", "index", "inx", "id"};
constexpr size_t kMostShown = 40;

}  // namespace

bool IsIntegerExtension(absl::string_view extension) {
  const absl::string_view last = extension.substr(extension.rfind('.') + 1);
  return std::find(std::begin(kExtensions), std::end(kExtensions), last) != std::end(kExtensions);
}

absl::StatusOr<int64_t> DecodeInteger(absl::string_view bytes) {
  int64_t value = 0;
  if (absl::SimpleAtoi(bytes, &value)) return value;
  return absl::InvalidArgumentError(absl::StrCat("found \"",
                                                 absl::CHexEscape(bytes.substr(0, kMostShown)),
                                                 "\", expected a whole number of 64 bits"));
}

}  // namespace tessera
