#include "train/optimizers/optimizer.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "train/optimizers/sgd.h"

namespace tessera {
namespace {

template <typename Config>
absl::StatusOr<std::unique_ptr<Optimizer>> BuildSgd(const Config& config, bool decoupled,
                                                    const NamedTensors& parameters) {
  if (config.nesterov() && (config.momentum() <= 0 || config.dampening() != 0)) {
    return absl::InvalidArgumentError(
        "optimizer: nesterov needs a positive momentum and no dampening");
  }
  const SgdOptions options = {.lr = config.lr(),
                              .momentum = config.momentum(),
                              .dampening = config.dampening(),
                              .weight_decay = config.weight_decay(),
                              .nesterov = config.nesterov(),
                              .decoupled = decoupled};
  return std::make_unique<Sgd>(options, parameters);
}

absl::Status CheckNames(const NamedTensors& parameters) {
  std::set<std::string> seen;
  for (const auto& [name, tensor] : parameters) {
    if (!seen.insert(name).second) {
      return absl::InvalidArgumentError(absl::StrCat("parameter ", name, " is given twice"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Optimizer>> BuildOptimizer(const OptimizerConfig& config,
                                                          const NamedTensors& parameters) {
  TESSERA_RETURN_IF_ERROR(CheckNames(parameters));
  switch (config.optimizer_case()) {
    case OptimizerConfig::kDecoupledSgd:
      return BuildSgd(config.decoupled_sgd(), /*decoupled=*/true, parameters);
    case OptimizerConfig::kSgd:
      return BuildSgd(config.sgd(), /*decoupled=*/false, parameters);
    case OptimizerConfig::OPTIMIZER_NOT_SET:
      break;
  }
  return absl::InvalidArgumentError("optimizer: none is chosen; expected decoupled_sgd or sgd");
}

}  // namespace tessera
