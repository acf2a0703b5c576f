#ifndef TESSERA_TRAIN_CALLBACKS_OVERLAY_H_
#define TESSERA_TRAIN_CALLBACKS_OVERLAY_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "data/datasets/dataset.h"
#include "data/image/image.h"
#include "data/transforms/normalize.h"
#include "train/callbacks/sample_files.h"
#include "train/events.h"

namespace tessera {

// The colour of a class: PASCAL VOC's colour map from its entry 1 on. Its entry 0, black, stands
// for ignored pixels.
std::array<uint8_t, 3> ClassColor(int label);

// At each evaluation, draws some of its samples: the image, the labels over it, the predictions
// over it, side by side, to `folder`/ba000123/NAME.png.
class Overlay : public Callback {
 public:
  struct Options {
    std::string folder;
    int image_samples = 4;  // spread evenly over the split
    int ignore_index = 255;
  };

  Overlay(Options options, std::shared_ptr<const Dataset> dataset, const Normalizer& normalizer);

  absl::Status Run(Event event, const State& state) override;

 private:
  absl::Status Draw(const Evaluation& evaluation, int64_t index, const std::string& folder);
  // The image, labels and predictions of sample `index` of the batch.
  Image Compose(const Evaluation& evaluation, int64_t index) const;

  const Options options_;
  std::vector<int64_t> sample_ids_;  // ascending
  SampleFiles files_;
  // Undo the normalisation of the batch: pixel = (value - offset) / scale.
  std::array<float, 3> scale_{};
  std::array<float, 3> offset_{};
};

}  // namespace tessera

#endif  // TESSERA_TRAIN_CALLBACKS_OVERLAY_H_
