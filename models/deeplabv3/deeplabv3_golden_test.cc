// Against torchvision's deeplabv3_resnet50 with the same weights; see testdata/make_golden.py.

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/build_model.h"
#include "models/losses/segmentation_loss.h"
#include "models/segmentation_model.h"

namespace tessera {
namespace {

constexpr int kClasses = 5;
constexpr int64_t kSamples = 2, kHeight = 33, kWidth = 129;

// The rule of make_golden.py: 24 bits of SplitMix64 from the FNV-1a hash of the name on.
at::Tensor Uniform(const std::string& name, at::IntArrayRef shape) {
  uint64_t state = 0xCBF29CE484222325;
  for (const unsigned char byte : name) state = (state ^ byte) * 0x100000001B3;
  at::Tensor tensor = at::empty(shape, at::kDouble);
  double* const values = tensor.mutable_data_ptr<double>();
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    uint64_t x = state += 0x9E3779B97F4A7C15;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    x ^= x >> 31;
    values[i] = static_cast<double>(x >> 40) / (1 << 24);
  }
  return tensor;
}

bool EndsWith(const std::string& name, const std::string& end) {
  return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

at::Tensor Values(const std::string& name, at::IntArrayRef shape) {
  const at::Tensor u = Uniform(name, shape);
  if (EndsWith(name, "running_var")) return (1 + u).to(at::kFloat);
  if (shape.size() == 4) {
    const double fan_in = static_cast<double>(shape[1] * shape[2] * shape[3]);
    return ((2 * u - 1) * std::sqrt(6 / fan_in)).to(at::kFloat);
  }
  if (EndsWith(name, "weight")) return (0.5 + 0.5 * u).to(at::kFloat);
  return (0.2 * u - 0.1).to(at::kFloat);
}

at::Tensor Images() { return Uniform("images", {kSamples, 3, kHeight, kWidth}) * 4 - 2; }

at::Tensor Labels() {
  const at::Tensor labels =
      (Uniform("labels", {kSamples, kHeight, kWidth}) * (kClasses + 1)).to(at::kByte);
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
    absl::StatusOr<std::shared_ptr<SegmentationModel>> model = BuildModel(config, 1);
    ASSERT_TRUE(model.ok()) << model.status();
    model_ = *model;
    const at::NoGradGuard no_grad;
    for (const auto& item : model_->named_parameters()) {
      item.value().copy_(Values(item.key(), item.value().sizes()));
    }
    for (const auto& item : model_->named_buffers()) {
      if (EndsWith(item.key(), "num_batches_tracked")) continue;
      item.value().copy_(Values(item.key(), item.value().sizes()));
    }
  }

  // Norm and four elements, to `tolerance` of the tensor's largest element.
  static void ExpectDigest(const std::string& name, const at::Tensor& tensor,
                           const nlohmann::json& expected, double tolerance) {
    const at::Tensor flat = tensor.detach().reshape({-1}).to(at::kDouble);
    const double norm = flat.norm().item<double>();
    const double largest = flat.abs().max().item<double>();
    EXPECT_NEAR(norm, expected[0].get<double>(), tolerance * norm) << name;
    for (int64_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(flat[(i + 1) * flat.numel() / 4 - 1].item<double>(),
                  expected[i + 1].get<double>(), tolerance * largest)
          << name;
    }
  }

  // Logits and loss; gives the loss.
  at::Tensor ExpectForwardEquals(const nlohmann::json& expected, at::ScalarType type,
                                 double tolerance) {
    model_->to(type);
    const at::Tensor logits = model_->forward(Images().to(type));
    EXPECT_EQ(logits.sizes().vec(), expected["logits_shape"].get<std::vector<int64_t>>());
    const at::Tensor golden =
        at::tensor(expected["logits"].get<std::vector<double>>(), at::kDouble).view_as(logits);
    EXPECT_LT((logits.to(at::kDouble) - golden).abs().max().item<double>(),
              tolerance * golden.abs().max().item<double>());
    const at::Tensor loss = SegmentationLoss(logits, Labels(), {});
    EXPECT_NEAR(loss.item<double>(), expected["loss"].get<double>(), tolerance);
    return loss;
  }

  // Logits, loss and gradients.
  void ExpectEquals(const nlohmann::json& expected, at::ScalarType type, double tolerance) {
    model_->zero_grad();
    ExpectForwardEquals(expected, type, tolerance).backward();
    for (const auto& item : model_->named_parameters()) {
      ExpectDigest(item.key(), item.value().grad(), expected["gradients"][item.key()], tolerance);
    }
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
    if (EndsWith(item.key(), "num_batches_tracked")) {
      EXPECT_EQ(item.value().item<int64_t>(), 1) << item.key();
    } else {
      ExpectDigest(item.key(), item.value(), golden_["buffers"][item.key()], 1e-6);
    }
  }
}

}  // namespace
}  // namespace tessera
