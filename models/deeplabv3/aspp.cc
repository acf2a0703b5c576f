#include "models/deeplabv3/aspp.h"

#include <ATen/ops/adaptive_avg_pool2d.h>

#include "absl/strings/str_cat.h"

namespace tessera {

absl::StatusOr<std::vector<int64_t>> AsppDilations(const std::vector<int32_t>& listed) {
  if (listed.empty()) return std::vector<int64_t>{1, 12, 24, 36};
  for (const int32_t dilation : listed) {
    if (dilation < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("aspp_dilations has ", dilation, ": a dilation is at least 1"));
    }
  }
  return std::vector<int64_t>(listed.begin(), listed.end());
}

absl::Status CheckHead(int64_t head_channels, double dropout) {
  if (head_channels < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("head_channels is ", head_channels, ": it must be at least 1"));
  }
  if (!(dropout >= 0 && dropout < 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("dropout is ", dropout, ": it must be at least 0 and below 1"));
  }
  return absl::OkStatus();
}

at::Tensor PoolImage(const at::Tensor& x,
                     const std::function<at::Tensor(const at::Tensor&)>& reduce) {
  const at::Tensor pooled = reduce(at::adaptive_avg_pool2d(x, {1, 1}));
  return pooled.expand({-1, -1, x.size(2), x.size(3)}).contiguous(x.suggest_memory_format());
}

at::Tensor WideLogits(const at::Tensor& logits) {
  return logits.element_size() < 4 ? logits.to(at::kFloat) : logits;
}

}  // namespace tessera
