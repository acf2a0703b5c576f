#ifndef TESSERA_TRAIN_OPTIMIZERS_SGD_KERNEL_H_
#define TESSERA_TRAIN_OPTIMIZERS_SGD_KERNEL_H_

#include <cstdint>

namespace tessera {

// Coefficients of one SGD step.
struct SgdStep {
  float lr = 0;
  float momentum = 0;
  float gradient_scale = 1;  // of the gradient in the momentum buffer: 1 - dampening, or 1 at first
  float coupled_decay = 0;   // weight decay that is added to the gradient
  float shrink = 1;          // factor on the parameter: decoupled weight decay
  bool nesterov = false;
};

// Updates `count` parameters and their momentum in one pass over the memory; `momentum` is null
// where there is none. Rounds where PyTorch's kernels do, so that the bits are the same.
void SgdUpdate(const SgdStep& step, int64_t count, const float* gradient, float* momentum,
               float* parameter);

}  // namespace tessera

#endif  // TESSERA_TRAIN_OPTIMIZERS_SGD_KERNEL_H_
