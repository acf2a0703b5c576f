#ifndef TESSERA_DATA_STORAGE_WRITE_WITH_RETRIES_H_
#define TESSERA_DATA_STORAGE_WRITE_WITH_RETRIES_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "data/storage/attempts.h"
#include "data/storage/store.h"

namespace tessera {

// Writes an object as Store::Write does, again where the error may pass.
absl::Status WriteWithRetries(Store& store, absl::string_view key,
                              absl::Span<const absl::string_view> pieces,
                              const AttemptLimits& limits = {}, Clock* clock = Clock::System());

}  // namespace tessera

#endif  // TESSERA_DATA_STORAGE_WRITE_WITH_RETRIES_H_
