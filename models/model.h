#ifndef TESSERA_MODELS_MODEL_H_
#define TESSERA_MODELS_MODEL_H_

#include <torch/nn/module.h>

namespace tessera {

// A network from images to class logits.
class Model : public torch::nn::Module {
 public:
  // images: [N, 3, H, W] float32, normalised, channels_last for speed. Returns logits, float32 also
  // under autocast: [N, num_classes], or those of a SegmentationModel.
  virtual at::Tensor forward(const at::Tensor& images) = 0;

  // The smallest batch that forward takes in training: 2 where a batch norm sees one value per
  // channel and sample. Evaluation takes any batch.
  virtual int min_train_batch() const { return 1; }
};

}  // namespace tessera

#endif  // TESSERA_MODELS_MODEL_H_
