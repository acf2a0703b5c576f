#include "data/streaming/order/shuffle.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/streaming/order/numpy_random.h"

namespace tessera {
namespace {

// Ids, or places in a list of them, that follow one another.
struct Run {
  int64_t begin;
  int64_t end;
  int64_t size() const { return end - begin; }
};

// The runs of one canonical node.
using NodeRuns = std::vector<Run>;

std::vector<Run> ShardRuns(absl::Span<const int64_t> shard_samples) {
  std::vector<Run> runs;
  runs.reserve(shard_samples.size());
  int64_t begin = 0;
  for (const int64_t samples : shard_samples) {
    runs.push_back({begin, begin + samples});
    begin += samples;
  }
  return runs;
}

int64_t TotalSize(absl::Span<const Run> runs) {
  return std::accumulate(runs.begin(), runs.end(), int64_t{0},
                         [](int64_t sum, const Run& run) { return sum + run.size(); });
}

// Deals runs to the nodes in turn, an equal share of the samples to each; the run at a border is
// cut there.
std::vector<NodeRuns> CutForNodes(std::vector<Run> runs, int64_t nodes) {
  const int64_t total = TotalSize(runs);
  std::vector<NodeRuns> cut(nodes);
  size_t next = 0;
  int64_t dealt = 0;
  for (int64_t node = 0; node < nodes; ++node) {
    const int64_t border = total * (node + 1) / nodes;
    for (; next < runs.size(); ++next) {
      Run& run = runs[next];
      if (border < dealt + run.size()) {
        if (dealt < border) {
          const int64_t middle = run.begin + border - dealt;
          cut[node].push_back({run.begin, middle});
          run.begin = middle;
          dealt = border;
        }
        break;
      }
      cut[node].push_back(run);
      dealt += run.size();
    }
  }
  return cut;
}

void Append(const Run& run, std::vector<int64_t>* ids) {
  for (int64_t id = run.begin; id < run.end; ++id) ids->push_back(id);
}

absl::Span<int64_t> Tail(std::vector<int64_t>& ids, int64_t size) {
  return absl::MakeSpan(ids).last(size);
}

// What the py1 algorithms have in common: shards in an order of the seed, cut for the nodes, the
// runs of each node in an order of the epoch.
std::vector<NodeRuns> RunsOfEpoch(absl::Span<const int64_t> shard_samples,
                                  const ShuffleOptions& options, NumpyRandom& random) {
  std::vector<Run> shards = ShardRuns(shard_samples);
  NumpyRandom(options.seed).Shuffle(absl::MakeSpan(shards));
  std::vector<NodeRuns> nodes = CutForNodes(std::move(shards), options.num_canonical_nodes);
  for (NodeRuns& runs : nodes) random.Shuffle(absl::MakeSpan(runs));
  return nodes;
}

// Sizes of blocks are drawn from [low, high), about the one that was asked for.
struct BlockRange {
  int64_t low;
  int64_t high;
  int64_t Draw(NumpyRandom& random) const { return random.Integers(low, high); }
};

absl::StatusOr<BlockRange> BlockRangeOf(int64_t block_size, int64_t smallest) {
  if (block_size < smallest) {
    return absl::InvalidArgumentError(absl::StrCat("shuffle_block_size comes to ", block_size,
                                                   " (a stream takes its share of it); expected ",
                                                   smallest, " or more"));
  }
  return BlockRange{static_cast<int64_t>(0.75 * static_cast<double>(block_size)),
                    static_cast<int64_t>(1.25 * static_cast<double>(block_size))};
}

std::vector<int64_t> ShuffleWithinRuns(const std::vector<NodeRuns>& nodes, NumpyRandom& random,
                                       int64_t total) {
  std::vector<int64_t> ids;
  ids.reserve(total);
  for (const NodeRuns& runs : nodes) {
    for (const Run& run : runs) {
      Append(run, &ids);
      random.Shuffle(Tail(ids, run.size()));
    }
  }
  return ids;
}

std::vector<int64_t> ShuffleWithinBlocks(const std::vector<NodeRuns>& nodes,
                                         const BlockRange& block_range, NumpyRandom& random,
                                         int64_t total) {
  std::vector<int64_t> staggers(nodes.size());
  for (int64_t& stagger : staggers) stagger = random.Integers(0, block_range.low);
  std::vector<int64_t> ids;
  ids.reserve(total);
  std::vector<Run> blocks;
  for (size_t node = 0; node < nodes.size(); ++node) {
    const auto start = static_cast<int64_t>(ids.size());
    for (const Run& run : nodes[node]) Append(run, &ids);
    const auto end = static_cast<int64_t>(ids.size());
    blocks.clear();
    for (int64_t reached = start; reached < end;) {
      const int64_t size = block_range.Draw(random);
      const Run block = {std::max(reached - staggers[node], start),
                         std::min(reached + size - staggers[node], end)};
      blocks.push_back(block);
      reached += block.size();
    }
    for (const Run& block : blocks) {
      random.Shuffle(absl::MakeSpan(ids).subspan(block.begin, block.size()));
    }
  }
  return ids;
}

// Moves the samples of a node's runs apart: each by a random distance that is about half a block at
// most, and keeps inside the node.
std::vector<std::pair<double, int64_t>> ExpandRuns(const NodeRuns& runs,
                                                   const BlockRange& block_range,
                                                   NumpyRandom& random) {
  const int64_t total = TotalSize(runs);
  std::vector<std::pair<double, int64_t>> places;  // where a sample moves to, where it was
  places.reserve(total);
  int64_t offset = 0;
  for (const Run& run : runs) {
    const int64_t block = block_range.Draw(random);
    const double reach = std::max(static_cast<double>(block - run.size()) / 2, 0.0);
    const double low = std::max(-reach, static_cast<double>(-offset));
    const double high = std::min(reach, static_cast<double>(total - offset - run.size()));
    for (int64_t place = offset; place < offset + run.size(); ++place) {
      places.emplace_back(static_cast<double>(place) + random.Uniform(low, high), place);
    }
    offset += run.size();
  }
  std::sort(places.begin(), places.end());
  return places;
}

absl::StatusOr<std::vector<int64_t>> ShuffleByExpansion(const std::vector<NodeRuns>& nodes,
                                                        const BlockRange& block_range,
                                                        NumpyRandom& random, int64_t total) {
  std::vector<int64_t> ids;
  ids.reserve(total);
  std::vector<int64_t> node_ids;
  for (const NodeRuns& runs : nodes) {
    if (runs.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          total, " samples are too few for ", nodes.size(),
          " canonical nodes with py1e; set num_canonical_nodes to ", total, " or less"));
    }
    node_ids.clear();
    for (const Run& run : runs) {
      Append(run, &node_ids);
      random.Shuffle(Tail(node_ids, run.size()));
    }
    for (const auto& [moved, place] : ExpandRuns(runs, block_range, random)) {
      ids.push_back(node_ids[place]);
    }
  }
  return ids;
}

