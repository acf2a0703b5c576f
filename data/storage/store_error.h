#ifndef TESSERA_DATA_STORAGE_STORE_ERROR_H_
#define TESSERA_DATA_STORAGE_STORE_ERROR_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tessera {

// Notes in `error` how long the store asks to wait before the next attempt.
void SetRetryAfter(absl::Duration wait, absl::Status& error);

// What was noted; zero where nothing was.
absl::Duration RetryAfter(const absl::Status& error);

// Notes in `error` in which region of S3 the bucket is, where another one was asked.
void SetBucketRegion(absl::string_view region, absl::Status& error);

// What was noted; empty where nothing was.
std::string BucketRegion(const absl::Status& error);

// DataLoss: an object has another size than the caller was told.
absl::Status WrongSize(uint64_t found, uint64_t expected);

// `error`, said of the object at `uri`, with what was noted in it.
absl::Status AtObject(absl::string_view uri, const absl::Status& error);

}  // namespace tessera

#endif  // TESSERA_DATA_STORAGE_STORE_ERROR_H_
