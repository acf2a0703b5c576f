#ifndef TESSERA_DATA_STORAGE_URI_H_
#define TESSERA_DATA_STORAGE_URI_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tessera {

// The parts of "SCHEME://AUTHORITY/PATH", taken literally.
struct UriParts {
  std::string scheme;
  std::string authority;  // a host or a bucket
  std::string path;       // with the slash at its start; empty: there is none
};

// Slashes at the end are no part of any.
UriParts SplitUri(absl::string_view uri);

absl::string_view WithoutSlashes(absl::string_view uri);

}  // namespace tessera

#endif  // TESSERA_DATA_STORAGE_URI_H_
