#ifndef TESSERA_MODELS_DEEPLABV3_ASPP_H_
#define TESSERA_MODELS_DEEPLABV3_ASPP_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// What the pyramids of DeepLabV3 and V3+ share (atrous spatial pyramid pooling, Chen et al. 2017).
namespace tessera {

// The dilations that a config lists, or 1, 12, 24, 36 where it lists none.
absl::StatusOr<std::vector<int64_t>> AsppDilations(const std::vector<int32_t>& listed);

// Checks the fields that both heads have.
absl::Status CheckHead(int64_t head_channels, double dropout);

// The branch of the whole image: mean over the positions of `x` [N, C, h, w], `reduce` to
// [N, D, 1, 1], and that value at each position: [N, D, h, w] in the layout of `x`.
at::Tensor PoolImage(const at::Tensor& x,
                     const std::function<at::Tensor(const at::Tensor&)>& reduce);

// Logits of a 16-bit type, as autocast leaves them, as float32; others unchanged.
at::Tensor WideLogits(const at::Tensor& logits);

}  // namespace tessera

#endif  // TESSERA_MODELS_DEEPLABV3_ASPP_H_
