#ifndef TESSERA_DATA_STREAMING_CACHE_SHARD_SOURCE_H_
#define TESSERA_DATA_STREAMING_CACHE_SHARD_SOURCE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/notification.h"

namespace tessera {

// Where the files of a folder can be fetched from. May be used from several threads.
class ShardSource {
 public:
  virtual ~ShardSource() = default;

  // The full address of a file, for messages.
  virtual std::string Uri(absl::string_view name) const = 0;

  // The path of a file where the source is a folder of this machine.
  virtual std::optional<std::string> LocalPath(absl::string_view name) const = 0;

  // Writes the file, which has `bytes` bytes, over the descriptor `file`, and leaves it open. Tries
  // as hard as it makes sense to: an error is final, and names the address and the cause. It is
  // Cancelled soon after `stop`, which may be null, was notified.
  virtual absl::Status Fetch(absl::string_view name, uint64_t bytes, int file,
                             const absl::Notification* stop) const = 0;
};

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_CACHE_SHARD_SOURCE_H_
