#include "train/optimizers/reference_sgd.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>

namespace tessera {

void ReferenceSgdUpdate(const SgdCoefficients& step, const at::Tensor& gradient,
                        at::Tensor* momentum, at::Tensor* parameter) {
  const at::NoGradGuard no_grad;
  at::Tensor update = gradient;
  if (step.coupled_decay != 0) update = update.add(*parameter, step.coupled_decay);
  if (step.shrink != 1) parameter->mul_(step.shrink);
  if (step.momentum != 0) {
    if (momentum->defined()) {
      momentum->mul_(step.momentum).add_(update, 1 - step.dampening);
    } else {
      *momentum = at::empty_like(*parameter).copy_(update);
    }
    update = step.nesterov ? update.add(*momentum, step.momentum) : *momentum;
  }
  parameter->add_(update, -step.lr);
}

}  // namespace tessera
