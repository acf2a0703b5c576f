#ifndef TESSERA_TOOLS_CONVERT_FOLDER_H_
#define TESSERA_TOOLS_CONVERT_FOLDER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "data/datasets/folder_dataset.h"
#include "tools/sample_writer.h"

namespace tessera {

struct ConvertOptions {
  std::string from;  // folder in the ADE20K layout
  std::string to;    // folder, or address of a store: gets a folder for each split
  uint64_t size_limit = uint64_t{1} << 26;  // most bytes of a shard
  ShardFormat format = ShardFormat::kMds;
  bool skip_unpaired = false;
  int num_threads = 2;
};

// A split that can be converted, as far as names tell.
struct SplitPlan {
  std::string split;  // as it is called in the result: train or val
  std::vector<FilePair> pairs;
  int64_t skipped = 0;  // files without a partner
};

// Looks `from_split` of options.from up. A split that is missing, files without a partner (unless
// they are skipped) and a result that exists already are errors.
absl::StatusOr<SplitPlan> PlanSplit(const ConvertOptions& options, const std::string& from_split,
                                    const std::string& to_split);

struct ConvertSummary {
  int64_t samples = 0;
  uint64_t bytes = 0;  // of the files that were stored
  int64_t shards = 0;
  std::string settings;  // see SampleWriter
};

// Converts a split to shards that hold the files' names and own bytes (see MakeSampleWriter). Each
// image and mask is decoded first: one that is damaged, or a mask of another size than its image,
// ends the conversion with its name. A folder appears in one rename when all of it is written, and
// an error leaves nothing; in a store the index comes last, and an error leaves shards without one.
// It does not depend on the number of threads. `progress` gets (samples done, samples in all).
absl::StatusOr<ConvertSummary> ConvertSplit(const ConvertOptions& options, const SplitPlan& plan,
                                            const std::function<void(int64_t, int64_t)>& progress);

}  // namespace tessera

#endif  // TESSERA_TOOLS_CONVERT_FOLDER_H_
