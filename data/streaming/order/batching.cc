#include "data/streaming/order/batching.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/streaming/order/numpy_random.h"

namespace tessera {
namespace {

using Ids = std::vector<int64_t>;

// The batches that a stream fills, one after the other.
class FullBatches {
 public:
  FullBatches(Ids ids, int64_t batch_size) : ids_(std::move(ids)), batch_size_(batch_size) {
    const auto total = static_cast<int64_t>(ids_.size()) / batch_size;
    for (int64_t batch = 0; batch < total; ++batch) count_ += IsFull(batch);
  }

  int64_t count() const { return count_; }

  void AppendNext(Ids* out) {
    const auto from = ids_.begin() + next_++ * batch_size_;
    out->insert(out->end(), from, from + batch_size_);
  }

 private:
  bool IsFull(int64_t batch) const {
    const auto from = ids_.begin() + batch * batch_size_;
    return std::find(from, from + batch_size_, EpochIds::kNone) == from + batch_size_;
  }

  Ids ids_;
  int64_t batch_size_;
  int64_t count_ = 0;
  int64_t next_ = 0;
};

// Which stream each batch comes from: as often as it has batches, in an order that `random` draws.
std::vector<size_t> TakeTurns(absl::Span<const FullBatches> streams, NumpyRandom& random) {
  std::vector<size_t> turns;
  for (size_t stream = 0; stream < streams.size(); ++stream) {
    turns.insert(turns.end(), streams[stream].count(), stream);
  }
  random.Shuffle(absl::MakeSpan(turns));
  return turns;
}

absl::Status NoBatch(size_t stream, int64_t batch_size) {
  return absl::InvalidArgumentError(
      absl::StrCat("stream ", stream, " has too few samples for one batch of ", batch_size,
                   "; take smaller batches, or batching_method RANDOM"));
}

// Leaves out the batches that are consumed, pads to whole rounds of all workers, and deals.
absl::StatusOr<EpochIds> DealBatches(const World& world, const Ids& consumption,
                                     int64_t first_sample) {
  const int64_t batch = world.global_batch_size();
  const int64_t consumed =
      std::min<int64_t>(first_sample / batch * batch, static_cast<int64_t>(consumption.size()));
  Ids rest(consumption.begin() + consumed, consumption.end());
  const int64_t round = batch * world.workers_per_rank;
  rest.resize((static_cast<int64_t>(rest.size()) + round - 1) / round * round, EpochIds::kNone);
  return EpochIds::Deal(world, rest);
}

// Samples of each stream in a batch: its share rounded down, and what is missing from those that
// lost most.
absl::StatusOr<Ids> Portions(absl::Span<const double> proportions, int64_t batch_size) {
  Ids portions;
  std::vector<std::pair<double, size_t>> lost;
  for (size_t stream = 0; stream < proportions.size(); ++stream) {
    const double share = static_cast<double>(batch_size) * proportions[stream];
    portions.push_back(static_cast<int64_t>(share));
    lost.emplace_back(share - static_cast<double>(portions.back()), stream);
  }
  std::sort(lost.rbegin(), lost.rend());
  const int64_t missing =
      batch_size - std::accumulate(portions.begin(), portions.end(), int64_t{0});
  for (int64_t i = 0; i < missing; ++i) ++portions[lost[i].second];
  for (size_t stream = 0; stream < portions.size(); ++stream) {
    if (portions[stream] > 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("stream ", stream, " is too small a part (", proportions[stream],
                     ") to have a sample in each global batch of ", batch_size));
  }
  return portions;
}

}  // namespace

absl::StatusOr<EpochIds> BatchPerStream(const StreamsToBatch& streams, const World& world) {
  std::vector<FullBatches> batches;
  for (size_t stream = 0; stream < streams.proportions.size(); ++stream) {
    TESSERA_ASSIGN_OR_RETURN(const EpochIds epoch, streams.draw(stream, world));
    batches.emplace_back(epoch.InConsumption(), world.global_batch_size());
    if (batches.back().count() == 0) return NoBatch(stream, world.global_batch_size());
  }
  Ids consumption;
  NumpyRandom random(streams.seed);
  for (const size_t stream : TakeTurns(batches, random)) batches[stream].AppendNext(&consumption);
  return DealBatches(world, consumption, streams.first_sample);
}

absl::StatusOr<EpochIds> BatchStratified(const StreamsToBatch& streams, const World& world) {
  TESSERA_ASSIGN_OR_RETURN(const Ids portions,
                           Portions(streams.proportions, world.global_batch_size()));
  World drawn = world;
  drawn.nodes = 1;
  drawn.batch_size = 1;
  std::vector<FullBatches> batches;
  for (size_t stream = 0; stream < streams.proportions.size(); ++stream) {
    TESSERA_ASSIGN_OR_RETURN(const EpochIds epoch, streams.draw(stream, drawn));
    batches.emplace_back(epoch.InConsumption(), portions[stream]);
  }
  const auto fewest = std::min_element(
      batches.begin(), batches.end(),
      [](const FullBatches& a, const FullBatches& b) { return a.count() < b.count(); });
  Ids consumption;
  for (int64_t batch = fewest->count(); batch > 0; --batch) {
    for (FullBatches& stream : batches) stream.AppendNext(&consumption);
  }
  return DealBatches(world, consumption, streams.first_sample);
}

absl::StatusOr<EpochIds> BatchDevicePerStream(const StreamsToBatch& streams, const World& world,
                                              int num_canonical_nodes) {
  if (num_canonical_nodes % world.nodes != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("batching_method DEVICE_PER_STREAM: expected num_canonical_nodes to be a "
                     "multiple of the ",
                     world.nodes, " nodes; found ", num_canonical_nodes));
  }
  World drawn = world;
  drawn.nodes = num_canonical_nodes;
  drawn.batch_size = 1;
  std::vector<EpochIds> epochs;
  for (size_t stream = 0; stream < streams.proportions.size(); ++stream) {
    TESSERA_ASSIGN_OR_RETURN(epochs.emplace_back(World(), Ids()), streams.draw(stream, drawn));
  }

  World canonical = drawn;  // those of one node
  canonical.nodes = num_canonical_nodes / world.nodes;
  NumpyRandom random(streams.seed);
  std::vector<Ids> nodes;
  for (int node = 0; node < world.nodes; ++node) {
    std::vector<FullBatches> batches;
    for (size_t stream = 0; stream < epochs.size(); ++stream) {
      const Ids& layout = epochs[stream].layout();
      const auto size = static_cast<int64_t>(layout.size()) / world.nodes;
      const auto from = layout.begin() + node * size;
      batches.emplace_back(EpochIds(canonical, Ids(from, from + size)).InConsumption(),
                           world.batch_size);
      if (batches.back().count() == 0) return NoBatch(stream, world.batch_size);
    }
    Ids& consumption = nodes.emplace_back();
    for (const size_t stream : TakeTurns(batches, random)) batches[stream].AppendNext(&consumption);
  }

  int64_t turns = 0;
  for (const Ids& ids : nodes) {
    turns = std::max(turns, static_cast<int64_t>(ids.size()) / world.batch_size);
  }
  turns += world.ranks() - turns % world.ranks();
  for (Ids& ids : nodes) ids.resize(turns * world.batch_size, EpochIds::kNone);
  Ids consumption;
  for (int64_t turn = 0; turn < turns; ++turn) {
    for (const Ids& ids : nodes) {
      const auto from = ids.begin() + turn * world.batch_size;
      consumption.insert(consumption.end(), from, from + world.batch_size);
    }
  }
  return DealBatches(world, consumption, streams.first_sample);
}

}  // namespace tessera
