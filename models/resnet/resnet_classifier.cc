#include "models/resnet/resnet_classifier.h"

#include <torch/nn/modules/linear.h>

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "models/resnet/resnet.h"

namespace tessera {
namespace {

// The backbone's modules are this network's own: weight files know no name for the backbone.
class ResNetClassifier : public Model {
 public:
  ResNetClassifier(const ResNetOptions& options, bool zero_init_residual, int num_classes)
      : backbone_(std::make_shared<ResNet>(options)) {
    if (zero_init_residual) backbone_->ZeroInitResidual();
    for (const auto& child : backbone_->named_children()) {
      register_module(child.key(), child.value());
    }
    fc_ = register_module("fc", torch::nn::Linear(backbone_->high_channels(), num_classes));
  }

  at::Tensor forward(const at::Tensor& images) override {
    // The mean over the pixels, as AdaptiveAvgPool2d(1).
    const at::Tensor logits = fc_->forward(backbone_->forward(images).high.mean({2, 3}));
    return logits.element_size() < 4 ? logits.to(at::kFloat) : logits;
  }

 private:
  const std::shared_ptr<ResNet> backbone_;
  torch::nn::Linear fc_{nullptr};
};

}  // namespace

absl::StatusOr<std::shared_ptr<Model>> MakeResNetClassifier(const ResNetClassifierConfig& config,
                                                            int num_classes) {
  TESSERA_ASSIGN_OR_RETURN(const ResNetOptions options,
                           MakeResNetOptions(config.backbone(), config.output_stride()));
  return std::make_shared<ResNetClassifier>(options, config.zero_init_residual(), num_classes);
}

absl::StatusOr<std::shared_ptr<Model>> MakeCifarResNet(const CifarResNetConfig& config,
                                                       int num_classes) {
  const int blocks = (config.depth() - 2) / 6;
  if (blocks < 1 || config.depth() != 6 * blocks + 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("model.resnet_cifar.depth is ", config.depth(),
                     ": expected 6 n + 2 (three stages of n blocks of two convolutions, the stem "
                     "and the classifier), as 20, 32, 44, 56 or 110"));
  }
  if (config.width() < 1) {
    return absl::InvalidArgumentError(absl::StrCat("model.resnet_cifar.width is ", config.width(),
                                                   ": a ResNet has at least 1 channel"));
  }
  return std::make_shared<ResNetClassifier>(ResNetOptions{.blocks = {blocks, blocks, blocks},
                                                          .bottleneck = false,
                                                          .width = config.width(),
                                                          .large_stem = false},
                                            config.zero_init_residual(), num_classes);
}

}  // namespace tessera
