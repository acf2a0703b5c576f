#ifndef TESSERA_TOOLS_CONVERT_CONVERT_SPLIT_H_
#define TESSERA_TOOLS_CONVERT_CONVERT_SPLIT_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "data/order/sample_order.h"
#include "tools/convert/journal.h"
#include "tools/convert/rows.h"
#include "tools/convert/shard_writer.h"

namespace tessera {

struct ConvertOptions {
  std::string to;  // folder, or address of a store: gets a folder for each split
  ShardSettings shards;
  int num_threads = 2;
  // A row that cannot be made is left out and counted, instead of being the end.
  bool skip_bad = false;
};

// One split of a set.
struct ConvertJob {
  std::string split;  // as it is called in the result: train or val
  // What makes the rows and their order: a conversion that was interrupted goes on only where this
  // and the options are the same.
  std::string source;
  const Rows& rows;
  const EpochOrder& order;  // of the rows
};

struct ConvertSummary {
  int64_t samples = 0;
  uint64_t bytes = 0;  // of the files that the samples were made of
  int64_t shards = 0;
  Skipped skipped;
  int64_t resumed = 0;  // samples that an earlier run had written
};

// AlreadyExists where the split is there, unless this conversion has written it and was interrupted
// before its end.
absl::Status CheckSplitIsFree(const ConvertOptions& options, const ConvertJob& job);

// Writes a split. Rows are made by several threads; the result does not depend on their number. A
// folder appears in one rename when all of it is written; in a store the index comes last. A
// conversion that was killed, or ended by an error, goes on behind the last shard that it wrote
// when it is started again, and gives the same bytes; one that wrote none leaves nothing.
// `progress` gets the number of rows done.
absl::StatusOr<ConvertSummary> ConvertSplit(const ConvertOptions& options, const ConvertJob& job,
                                            const std::function<void(int64_t)>& progress);

// Removes the note beside the shards of a split by which ConvertSplit knows that it is done. Called
// when all splits are.
absl::Status FinishConversion(const ConvertOptions& options, const std::string& split);

}  // namespace tessera

#endif  // TESSERA_TOOLS_CONVERT_CONVERT_SPLIT_H_
