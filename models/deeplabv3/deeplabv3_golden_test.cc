// Against torchvision's deeplabv3_resnet50 with the same weights; see testdata/make_golden.py.

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "models/build_model.h"
#include "models/golden_values.h"
#include "models/losses/segmentation_loss.h"
#include "models/segmentation_model.h"

namespace tessera {
namespace {

constexpr int kClasses = 5;
constexpr int64_t kSamples = 2, kHeight = 33, kWidth = 129;

at::Tensor Images() { return GoldenUniform("images", {kSamples, 3, kHeight, kWidth}) * 4 - 2; }

at::Tensor Labels() {
  const at::Tensor labels =
      (GoldenUniform("labels", {kSamples, kHeight, kWidth}) * (kClasses + 1)).to(at::kByte);
  return labels.masked_fill(labels == kClasses, 255);
}

class DeepLabV3Golden : public testing::Test {
 protected:
  void SetUp() override {
    std::ifstream file("models/deeplabv3/testdata/deeplabv3_resnet50.json");
    golden_ = nlohmann::json::parse(file);
    ModelConfig config;
    config.set_num_classes(kClasses);
    config.mutable_deeplabv3()->set_dropout(0);
    absl::StatusOr<std::shared_ptr<SegmentationModel>> model = BuildSegmentationModel(config, 1);
    ASSERT_TRUE(model.ok()) << model.status();
    model_ = *model;
    FillWithGoldenValues(*model_);
  }

  // Logits and loss; gives the loss.
  at::Tensor ExpectForwardEquals(const nlohmann::json& expected, at::ScalarType type,
                                 double tolerance) {
    model_->to(type);
    const at::Tensor logits = model_->forward(Images().to(type));
    EXPECT_EQ(logits.sizes().vec(), expected["logits_shape"].get<std::vector<int64_t>>());
    ExpectAll(logits, expected["logits"], tolerance);
    const at::Tensor loss = SegmentationLoss(logits, Labels(), {});
    EXPECT_NEAR(loss.item<double>(), expected["loss"].get<double>(), tolerance);
    return loss;
  }

  // Logits, loss and gradients.
  void ExpectEquals(const nlohmann::json& expected, at::ScalarType type, double tolerance) {
    model_->zero_grad();
    ExpectForwardEquals(expected, type, tolerance).backward();
    ExpectGradients(*model_, expected["gradients"], tolerance);
  }

  nlohmann::json golden_;
  std::shared_ptr<SegmentationModel> model_;
};

TEST_F(DeepLabV3Golden, ParametersHaveTorchvisionsNamesAndOrder) {
  EXPECT_EQ(model_->named_parameters().keys(), golden_["names"].get<std::vector<std::string>>());
}

TEST_F(DeepLabV3Golden, EvaluationEquals) {
  model_->eval();
  ExpectEquals(golden_["eval"], at::kDouble, 1e-6);
}

// Logits and loss alone: a ReLU whose input rounds to the other side of zero moves the gradients by
// more than a rounding, and which one does depends on the processor's convolution kernel.
TEST_F(DeepLabV3Golden, EvaluationEqualsInFloat) {
  model_->eval();
  ExpectForwardEquals(golden_["eval"], at::kFloat, 1e-4);
}

// In double, since batch norm over the two pooled values of a channel amplifies rounding.
TEST_F(DeepLabV3Golden, TrainingEqualsAndUpdatesTheStatistics) {
  model_->train();
  ExpectEquals(golden_["train"], at::kDouble, 1e-6);
  for (const auto& item : model_->named_buffers()) {
    if (absl::EndsWith(item.key(), "num_batches_tracked")) {
      EXPECT_EQ(item.value().item<int64_t>(), 1) << item.key();
    }
  }
  ExpectStatistics(*model_, golden_["buffers"], 1e-6);
}

}  // namespace
}  // namespace tessera
