#include "models/build_model.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <cmath>
#include <exception>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "models/deeplabv3/deeplabv3.h"
#include "models/deeplabv3/deeplabv3_plus.h"
#include "models/model.h"
#include "models/resnet/resnet_classifier.h"
#include "models/segmentation_model.h"

namespace tessera {
namespace {

constexpr int kMaxMaskClasses = 256;  // labels of pixels are bytes

absl::StatusOr<std::shared_ptr<Model>> MakeArchitecture(const ModelConfig& config) {
  switch (config.architecture_case()) {
    case ModelConfig::kDeeplabv3:
      return MakeDeepLabV3(config.deeplabv3(), config.num_classes());
    case ModelConfig::kDeeplabv3Plus:
      return MakeDeepLabV3Plus(config.deeplabv3_plus(), config.num_classes());
    case ModelConfig::kResnet:
      return MakeResNetClassifier(config.resnet(), config.num_classes());
    case ModelConfig::kResnetCifar:
      return MakeCifarResNet(config.resnet_cifar(), config.num_classes());
    case ModelConfig::ARCHITECTURE_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError(
      "the model names no architecture: add deeplabv3 {}, deeplabv3_plus {}, resnet {} or "
      "resnet_cifar {}");
}

bool LabelsPixels(const ModelConfig& config) {
  return config.has_deeplabv3() || config.has_deeplabv3_plus();
}

absl::Status CheckClasses(const ModelConfig& config) {
  if (!config.has_num_classes()) {
    return absl::InvalidArgumentError("model.num_classes is not set");
  }
  const int classes = config.num_classes();
  if (classes == 1) {
    return absl::InvalidArgumentError(
        "model.num_classes is 1: the softmax of one class is always 1, so every pixel or image "
        "would "
        "be of it; count the background as a class (2)");
  }
  if (classes < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("model.num_classes is ", classes, ": expected 2 or more"));
  }
  if (LabelsPixels(config) && classes > kMaxMaskClasses) {
    return absl::InvalidArgumentError(absl::StrCat("model.num_classes is ", classes,
                                                   ": labels are bytes, so 2 to ", kMaxMaskClasses,
                                                   " classes are possible"));
  }
  return absl::OkStatus();
}

// Draws the values of a convolution [out, in, kernel, kernel] or a linear layer [out, in].
// torchvision starts the convolutions of a backbone from He et al.'s fan-out, normal, and leaves
// heads to PyTorch's default, uniform up to 1 / sqrt(fan-in).
void Initialize(const at::Tensor& weight, const at::Tensor& bias,
                ModelConfig::Initializer initializer, bool in_backbone,
                const at::Generator& generator) {
  const double outputs = static_cast<double>(weight.size(0));
  const double fan_in = static_cast<double>(weight.numel()) / outputs;
  const double fan_out = outputs * fan_in / static_cast<double>(weight.size(1));
  const double xavier = 2 / (fan_in + fan_out);  // variance
  const auto uniform = [&](double bound) { weight.uniform_(-bound, bound, generator); };
  switch (initializer) {
    case ModelConfig::TORCHVISION: {
      const double bound = 1 / std::sqrt(fan_in);
      if (in_backbone) {
        weight.normal_(0, std::sqrt(2 / fan_out), generator);
      } else {
        uniform(bound);
      }
      if (bias.defined()) bias.uniform_(-bound, bound, generator);
      return;
    }
    case ModelConfig::KAIMING_NORMAL:
      weight.normal_(0, std::sqrt(2 / fan_in), generator);
      break;
    case ModelConfig::KAIMING_UNIFORM:
      uniform(std::sqrt(6 / fan_in));
      break;
    case ModelConfig::XAVIER_NORMAL:
      weight.normal_(0, std::sqrt(xavier), generator);
      break;
    case ModelConfig::XAVIER_UNIFORM:
      uniform(std::sqrt(3 * xavier));
      break;
  }
  if (bias.defined()) bias.zero_();
}

// Batch norms are built with weight 1 (or 0, see zero_init_residual) and bias 0.
void Initialize(Model& model, const ModelConfig& config, uint64_t seed) {
  const at::NoGradGuard no_grad;
  const at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(seed);
  for (const auto& module : model.named_modules()) {
    if (auto* const conv = module.value()->as<torch::nn::Conv2d>()) {
      // All convolutions of a classifier are its backbone's.
      const bool in_backbone = !LabelsPixels(config) || module.key().rfind("backbone.", 0) == 0;
      Initialize(conv->weight, conv->bias, config.initializer(), in_backbone, generator);
    } else if (auto* const linear = module.value()->as<torch::nn::Linear>()) {
      Initialize(linear->weight, linear->bias, config.initializer(), /*in_backbone=*/false,
                 generator);
    }
  }
}

}  // namespace

absl::StatusOr<std::shared_ptr<Model>> BuildModel(const ModelConfig& config, uint64_t seed) {
  TESSERA_RETURN_IF_ERROR(CheckClasses(config));
  try {
    TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<Model> model, MakeArchitecture(config));
    Initialize(*model, config, seed);
    return model;
  } catch (const std::exception& error) {
    return absl::InternalError(absl::StrCat("cannot build the model: ", error.what()));
  }
}

absl::StatusOr<std::shared_ptr<SegmentationModel>> BuildSegmentationModel(const ModelConfig& config,
                                                                          uint64_t seed) {
  TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<Model> model, BuildModel(config, seed));
  std::shared_ptr<SegmentationModel> labels = std::dynamic_pointer_cast<SegmentationModel>(model);
  if (labels != nullptr) return labels;
  return absl::InvalidArgumentError(
      "the model gives images a class, and pixels are to be labelled; expected deeplabv3 or "
      "deeplabv3_plus");
}

}  // namespace tessera
