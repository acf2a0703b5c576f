#include "models/build_model.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/autocast_mode.h>
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/conv.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/conv_summary.h"
#include "models/losses/segmentation_loss.h"
#include "models/segmentation_model.h"

namespace tessera {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

absl::StatusOr<std::shared_ptr<SegmentationModel>> Build(const std::string& text,
                                                         uint64_t seed = 17) {
  ModelConfig config;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &config)) << text;
  return BuildSegmentationModel(config, seed);
}

std::string BuildError(const std::string& text) {
  return std::string(Build(text).status().message());
}

at::Tensor RandomImages(at::IntArrayRef shape) {
  return at::randn(shape, at::make_generator<at::CPUGeneratorImpl>(17));
}

int64_t CountParameters(const SegmentationModel& model, const std::string& prefix) {
  int64_t count = 0;
  for (const auto& item : model.named_parameters()) {
    if (item.key().rfind(prefix, 0) == 0) count += item.value().numel();
  }
  return count;
}

// Dilations of the 3x3 convolutions under a module.
std::vector<int64_t> Dilations(const SegmentationModel& model, const std::string& prefix) {
  std::vector<int64_t> dilations;
  for (const auto& module : model.named_modules()) {
    const auto* const conv = module.value()->as<torch::nn::Conv2d>();
    if (conv != nullptr && module.key().rfind(prefix, 0) == 0 && conv->weight.size(2) == 3) {
      dilations.push_back(conv->options.dilation()->at(0));
      EXPECT_EQ(std::get<torch::ExpandingArray<2>>(conv->options.padding())->at(0),
                dilations.back());
    }
  }
  return dilations;
}

// torchvision's counts, without the classifier.
TEST(BuildModel, BackbonesHaveTorchvisionsParameters) {
  const auto count = [](const std::string& depth) {
    return CountParameters(
        **Build("num_classes: 2 deeplabv3 { backbone { depth: " + depth + " } }"), "backbone.");
  };
  EXPECT_EQ(count("RESNET18"), 11176512);
  EXPECT_EQ(count("RESNET34"), 21284672);
  EXPECT_EQ(count("RESNET50"), 23508032);
  EXPECT_EQ(count("RESNET101"), 42500160);
}

