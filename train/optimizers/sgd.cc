#include "train/optimizers/sgd.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "train/optimizers/reference_sgd.h"
#include "train/optimizers/sgd_kernel.h"

namespace tessera {
namespace {

constexpr int64_t kChunk = 1 << 15;

std::string ShapeText(const at::Tensor& tensor) {
  return absl::StrCat("[", absl::StrJoin(tensor.sizes(), ", "), "]");
}

// Whether elements of the same index lie at the same place. The stride of a dimension of size 1
// says nothing: a 1 x 1 convolution's weights and gradient often differ in those alone.
bool SameLayout(const at::Tensor& a, const at::Tensor& b) {
  if (a.sizes() != b.sizes()) return false;
  for (int64_t i = 0; i < a.dim(); ++i) {
    if (a.size(i) > 1 && a.stride(i) != b.stride(i)) return false;
  }
  return true;
}

bool IsFloatMemory(const at::Tensor& tensor) {
  return tensor.layout() == at::kStrided && tensor.is_cpu() && tensor.scalar_type() == at::kFloat;
}

// `tensor`, or where it lies otherwise than `parameter` a copy that lies as that.
at::Tensor Aligned(const at::Tensor& tensor, const at::Tensor& parameter) {
  if (SameLayout(tensor, parameter)) return tensor;
  return at::empty_like(parameter).copy_(tensor);
}

}  // namespace

struct Sgd::Chunk {
  int64_t count = 0;
  const float* gradient = nullptr;
  float* momentum = nullptr;
  float* parameter = nullptr;
  bool first = false;  // the momentum buffer starts as the gradient
};

Sgd::Sgd(const SgdOptions& options, const NamedTensors& parameters) : options_(options) {
  for (const auto& [name, tensor] : parameters) {
    parameters_.push_back({name + ".momentum_buffer", tensor, {}});
  }
}

void Sgd::Step(double factor) {
  const at::NoGradGuard no_grad;
  const SgdCoefficients coefficients = {
      .lr = options_.lr * factor,
      .momentum = options_.momentum,
      .dampening = options_.dampening,
      .coupled_decay = options_.decoupled ? 0 : options_.weight_decay,
      .shrink = options_.decoupled ? 1 - factor * options_.weight_decay : 1,
      .nesterov = options_.nesterov};
  std::vector<at::Tensor> gradients;  // copies must live until the chunks are done
  std::vector<Chunk> chunks;
  for (Parameter& parameter : parameters_) {
    const at::Tensor& gradient = parameter.tensor.grad();
    if (!gradient.defined()) continue;
    if (IsFloatMemory(parameter.tensor) && IsFloatMemory(gradient) &&
        parameter.tensor.is_non_overlapping_and_dense()) {
      gradients.push_back(Aligned(gradient, parameter.tensor));
      AppendChunks(gradients.back(), options_.momentum != 0, &parameter, &chunks);
    } else {
      ReferenceSgdUpdate(coefficients, gradient, &parameter.momentum, &parameter.tensor);
    }
  }

  const SgdStep later = {.lr = static_cast<float>(coefficients.lr),
                         .momentum = static_cast<float>(coefficients.momentum),
                         .gradient_scale = static_cast<float>(1 - coefficients.dampening),
                         .coupled_decay = static_cast<float>(coefficients.coupled_decay),
                         .shrink = static_cast<float>(coefficients.shrink),
                         .nesterov = coefficients.nesterov};
  SgdStep first = later;
  first.gradient_scale = 1;
  at::parallel_for(0, static_cast<int64_t>(chunks.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Chunk& chunk = chunks[i];
      SgdUpdate(chunk.first ? first : later, chunk.count, chunk.gradient, chunk.momentum,
                chunk.parameter);
    }
  });
}

void Sgd::AppendChunks(const at::Tensor& gradient, bool has_momentum, Parameter* parameter,
                       std::vector<Chunk>* chunks) {
  const bool first = has_momentum && !parameter->momentum.defined();
  if (first) {
    parameter->momentum = at::zeros_like(parameter->tensor);
  } else if (has_momentum) {
    parameter->momentum = Aligned(parameter->momentum, parameter->tensor);
  }
  float* const momentum = has_momentum ? parameter->momentum.mutable_data_ptr<float>() : nullptr;
  float* const values = parameter->tensor.mutable_data_ptr<float>();
  const float* const gradients = gradient.const_data_ptr<float>();
  const int64_t size = parameter->tensor.numel();
  for (int64_t begin = 0; begin < size; begin += kChunk) {
    chunks->push_back({std::min(kChunk, size - begin), gradients + begin,
                       has_momentum ? momentum + begin : nullptr, values + begin, first});
  }
}

void Sgd::ZeroGrad() {
  for (Parameter& parameter : parameters_) parameter.tensor.mutable_grad() = at::Tensor();
}

NamedTensors Sgd::State() const {
  NamedTensors state;
  if (options_.momentum == 0) return state;
  for (const Parameter& parameter : parameters_) {
    state.emplace_back(parameter.momentum_name, parameter.momentum.defined()
                                                    ? parameter.momentum
                                                    : at::empty({0}, parameter.tensor.options()));
  }
  return state;
}

absl::Status Sgd::LoadState(const std::map<std::string, at::Tensor>& state) {
  std::map<std::string, at::Tensor> unknown = state;
  for (const Parameter& parameter : parameters_) {
    if (options_.momentum == 0) break;
    const auto found = state.find(parameter.momentum_name);
    if (found == state.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("optimizer state has no ", parameter.momentum_name));
    }
    if (found->second.numel() != 0 && found->second.sizes() != parameter.tensor.sizes()) {
      return absl::InvalidArgumentError(absl::StrCat("optimizer state ", parameter.momentum_name,
                                                     " has shape ", ShapeText(found->second),
                                                     ", expected ", ShapeText(parameter.tensor)));
    }
    unknown.erase(parameter.momentum_name);
  }
  if (!unknown.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("optimizer state has ", unknown.begin()->first,
                                                   ", which is no state of this optimizer"));
  }
  if (options_.momentum == 0) return absl::OkStatus();
  const at::NoGradGuard no_grad;
  for (Parameter& parameter : parameters_) {
    const at::Tensor& momentum = state.at(parameter.momentum_name);
    parameter.momentum =
        momentum.numel() == 0 ? at::Tensor() : at::empty_like(parameter.tensor).copy_(momentum);
  }
  return absl::OkStatus();
}

}  // namespace tessera
