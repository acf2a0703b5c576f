#ifndef TESSERA_MODELS_SEGMENTATION_MODEL_H_
#define TESSERA_MODELS_SEGMENTATION_MODEL_H_

#include <torch/nn/module.h>

namespace tessera {

// A network from images to class logits.
class SegmentationModel : public torch::nn::Module {
 public:
  // images: [N, 3, H, W] float32, normalised, channels_last for speed.
  // Returns logits [N, num_classes, h, w], float32 also under autocast, on the model's own coarse
  // grid. Losses and metrics resize them to the size of the labels.
  virtual at::Tensor forward(const at::Tensor& images) = 0;

  // How the logits are resized to the labels' size.
  virtual bool align_corners() const = 0;

  // The smallest batch that forward takes in training: 2 where a batch norm sees one value per
  // channel and sample. Evaluation takes any batch.
  virtual int min_train_batch() const { return 1; }
};

}  // namespace tessera

#endif  // TESSERA_MODELS_SEGMENTATION_MODEL_H_
