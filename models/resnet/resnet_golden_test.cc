// Against torchvision's ResNets with the same weights; see testdata/make_golden.py.

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/build_model.h"
#include "models/golden_values.h"
#include "models/model.h"

namespace tessera {
namespace {

constexpr int kClasses = 7;
constexpr int64_t kSamples = 3, kHeight = 65, kWidth = 49;

const nlohmann::json& Golden() {
  static const auto* const golden = new nlohmann::json(
      nlohmann::json::parse(std::ifstream("models/resnet/testdata/resnet.json")));
  return *golden;
}

struct Case {
  std::string name;
  ResNetConfig::Depth depth;
  int output_stride = 32;
  double smoothing = 0.1;
};

class ResNetGolden : public testing::TestWithParam<Case> {
 protected:
  ResNetGolden() {
    ModelConfig config;
    config.set_num_classes(kClasses);
    config.mutable_resnet()->mutable_backbone()->set_depth(GetParam().depth);
    config.mutable_resnet()->set_output_stride(GetParam().output_stride);
    model_ = BuildModel(config, 1).value();
  }

  // Logits; gives the loss.
  at::Tensor ExpectForwardEquals(const nlohmann::json& expected, at::ScalarType type,
                                 double tolerance) {
    FillWithGoldenValues(*model_);
    model_->to(type);
    const at::Tensor images = GoldenUniform("images", {kSamples, 3, kHeight, kWidth}) * 4 - 2;
    const at::Tensor labels = (GoldenUniform("labels", {kSamples}) * kClasses).to(at::kLong);
    const at::Tensor logits =
        model_->forward(images.to(type).contiguous(at::MemoryFormat::ChannelsLast));
    ExpectAll(logits, expected["logits"], tolerance);
    const at::Tensor loss = at::cross_entropy_loss(logits, labels, {}, at::Reduction::Mean,
                                                   /*ignore_index=*/-100, GetParam().smoothing);
    const double want = expected["loss"].get<double>();
    EXPECT_NEAR(loss.item<double>(), want, tolerance * want);
    return loss;
  }

  void ExpectEquals(const nlohmann::json& expected, at::ScalarType type, double tolerance) {
    model_->zero_grad();
    ExpectForwardEquals(expected, type, tolerance).backward();
    ExpectGradients(*model_, expected["gradients"], tolerance);
  }

  const nlohmann::json& golden_ = Golden()[GetParam().name];
  std::shared_ptr<Model> model_;
};

// state_dict()'s order: a module's parameters, then its buffers.
TEST_P(ResNetGolden, NamesAreTorchvisions) {
  std::vector<std::string> names;
  for (const auto& module : model_->named_modules("", /*include_self=*/false)) {
    for (const bool parameters : {true, false}) {
      const auto tensors = parameters ? module.value()->named_parameters(/*recurse=*/false)
                                      : module.value()->named_buffers(/*recurse=*/false);
      for (const auto& item : tensors) names.push_back(module.key() + "." + item.key());
    }
  }
  EXPECT_EQ(names, golden_["names"].get<std::vector<std::string>>());
}

TEST_P(ResNetGolden, EvaluationEquals) {
  model_->eval();
  ExpectEquals(golden_["eval"], at::kDouble, 1e-7);
}

TEST_P(ResNetGolden, EvaluationEqualsInFloat) {
  model_->eval();
  ExpectForwardEquals(golden_["eval"], at::kFloat, 1e-4);
}

TEST_P(ResNetGolden, TrainingEqualsAndUpdatesTheStatistics) {
  model_->train();
  ExpectEquals(golden_["train"], at::kDouble, 1e-6);
  ExpectStatistics(*model_, golden_["statistics"], 1e-7);
}

INSTANTIATE_TEST_SUITE_P(Torchvision, ResNetGolden,
                         testing::Values(Case{"RESNET18", ResNetConfig::RESNET18},
                                         Case{"RESNET50", ResNetConfig::RESNET50},
                                         Case{"RESNET101", ResNetConfig::RESNET101},
                                         Case{"dilated", ResNetConfig::RESNET50,
                                              /*output_stride=*/8, /*smoothing=*/0}),
                         [](const auto& info) { return info.param.name; });

TEST(ResNetParameters, AreAsManyAsTorchvisions) {
  for (const auto& [name, count] : Golden()["parameters"].items()) {
    ResNetConfig::Depth depth;
    ASSERT_TRUE(ResNetConfig::Depth_Parse(name, &depth));
    ModelConfig config;
    config.set_num_classes(1000);
    config.mutable_resnet()->mutable_backbone()->set_depth(depth);
    int64_t found = 0;
    for (const at::Tensor& parameter : BuildModel(config, 1).value()->parameters()) {
      found += parameter.numel();
    }
    EXPECT_EQ(found, count.get<int64_t>()) << name;
  }
}

// He et al. 2015, section 4.2: 0.27 M parameters with 20 layers, 0.85 M with 56; here 1x1
// convolutions and their batch norms are among them.
TEST(CifarResNet, HasTheShapesOfThePaper) {
  for (const auto& [depth, parameters] : {std::pair(20, 272474), std::pair(56, 855770)}) {
    ModelConfig config;
    config.set_num_classes(10);
    config.mutable_resnet_cifar()->set_depth(depth);
    const auto model = BuildModel(config, 1).value();
    int64_t found = 0;
    for (const at::Tensor& parameter : model->parameters()) found += parameter.numel();
    EXPECT_EQ(found, parameters) << depth;
    model->eval();
    EXPECT_EQ(model->forward(at::zeros({2, 3, 32, 32})).sizes().vec(),
              (std::vector<int64_t>{2, 10}));
  }
}

TEST(CifarResNet, AnImpossibleDepthIsRefusedWithTheArithmetic) {
  ModelConfig config;
  config.set_num_classes(10);
  config.mutable_resnet_cifar()->set_depth(51);
  EXPECT_EQ(BuildModel(config, 1).status().message().substr(0, 50),
            "model.resnet_cifar.depth is 51: expected 6 n + 2 (");
}

TEST(ResNet, ZeroInitMakesBlocksTheIdentity) {
  ModelConfig config;
  config.set_num_classes(10);
  config.mutable_resnet_cifar()->set_zero_init_residual(true);
  const auto model = BuildModel(config, 1).value();
  int zeros = 0;
  for (const auto& item : model->named_parameters()) {
    const bool last = item.key().find("bn2.weight") != std::string::npos;
    EXPECT_EQ(item.value().abs().max().item<float>() == 0,
              last || item.key().find("bias") != std::string::npos)
        << item.key();
    zeros += last ? 1 : 0;
  }
  EXPECT_EQ(zeros, 27);
}

}  // namespace
}  // namespace tessera
