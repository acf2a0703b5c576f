#ifndef TESSERA_MODELS_SEGMENTATION_MODEL_H_
#define TESSERA_MODELS_SEGMENTATION_MODEL_H_

#include "models/model.h"

namespace tessera {

// A network that labels pixels: its logits are [N, num_classes, h, w], on the model's own coarse
// grid. Losses and metrics resize them to the size of the labels.
class SegmentationModel : public Model {
 public:
  // How the logits are resized to the labels' size.
  virtual bool align_corners() const = 0;
};

}  // namespace tessera

#endif  // TESSERA_MODELS_SEGMENTATION_MODEL_H_
