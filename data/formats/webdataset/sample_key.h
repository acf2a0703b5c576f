#ifndef TESSERA_DATA_FORMATS_WEBDATASET_SAMPLE_KEY_H_
#define TESSERA_DATA_FORMATS_WEBDATASET_SAMPLE_KEY_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace tessera {

// To which sample a file of a shard belongs, and as what.
struct SampleKey {
  absl::string_view key;  // "dir.v1/x" of "dir.v1/x.left.PNG"
  std::string extension;  // "left.png": without its first dot, ASCII letters in lower case
};

// Splits the name of a file as WebDataset does: at the first dot after the last slash. Null: the
// file belongs to no sample, for its name
//   - begins with a part such as "__meta__", which is kept for WebDataset's own use, or
//   - has no dot after its last slash, or
//   - begins with a dot there; but "d/.jpg" is the "jpg" of the key "d/" where d has no dot.
std::optional<SampleKey> SplitSampleName(absl::string_view name);

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_WEBDATASET_SAMPLE_KEY_H_
