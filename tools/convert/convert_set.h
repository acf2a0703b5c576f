#ifndef TESSERA_TOOLS_CONVERT_CONVERT_SET_H_
#define TESSERA_TOOLS_CONVERT_CONVERT_SET_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "data/data.pb.h"
#include "tools/convert/convert_split.h"
#include "tools/convert/rows.h"

namespace tessera {

// The order of the samples in the shards.
enum class RowOrder {
  kAuto,    // random for the training split of sets whose files stand by class
  kFiles,   // as they are in the set
  kRandom,  // the same each time
};

struct ConvertSetOptions {
  ConvertOptions convert = {};
  RowOptions rows = {};
  RowOrder order = RowOrder::kAuto;
  std::vector<std::string> splits = {"train", "val"};
  bool boxes = false;  // of COCO, instead of masks
};

// Converts splits of the set that `config` names (see ConvertSplit). Shows progress on stderr, and
// what was written and skipped on stdout.
absl::Status ConvertSet(const DataConfig& config, const ConvertSetOptions& options);

}  // namespace tessera

#endif  // TESSERA_TOOLS_CONVERT_CONVERT_SET_H_
