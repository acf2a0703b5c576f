#include "models/losses/loss_share.h"

#include <cstdint>

namespace tessera {

LossShare MakeLossShare(const LossTotals& totals, const SegmentationLossOptions& options) {
  const int64_t classes = totals.target.numel();
  LossShare share;
  share.target.resize(classes);
  share.intersection.resize(classes);
  share.prediction_slope.resize(classes);
  if (totals.valid_pixels == 0) return share;
  share.cross_entropy = options.cross_entropy_weight / static_cast<double>(totals.valid_pixels);

  const at::Tensor sums[] = {totals.intersection.cpu(), totals.target.cpu(),
                             totals.prediction.cpu()};
  const double* const intersection = sums[0].const_data_ptr<double>();
  const double* const target = sums[1].const_data_ptr<double>();
  const double* const prediction = sums[2].const_data_ptr<double>();
  int present = 0;
  for (int64_t c = 0; c < classes; ++c) present += target[c] > 0;
  const double weight = options.dice_weight / present;
  for (int64_t c = 0; c < classes; ++c) {
    if (target[c] == 0) continue;
    const double denominator = target[c] + prediction[c] + kDiceEpsilon;
    share.target[c] = weight * (1 - kDiceEpsilon / denominator) / target[c];
    share.intersection[c] = -2 * weight / denominator;
    share.prediction_slope[c] =
        weight * (2 * intersection[c] + kDiceEpsilon) / (denominator * denominator);
  }
  return share;
}

double ShareValue(const LossShare& share, const LossTotals& part) {
  const at::Tensor intersections = part.intersection.cpu();
  const at::Tensor targets = part.target.cpu();
  const double* const intersection = intersections.const_data_ptr<double>();
  const double* const target = targets.const_data_ptr<double>();
  double value = share.cross_entropy * part.cross_entropy;
  for (size_t c = 0; c < share.target.size(); ++c) {
    value += share.target[c] * target[c] + share.intersection[c] * intersection[c];
  }
  return value;
}

}  // namespace tessera
