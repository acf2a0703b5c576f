#include "train/optimizers/optimizer.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/randn.h>

#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "train/optimizers/reference_sgd.h"
#include "train/optimizers/sgd.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;

OptimizerConfig CoupledSgd(double lr, double momentum, double weight_decay) {
  OptimizerConfig config;
  config.mutable_sgd()->set_lr(lr);
  config.mutable_sgd()->set_momentum(momentum);
  config.mutable_sgd()->set_weight_decay(weight_decay);
  return config;
}

OptimizerConfig DecoupledSgd(double lr, double momentum, double weight_decay) {
  OptimizerConfig config;
  config.mutable_decoupled_sgd()->set_lr(lr);
  config.mutable_decoupled_sgd()->set_momentum(momentum);
  config.mutable_decoupled_sgd()->set_weight_decay(weight_decay);
  return config;
}

std::unique_ptr<Optimizer> Build(const OptimizerConfig& config, const NamedTensors& parameters) {
  auto optimizer = BuildOptimizer(config, parameters);
  EXPECT_TRUE(optimizer.ok()) << optimizer.status();
  return *std::move(optimizer);
}

at::Tensor WithGrad(at::Tensor value, at::Tensor gradient) {
  value.mutable_grad() = std::move(gradient);
  return value;
}

// One parameter that starts at `value`, with a constant gradient, after one step.
double AfterOneStep(const OptimizerConfig& config, double value, double gradient, double factor) {
  const at::Tensor p = WithGrad(at::full({1}, value), at::full({1}, gradient));
  Build(config, {{"p", p}})->Step(factor);
  return p.item<float>();
}

std::map<std::string, at::Tensor> AsMap(const NamedTensors& tensors) {
  std::map<std::string, at::Tensor> map;
  for (const auto& [name, tensor] : tensors) map.emplace(name, tensor.clone());
  return map;
}

TEST(OptimizerTest, EqualsPyTorchBitForBit) {
  std::ifstream file("train/optimizers/testdata/sgd_golden.json");
  const nlohmann::json golden = nlohmann::json::parse(file);
  for (const auto& item : golden["cases"]) {
    OptimizerConfig config;
    const auto set = [&](auto* sgd) {
      sgd->set_lr(item["lr"]);
      sgd->set_momentum(item["momentum"]);
      sgd->set_dampening(item["dampening"]);
      sgd->set_weight_decay(item["weight_decay"]);
      sgd->set_nesterov(item["nesterov"]);
    };
    item["decoupled"] ? set(config.mutable_decoupled_sgd()) : set(config.mutable_sgd());
    const at::Tensor p = at::linspace(-1, 1, 7);
    const auto optimizer = Build(config, {{"p", p}});
    for (size_t step = 0; step < golden["factors"].size(); ++step) {
      p.mutable_grad() =
          at::cos(at::arange(static_cast<float>(step), static_cast<float>(step) + 7));
      optimizer->Step(golden["factors"][step]);
      for (int i = 0; i < 7; ++i) {
        EXPECT_EQ(p[i].item<float>(), item["steps"][step][i].get<float>())
            << item.dump() << " step " << step;
      }
    }
  }
}

// The one pass over the memory gives the bits of torch's functions, step by step, in vectors and in
// their rests, also where the gradient comes in another memory layout.
TEST(OptimizerTest, EqualsTheReferenceBitForBit) {
  for (const bool nesterov : {false, true}) {
    for (const bool decoupled : {false, true}) {
      const SgdOptions options = {.lr = 0.1,
                                  .momentum = 0.9,
                                  .dampening = nesterov ? 0 : 0.3,
                                  .weight_decay = 0.01,
                                  .nesterov = nesterov,
                                  .decoupled = decoupled};
      const at::Tensor p = at::randn({5, 7, 3, 3}).contiguous(at::MemoryFormat::ChannelsLast);
      at::Tensor expected = p.clone(), momentum;
      Sgd sgd(options, {{"p", p}});
      for (const double factor : {1.0, 0.7, 0.123}) {
        p.mutable_grad() = at::randn({5, 7, 3, 3});
        sgd.Step(factor);
        ReferenceSgdUpdate({.lr = 0.1 * factor,
                            .momentum = 0.9,
                            .dampening = options.dampening,
                            .coupled_decay = decoupled ? 0 : 0.01,
                            .shrink = decoupled ? 1 - factor * 0.01 : 1,
                            .nesterov = nesterov},
                           p.grad(), &momentum, &expected);
        EXPECT_TRUE(at::equal(p, expected)) << nesterov << decoupled << " factor " << factor;
        EXPECT_TRUE(at::equal(sgd.State()[0].second, momentum));
      }
    }
  }
}

