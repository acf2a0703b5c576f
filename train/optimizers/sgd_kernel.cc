#include "train/optimizers/sgd_kernel.h"

#include <cmath>

namespace tessera {

// Tensor::add with alpha is a fused multiply-add, Tensor::mul_ rounds by itself.
void SgdUpdate(const SgdStep& step, int64_t count, const float* __restrict gradient,
               float* __restrict momentum, float* __restrict parameter) {
  const SgdStep s = step;
  if (momentum == nullptr) {
    for (int64_t i = 0; i < count; ++i) {
      const float g = std::fma(s.coupled_decay, parameter[i], gradient[i]);
      parameter[i] = std::fma(-s.lr, g, parameter[i] * s.shrink);
    }
  } else if (s.nesterov) {
    for (int64_t i = 0; i < count; ++i) {
      const float g = std::fma(s.coupled_decay, parameter[i], gradient[i]);
      momentum[i] = std::fma(s.gradient_scale, g, s.momentum * momentum[i]);
      const float ahead = std::fma(s.momentum, momentum[i], g);
      parameter[i] = std::fma(-s.lr, ahead, parameter[i] * s.shrink);
    }
  } else {
    for (int64_t i = 0; i < count; ++i) {
      const float g = std::fma(s.coupled_decay, parameter[i], gradient[i]);
      momentum[i] = std::fma(s.gradient_scale, g, s.momentum * momentum[i]);
      parameter[i] = std::fma(-s.lr, momentum[i], parameter[i] * s.shrink);
    }
  }
}

}  // namespace tessera
