#ifndef TESSERA_MODELS_PACKED_LOGITS_H_
#define TESSERA_MODELS_PACKED_LOGITS_H_

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "models/float8.h"

namespace tessera {

// A channel that stands for no class: the softmax gives it nothing, the argmax never picks it.
inline constexpr float kNoClass = -1e30f;

// Coarse logits [N, C, h, w] as contiguous float [N, h, w, D]: the classes of a cell side by side
// in whole registers, D the next multiple of 8, filled up with kNoClass. CPU only.
at::Tensor PackLogits(const at::Tensor& logits);

// out = (1 - fraction) x top + fraction x bottom, `size` floats, a multiple of 8.
inline void LerpRow(const float* top, const float* bottom, float fraction, int64_t size,
                    float* out) {
  for (int64_t i = 0; i < size; i += kLanes) {
    const Float8 a = Load(top + i);
    Store(a + fraction * (Load(bottom + i) - a), out + i);
  }
}

}  // namespace tessera

#endif  // TESSERA_MODELS_PACKED_LOGITS_H_
