#include "data/storage/uri.h"

#include <algorithm>

#include "absl/strings/strip.h"

namespace tessera {

UriParts SplitUri(absl::string_view uri) {
  constexpr absl::string_view kAfterScheme = "://";
  const size_t colon = std::min(uri.find(kAfterScheme), uri.size());
  absl::string_view rest = uri.substr(colon);
  absl::ConsumePrefix(&rest, kAfterScheme);
  rest = WithoutSlashes(rest);
  const size_t slash = std::min(rest.find('/'), rest.size());
  return {.scheme = std::string(uri.substr(0, colon)),
          .authority = std::string(rest.substr(0, slash)),
          .path = std::string(rest.substr(slash))};
}

absl::string_view WithoutSlashes(absl::string_view uri) {
  while (absl::ConsumeSuffix(&uri, "/")) {
  }
  return uri;
}

}  // namespace tessera
