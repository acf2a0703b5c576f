#include "models/losses/segmentation_loss.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "models/losses/reference_loss.h"

namespace tessera {
namespace {

struct Case {
  int64_t samples, classes, h, w, height, width;
  bool align_corners = false;
};

at::Generator Random() { return at::make_generator<at::CPUGeneratorImpl>(17); }

at::Tensor RandomLogits(const Case& c, double scale) {
  return at::randn({c.samples, c.classes, c.h, c.w}, Random()) * scale;
}

// A tenth is ignored.
at::Tensor RandomLabels(const Case& c) {
  const at::Generator generator = Random();
  const at::Tensor labels =
      at::randint(0, c.classes, {c.samples, c.height, c.width}, generator, at::kByte);
  return labels.masked_fill(at::rand(labels.sizes(), generator) < 0.1, 255);
}

at::Tensor Bytes(std::vector<int64_t> values, at::IntArrayRef shape) {
  return at::tensor(values).to(at::kByte).view(shape);
}

// Value and gradient of a function of logits.
template <typename Loss>
std::pair<at::Tensor, at::Tensor> WithGradient(const at::Tensor& logits, const Loss& loss) {
  const at::Tensor leaf = logits.detach().clone().requires_grad_();
  const at::Tensor value = loss(leaf);
  const at::Tensor gradient = torch::autograd::grad({value}, {leaf})[0];
  return {value.detach(), gradient};
}

double LargestDifference(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) - b.to(at::kDouble)).abs().max().item<double>();
}

at::Tensor Reference(const at::Tensor& logits, const at::Tensor& labels,
                     const SegmentationLossOptions& options) {
  return ReferenceLossPart(logits, labels, ReferenceLossTotals(logits, labels, options), options);
}

// B45: the mean is over the pixels that count.
TEST(SegmentationLoss, IgnoredPixelsAreNotInTheMean) {
  const SegmentationLossOptions options = {.cross_entropy_weight = 1, .dice_weight = 0};
  const auto [value, gradient] =
      WithGradient(at::zeros({1, 2, 2, 2}), [&](const at::Tensor& logits) {
        return SegmentationLoss(logits, Bytes({0, 255, 255, 255}, {1, 2, 2}), options);
      });
  EXPECT_NEAR(value.item<double>(), 0.693147, 1e-6);
  EXPECT_NEAR(gradient[0][0][0][0].item<double>(), -0.5, 1e-6);
}

// B45: nothing to learn from is no loss, never nan.
TEST(SegmentationLoss, NothingValidIsZero) {
  for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
    const auto [value, gradient] =
        WithGradient(at::randn({1, 2, 2, 2}, Random()).to(type), [&](const at::Tensor& logits) {
          return SegmentationLoss(logits, Bytes({255, 255, 255, 255}, {1, 2, 2}), {});
        });
    EXPECT_EQ(value.item<double>(), 0);
    EXPECT_EQ(gradient.abs().max().item<double>(), 0);
  }
}

// B47: 255 is no class of the one-hot target.
TEST(SegmentationLoss, DiceLeavesIgnoredPixelsOut) {
  const at::Tensor logits =
      at::tensor({20.0f, -20.0f, 3.0f, -20.0f, 20.0f, 5.0f}).view({1, 2, 1, 3});
  const auto [value, gradient] = WithGradient(logits, [&](const at::Tensor& input) {
    return SegmentationLoss(input, Bytes({0, 1, 255}, {1, 1, 3}),
                            {.cross_entropy_weight = 0, .dice_weight = 1});
  });
  EXPECT_LT(std::abs(value.item<double>()), 1e-6);
  EXPECT_EQ(gradient.select(3, 2).abs().max().item<double>(), 0);
}

