#include "models/golden_values.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/strings/match.h"

namespace tessera {
namespace {

bool IsCounter(const std::string& name) { return absl::EndsWith(name, "num_batches_tracked"); }

at::Tensor Values(const std::string& name, at::IntArrayRef shape) {
  const at::Tensor u = GoldenUniform(name, shape);
  if (absl::EndsWith(name, "running_var")) return (1 + u).to(at::kFloat);
  if (shape.size() == 4) {
    const double fan_in = static_cast<double>(shape[1] * shape[2] * shape[3]);
    return ((2 * u - 1) * std::sqrt(6 / fan_in)).to(at::kFloat);
  }
  if (shape.size() == 2) {
    return ((2 * u - 1) * std::sqrt(3 / static_cast<double>(shape[1]))).to(at::kFloat);
  }
  if (absl::EndsWith(name, "weight")) return (0.5 + 0.5 * u).to(at::kFloat);
  return (0.2 * u - 0.1).to(at::kFloat);
}

}  // namespace

at::Tensor GoldenUniform(const std::string& name, at::IntArrayRef shape) {
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

void FillWithGoldenValues(torch::nn::Module& model) {
  const at::NoGradGuard no_grad;
  for (const auto& item : model.named_parameters()) {
    item.value().copy_(Values(item.key(), item.value().sizes()));
  }
  for (const auto& item : model.named_buffers()) {
    if (!IsCounter(item.key())) item.value().copy_(Values(item.key(), item.value().sizes()));
  }
}

void ExpectDigest(const std::string& name, const at::Tensor& tensor, const nlohmann::json& expected,
                  double tolerance) {
  const at::Tensor flat = tensor.detach().reshape({-1}).to(at::kDouble);
  const double norm = flat.norm().item<double>();
  const double largest = flat.abs().max().item<double>();
  EXPECT_NEAR(norm, expected[0].get<double>(), tolerance * norm) << name;
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(flat[(i + 1) * flat.numel() / 4 - 1].item<double>(), expected[i + 1].get<double>(),
                tolerance * largest)
        << name;
  }
}

void ExpectGradients(const torch::nn::Module& model, const nlohmann::json& expected,
                     double tolerance) {
  for (const auto& item : model.named_parameters()) {
    ExpectDigest(item.key(), item.value().grad(), expected[item.key()], tolerance);
  }
}

void ExpectStatistics(const torch::nn::Module& model, const nlohmann::json& expected,
                      double tolerance) {
  for (const auto& item : model.named_buffers()) {
    if (IsCounter(item.key())) continue;
    ExpectDigest(item.key(), item.value(), expected[item.key()], tolerance);
  }
}

void ExpectAll(const at::Tensor& tensor, const nlohmann::json& expected, double tolerance) {
  const at::Tensor golden =
      at::tensor(expected.get<std::vector<double>>(), at::kDouble).view_as(tensor);
  EXPECT_LT((tensor.detach().to(at::kDouble) - golden).abs().max().item<double>(),
            tolerance * golden.abs().max().item<double>());
}

}  // namespace tessera
