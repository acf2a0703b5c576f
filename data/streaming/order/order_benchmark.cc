// How long the first ids of an epoch take, and each one after them.

#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "benchmark/benchmark.h"
#include "data/streaming/order/order.h"
#include "data/streaming/order/scatter.h"

namespace tessera {
namespace {

double PeakMegabytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Samples of a shard: given by a function, since nothing holds ten million of them.
int64_t ShardSamples(int64_t shard) { return 100'000; }

// The shard and the place in it of each sample of the first batch, of 10^12 samples in 10^7 shards.
void ScatterFirstBatch(benchmark::State& state) {
  constexpr int64_t kSamples = 1'000'000'000'000;
  for (auto _ : state) {
    const auto order = ScatterOrder::Create(
        kSamples, {.block = ShardSamples(0), .window_size = 1 << 22}, World(), 0);
    const auto epoch = (*order)->Epoch(0);
    for (int64_t i = 0; i < 1024; ++i) {
      const int64_t id = (*epoch)->At(i);
      benchmark::DoNotOptimize(id / ShardSamples(0));
      benchmark::DoNotOptimize(id % ShardSamples(0));
    }
  }
  state.counters["peak_MB"] = PeakMegabytes();
}
BENCHMARK(ScatterFirstBatch)->Unit(benchmark::kMillisecond);

void ScatterId(benchmark::State& state) {
  const auto order =
      ScatterOrder::Create(state.range(0), {.block = 1000, .window_size = 1 << 18}, World(), 0);
  const auto epoch = (*order)->Epoch(0);
  int64_t position = 0;
  for (auto _ : state) benchmark::DoNotOptimize((*epoch)->At(position++ % state.range(0)));
}
BENCHMARK(ScatterId)->Arg(1'000'000)->Arg(1'000'000'000'000);

// The whole order of an epoch of ImageNet's size.
void DrawEpoch(benchmark::State& state) {
  StreamingConfig config;
  config.set_shuffle_algo(static_cast<StreamingConfig::ShuffleAlgo>(state.range(0)));
  const auto order = Order::Create(config, {std::vector<int64_t>(1281, 1000)}, true);
  const World world = {.ranks_per_node = 8, .batch_size = 256};
  for (auto _ : state) {
    benchmark::DoNotOptimize(order->Draw(world, order->Start(world))->OfRank(0));
  }
  state.SetLabel(StreamingConfig::ShuffleAlgo_Name(config.shuffle_algo()));
}
BENCHMARK(DrawEpoch)
    ->Unit(benchmark::kMillisecond)
    ->Arg(StreamingConfig::PY1E)
    ->Arg(StreamingConfig::PY1S)
    ->Arg(StreamingConfig::PY1BR)
    ->Arg(StreamingConfig::PY2S)
    ->Arg(StreamingConfig::NAIVE);

}  // namespace
}  // namespace tessera

BENCHMARK_MAIN();
