#include "models/deeplabv3/deeplabv3_plus.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/feature_dropout.h>
#include <ATen/ops/upsample_bilinear2d.h>
#include <torch/nn/modules/conv.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "models/deeplabv3/aspp.h"
#include "models/layers/conv_norm.h"
#include "models/resnet/resnet.h"

namespace tessera {
namespace {

struct HeadOptions {
  int64_t low_in = 0;
  int64_t high_in = 0;
  int64_t low_channels = 0;
  int64_t channels = 0;
  int64_t num_classes = 0;
  std::vector<int64_t> dilations;
  double dropout = 0;
  bool align_corners = false;
};

// The pyramid's branches: a 1x1 convolution for dilation 1, separable ones for the others.
class Pyramid : public torch::nn::Module {
 public:
  explicit Pyramid(const HeadOptions& options) {
    for (const int64_t dilation : options.dilations) {
      const std::string name = std::to_string(branches_.size());
      const ConvShape shape = {.in = options.high_in,
                               .out = options.channels,
                               .kernel = dilation == 1 ? 1 : 3,
                               .dilation = dilation};
      if (dilation == 1) {
        branches_.push_back(Bind(register_module(
            name, std::make_shared<ConvNorm>(shape, /*relu=*/true, ConvNormNames()))));
      } else {
        branches_.push_back(
            Bind(register_module(name, std::make_shared<SeparableConvNorm>(shape))));
      }
    }
  }

  std::vector<at::Tensor> forward(const at::Tensor& x) {
    std::vector<at::Tensor> outputs;
    for (const auto& branch : branches_) outputs.push_back(branch(x));
    return outputs;
  }

 private:
  using Branch = std::function<at::Tensor(const at::Tensor&)>;

  template <typename Layer>
  static Branch Bind(const std::shared_ptr<Layer>& layer) {
    return [layer](const at::Tensor& x) { return layer->forward(x); };
  }

  std::vector<Branch> branches_;
};

// Children in mmsegmentation's order, the classifier first.
class Head : public torch::nn::Module {
 public:
  explicit Head(const HeadOptions& options) : options_(options) {
    const int64_t channels = options.channels;
    const int64_t joined = static_cast<int64_t>(options.dilations.size() + 1) * channels;
    classifier_ = register_module(
        "conv_seg",
        torch::nn::Conv2d(ConvOptions({.in = channels, .out = options.num_classes}).bias(true)));
    // The pooling layer counts as child 0.
    const auto image_pool = register_module("image_pool", std::make_shared<torch::nn::Module>());
    image_branch_ =
        image_pool->register_module("1", MakeConv({.in = options.high_in, .out = channels}));
    pyramid_ = register_module("aspp_modules", std::make_shared<Pyramid>(options));
    bottleneck_ =
        register_module("bottleneck", MakeConv({.in = joined, .out = channels, .kernel = 3}));
    low_bottleneck_ = register_module(
        "c1_bottleneck", MakeConv({.in = options.low_in, .out = options.low_channels}));
    const auto refine = register_module("sep_bottleneck", std::make_shared<torch::nn::Module>());
    for (int i = 0; i < 2; ++i) {
      const int64_t in = i == 0 ? channels + options.low_channels : channels;
      refine_[i] = refine->register_module(
          std::to_string(i),
          std::make_shared<SeparableConvNorm>(ConvShape{.in = in, .out = channels, .kernel = 3}));
    }
  }

  at::Tensor forward(const ResNetFeatures& features) {
    std::vector<at::Tensor> branches = {PoolImage(
        features.high, [this](const at::Tensor& mean) { return image_branch_->forward(mean); })};
    for (at::Tensor& output : pyramid_->forward(features.high)) {
      branches.push_back(std::move(output));
    }
    const at::Tensor context = bottleneck_->forward(at::cat(branches, 1));
    const at::Tensor detail = low_bottleneck_->forward(features.low);
    const at::Tensor resized =
        at::upsample_bilinear2d(context, {detail.size(2), detail.size(3)}, options_.align_corners);
    at::Tensor x = at::cat({resized, detail}, 1);
    for (const auto& layer : refine_) x = layer->forward(x);
    return classifier_->forward(at::feature_dropout(x, options_.dropout, is_training()));
  }

 private:
  static std::shared_ptr<ConvNorm> MakeConv(const ConvShape& shape) {
    return std::make_shared<ConvNorm>(shape, /*relu=*/true, ConvNormNames());
  }

  const HeadOptions options_;
  torch::nn::Conv2d classifier_{nullptr};
  std::shared_ptr<ConvNorm> image_branch_;
  std::shared_ptr<Pyramid> pyramid_;
  std::shared_ptr<ConvNorm> bottleneck_;
  std::shared_ptr<ConvNorm> low_bottleneck_;
  std::shared_ptr<SeparableConvNorm> refine_[2];
};

class DeepLabV3Plus : public SegmentationModel {
 public:
  DeepLabV3Plus(const ResNetOptions& backbone, HeadOptions head)
      : align_corners_(head.align_corners),
        backbone_(register_module("backbone", std::make_shared<ResNet>(backbone))) {
    head.low_in = backbone_->low_channels();
    head.high_in = backbone_->high_channels();
    head_ = register_module("decode_head", std::make_shared<Head>(head));
  }

  at::Tensor forward(const at::Tensor& images) override {
    return WideLogits(head_->forward(backbone_->forward(images)));
  }

  bool align_corners() const override { return align_corners_; }
  // The image-level branch has one value per sample.
  int min_train_batch() const override { return 2; }

 private:
  const bool align_corners_;
  std::shared_ptr<ResNet> backbone_;
  std::shared_ptr<Head> head_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<SegmentationModel>> MakeDeepLabV3Plus(
    const DeepLabV3PlusConfig& config, int num_classes) {
  TESSERA_RETURN_IF_ERROR(CheckHead(config.head_channels(), config.dropout()));
  if (config.low_level_channels() < 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "low_level_channels is ", config.low_level_channels(), ": it must be at least 1"));
  }
  HeadOptions head = {.low_channels = config.low_level_channels(),
                      .channels = config.head_channels(),
                      .num_classes = num_classes,
                      .dilations = {},
                      .dropout = config.dropout(),
                      .align_corners = config.align_corners()};
  TESSERA_ASSIGN_OR_RETURN(head.dilations, AsppDilations({config.aspp_dilations().begin(),
                                                          config.aspp_dilations().end()}));
  TESSERA_ASSIGN_OR_RETURN(const ResNetOptions backbone,
                           MakeResNetOptions(config.backbone(), config.output_stride()));
  return std::make_shared<DeepLabV3Plus>(backbone, std::move(head));
}

}  // namespace tessera
