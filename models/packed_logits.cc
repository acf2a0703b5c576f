#include "models/packed_logits.h"

#include <ATen/ops/constant_pad_nd.h>

namespace tessera {

at::Tensor PackLogits(const at::Tensor& logits) {
  const int64_t padding = -logits.size(1) & (kLanes - 1);
  const at::Tensor cells = logits.detach().to(at::kFloat).permute({0, 2, 3, 1});
  return at::constant_pad_nd(cells, {0, padding}, kNoClass).contiguous();
}

}  // namespace tessera
