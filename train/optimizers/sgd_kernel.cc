#include "train/optimizers/sgd_kernel.h"

namespace tessera {

void SgdUpdate(const SgdStep& step, int64_t count, const float* __restrict gradient,
               float* __restrict momentum, float* __restrict parameter) {
  const SgdStep s = step;
  if (momentum == nullptr) {
    for (int64_t i = 0; i < count; ++i) {
      const float g = gradient[i] + s.coupled_decay * parameter[i];
      parameter[i] = parameter[i] * s.shrink - s.lr * g;
    }
  } else if (s.nesterov) {
    for (int64_t i = 0; i < count; ++i) {
      const float g = gradient[i] + s.coupled_decay * parameter[i];
      momentum[i] = s.momentum * momentum[i] + s.gradient_scale * g;
      parameter[i] = parameter[i] * s.shrink - s.lr * (g + s.momentum * momentum[i]);
    }
  } else {
    for (int64_t i = 0; i < count; ++i) {
      const float g = gradient[i] + s.coupled_decay * parameter[i];
      momentum[i] = s.momentum * momentum[i] + s.gradient_scale * g;
      parameter[i] = parameter[i] * s.shrink - s.lr * momentum[i];
    }
  }
}

}  // namespace tessera
