#include "models/deeplabv3/deeplabv3.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/dropout.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "models/deeplabv3/aspp.h"
#include "models/layers/conv_norm.h"
#include "models/resnet/resnet.h"

namespace tessera {
namespace {

struct HeadOptions {
  int64_t in = 0;
  int64_t channels = 0;
  int64_t num_classes = 0;
  std::vector<int64_t> dilations;
  double dropout = 0;
};

// torchvision counts the pooling layer, so that the branch's convolution is the second child.
class ImageBranch : public ConvNorm {
 public:
  ImageBranch(int64_t in, int64_t out)
      : ConvNorm({.in = in, .out = out}, /*relu=*/true, ConvNormNames{"1", "2"}) {}
};

class Aspp : public torch::nn::Module {
 public:
  explicit Aspp(const HeadOptions& options) {
    const auto convs = register_module("convs", std::make_shared<torch::nn::Module>());
    for (const int64_t dilation : options.dilations) {
      const ConvShape shape = {.in = options.in,
                               .out = options.channels,
                               .kernel = dilation == 1 ? 1 : 3,
                               .dilation = dilation};
      branches_.push_back(convs->register_module(
          std::to_string(branches_.size()),
          std::make_shared<ConvNorm>(shape, /*relu=*/true, ConvNormNames{"0", "1"})));
    }
    image_branch_ =
        convs->register_module(std::to_string(branches_.size()),
                               std::make_shared<ImageBranch>(options.in, options.channels));
    const int64_t joined = static_cast<int64_t>(branches_.size() + 1) * options.channels;
    project_ = register_module(
        "project", std::make_shared<ConvNorm>(ConvShape{.in = joined, .out = options.channels},
                                              /*relu=*/true, ConvNormNames{"0", "1"}));
  }

  at::Tensor forward(const at::Tensor& x) {
    std::vector<at::Tensor> outputs;
    for (const auto& branch : branches_) outputs.push_back(branch->forward(x));
    outputs.push_back(
        PoolImage(x, [this](const at::Tensor& mean) { return image_branch_->forward(mean); }));
    return project_->forward(at::cat(outputs, 1));
  }

 private:
  std::vector<std::shared_ptr<ConvNorm>> branches_;
  std::shared_ptr<ConvNorm> image_branch_;
  std::shared_ptr<ConvNorm> project_;
};

class Head : public torch::nn::Module {
 public:
  explicit Head(const HeadOptions& options)
      : aspp_(register_module("0", std::make_shared<Aspp>(options))),
        dropout_(options.dropout),
        conv_(register_module(
            "1", torch::nn::Conv2d(
                     ConvOptions({.in = options.channels, .out = options.channels, .kernel = 3})))),
        norm_(register_module("2", torch::nn::BatchNorm2d(options.channels))),
        classifier_(register_module(
            "4",
            torch::nn::Conv2d(
                ConvOptions({.in = options.channels, .out = options.num_classes}).bias(true)))) {}

  at::Tensor forward(const at::Tensor& features) {
    const at::Tensor x = at::dropout(aspp_->forward(features), dropout_, is_training());
    return classifier_->forward(norm_->forward(conv_->forward(x)).relu_());
  }

 private:
  std::shared_ptr<Aspp> aspp_;
  const double dropout_;
  torch::nn::Conv2d conv_;
  torch::nn::BatchNorm2d norm_;
  torch::nn::Conv2d classifier_;
};

class DeepLabV3 : public SegmentationModel {
 public:
  DeepLabV3(const ResNetOptions& backbone, HeadOptions head, bool align_corners)
      : align_corners_(align_corners),
        backbone_(register_module("backbone", std::make_shared<ResNet>(backbone))) {
    head.in = backbone_->high_channels();
    classifier_ = register_module("classifier", std::make_shared<Head>(head));
  }

  at::Tensor forward(const at::Tensor& images) override {
    return WideLogits(classifier_->forward(backbone_->forward(images).high));
  }

  bool align_corners() const override { return align_corners_; }
  // The image-level branch has one value per sample.
  int min_train_batch() const override { return 2; }

 private:
  const bool align_corners_;
  std::shared_ptr<ResNet> backbone_;
  std::shared_ptr<Head> classifier_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<SegmentationModel>> MakeDeepLabV3(const DeepLabV3Config& config,
                                                                 int num_classes) {
  TESSERA_RETURN_IF_ERROR(CheckHead(config.head_channels(), config.dropout()));
  HeadOptions head = {.channels = config.head_channels(),
                      .num_classes = num_classes,
                      .dilations = {},
                      .dropout = config.dropout()};
  TESSERA_ASSIGN_OR_RETURN(head.dilations, AsppDilations({config.aspp_dilations().begin(),
                                                          config.aspp_dilations().end()}));
  TESSERA_ASSIGN_OR_RETURN(const ResNetOptions backbone,
                           MakeResNetOptions(config.backbone(), config.output_stride()));
  return std::make_shared<DeepLabV3>(backbone, std::move(head), config.align_corners());
}

}  // namespace tessera
