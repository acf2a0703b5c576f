#ifndef TESSERA_DATA_STREAMING_SAMPLE_PARTS_H_
#define TESSERA_DATA_STREAMING_SAMPLE_PARTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "data/datasets/dataset.h"
#include "data/streaming/stream.h"
#include "data/streaming/streaming.pb.h"

namespace tessera {

// Which parts of a stored sample are its name, image and mask or label, as a config says.
class SampleParts {
 public:
  explicit SampleParts(const StreamingConfig& config);

  LabelKind label_kind() const { return label_.empty() ? LabelKind::kMask : LabelKind::kClass; }

  // The parts that each sample must have.
  std::vector<absl::string_view> required() const;

  // Sets all of `sample` but its owner to views of `parts`. Images are files, or MDS's pil of the
  // modes L and RGB; labels any integer encoding of MDS, or a number as text. Errors name the part
  // and say what was found and expected.
  absl::Status Fill(const Parts& parts, Sample* sample) const;

 private:
  std::string name_;  // empty: samples have none
  std::string image_;
  std::string mask_;
  std::string label_;  // empty: samples have masks
};

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_SAMPLE_PARTS_H_
