#ifndef TESSERA_DATA_STORAGE_OPEN_STORE_H_
#define TESSERA_DATA_STORAGE_OPEN_STORE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "data/storage/store.h"

namespace tessera {

// Opens the store at `uri`: a path, file://, s3://, gs://, abfs://, az://, hdfs://, http://,
// https:// or hf://datasets/ORG/NAME. What follows is taken literally: "#", "?" and "%" are parts
// of names. `timeout` is that of one request.
absl::StatusOr<std::shared_ptr<Store>> OpenStore(const std::string& uri, absl::Duration timeout);

}  // namespace tessera

#endif  // TESSERA_DATA_STORAGE_OPEN_STORE_H_
