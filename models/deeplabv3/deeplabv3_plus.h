#ifndef TESSERA_MODELS_DEEPLABV3_DEEPLABV3_PLUS_H_
#define TESSERA_MODELS_DEEPLABV3_DEEPLABV3_PLUS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "models/deeplabv3/deeplabv3.pb.h"
#include "models/segmentation_model.h"

namespace tessera {

// DeepLabV3+ with the head of mmsegmentation's DepthwiseSeparableASPPHead, its names under
// `decode_head`, on a ResNet with torchvision's names under `backbone`. Logits have stride 4, that
// of the low-level features.
absl::StatusOr<std::shared_ptr<SegmentationModel>> MakeDeepLabV3Plus(
    const DeepLabV3PlusConfig& config, int num_classes);

}  // namespace tessera

#endif  // TESSERA_MODELS_DEEPLABV3_DEEPLABV3_PLUS_H_
