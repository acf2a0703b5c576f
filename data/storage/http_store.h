#ifndef TESSERA_DATA_STORAGE_HTTP_STORE_H_
#define TESSERA_DATA_STORAGE_HTTP_STORE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "data/storage/store.h"

namespace tessera {

// The objects below `uri`, an address of http:// or https://, over Range requests. After the host
// everything is literal and percent-encoded on the way: "a?b" is a name, not a query. The version
// of an object is its ETag, else its Last-Modified. Such a store cannot be written to.
std::shared_ptr<Store> OpenHttpStore(absl::string_view uri, absl::Duration timeout);

// The files of a data set of Hugging Face: hf://datasets/ORG/NAME[@REVISION][/FOLDER]. HF_TOKEN is
// sent where it is set; HF_ENDPOINT names another host than huggingface.co.
absl::StatusOr<std::shared_ptr<Store>> OpenHuggingFaceStore(absl::string_view uri,
                                                            absl::Duration timeout);

}  // namespace tessera

#endif  // TESSERA_DATA_STORAGE_HTTP_STORE_H_
