#ifndef TESSERA_TRAIN_OPTIMIZERS_OPTIMIZER_H_
#define TESSERA_TRAIN_OPTIMIZERS_OPTIMIZER_H_

#include <ATen/core/Tensor.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "train/optimizers/optimizers.pb.h"

namespace tessera {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

// Updates parameters from their gradients.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // The base learning rate, which a schedule scales. It is no state: the rate of a step follows
  // from the config and the batch.
  virtual double base_lr() const = 0;

  // One step at learning rate base_lr() x factor over all parameters that have a gradient. Throws
  // what torch throws.
  virtual void Step(double factor) = 0;
  // Gradients become undefined (PyTorch's set_to_none).
  virtual void ZeroGrad() = 0;

  // State by the parameters' names, as "PARAMETER.momentum_buffer"; that of a parameter without a
  // gradient so far is a tensor of size 0. Tensors share the optimizer's memory. Loading copies; a
  // missing, additional or misshapen tensor is an error by name, and then nothing is loaded.
  virtual NamedTensors State() const = 0;
  virtual absl::Status LoadState(const std::map<std::string, at::Tensor>& state) = 0;
};

// `parameters`: each trainable parameter once, by its name in the model. Dense float32 memory of
// the CPU, in whichever order of dimensions, is updated in one pass; anything else through torch.
absl::StatusOr<std::unique_ptr<Optimizer>> BuildOptimizer(const OptimizerConfig& config,
                                                          const NamedTensors& parameters);

}  // namespace tessera

#endif  // TESSERA_TRAIN_OPTIMIZERS_OPTIMIZER_H_
