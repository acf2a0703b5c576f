#include "models/resnet/resnet.h"

#include <ATen/ops/max_pool2d.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "models/layers/conv_norm.h"

namespace tessera {
namespace {

// The convolutions of a block's branch: two 3x3, or 1x1, 3x3, 1x1 to four times the planes.
std::vector<ConvShape> BranchShapes(bool bottleneck, int64_t in, int64_t planes, int64_t stride,
                                    int64_t dilation) {
  const ConvShape conv3x3 = {.in = bottleneck ? planes : in,
                             .out = planes,
                             .kernel = 3,
                             .stride = stride,
                             .dilation = dilation};
  if (bottleneck) {
    return {{.in = in, .out = planes}, conv3x3, {.in = planes, .out = 4 * planes}};
  }
  return {conv3x3, {.in = planes, .out = planes, .kernel = 3, .dilation = dilation}};
}

// relu(branch(input) + shortcut(input)); the shortcut is a 1x1 convolution where the shape changes.
class ResidualBlock : public torch::nn::Module {
 public:
  explicit ResidualBlock(const std::vector<ConvShape>& branch) {
    int64_t stride = 1;
    for (const ConvShape& shape : branch) {
      stride *= shape.stride;
      const std::string number = std::to_string(branch_.size() + 1);
      const torch::nn::Conv2d conv =
          register_module("conv" + number, torch::nn::Conv2d(ConvOptions(shape)));
      branch_.push_back({conv, register_module("bn" + number, torch::nn::BatchNorm2d(shape.out))});
    }
    const ConvShape shortcut = {
        .in = branch.front().in, .out = branch.back().out, .stride = stride};
    if (stride != 1 || shortcut.in != shortcut.out) {
      downsample_ = register_module(
          "downsample",
          std::make_shared<ConvNorm>(shortcut, /*relu=*/false, ConvNormNames{"0", "1"}));
    }
  }

  void ZeroInit() { branch_.back().norm->weight.data().zero_(); }

  at::Tensor forward(const at::Tensor& input) {
    at::Tensor x = input;
    for (Layer& layer : branch_) {
      if (&layer != &branch_.front()) x.relu_();
      x = layer.norm->forward(layer.conv->forward(x));
    }
    return x.add_(downsample_ == nullptr ? input : downsample_->forward(input)).relu_();
  }

 private:
  struct Layer {
    torch::nn::Conv2d conv;
    torch::nn::BatchNorm2d norm;
  };

  std::vector<Layer> branch_;
  std::shared_ptr<ConvNorm> downsample_;
};

// A batch of one that was sliced from a channels_last batch keeps the slice's stride in the first
// dimension, which torch takes for another layout. The same memory with the strides it looks for.
at::Tensor WithUsualStrides(const at::Tensor& images) {
  const auto last = at::MemoryFormat::ChannelsLast;
  if (!images.is_contiguous(last) || images.suggest_memory_format() == last) return images;
  const int64_t channels = images.size(1), height = images.size(2), width = images.size(3);
  return images.as_strided(images.sizes(),
                           {channels * height * width, 1, channels * width, channels});
}

}  // namespace

class ResNetStage : public torch::nn::Module {
 public:
  void Append(const std::vector<ConvShape>& branch) {
    blocks_.push_back(
        register_module(std::to_string(blocks_.size()), std::make_shared<ResidualBlock>(branch)));
  }

  void ZeroInit() {
    for (const auto& block : blocks_) block->ZeroInit();
  }

  at::Tensor forward(const at::Tensor& input) {
    at::Tensor x = input;
    for (const auto& block : blocks_) x = block->forward(x);
    return x;
  }

 private:
  std::vector<std::shared_ptr<ResidualBlock>> blocks_;
};

absl::StatusOr<ResNetOptions> MakeResNetOptions(const ResNetConfig& config, int output_stride) {
  ResNetOptions options = {.width = config.width()};
  if (options.width < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("backbone.width is ", options.width, ": a ResNet has at least 1 channel"));
  }
  switch (config.depth()) {
    case ResNetConfig::RESNET18:
      options.blocks = {2, 2, 2, 2};
      options.bottleneck = false;
      break;
    case ResNetConfig::RESNET34:
      options.blocks = {3, 4, 6, 3};
      options.bottleneck = false;
      break;
    case ResNetConfig::RESNET50:
      options.blocks = {3, 4, 6, 3};
      break;
    case ResNetConfig::RESNET101:
      options.blocks = {3, 4, 23, 3};
      break;
    case ResNetConfig::RESNET152:
      options.blocks = {3, 8, 36, 3};
      break;
  }
  switch (output_stride) {
    case 8:
      options.replace_stride_with_dilation = {false, true, true};
      return options;
    case 16:
      options.replace_stride_with_dilation = {false, false, true};
      return options;
    case 32:
      return options;
    default:
      return absl::InvalidArgumentError(absl::StrCat(
          "output_stride is ", output_stride,
          ": a ResNet has 32 = 4 (stem) x 2 x 2 x 2, or 16 or 8 with its last one or two stages "
          "dilated"));
  }
}

ResNet::ResNet(const ResNetOptions& options) : large_stem_(options.large_stem) {
  const int64_t expansion = options.bottleneck ? 4 : 1;
  low_channels_ = options.width * expansion;
  high_channels_ = low_channels_ << (options.blocks.size() - 1);
  const ConvShape stem = {
      .in = 3, .out = options.width, .kernel = large_stem_ ? 7 : 3, .stride = large_stem_ ? 2 : 1};
  conv1_ = register_module("conv1", torch::nn::Conv2d(ConvOptions(stem)));
  bn1_ = register_module("bn1", torch::nn::BatchNorm2d(options.width));

  int64_t in = options.width;
  int64_t dilation = 1;
  for (size_t i = 0; i < options.blocks.size(); ++i) {
    const int64_t planes = options.width << i;
    const bool dilate = i > 0 && i <= options.replace_stride_with_dilation.size() &&
                        options.replace_stride_with_dilation[i - 1];
    const int64_t stride = i > 0 && !dilate ? 2 : 1;
    const auto stage =
        register_module("layer" + std::to_string(i + 1), std::make_shared<ResNetStage>());
    stage->Append(BranchShapes(options.bottleneck, in, planes, stride, dilation));
    if (dilate) dilation *= 2;
    in = planes * expansion;
    for (int block = 1; block < options.blocks[i]; ++block) {
      stage->Append(BranchShapes(options.bottleneck, in, planes, 1, dilation));
    }
    stages_.push_back(stage);
  }
}

ResNetFeatures ResNet::forward(const at::Tensor& images) {
  at::Tensor x = bn1_->forward(conv1_->forward(WithUsualStrides(images))).relu_();
  if (large_stem_) x = at::max_pool2d(x, /*kernel_size=*/3, /*stride=*/2, /*padding=*/1);
  ResNetFeatures features;
  features.low = stages_.front()->forward(x);
  features.high = features.low;
  for (size_t i = 1; i < stages_.size(); ++i) features.high = stages_[i]->forward(features.high);
  return features;
}

void ResNet::ZeroInitResidual() {
  for (const auto& stage : stages_) stage->ZeroInit();
}

}  // namespace tessera
