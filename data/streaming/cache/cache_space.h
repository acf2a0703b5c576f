#ifndef TESSERA_DATA_STREAMING_CACHE_CACHE_SPACE_H_
#define TESSERA_DATA_STREAMING_CACHE_CACHE_SPACE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/file_descriptor.h"
#include "data/streaming/cache/doorbell.h"
#include "data/streaming/cache/temp_file.h"

namespace tessera {

// The room on the disk that the files of a cache take up, over all its folders and all processes
// that use them. What is taken is what the folders hold, files in the making included: nothing is
// remembered that could be wrong after a crash.
//
// Two bytes of the lock file of the first folder, in the order of their names, keep it exact:
//   kTurnByte   locked from asking for room until it is there: one waits for pins, the rest behind
//               it, so that nobody is passed for ever
//   kStateByte  locked, shortly, while files are counted, evicted, made and renamed
// So the limit holds if all processes that use the folders were given the same ones.
class CacheSpace {
 public:
  static constexpr uint64_t kTurnByte = 0;
  static constexpr uint64_t kStateByte = 1;

  // The files of a folder that are counted and may be evicted: their names, without the folder,
  // and sizes. The names outlive the space.
  using Files = absl::flat_hash_map<absl::string_view, uint64_t>;

  struct Options {
    uint64_t limit = 0;     // 0: none
    uint64_t reserved = 0;  // bytes that count towards the limit besides the files, from the start
    absl::Duration patience;
    std::function<void()> close_idle;  // gives up this process's idle pins
  };

  // A file to be made: its final path and size.
  struct Want {
    std::string path;
    uint64_t bytes = 0;
  };

  // Evicts what is over the limit. In folders that may not be written to nothing can be reserved.
  static absl::StatusOr<std::unique_ptr<CacheSpace>> Open(Options options,
                                                          std::map<std::string, Files> folders);

  // Makes these files, all or none, as soon as there's room: evicts the files that were mapped the
  // longest ago and that nobody pins, asks all processes to give up their idle pins, and waits, at
  // most as long as `patience` says. The caller pins nothing. The wait is Cancelled when `stop`,
  // which may be null, is notified; only the wait for one's turn lasts until the one whose it is
  // has waited.
  absl::StatusOr<std::vector<TempFile>> Reserve(absl::Span<const Want> wants,
                                                const absl::Notification* stop = nullptr);

  // Counts so many bytes more, from now on, towards this process's limit, and makes room for them
  // at once: it waits for nobody. False, and nothing is counted, where pins are in the way or less
  // than `least` would be left for files.
  bool Claim(uint64_t bytes, uint64_t least);

  // Gives a file that was made here its final name.
  absl::StatusOr<FileDescriptor> Publish(TempFile file);

  // Says that a file is used: of the unused ones it will be evicted last. `file`: its descriptor.
  void Touch(int file) const;

  int64_t evictions() const { return evictions_; }

  // Bytes of the files that count, files in the making included.
  absl::StatusOr<uint64_t> Used() const { return Count(nullptr); }

 private:
  struct Candidate;

  CacheSpace(Options options, std::map<std::string, Files> folders);
  absl::Status Start();
  // What is taken. Lists what may be evicted, and removes what dead processes left, unless
  // `candidates` is null.
  absl::StatusOr<uint64_t> Count(std::vector<Candidate>* candidates) const;
  // Evicts until there's room for so many bytes, as far as it goes. Returns what is taken.
  absl::StatusOr<uint64_t> MakeRoom(uint64_t bytes);

  const Options options_;
  const std::map<std::string, Files> folders_;
  const bool limited_;
  const std::string lock_path_;
  std::atomic<uint64_t> reserved_;  // at first what the options say
  std::atomic<int64_t> evictions_ = 0;
  std::unique_ptr<Doorbell> doorbell_;
  absl::Status unwritable_;  // not OK where the folders are read-only
};

// Makes the files at once, whatever room they take.
absl::StatusOr<std::vector<TempFile>> CreateFiles(absl::Span<const CacheSpace::Want> wants);

// Removes the files of a folder whose makers died.
void RemoveAbandonedFiles(const std::string& folder);

// The lock file of a folder.
std::string LockPath(const std::string& folder);

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_CACHE_CACHE_SPACE_H_
