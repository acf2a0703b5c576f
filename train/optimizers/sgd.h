#ifndef TESSERA_TRAIN_OPTIMIZERS_SGD_H_
#define TESSERA_TRAIN_OPTIMIZERS_SGD_H_

#include <map>
#include <string>
#include <vector>

#include "train/optimizers/optimizer.h"

namespace tessera {

struct SgdOptions {
  double lr = 0;
  double momentum = 0;
  double dampening = 0;
  double weight_decay = 0;
  bool nesterov = false;
  bool decoupled = false;
};

// SGD with momentum as torch.optim.SGD computes it, and with decay apart as Composer's
// DecoupledSGDW: the decay is scaled by the schedule's factor alone, whatever the base rate. Bit
// for bit equal to PyTorch on the CPU. One pass in one parallel region over all parameters: each
// value, gradient and momentum is read once, values and momentum are written once.
class Sgd : public Optimizer {
 public:
  Sgd(const SgdOptions& options, const NamedTensors& parameters);

  double base_lr() const override { return options_.lr; }
  void Step(double factor) override;
  void ZeroGrad() override;
  NamedTensors State() const override;
  absl::Status LoadState(const std::map<std::string, at::Tensor>& state) override;

 private:
  struct Parameter {
    std::string momentum_name;
    at::Tensor tensor;
    at::Tensor momentum;  // undefined until there is a gradient
  };
  // One run of floats to update, small enough that threads share the work evenly.
  struct Chunk;

  static void AppendChunks(const at::Tensor& gradient, bool has_momentum, Parameter* parameter,
                           std::vector<Chunk>* chunks);

  SgdOptions options_;
  std::vector<Parameter> parameters_;
};

}  // namespace tessera

#endif  // TESSERA_TRAIN_OPTIMIZERS_SGD_H_