TEST(SegmentationLoss, DiceOfKnownNumbers) {
  // All p = 1/3; class 2 has no target, so it is left out. G = 3, 1; P = 4/3; I = 1, 1/3.
  const at::Tensor labels = Bytes({0, 0, 0, 1}, {1, 2, 2});
  const double e = 1e-5;
  const double expected = 1 - 0.5 * ((2 + e) / (3 + 4.0 / 3 + e) + (2.0 / 3 + e) / (7.0 / 3 + e));
  const at::Tensor value = SegmentationLoss(at::zeros({1, 3, 2, 2}), labels,
                                            {.cross_entropy_weight = 0, .dice_weight = 1});
  EXPECT_NEAR(value.item<double>(), expected, 1e-6);
}

class FusedLossTest : public testing::TestWithParam<Case> {};

// The reference in double is the truth.
TEST_P(FusedLossTest, EqualsReference) {
  const Case& c = GetParam();
  const at::Tensor labels = RandomLabels(c);
  SegmentationLossOptions options;
  options.align_corners = c.align_corners;
  for (const double scale : {1.0, 30.0}) {
    const at::Tensor logits = RandomLogits(c, scale);
    const auto [value, gradient] = WithGradient(
        logits, [&](const at::Tensor& input) { return SegmentationLoss(input, labels, options); });
    const auto [expected, expected_gradient] =
        WithGradient(logits.to(at::kDouble),
                     [&](const at::Tensor& input) { return Reference(input, labels, options); });
    EXPECT_NEAR(value.item<double>(), expected.item<double>(), 1e-5 * expected.item<double>());
    EXPECT_LT(LargestDifference(gradient, expected_gradient),
              1e-5 * expected_gradient.abs().max().item<double>());
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, FusedLossTest,
                         testing::Values(Case{2, 11, 3, 4, 48, 64}, Case{2, 11, 3, 4, 48, 64, true},
                                         Case{1, 150, 5, 3, 40, 24}, Case{1, 8, 17, 17, 129, 129},
                                         Case{1, 8, 17, 17, 129, 129, true}, Case{3, 2, 1, 1, 7, 5},
                                         Case{2, 5, 6, 6, 6, 6}, Case{2, 5, 9, 8, 4, 3},
                                         Case{1, 3, 4, 4, 1, 1, true}, Case{1, 256, 2, 2, 9, 10}));

// B49: the resize is part of the loss.
TEST(SegmentationLoss, ResizesToTheLabels) {
  // Cross entropy of two classes (x, 0): its sum over pixels is that of log(1 + e^-x).
  const at::Tensor x = at::tensor({1.0, 2.0, 3.0, 4.0}).view({1, 1, 2, 2});
  const at::Tensor logits = at::cat({x, at::zeros_like(x)}, 1).to(at::kFloat);
  const auto sum = [](const std::vector<double>& row_values) {
    double total = 0;
    for (const double value : row_values) total += std::log1p(std::exp(-value));
    return total;
  };
  const double expected_false =
      sum({1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3, 3.25, 3.75, 4});
  const double t = 1.0 / 3;
  const double expected_true =
      sum({1, 1 + t, 2 - t, 2, 2 - t, 2, 2 + t, 3 - t, 2 + t, 3 - t, 3, 3 + t, 3, 3 + t, 4 - t, 4});
  const at::Tensor labels = at::zeros({1, 4, 4}, at::kByte);
  EXPECT_NEAR(ComputeLossTotals(logits, labels, {.align_corners = false}).cross_entropy,
              expected_false, 1e-5);
  EXPECT_NEAR(ComputeLossTotals(logits, labels, {.align_corners = true}).cross_entropy,
              expected_true, 1e-5);
}

TEST(SegmentationLoss, ReferencePassesGradcheck) {
  const Case c = {1, 3, 2, 3, 5, 4};
  const at::Tensor labels = RandomLabels(c);
  const at::Tensor logits = RandomLogits(c, 1).to(at::kDouble);
  const auto loss = [&](const at::Tensor& input) { return SegmentationLoss(input, labels, {}); };
  const at::Tensor gradient = WithGradient(logits, loss).second.contiguous();
  for (int64_t i = 0; i < logits.numel(); ++i) {
    at::Tensor step = at::zeros_like(logits);
    step.view({-1})[i] = 1e-5;
    const double slope = (loss(logits + step) - loss(logits - step)).item<double>() / 2e-5;
    EXPECT_NEAR(gradient.view({-1})[i].item<double>(), slope, 1e-8);
  }
}

// Micro batches of unequal size, with unequal numbers of valid pixels and other classes present.
TEST(SegmentationLoss, PartsSumToTheWhole) {
  const Case c = {5, 11, 4, 4, 32, 32};
  const at::Tensor logits = RandomLogits(c, 2);
  const at::Tensor labels = RandomLabels(c).clone();
  labels[1].fill_(255);
  labels[2].fill_(3);
  for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
    const auto [whole, whole_gradient] =
        WithGradient(logits.to(type),
                     [&](const at::Tensor& input) { return SegmentationLoss(input, labels, {}); });
    const auto slice = [](const at::Tensor& tensor, int part) {
      return part == 0 ? tensor.narrow(0, 0, 2) : tensor.narrow(0, 2, 3);
    };
    LossTotals totals;
    for (const int part : {0, 1}) {
      Add(ComputeLossTotals(slice(logits.to(type), part), slice(labels, part), {}), &totals);
    }
    EXPECT_NEAR(LossValue(totals, {}), whole.item<double>(), 1e-6);
    const auto [sum, gradient] = WithGradient(logits.to(type), [&](const at::Tensor& input) {
      return SegmentationLossPart(slice(input, 0), slice(labels, 0), totals, {}) +
             SegmentationLossPart(slice(input, 1), slice(labels, 1), totals, {});
    });
    EXPECT_NEAR(sum.item<double>(), whole.item<double>(), 1e-6);
    EXPECT_LT(LargestDifference(gradient, whole_gradient), 1e-6);
  }
}