// Other memory than dense float32 goes through torch's functions.
TEST(OptimizerTest, OtherTypesAndGapsAreUpdatedToo) {
  const at::Tensor doubles =
      WithGrad(at::full({3}, 2.0, at::kDouble), at::full({3}, 1.0, at::kDouble));
  const at::Tensor gaps = WithGrad(at::full({3, 2}, 2.0).select(1, 0), at::full({3}, 1.0));
  const auto optimizer = Build(CoupledSgd(0.5, 0.9, 0), {{"doubles", doubles}, {"gaps", gaps}});
  optimizer->Step(1);
  optimizer->Step(1);
  EXPECT_TRUE(at::equal(doubles, at::full({3}, 2 - 0.5 - 0.5 * 1.9, at::kDouble)));
  EXPECT_TRUE(at::allclose(gaps, at::full({3}, 2 - 0.5 - 0.5 * 1.9)));
}

TEST(OptimizerTest, DecayOfBothKinds) {
  EXPECT_NEAR(AfterOneStep(CoupledSgd(0.1, 0, 0.01), 2, 0, 1), 1.998, 1e-6);
  EXPECT_NEAR(AfterOneStep(DecoupledSgd(0.1, 0, 0.01), 2, 0, 1), 1.98, 1e-6);
  // The decoupled decay follows the schedule's factor, not the rate.
  EXPECT_NEAR(AfterOneStep(DecoupledSgd(0.1, 0, 0.01), 2, 0, 0.5), 1.99, 1e-6);
  EXPECT_NEAR(AfterOneStep(CoupledSgd(0.01, 0, 0.1), 1, 0.5, 1), 0.994, 1e-6);
}

TEST(OptimizerTest, BaseRateOfZeroDoesNotDivide) {
  EXPECT_NEAR(AfterOneStep(DecoupledSgd(0, 0.9, 0.01), 2, 1, 1), 1.98, 1e-6);
}

TEST(OptimizerTest, GradientInAnotherLayoutCountsByItsIndex) {
  const at::Tensor value = at::randn({4, 3, 2, 2});
  const at::Tensor gradient = at::randn({4, 3, 2, 2});
  const at::Tensor plain = WithGrad(value.clone(), gradient.clone());
  const at::Tensor last =
      WithGrad(value.contiguous(at::MemoryFormat::ChannelsLast).clone(), gradient.clone());
  Build(CoupledSgd(0.1, 0.9, 0.1), {{"p", plain}})->Step(1);
  Build(CoupledSgd(0.1, 0.9, 0.1), {{"p", last}})->Step(1);
  EXPECT_TRUE(at::equal(plain, last));
}

TEST(OptimizerTest, LargeParametersAreUpdatedWhole) {
  const at::Tensor p = WithGrad(at::full({100003}, 1.0), at::full({100003}, 2.0));
  Build(CoupledSgd(0.25, 0.9, 0), {{"p", p}})->Step(1);
  EXPECT_TRUE(at::equal(p, at::full({100003}, 0.5)));
}

TEST(OptimizerTest, WithoutAGradientNothingChanges) {
  const at::Tensor p = at::full({3}, 2.0);
  const auto optimizer = Build(CoupledSgd(0.1, 0.9, 0.5), {{"p", p}});
  optimizer->Step(1);
  EXPECT_TRUE(at::equal(p, at::full({3}, 2.0)));
}

