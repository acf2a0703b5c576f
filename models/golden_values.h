#ifndef TESSERA_MODELS_GOLDEN_VALUES_H_
#define TESSERA_MODELS_GOLDEN_VALUES_H_

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <nlohmann/json.hpp>
#include <string>

namespace tessera {

// The other side of golden_values.py, for tests.

// 24 bits of SplitMix64 from the FNV-1a hash of the name on: [0, 1), double.
at::Tensor GoldenUniform(const std::string& name, at::IntArrayRef shape);

// Fills all parameters and statistics by their names.
void FillWithGoldenValues(torch::nn::Module& model);

// Norm and four elements of `tensor`, to `tolerance` of its norm and its largest element.
void ExpectDigest(const std::string& name, const at::Tensor& tensor, const nlohmann::json& expected,
                  double tolerance);

// The gradient of each parameter.
void ExpectGradients(const torch::nn::Module& model, const nlohmann::json& expected,
                     double tolerance);

// The statistics of each batch norm.
void ExpectStatistics(const torch::nn::Module& model, const nlohmann::json& expected,
                      double tolerance);

// Each element, to `tolerance` of the largest.
void ExpectAll(const at::Tensor& tensor, const nlohmann::json& expected, double tolerance);

}  // namespace tessera

#endif  // TESSERA_MODELS_GOLDEN_VALUES_H_
