#ifndef TESSERA_MODELS_LOSSES_LOSS_SHARE_H_
#define TESSERA_MODELS_LOSSES_LOSS_SHARE_H_

#include <vector>

#include "models/losses/segmentation_loss.h"

namespace tessera {

// Keeps the ratio defined where neither prediction nor target has any mass.
inline constexpr double kDiceEpsilon = 1e-5;

// What the loss of a batch is to one of its parts, which sees it as a linear function of its own
// sums. With the sums of all parts put in, it gives the loss; its slopes are the loss's own, so the
// gradients of the parts add up too.
//
// Dice of a class with target sum G, prediction sum P, intersection I: 1 - (2I + e) / (G + P + e).
// A part with G', I' has the share G'/G - (2I' + e G'/G) / (G + P + e).
struct LossShare {
  double cross_entropy = 0;          // per unit of the cross entropy sum
  std::vector<double> target;        // [C] per unit of the target sum
  std::vector<double> intersection;  // [C] per unit of the intersection
  // [C] slope with respect to the prediction sum, which has no share in the value itself.
  std::vector<double> prediction_slope;
};

// All zero without a valid pixel.
LossShare MakeLossShare(const LossTotals& totals, const SegmentationLossOptions& options);

// The share of a part with these sums.
double ShareValue(const LossShare& share, const LossTotals& part);

}  // namespace tessera

#endif  // TESSERA_MODELS_LOSSES_LOSS_SHARE_H_
