#include "data/streaming/order/weights.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "data/streaming/order/numpy_random.h"

namespace tessera {
namespace {

StreamWeights Proportional(std::vector<double> proportions, int64_t total, uint64_t seed) {
  const double sum = std::accumulate(proportions.begin(), proportions.end(), 0.0);
  StreamWeights weights;
  int64_t chosen = 0;
  for (double& proportion : proportions) {
    proportion /= sum;
    weights.choose.push_back(static_cast<int64_t>(static_cast<double>(total) * proportion));
    chosen += weights.choose.back();
  }
  // What rounding down has left over goes to streams drawn at random.
  NumpyRandom random(seed);
  for (const int64_t stream :
       random.Choice(static_cast<int64_t>(proportions.size()), total - chosen)) {
    ++weights.choose[stream];
  }
  weights.proportions = std::move(proportions);
  return weights;
}

StreamWeights Counted(std::vector<int64_t> choose) {
  const int64_t sum = std::accumulate(choose.begin(), choose.end(), int64_t{0});
  StreamWeights weights;
  for (const int64_t count : choose) {
    weights.proportions.push_back(static_cast<double>(count) / static_cast<double>(sum));
  }
  weights.choose = std::move(choose);
  return weights;
}

absl::Status CheckWeights(absl::Span<const StreamConfig> streams, int64_t epoch_size) {
  size_t relative = 0;
  size_t counted = 0;
  for (const StreamConfig& stream : streams) {
    relative += stream.has_proportion();
    counted += stream.has_repeat() || stream.has_choose();
    if (stream.proportion() < 0 || stream.repeat() < 0 || stream.choose() < 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "streams: expected weights of 0 or more; found ", stream.ShortDebugString()));
    }
  }
  if (relative > 0 && relative < streams.size()) {
    return absl::InvalidArgumentError(absl::StrCat("streams: ", relative, " of ", streams.size(),
                                                   " have a proportion; expected all or none"));
  }
  if (counted > 0 && epoch_size > 0) {
    return absl::InvalidArgumentError(
        "epoch_size: streams with repeat or choose say themselves how much an epoch takes; "
        "expected one or the other");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<StreamWeights> ApplyWeights(absl::Span<const int64_t> samples,
                                           absl::Span<const StreamConfig> streams,
                                           int64_t epoch_size, uint64_t seed) {
  const absl::Status fitting = CheckWeights(streams, epoch_size);
  if (!fitting.ok()) return fitting;
  const bool relative = streams[0].has_proportion();
  if (relative || epoch_size > 0) {
    const int64_t total =
        epoch_size > 0 ? epoch_size : std::accumulate(samples.begin(), samples.end(), int64_t{0});
    std::vector<double> proportions;
    for (size_t i = 0; i < streams.size(); ++i) {
      proportions.push_back(relative ? streams[i].proportion() : static_cast<double>(samples[i]));
    }
    if (std::all_of(proportions.begin(), proportions.end(), [](double p) { return p == 0; })) {
      return absl::InvalidArgumentError("streams: every proportion is 0");
    }
    return Proportional(std::move(proportions), total, seed);
  }
  std::vector<int64_t> choose;
  for (size_t i = 0; i < streams.size(); ++i) {
    if (streams[i].has_repeat()) {
      choose.push_back(static_cast<int64_t>(streams[i].repeat() * static_cast<double>(samples[i])));
    } else {
      choose.push_back(streams[i].has_choose() ? streams[i].choose() : samples[i]);
    }
  }
  if (std::all_of(choose.begin(), choose.end(), [](int64_t count) { return count == 0; })) {
    return absl::InvalidArgumentError("streams: an epoch takes no sample of any");
  }
  return Counted(std::move(choose));
}

}  // namespace tessera
