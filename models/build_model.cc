#include "models/build_model.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>

#include <cmath>
#include <exception>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "models/deeplabv3/deeplabv3.h"
#include "models/deeplabv3/deeplabv3_plus.h"
#include "models/segmentation_model.h"

namespace tessera {
namespace {

constexpr int kMaxClasses = 256;  // labels are bytes

absl::StatusOr<std::shared_ptr<SegmentationModel>> MakeArchitecture(const ModelConfig& config) {
  switch (config.architecture_case()) {
    case ModelConfig::kDeeplabv3:
      return MakeDeepLabV3(config.deeplabv3(), config.num_classes());
    case ModelConfig::kDeeplabv3Plus:
      return MakeDeepLabV3Plus(config.deeplabv3_plus(), config.num_classes());
    case ModelConfig::ARCHITECTURE_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError(
      "the model names no architecture: add deeplabv3 {} or deeplabv3_plus {}");
}

absl::Status CheckClasses(const ModelConfig& config) {
  if (!config.has_num_classes()) {
    return absl::InvalidArgumentError("model.num_classes is not set");
  }
  const int classes = config.num_classes();
  if (classes == 1) {
    return absl::InvalidArgumentError(
        "model.num_classes is 1: the softmax of one class is always 1, so every pixel would be of "
        "it; count the background as a class (2)");
  }
  if (classes < 1 || classes > kMaxClasses) {
    return absl::InvalidArgumentError(absl::StrCat("model.num_classes is ", classes,
                                                   ": labels are bytes, so 2 to ", kMaxClasses,
                                                   " classes are possible"));
  }
  return absl::OkStatus();
}

// Draws a convolution's values. torchvision starts the backbone from He et al.'s fan-out, normal,
// and leaves its heads to PyTorch's default, uniform up to 1 / sqrt(fan-in).
void Initialize(torch::nn::Conv2dImpl& conv, ModelConfig::Initializer initializer, bool in_backbone,
                const at::Generator& generator) {
  const int64_t kernel = conv.weight.size(2) * conv.weight.size(3);
  const double fan_in = static_cast<double>(conv.weight.size(1) * kernel);
  const double fan_out = static_cast<double>(conv.weight.size(0) * kernel);
  const double bound = 1 / std::sqrt(fan_in);
  switch (initializer) {
    case ModelConfig::KAIMING_NORMAL:
      conv.weight.normal_(0, std::sqrt(2 / fan_in), generator);
      if (conv.bias.defined()) conv.bias.zero_();
      return;
    case ModelConfig::TORCHVISION:
      if (in_backbone) {
        conv.weight.normal_(0, std::sqrt(2 / fan_out), generator);
      } else {
        conv.weight.uniform_(-bound, bound, generator);
      }
      if (conv.bias.defined()) conv.bias.uniform_(-bound, bound, generator);
      return;
  }
}

// Batch norms are built with weight 1 and bias 0.
void Initialize(SegmentationModel& model, ModelConfig::Initializer initializer, uint64_t seed) {
  const at::NoGradGuard no_grad;
  const at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(seed);
  for (const auto& module : model.named_modules()) {
    if (auto* const conv = module.value()->as<torch::nn::Conv2d>()) {
      const bool in_backbone = module.key().rfind("backbone.", 0) == 0;
      Initialize(*conv, initializer, in_backbone, generator);
    }
  }
}

}  // namespace

absl::StatusOr<std::shared_ptr<SegmentationModel>> BuildModel(const ModelConfig& config,
                                                              uint64_t seed) {
  TESSERA_RETURN_IF_ERROR(CheckClasses(config));
  try {
    TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<SegmentationModel> model, MakeArchitecture(config));
    Initialize(*model, config.initializer(), seed);
    return model;
  } catch (const std::exception& error) {
    return absl::InternalError(absl::StrCat("cannot build the model: ", error.what()));
  }
}

}  // namespace tessera
