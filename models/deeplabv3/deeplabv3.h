#ifndef TESSERA_MODELS_DEEPLABV3_DEEPLABV3_H_
#define TESSERA_MODELS_DEEPLABV3_DEEPLABV3_H_

#include <memory>

#include "absl/status/statusor.h"
#include "models/deeplabv3/deeplabv3.pb.h"
#include "models/segmentation_model.h"

namespace tessera {

// The network of torchvision's deeplabv3_resnet50 without its auxiliary classifier: same names of
// parameters and buffers, same numbers. Logits have the backbone's output stride.
absl::StatusOr<std::shared_ptr<SegmentationModel>> MakeDeepLabV3(const DeepLabV3Config& config,
                                                                 int num_classes);

}  // namespace tessera

#endif  // TESSERA_MODELS_DEEPLABV3_DEEPLABV3_H_
