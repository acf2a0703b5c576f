#include "data/streaming/order/sampling.h"

#include <algorithm>
#include <numeric>

#include "data/streaming/order/numpy_random.h"

namespace tessera {
namespace {

// How many samples are taken of each shard.
std::vector<int64_t> SharesOfShards(const StreamShare& stream, const SamplingOptions& options) {
  const absl::Span<const int64_t> sizes = stream.shard_samples;
  const int64_t total = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
  std::vector<int64_t> shares(sizes.begin(), sizes.end());
  for (int64_t& share : shares) share *= stream.choose / total;
  int64_t left = stream.choose % total;
  if (left == 0) return shares;

  struct Granule {
    size_t shard;
    int64_t size;
  };
  std::vector<Granule> granules;
  for (size_t shard = 0; shard < sizes.size(); ++shard) {
    int64_t rest = sizes[shard];
    for (; rest > options.granularity; rest -= options.granularity) {
      granules.push_back({shard, options.granularity});
    }
    granules.push_back({shard, rest});
  }
  const bool by_epoch = options.shuffle && !options.fixed;
  NumpyRandom random(options.seed + (by_epoch ? options.epoch : 0));
  for (const int64_t drawn : random.Permutation(static_cast<int64_t>(granules.size()))) {
    const int64_t taken = std::min(left, granules[drawn].size);
    shares[granules[drawn].shard] += taken;
    left -= taken;
    if (left == 0) break;
  }
  return shares;
}

}  // namespace

EpochSamples SampleStreams(absl::Span<const StreamShare> streams, const SamplingOptions& options) {
  NumpyRandom random(options.seed + (options.fixed ? 0 : options.epoch));
  EpochSamples samples;
  samples.ids.reserve(
      std::accumulate(streams.begin(), streams.end(), int64_t{0},
                      [](int64_t sum, const StreamShare& s) { return sum + s.choose; }));
  for (const StreamShare& stream : streams) {
    const std::vector<int64_t> shares = SharesOfShards(stream, options);
    int64_t first = stream.first_id;
    for (size_t shard = 0; shard < shares.size(); ++shard) {
      const int64_t size = stream.shard_samples[shard];
      if (size == 0) continue;
      for (int64_t repeat = 0; repeat < shares[shard] / size; ++repeat) {
        samples.unit_sizes.push_back(size);
        for (int64_t i = 0; i < size; ++i) samples.ids.push_back(first + i);
      }
      if (const int64_t part = shares[shard] % size; part > 0) {
        samples.unit_sizes.push_back(part);
        std::vector<int64_t> drawn = random.Choice(size, part);
        std::sort(drawn.begin(), drawn.end());
        for (const int64_t i : drawn) samples.ids.push_back(first + i);
      }
      first += size;
    }
  }
  return samples;
}

}  // namespace tessera
