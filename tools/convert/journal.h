#ifndef TESSERA_TOOLS_CONVERT_JOURNAL_H_
#define TESSERA_TOOLS_CONVERT_JOURNAL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "data/storage/store.h"

namespace tessera {

// What was not written, and why.
struct Skipped {
  static constexpr size_t kMostNamed = 20;

  int64_t count = 0;
  std::vector<std::string> reasons;  // of the first ones

  void Add(std::string reason) {
    ++count;
    if (reasons.size() < kMostNamed) reasons.push_back(std::move(reason));
  }
};

// How far the conversion of a split has come: all rows before `next` are in shards that are written
// or were skipped. It lies beside the shards until all splits are done.
struct Journal {
  std::string fingerprint;  // of what is converted, and how
  bool done = false;        // the index is written, too
  int64_t next = 0;
  int64_t samples = 0;  // that are written
  uint64_t bytes = 0;   // of the files that these were made of
  Skipped skipped;
  int64_t shards = 0;
  std::string written;  // see ShardWriter
};

// Nothing where there is no journal, it is damaged, or it is of another conversion.
absl::StatusOr<std::optional<Journal>> ReadJournal(Store& store, const std::string& fingerprint);
absl::Status WriteJournal(Store& store, const Journal& journal);
absl::Status RemoveJournal(Store& store);

}  // namespace tessera

#endif  // TESSERA_TOOLS_CONVERT_JOURNAL_H_
