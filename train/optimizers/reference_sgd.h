#ifndef TESSERA_TRAIN_OPTIMIZERS_REFERENCE_SGD_H_
#define TESSERA_TRAIN_OPTIMIZERS_REFERENCE_SGD_H_

#include <ATen/core/Tensor.h>

namespace tessera {

// Coefficients of one SGD step.
struct SgdCoefficients {
  double lr = 0;
  double momentum = 0;
  double dampening = 0;
  double coupled_decay = 0;  // weight decay that is added to the gradient
  double shrink = 1;         // factor on the parameter: decoupled weight decay
  bool nesterov = false;
};

// One step in torch's functions, for any device, dtype and memory layout, as torch.optim.SGD writes
// it. An undefined `momentum` becomes the gradient; it stays undefined without momentum.
void ReferenceSgdUpdate(const SgdCoefficients& step, const at::Tensor& gradient,
                        at::Tensor* momentum, at::Tensor* parameter);

}  // namespace tessera

#endif  // TESSERA_TRAIN_OPTIMIZERS_REFERENCE_SGD_H_
