#include "train/optimizers/optimizer.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "train/optimizers/sgd_kernel.h"

namespace tessera {
namespace {

constexpr char kMomentumSuffix[] = ".momentum_buffer";

struct SgdOptions {
  double lr = 0;
  double momentum = 0;
  double dampening = 0;
  double weight_decay = 0;
  bool nesterov = false;
  bool decoupled = false;
};

// One contiguous run of floats to update, small enough that threads share the work evenly.
struct Chunk {
  int64_t count = 0;
  const float* gradient = nullptr;
  float* momentum = nullptr;
  float* parameter = nullptr;
  bool first = false;
};
constexpr int64_t kChunk = 1 << 15;

std::string ShapeText(const at::Tensor& tensor) {
  return absl::StrCat("[", absl::StrJoin(tensor.sizes(), ", "), "]");
}

// SGD with momentum as torch.optim.SGD computes it, and with decay apart as Composer's
// DecoupledSGDW: one pass over all parameters, each read and written once.
class Sgd : public Optimizer {
 public:
  Sgd(const SgdOptions& options, const NamedTensors& parameters) : options_(options) {
    for (const auto& [name, tensor] : parameters) parameters_.push_back({name, tensor, {}});
  }

  double base_lr() const override { return options_.lr; }

  void Step(double factor) override {
    // Gradients in another memory layout than their parameter's are copied; they live until the
    // end.
    std::vector<at::Tensor> gradients;
    std::vector<Chunk> chunks;
    for (Parameter& parameter : parameters_) {
      if (!parameter.tensor.grad().defined()) continue;
      gradients.push_back(AlignedGradient(parameter.tensor));
      AppendChunks(gradients.back(), &parameter, &chunks);
    }
    SgdStep later;
    later.lr = static_cast<float>(options_.lr * factor);
    later.momentum = static_cast<float>(options_.momentum);
    later.gradient_scale = static_cast<float>(1 - options_.dampening);
    later.nesterov = options_.nesterov;
    if (options_.decoupled) {
      later.shrink = static_cast<float>(1 - factor * options_.weight_decay);
    } else {
      later.coupled_decay = static_cast<float>(options_.weight_decay);
    }
    // As in PyTorch, a momentum buffer starts as the gradient itself.
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

  void ZeroGrad() override {
    for (Parameter& parameter : parameters_) parameter.tensor.mutable_grad() = at::Tensor();
  }

  NamedTensors State() const override {
    NamedTensors state;
    for (const Parameter& parameter : parameters_) {
      if (parameter.momentum.defined()) {
        state.emplace_back(parameter.name + kMomentumSuffix, parameter.momentum);
      }
    }
    return state;
  }

  absl::Status LoadState(const std::map<std::string, at::Tensor>& state) override {
    size_t expected = 0;
    for (const Parameter& parameter : parameters_) {
      const std::string name = parameter.name + kMomentumSuffix;
      const auto found = state.find(name);
      if (options_.momentum == 0 || state.empty()) continue;
      if (found == state.end()) {
        return absl::InvalidArgumentError(absl::StrCat("optimizer state has no ", name));
      }
      if (found->second.sizes() != parameter.tensor.sizes()) {
        return absl::InvalidArgumentError(absl::StrCat("optimizer state ", name, " has shape ",
                                                       ShapeText(found->second), ", expected ",
                                                       ShapeText(parameter.tensor)));
      }
      ++expected;
    }
    if (state.size() != expected) return UnexpectedName(state);
    for (Parameter& parameter : parameters_) {
      parameter.momentum = at::Tensor();
      if (expected == 0) continue;
      parameter.momentum = at::empty_like(parameter.tensor.detach());
      parameter.momentum.copy_(state.at(parameter.name + kMomentumSuffix));
    }
    return absl::OkStatus();
  }

 private:
  struct Parameter {
    std::string name;
    at::Tensor tensor;
    at::Tensor momentum;  // in the parameter's memory layout; undefined before the first step
  };

  static at::Tensor AlignedGradient(const at::Tensor& parameter) {
    const at::Tensor& gradient = parameter.grad();
    if (gradient.strides() == parameter.strides() && gradient.dtype() == parameter.dtype()) {
      return gradient;
    }
    return at::empty_like(parameter.detach()).copy_(gradient);
  }

  void AppendChunks(const at::Tensor& gradient, Parameter* parameter, std::vector<Chunk>* chunks) {
    const bool first = options_.momentum != 0 && !parameter->momentum.defined();
    if (first) parameter->momentum = at::zeros_like(parameter->tensor.detach());
    float* const values = parameter->tensor.mutable_data_ptr<float>();
    const float* const gradients = gradient.const_data_ptr<float>();
    float* const momentum =
        options_.momentum != 0 ? parameter->momentum.mutable_data_ptr<float>() : nullptr;
    const int64_t size = parameter->tensor.numel();
    for (int64_t begin = 0; begin < size; begin += kChunk) {
      chunks->push_back({std::min(kChunk, size - begin), gradients + begin,
                         momentum != nullptr ? momentum + begin : nullptr, values + begin, first});
    }
  }

  absl::Status UnexpectedName(const std::map<std::string, at::Tensor>& state) const {
    for (const auto& [name, tensor] : state) {
      const bool known = options_.momentum != 0 &&
                         std::any_of(parameters_.begin(), parameters_.end(), [&](const auto& p) {
                           return p.name + kMomentumSuffix == name;
                         });
      if (!known) {
        return absl::InvalidArgumentError(
            absl::StrCat("optimizer state has ", name, ", which is no state of this optimizer"));
      }
    }
    return absl::InternalError("optimizer state does not match");
  }

  SgdOptions options_;
  std::vector<Parameter> parameters_;
};

template <typename Config>
SgdOptions OptionsOf(const Config& config, bool decoupled) {
  return {config.lr(),           config.momentum(), config.dampening(),
          config.weight_decay(), config.nesterov(), decoupled};
}

absl::Status CheckParameters(const NamedTensors& parameters) {
  std::map<std::string, at::Tensor> seen;
  for (const auto& [name, tensor] : parameters) {
    if (!seen.emplace(name, tensor).second) {
      return absl::InvalidArgumentError(absl::StrCat("parameter ", name, " is given twice"));
    }
    if (tensor.scalar_type() != at::kFloat || !tensor.is_cpu() ||
        !tensor.is_non_overlapping_and_dense()) {
      return absl::UnimplementedError(
          absl::StrCat("parameter ", name, " is not dense float32 memory of the CPU"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Optimizer>> BuildOptimizer(const OptimizerConfig& config,
                                                          const NamedTensors& parameters) {
  if (const absl::Status status = CheckParameters(parameters); !status.ok()) return status;
  SgdOptions options;
  switch (config.optimizer_case()) {
    case OptimizerConfig::kDecoupledSgd:
      options = OptionsOf(config.decoupled_sgd(), /*decoupled=*/true);
      break;
    case OptimizerConfig::kSgd:
      options = OptionsOf(config.sgd(), /*decoupled=*/false);
      break;
    case OptimizerConfig::OPTIMIZER_NOT_SET:
      return absl::InvalidArgumentError("optimizer: none is chosen; expected decoupled_sgd or sgd");
  }
  if (options.nesterov && (options.momentum <= 0 || options.dampening != 0)) {
    return absl::InvalidArgumentError(
        "optimizer: nesterov needs a positive momentum and no dampening");
  }
  return std::make_unique<Sgd>(options, parameters);
}

}  // namespace tessera