// A parameter that has had no gradient at the save starts its momentum with the first one after the
// load, dampened or not.
TEST(OptimizerTest, StateKeepsWhatHasNotBegun) {
  OptimizerConfig config = CoupledSgd(1, 0.9, 0);
  config.mutable_sgd()->set_dampening(0.5);
  const at::Tensor a = WithGrad(at::full({2}, 1.0), at::full({2}, 1.0)), b = at::full({3}, 1.0);
  const auto optimizer = Build(config, {{"a", a}, {"b", b}});
  optimizer->Step(1);
  const at::Tensor copy = b.clone();
  const auto restored = Build(config, {{"a", a.clone()}, {"b", copy}});
  ASSERT_TRUE(restored->LoadState(AsMap(optimizer->State())).ok());
  copy.mutable_grad() = at::full({3}, 1.0);
  restored->Step(1);
  EXPECT_TRUE(at::equal(copy, at::full({3}, 0.0)));
}

// A restored optimizer goes on bit for bit; loading twice is loading once.
TEST(OptimizerTest, StateRestoresTheNextStep) {
  const at::Tensor p = at::randn({50});
  const auto optimizer = Build(CoupledSgd(0.1, 0.9, 0.01), {{"p", p}});
  for (int i = 0; i < 2; ++i) {
    p.mutable_grad() = at::randn({50});
    optimizer->Step(1);
  }
  const at::Tensor copy = p.clone();
  const auto restored = Build(CoupledSgd(0.1, 0.9, 0.01), {{"p", copy}});
  const auto state = AsMap(optimizer->State());
  ASSERT_EQ(state.size(), 1u);
  ASSERT_EQ(state.begin()->first, "p.momentum_buffer");
  ASSERT_TRUE(restored->LoadState(state).ok());
  ASSERT_TRUE(restored->LoadState(state).ok());
  const at::Tensor gradient = at::randn({50});
  p.mutable_grad() = gradient.clone();
  copy.mutable_grad() = gradient.clone();
  optimizer->Step(0.1);
  restored->Step(0.1);
  EXPECT_TRUE(at::equal(p, copy));
}

TEST(OptimizerTest, StateOfOtherParametersIsRefusedByName) {
  const auto optimizer =
      Build(CoupledSgd(0.1, 0.9, 0), {{"a", at::full({2}, 1.0)}, {"b", at::full({3}, 1.0)}});
  const auto error = [&](const std::map<std::string, at::Tensor>& state) {
    return std::string(optimizer->LoadState(state).message());
  };
  const at::Tensor two = at::full({2}, 1.0), three = at::full({3}, 1.0);
  EXPECT_THAT(error({{"a.momentum_buffer", two}}), HasSubstr("no b.momentum_buffer"));
  EXPECT_THAT(error({{"a.momentum_buffer", two}, {"b.momentum_buffer", two}}),
              HasSubstr("b.momentum_buffer has shape [2], expected [3]"));
  EXPECT_THAT(
      error({{"a.momentum_buffer", two}, {"b.momentum_buffer", three}, {"c.momentum_buffer", two}}),
      HasSubstr("c.momentum_buffer, which is no state of this optimizer"));
  EXPECT_THAT(error({}), HasSubstr("no a.momentum_buffer"));
}

TEST(OptimizerTest, WrongConfigIsRefused) {
  EXPECT_FALSE(BuildOptimizer(OptimizerConfig(), {}).ok());
  OptimizerConfig nesterov = CoupledSgd(0.1, 0, 0);
  nesterov.mutable_sgd()->set_nesterov(true);
  EXPECT_FALSE(BuildOptimizer(nesterov, {}).ok());
  const at::Tensor p = at::full({1}, 1.0);
  EXPECT_FALSE(BuildOptimizer(CoupledSgd(0.1, 0, 0), {{"p", p}, {"p", p}}).ok());
}

}  // namespace
}  // namespace tessera
