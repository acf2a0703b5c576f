// Forward and backward of the fused loss and of the same loss in torch's functions.

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <benchmark/benchmark.h>
#include <torch/csrc/autograd/autograd.h>

#include "models/losses/reference_loss.h"
#include "models/losses/segmentation_loss.h"

namespace tessera {
namespace {

using Loss = at::Tensor (*)(const at::Tensor&, const at::Tensor&, const SegmentationLossOptions&);

at::Tensor ReferenceLoss(const at::Tensor& logits, const at::Tensor& labels,
                         const SegmentationLossOptions& options) {
  return ReferenceLossPart(logits, labels, ReferenceLossTotals(logits, labels, options), options);
}

// What a training script would write: cross entropy alone.
at::Tensor CrossEntropyAlone(const at::Tensor& logits, const at::Tensor& labels,
                             const SegmentationLossOptions& options) {
  const at::Tensor resized =
      at::upsample_bilinear2d(logits, {labels.size(1), labels.size(2)}, options.align_corners);
  return at::cross_entropy_loss(resized, labels.to(at::kLong), {}, at::Reduction::Mean,
                                options.ignore_index);
}

// Arguments: samples, classes, height, width, output stride.
void Run(benchmark::State& state, Loss loss) {
  const int64_t samples = state.range(0), classes = state.range(1), height = state.range(2),
                width = state.range(3), stride = state.range(4);
  const at::Tensor logits = (at::randn({samples, classes, height / stride, width / stride}) * 3)
                                .contiguous(at::MemoryFormat::ChannelsLast)
                                .requires_grad_();
  const at::Tensor labels = at::randint(0, classes, {samples, height, width}, at::kByte);
  for (auto _ : state) {
    benchmark::DoNotOptimize(torch::autograd::grad({loss(logits, labels, {})}, {logits}));
  }
  state.SetItemsProcessed(state.iterations() * labels.numel());
}

void Sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Args({8, 11, 256, 336, 16})->Args({2, 150, 512, 512, 8});
  benchmark->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK_CAPTURE(Run, fused, SegmentationLoss)->Apply(Sizes);
BENCHMARK_CAPTURE(Run, reference, ReferenceLoss)->Apply(Sizes);
BENCHMARK_CAPTURE(Run, cross_entropy_alone, CrossEntropyAlone)->Apply(Sizes);

}  // namespace
}  // namespace tessera

BENCHMARK_MAIN();
