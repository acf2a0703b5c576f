#ifndef TESSERA_MODELS_RESNET_RESNET_CLASSIFIER_H_
#define TESSERA_MODELS_RESNET_RESNET_CLASSIFIER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "models/model.h"
#include "models/resnet/resnet.pb.h"

namespace tessera {

// torchvision's resnet18 to resnet152: same names of parameters and buffers, same numbers. Logits
// are [N, num_classes].
absl::StatusOr<std::shared_ptr<Model>> MakeResNetClassifier(const ResNetClassifierConfig& config,
                                                            int num_classes);

// A ResNet for small pictures, with names after the same pattern: conv1, bn1, layer1 to layer3, fc.
absl::StatusOr<std::shared_ptr<Model>> MakeCifarResNet(const CifarResNetConfig& config,
                                                       int num_classes);

}  // namespace tessera

#endif  // TESSERA_MODELS_RESNET_RESNET_CLASSIFIER_H_