// B50: the first block of a dilated stage keeps the distance that its weights were trained at.
TEST(BuildModel, FirstBlockKeepsThePreviousDilation) {
  const auto stride8 =
      *Build("num_classes: 2 deeplabv3 { backbone { width: 4 } output_stride: 8 }");
  EXPECT_THAT(Dilations(*stride8, "backbone.layer2"), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(Dilations(*stride8, "backbone.layer3"), ElementsAre(1, 2, 2, 2, 2, 2));
  EXPECT_THAT(Dilations(*stride8, "backbone.layer4"), ElementsAre(2, 4, 4));
  const auto stride16 =
      *Build("num_classes: 2 deeplabv3 { backbone { width: 4 } output_stride: 16 }");
  EXPECT_THAT(Dilations(*stride16, "backbone.layer3"), ElementsAre(1, 1, 1, 1, 1, 1));
  EXPECT_THAT(Dilations(*stride16, "backbone.layer4"), ElementsAre(1, 2, 2));
  const auto basic =
      *Build("num_classes: 2 deeplabv3 { backbone { depth: RESNET18 width: 4 } output_stride: 8 }");
  EXPECT_THAT(Dilations(*basic, "backbone.layer3"), ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(Dilations(*basic, "backbone.layer4"), ElementsAre(2, 2, 4, 4));
}

TEST(BuildModel, LogitsHaveTheOutputStride) {
  for (const std::string depth : {"RESNET18", "RESNET50"}) {
    for (const int64_t stride : {8, 16, 32}) {
      const auto model =
          *Build("num_classes: 3 deeplabv3 { head_channels: 8 backbone { width: 4 depth: " + depth +
                 " } output_stride: " + std::to_string(stride) + " }");
      model->eval();
      EXPECT_THAT(model->forward(RandomImages({1, 3, 64, 96})).sizes().vec(),
                  ElementsAre(1, 3, 64 / stride, 96 / stride));
    }
  }
}

constexpr char kSmallPlus[] =
    "num_classes: 3 deeplabv3_plus { head_channels: 16 backbone { width: 8 } }";
constexpr char kSmall[] = "num_classes: 3 deeplabv3 { head_channels: 16 backbone { width: 8 } }";

TEST(BuildModel, PlusHasMmsegmentationsHead) {
  const auto model = *Build("num_classes: 150 deeplabv3_plus {}");
  const auto parameters = model->named_parameters();
  const auto shape = [&](const std::string& name) {
    return parameters["decode_head." + name].sizes().vec();
  };
  EXPECT_THAT(shape("conv_seg.bias"), ElementsAre(150));
  EXPECT_THAT(shape("image_pool.1.conv.weight"), ElementsAre(512, 2048, 1, 1));
  EXPECT_THAT(shape("aspp_modules.0.conv.weight"), ElementsAre(512, 2048, 1, 1));
  EXPECT_THAT(shape("aspp_modules.3.depthwise_conv.conv.weight"), ElementsAre(2048, 1, 3, 3));
  EXPECT_THAT(shape("aspp_modules.3.pointwise_conv.bn.weight"), ElementsAre(512));
  EXPECT_THAT(shape("bottleneck.conv.weight"), ElementsAre(512, 2560, 3, 3));
  EXPECT_THAT(shape("c1_bottleneck.conv.weight"), ElementsAre(48, 256, 1, 1));
  EXPECT_THAT(shape("sep_bottleneck.0.depthwise_conv.conv.weight"), ElementsAre(560, 1, 3, 3));
  EXPECT_THAT(shape("sep_bottleneck.1.pointwise_conv.conv.weight"), ElementsAre(512, 512, 1, 1));
  EXPECT_THAT(Dilations(*model, "decode_head.aspp_modules"), ElementsAre(12, 24, 36));
}

TEST(BuildModel, PlusKeepsTheLowLevelGridAndTrainsEveryParameter) {
  const auto model = *Build(kSmallPlus);
  model->train();
  const at::Tensor logits = model->forward(RandomImages({2, 3, 65, 97}));
  EXPECT_THAT(logits.sizes().vec(), ElementsAre(2, 3, 17, 25));
  SegmentationLoss(logits, at::ones({2, 65, 97}, at::kByte), {}).backward();
  for (const auto& item : model->named_parameters()) {
    ASSERT_TRUE(item.value().grad().defined()) << item.key();
    EXPECT_TRUE(item.value().grad().isfinite().all().item<bool>()) << item.key();
  }
}

// B48: the pooled branch has one value per sample, so one sample has no variance.
TEST(BuildModel, OneSampleEvaluatesButDoesNotTrain) {
  for (const std::string text : {kSmall, kSmallPlus}) {
    const auto model = *Build(text);
    EXPECT_EQ(model->min_train_batch(), 2);
    model->train();
    EXPECT_THROW(model->forward(RandomImages({1, 3, 32, 32})), std::exception);
    model->eval();
    EXPECT_TRUE(model->forward(RandomImages({1, 3, 32, 32})).isfinite().all().item<bool>());
  }
}

// B52: also with strides that a slice of a batch leaves behind.
TEST(BuildModel, ChannelsLastStaysAndChangesNothing) {
  for (const std::string text : {kSmall, kSmallPlus}) {
    const auto model = *Build(text);
    model->eval();
    const at::Tensor batch = RandomImages({2, 3, 32, 32});
    const at::Tensor last = batch.contiguous(at::MemoryFormat::ChannelsLast);
    const at::Tensor expected = model->forward(batch).detach();
    for (const at::Tensor& images : {last, last[0].unsqueeze(0)}) {
      for (const ConvSummary& conv : SummarizeConvs(*model, images)) {
        EXPECT_TRUE(conv.channels_last) << conv.name;
      }
      const at::Tensor logits = model->forward(images);
      EXPECT_TRUE(logits.is_contiguous(at::MemoryFormat::ChannelsLast));
      const at::Tensor difference = logits - expected.narrow(0, 0, images.size(0));
      EXPECT_LT(difference.abs().max().item<double>(), 1e-4 * expected.abs().max().item<double>());
    }
  }
}

TEST(BuildModel, LogitsAreFloatUnderAutocast) {
  const auto model = *Build(kSmallPlus);
  model->eval();
  at::autocast::set_autocast_enabled(at::kCPU, true);
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  const at::Tensor logits = model->forward(RandomImages({1, 3, 32, 32}));
  at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(at::kCPU, false);
  EXPECT_EQ(logits.scalar_type(), at::kFloat);
}

TEST(BuildModel, SummaryCountsTheWork) {
  const auto model = *Build("num_classes: 150 deeplabv3 { backbone { depth: RESNET18 width: 8 } }");
  model->eval();
  const std::vector<ConvSummary> convs = SummarizeConvs(*model, RandomImages({1, 3, 64, 64}));
  EXPECT_EQ(convs.front().name, "backbone.conv1");
  EXPECT_THAT(convs.front().output, ElementsAre(1, 8, 32, 32));
  EXPECT_EQ(convs.front().multiply_adds, 8 * 32 * 32 * 3 * 7 * 7);
  EXPECT_EQ(convs.back().name, "classifier.4");
  EXPECT_EQ(convs.back().parameters, 256 * 150 + 150);
}

TEST(BuildModel, ValuesComeFromTheSeed) {
  const auto first = *Build(kSmallPlus, 1), same = *Build(kSmallPlus, 1),
             other = *Build(kSmallPlus, 2);
  bool differs = false;
  for (const auto& item : first->named_parameters()) {
    EXPECT_TRUE(item.value().equal(same->named_parameters()[item.key()])) << item.key();
    differs |= !item.value().equal(other->named_parameters()[item.key()]);
  }
  EXPECT_TRUE(differs);
}

double DeviationOf(const SegmentationModel& model, const std::string& name) {
  return model.named_parameters()[name].std().item<double>();
}

TEST(BuildModel, InitializersHaveTheirDeviations) {
  const std::string model =
      "num_classes: 2 deeplabv3 { backbone { depth: RESNET18 } } initializer: ";
  const auto kaiming = *Build(model + "KAIMING_NORMAL");
  const auto torchvision = *Build(model + "TORCHVISION");
  const std::string conv1 = "backbone.layer2.0.conv1.weight";  // [128, 64, 3, 3]
  EXPECT_NEAR(DeviationOf(*kaiming, conv1), std::sqrt(2.0 / (64 * 9)), 1e-3);
  EXPECT_NEAR(DeviationOf(*torchvision, conv1), std::sqrt(2.0 / (128 * 9)), 1e-3);
  const std::string head = "classifier.1.weight";  // [256, 256, 3, 3]
  EXPECT_NEAR(DeviationOf(*kaiming, head), std::sqrt(2.0 / (256 * 9)), 1e-4);
  EXPECT_NEAR(DeviationOf(*torchvision, head), std::sqrt(1.0 / (3 * 256 * 9)), 1e-4);
  EXPECT_EQ(kaiming->named_parameters()["classifier.4.bias"].abs().max().item<double>(), 0);
  EXPECT_EQ(kaiming->named_parameters()["backbone.bn1.weight"].min().item<double>(), 1);

  const auto uniform = *Build(model + "KAIMING_UNIFORM");
  EXPECT_NEAR(DeviationOf(*uniform, head), std::sqrt(2.0 / (256 * 9)), 1e-4);
  EXPECT_LE(uniform->named_parameters()[head].abs().max().item<double>(),
            std::sqrt(6.0 / (256 * 9)));
  const double xavier = std::sqrt(2.0 / ((64 + 128) * 9));
  EXPECT_NEAR(DeviationOf(**Build(model + "XAVIER_NORMAL"), conv1), xavier, 1e-3);
  const auto bounded = *Build(model + "XAVIER_UNIFORM");
  EXPECT_NEAR(DeviationOf(*bounded, conv1), xavier, 1e-3);
  EXPECT_LE(bounded->named_parameters()[conv1].abs().max().item<double>(),
            xavier * std::sqrt(3.0) * (1 + 1e-6));
}

TEST(BuildModel, AClassifierDoesNotLabelPixels) {
  EXPECT_THAT(BuildError("num_classes: 10 resnet_cifar {}"),
              HasSubstr("pixels are to be labelled"));
}

// B05: one logit with softmax would always win.
TEST(BuildModel, RefusesTheImpossible) {
  EXPECT_THAT(BuildError("num_classes: 1 deeplabv3 {}"), HasSubstr("softmax of one class"));
  EXPECT_THAT(BuildError("num_classes: 0 deeplabv3 {}"), HasSubstr("model.num_classes is 0"));
  EXPECT_THAT(BuildError("num_classes: 257 deeplabv3 {}"), HasSubstr("2 to 256"));
  EXPECT_THAT(BuildError("deeplabv3 {}"), HasSubstr("model.num_classes is not set"));
  EXPECT_THAT(BuildError("num_classes: 2"), HasSubstr("names no architecture"));
  EXPECT_THAT(BuildError("num_classes: 2 deeplabv3 { output_stride: 12 }"),
              HasSubstr("output_stride is 12: a ResNet has 32 = 4 (stem) x 2 x 2 x 2"));
  EXPECT_THAT(BuildError("num_classes: 2 deeplabv3_plus { backbone { width: 0 } }"),
              HasSubstr("backbone.width is 0"));
  EXPECT_THAT(BuildError("num_classes: 2 deeplabv3 { aspp_dilations: [1, 0] }"),
              HasSubstr("aspp_dilations has 0"));
  EXPECT_THAT(BuildError("num_classes: 2 deeplabv3 { dropout: 1 }"), HasSubstr("dropout is 1"));
  EXPECT_THAT(BuildError("num_classes: 2 deeplabv3 { head_channels: 0 }"),
              HasSubstr("head_channels is 0"));
  EXPECT_THAT(BuildError("num_classes: 2 deeplabv3_plus { low_level_channels: -1 }"),
              HasSubstr("low_level_channels is -1"));
}

}  // namespace
}  // namespace tessera
