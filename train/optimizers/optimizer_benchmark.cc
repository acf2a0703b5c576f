// One step over the parameters of a ResNet-50's size: fused, and the same in torch's functions, one
// parameter after the other.

#include <ATen/ops/randn.h>
#include <benchmark/benchmark.h>

#include <string>

#include "train/optimizers/reference_sgd.h"
#include "train/optimizers/sgd.h"

namespace tessera {
namespace {

NamedTensors Parameters() {
  NamedTensors parameters;
  const auto add = [&](at::IntArrayRef sizes) {
    at::Tensor tensor = at::randn(sizes);
    tensor.mutable_grad() = at::randn(sizes);
    parameters.emplace_back(std::to_string(parameters.size()), tensor);
  };
  for (int i = 0; i < 4; ++i) add({512, 512, 3, 3});
  for (int i = 0; i < 12; ++i) add({1024, 1024, 1, 1});
  for (int i = 0; i < 106; ++i) add({512});  // batch norms
  return parameters;
}

void Fused(benchmark::State& state) {
  Sgd sgd({.lr = 1e-6, .momentum = 0.9, .weight_decay = 1e-4}, Parameters());
  sgd.Step(1);
  for (auto _ : state) sgd.Step(1);
}

void Reference(benchmark::State& state) {
  NamedTensors parameters = Parameters();
  std::vector<at::Tensor> momenta(parameters.size());
  for (auto _ : state) {
    for (size_t i = 0; i < parameters.size(); ++i) {
      at::Tensor& parameter = parameters[i].second;
      ReferenceSgdUpdate({.lr = 1e-6, .momentum = 0.9, .coupled_decay = 1e-4}, parameter.grad(),
                         &momenta[i], &parameter);
    }
  }
}

BENCHMARK(Fused)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(Reference)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace tessera

BENCHMARK_MAIN();