TEST(SegmentationLoss, DoesNotDependOnThreadsOrLayout) {
  const Case c = {3, 11, 5, 6, 50, 60};
  const at::Tensor logits = RandomLogits(c, 2);
  const at::Tensor labels = RandomLabels(c);
  const auto loss = [&](const at::Tensor& input) { return SegmentationLoss(input, labels, {}); };
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const auto [value, gradient] = WithGradient(logits, loss);
  at::set_num_threads(3);
  const auto [value3, gradient3] = WithGradient(logits, loss);
  at::set_num_threads(threads);
  const auto [value_last, gradient_last] =
      WithGradient(logits.contiguous(at::MemoryFormat::ChannelsLast), loss);
  EXPECT_TRUE(value.equal(value3));
  EXPECT_TRUE(gradient.equal(gradient3));
  EXPECT_TRUE(value.equal(value_last));
  EXPECT_TRUE(gradient.equal(gradient_last));
}

TEST(SegmentationLoss, KeepsNan) {
  at::Tensor logits = at::zeros({1, 2, 2, 2});
  logits[0][0][0][0] = std::nan("");
  EXPECT_TRUE(
      std::isnan(SegmentationLoss(logits, at::zeros({1, 2, 2}, at::kByte), {}).item<double>()));
}

TEST(SegmentationLoss, IgnoredClassInsideTheRange) {
  const Case c = {2, 4, 3, 3, 24, 24};
  const at::Tensor labels = RandomLabels(c).remainder(4);
  const at::Tensor logits = RandomLogits(c, 1);
  const SegmentationLossOptions options = {.ignore_index = 0};
  EXPECT_NEAR(SegmentationLoss(logits, labels, options).item<double>(),
              Reference(logits.to(at::kDouble), labels, options).item<double>(), 1e-5);
}

// B04: in the loss it is an error too, not a write past the end.
TEST(SegmentationLoss, RefusesLabelsThatAreNoClass) {
  const at::Tensor labels = Bytes({0, 150, 149, 0}, {1, 2, 2});
  try {
    SegmentationLoss(at::zeros({1, 150, 2, 2}), labels, {});
    FAIL() << "took label 150 of 150 classes";
  } catch (const c10::Error& error) {
    EXPECT_NE(std::string(error.what()).find("label 150 on 1 pixels: the classes are 0 to 149"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace tessera
