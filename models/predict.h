#ifndef TESSERA_MODELS_PREDICT_H_
#define TESSERA_MODELS_PREDICT_H_

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace tessera {

// The most likely class of each pixel, the lower one of two equals: argmax over the classes of the
// logits resized (bilinear) to height x width. The resized logits are never stored for more than
// one image, and on the CPU not at all.
// logits: [N, C, h, w], C at most 256. Returns [N, height, width] uint8 on the logits' device.
at::Tensor PredictLabels(const at::Tensor& logits, int64_t height, int64_t width,
                         bool align_corners);

}  // namespace tessera

#endif  // TESSERA_MODELS_PREDICT_H_
