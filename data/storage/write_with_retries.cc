#include "data/storage/write_with_retries.h"

namespace tessera {

absl::Status WriteWithRetries(Store& store, absl::string_view key,
                              absl::Span<const absl::string_view> pieces,
                              const AttemptLimits& limits, Clock* clock) {
  Attempts attempts(limits, store.Uri(key), clock);
  while (true) {
    const absl::Status status = store.Write(key, pieces);
    if (status.ok() || !attempts.Again(status)) return attempts.Explain(status);
  }
}

}  // namespace tessera
