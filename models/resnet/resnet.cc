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

// How many blocks a stage has, and of which kind.
struct Architecture {
  std::array<int, 4> blocks;
  bool bottleneck;

  int64_t expansion() const { return bottleneck ? 4 : 1; }
};

Architecture MakeArchitecture(int depth) {
  switch (depth) {
    case 18:
      return {{2, 2, 2, 2}, false};
    case 34:
      return {{3, 4, 6, 3}, false};
    case 50:
      return {{3, 4, 6, 3}, true};
    default:
      return {{3, 4, 23, 3}, true};
  }
}

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

  at::Tensor forward(const at::Tensor& input) {
    at::Tensor x = input;
    for (const auto& block : blocks_) x = block->forward(x);
    return x;
  }

 private:
  std::vector<std::shared_ptr<ResidualBlock>> blocks_;
};

absl::StatusOr<ResNetOptions> MakeResNetOptions(const ResNetConfig& config, int output_stride) {
  ResNetOptions options = {.depth = config.depth(), .width = config.width()};
  if (options.width < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("backbone.width is ", options.width, ": a ResNet has at least 1 channel"));
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

ResNet::ResNet(const ResNetOptions& options) {
  const Architecture architecture = MakeArchitecture(options.depth);
  low_channels_ = options.width * architecture.expansion();
  high_channels_ = 8 * low_channels_;
  conv1_ = register_module(
      "conv1",
      torch::nn::Conv2d(ConvOptions({.in = 3, .out = options.width, .kernel = 7, .stride = 2})));
  bn1_ = register_module("bn1", torch::nn::BatchNorm2d(options.width));

  int64_t in = options.width;
  int64_t dilation = 1;
  for (int i = 0; i < 4; ++i) {
    const int64_t planes = options.width << i;
    const bool dilate = i > 0 && options.replace_stride_with_dilation[i - 1];
    const int64_t stride = i > 0 && !dilate ? 2 : 1;
    stages_[i] = register_module("layer" + std::to_string(i + 1), std::make_shared<ResNetStage>());
    stages_[i]->Append(BranchShapes(architecture.bottleneck, in, planes, stride, dilation));
    if (dilate) dilation *= 2;
    in = planes * architecture.expansion();
    for (int block = 1; block < architecture.blocks[i]; ++block) {
      stages_[i]->Append(BranchShapes(architecture.bottleneck, in, planes, 1, dilation));
    }
  }
}

ResNetFeatures ResNet::forward(const at::Tensor& images) {
  at::Tensor x = bn1_->forward(conv1_->forward(WithUsualStrides(images))).relu_();
  x = at::max_pool2d(x, /*kernel_size=*/3, /*stride=*/2, /*padding=*/1);
  ResNetFeatures features;
  features.low = stages_[0]->forward(x);
  features.high = stages_[1]->forward(features.low);
  features.high = stages_[2]->forward(features.high);
  features.high = stages_[3]->forward(features.high);
  return features;
}

}  // namespace tessera