std::vector<int64_t> ShuffleTwice(absl::Span<const int64_t> shard_samples,
                                  const ShuffleOptions& options) {
  NumpyRandom run_random(options.seed);
  std::vector<Run> shards = ShardRuns(shard_samples);
  run_random.Shuffle(absl::MakeSpan(shards));
  std::vector<int64_t> ids;
  ids.reserve(TotalSize(shards));
  for (Run& shard : shards) {
    Append(shard, &ids);
    run_random.Shuffle(Tail(ids, shard.size()));
    shard = {static_cast<int64_t>(ids.size()) - shard.size(), static_cast<int64_t>(ids.size())};
  }
  NumpyRandom random(options.seed + options.epoch);
  std::vector<int64_t> shuffled;
  shuffled.reserve(ids.size());
  for (NodeRuns& runs : CutForNodes(std::move(shards), options.num_canonical_nodes)) {
    random.Shuffle(absl::MakeSpan(runs));
    for (const Run& run : runs) {
      shuffled.insert(shuffled.end(), ids.begin() + run.begin, ids.begin() + run.end);
      random.Shuffle(Tail(shuffled, run.size()));
    }
  }
  return shuffled;
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> Shuffle(absl::Span<const int64_t> shard_samples,
                                             const ShuffleOptions& options) {
  const int64_t total = std::accumulate(shard_samples.begin(), shard_samples.end(), int64_t{0});
  NumpyRandom random(options.seed + options.epoch);
  switch (options.algo) {
    case StreamingConfig::PY1S:
      return ShuffleWithinRuns(RunsOfEpoch(shard_samples, options, random), random, total);
    case StreamingConfig::PY1BR: {
      TESSERA_ASSIGN_OR_RETURN(const BlockRange range, BlockRangeOf(options.block_size, 2));
      return ShuffleWithinBlocks(RunsOfEpoch(shard_samples, options, random), range, random, total);
    }
    case StreamingConfig::PY1E: {
      TESSERA_ASSIGN_OR_RETURN(const BlockRange range, BlockRangeOf(options.block_size, 1));
      return ShuffleByExpansion(RunsOfEpoch(shard_samples, options, random), range, random, total);
    }
    case StreamingConfig::PY2S:
      return ShuffleTwice(shard_samples, options);
    case StreamingConfig::NAIVE:
      return random.Permutation(total);
    case StreamingConfig::SCATTER:
    case StreamingConfig::GLOBAL:
      break;
  }
  return absl::InvalidArgumentError(absl::StrCat(StreamingConfig::ShuffleAlgo_Name(options.algo),
                                                 " is not a shuffle of StreamingDataset"));
}

}  // namespace tessera
