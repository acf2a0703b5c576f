// Reads the samples of a split without a model: as training would, as they are stored, to check
// them, or only their order.

#include <gflags/gflags.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "base/terminal_progress.h"
#include "configs/cli.h"
#include "data/build_data.h"
#include "data/order/permutation_order.h"
#include "data/streaming/order/state.h"
#include "data/streaming/print_samples.h"
#include "data/streaming/read_samples.h"
#include "data/streaming/reading_report.h"
#include "data/streaming/streaming_dataset.h"
#include "data/streaming/streaming_order.h"
#include "data/streaming/streaming_set.h"

DEFINE_string(split, "",
              "With --config: train or eval (default train). Without: the folder of the split "
              "(default: none).");
DEFINE_string(remote, "", "Where the shards are: sets data.streaming.remote.");
DEFINE_string(local, "", "Cache, or folder of the shards: sets data.streaming.local.");
DEFINE_bool(raw, false, "Read samples as they are stored, without decoding; so without --config.");
DEFINE_int32(threads, -1, "Threads that read; -1: data.num_threads.");
DEFINE_int32(print_samples, 0, "Print so many samples from the start of the set, and stop.");
DEFINE_bool(verify, false, "Check every shard against its index, and stop.");
DEFINE_bool(print_order, false,
            "Print the ids of each global batch of an epoch, a line a batch, and stop. Reads no "
            "shard.");
DEFINE_int64(epoch, 0, "Epoch whose order is used, from 0.");
DEFINE_int32(world, 1, "Ranks of all nodes together.");
DEFINE_int32(nodes, 1, "Nodes.");
DEFINE_int32(workers, 1, "Workers of each rank, as of a PyTorch DataLoader.");
DEFINE_int32(rank, -1, "Rank whose samples are used; -1: --print_order shows all, others take 0.");
DEFINE_string(state, "",
              "With --print_order: what is left of the epoch of this state, the JSON of a "
              "StreamingDataset's state_dict(), for any number of nodes, ranks and workers.");
DEFINE_bool(json, false, "Print one line of JSON for machines.");

namespace tessera {
namespace {

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Print(const ReadingReport& report) {
  std::cout << (FLAGS_json ? report.ToJson() : report.ToText());
}

absl::StatusOr<Split> ParseSplit(const std::string& name) {
  if (name.empty() || name == "train") return Split::kTrain;
  if (name == "eval" || name == "val") return Split::kEval;
  return absl::InvalidArgumentError(absl::StrCat("--split=", name, ": expected train or eval"));
}

// What the command line asks for.
struct Task {
  Experiment experiment;
  Split split = Split::kTrain;
  std::string folder;  // of the split
};

absl::StatusOr<Task> MakeTask(const Experiment& experiment) {
  Task task;
  task.experiment = experiment;
  DataConfig& data = *task.experiment.mutable_data();
  if (!FLAGS_remote.empty()) data.mutable_streaming()->set_remote(FLAGS_remote);
  if (!FLAGS_local.empty()) data.mutable_streaming()->set_local(FLAGS_local);
  if (data.dataset_case() == DataConfig::DATASET_NOT_SET) {
    return absl::InvalidArgumentError(
        "no set: pass --config=FILE, or --remote=URI or --local=FOLDER (--help shows examples)");
  }
  if (!experiment.has_max_duration()) {  // no config
    task.folder = FLAGS_split;
    return task;
  }
  TESSERA_ASSIGN_OR_RETURN(task.split, ParseSplit(FLAGS_split));
  const StreamingConfig& streaming = data.streaming();
  task.folder = task.split == Split::kTrain ? streaming.train_split() : streaming.eval_split();
  return task;
}

absl::StatusOr<OrderRequest> MakeOrderRequest(const Task& task, int rank) {
  if (FLAGS_world < 1 || FLAGS_nodes < 1 || FLAGS_workers < 1 || FLAGS_world % FLAGS_nodes != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--world=", FLAGS_world, " --nodes=", FLAGS_nodes, " --workers=", FLAGS_workers,
        ": expected 1 or more, and as many ranks on each node"));
  }
  if (rank >= FLAGS_world) {
    return absl::InvalidArgumentError(
        absl::StrCat("--rank=", rank, ": expected 0 to ", FLAGS_world - 1));
  }
  OrderRequest request = {.shuffle = task.experiment.data().shuffle(),
                          .seed = task.experiment.seed(),
                          .batch_size = task.experiment.train_batch_size(),
                          .nodes = FLAGS_nodes,
                          .ranks_per_node = FLAGS_world / FLAGS_nodes,
                          .workers_per_rank = FLAGS_workers,
                          .rank = rank};
  if (!FLAGS_state.empty()) {
    TESSERA_ASSIGN_OR_RETURN(request.resume, ParseOrderState(FLAGS_state));
  }
  return request;
}

absl::Status PrintOrder(const Task& task, const StreamingSet& set) {
  std::vector<std::unique_ptr<const EpochOrder>> orders;
  const int first = std::max(FLAGS_rank, 0);
  const int last = FLAGS_rank < 0 ? FLAGS_world - 1 : FLAGS_rank;
  for (int rank = first; rank <= last; ++rank) {
    TESSERA_ASSIGN_OR_RETURN(const OrderRequest request, MakeOrderRequest(task, rank));
    TESSERA_ASSIGN_OR_RETURN(
        const std::unique_ptr<const SampleOrder> order,
        MakeStreamingOrder(task.experiment.data().streaming(), set.shard_samples(), request));
    TESSERA_ASSIGN_OR_RETURN(orders.emplace_back(), order->Epoch(FLAGS_epoch));
  }
  const int64_t share = task.experiment.train_batch_size() / FLAGS_world;
  for (int64_t start = 0; start < orders[0]->size(); start += share) {
    std::vector<int64_t> ids;
    for (const auto& order : orders) {
      const int64_t end = std::min(start + share, order->size());
      for (int64_t position = start; position < end; ++position) ids.push_back(order->At(position));
    }
    std::cout << absl::StrJoin(ids, " ") << "\n";
    if (!std::cout) return absl::OkStatus();  // the reader has seen enough
  }
  return absl::OkStatus();
}

absl::Status Verify(const StreamingSet& set) {
  int64_t bad = 0;
  size_t hashed = 0;
  {
    TerminalProgress progress(static_cast<int64_t>(set.num_shards()), "shards");
    for (size_t shard = 0; shard < set.num_shards(); ++shard) {
      progress.Show(static_cast<int64_t>(shard));
      hashed += set.file(shard).raw.hashes.empty() ? 0 : 1;
      const absl::Status status = set.Verify(shard);
      if (status.ok()) continue;
      ++bad;
      std::cout << "BAD " << status.message() << "\n";
    }
  }
  std::cout << set.num_shards() - bad << " of " << set.num_shards() << " shards are as the index "
            << "says; " << set.size() << " samples; ";
  if (hashed == set.num_shards()) {
    std::cout << "contents checked by hashes\n";
  } else {
    std::cout << "contents of " << set.num_shards() - hashed
              << " shards not checked: the index gives no hashes\n";
  }
  if (bad == 0) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(bad, " of ", set.num_shards(), " shards are bad"));
}

int NumThreads(const Task& task) {
  return FLAGS_threads >= 0 ? FLAGS_threads : task.experiment.data().num_threads();
}

absl::Status ReadRaw(const Task& task, const StreamingSet& set) {
  std::unique_ptr<const SampleOrder> order = std::make_unique<SequentialOrder>(set.size());
  if (task.split == Split::kTrain) {
    TESSERA_ASSIGN_OR_RETURN(const OrderRequest request,
                             MakeOrderRequest(task, std::max(FLAGS_rank, 0)));
    TESSERA_ASSIGN_OR_RETURN(order, MakeStreamingOrder(task.experiment.data().streaming(),
                                                       set.shard_samples(), request));
  }
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<const EpochOrder> epoch,
                           order->Epoch(FLAGS_epoch));
  TerminalProgress progress(epoch->size(), "samples");
  const ReadOptions options = {
      .batch_size = std::max<int64_t>(1, task.experiment.train_batch_size()),
      .num_threads = std::max(NumThreads(task), 1),
      .progress = [&](int64_t done) { progress.Show(done); }};
  TESSERA_ASSIGN_OR_RETURN(const ReadingReport report,
                           ReadSamples(task.experiment.data().streaming(), set, *epoch, options));
  Print(report);
  return absl::OkStatus();
}

// As training reads: decoded and transformed, in batches.
absl::Status ReadBatches(const Task& task, std::shared_ptr<const StreamingSet> set) {
  const Experiment& experiment = task.experiment;
  const bool train = task.split == Split::kTrain;
  const DataSpec spec = {
      .split = task.split,
      .batch_size = train ? experiment.train_batch_size() : experiment.eval_batch_size(),
      .num_classes = experiment.model().num_classes(),
      .seed = experiment.seed()};
  DataConfig config = experiment.data();
  config.set_num_threads(NumThreads(task));
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<DataLoader> loader,
                           BuildDataLoader(config, spec, set));
  ReadingReport report = {.expected_samples = loader->samples_per_epoch()};
  const auto start = std::chrono::steady_clock::now();
  TESSERA_RETURN_IF_ERROR(loader->StartEpoch(FLAGS_epoch, 0));
  TerminalProgress progress(report.expected_samples, "samples");
  while (true) {
    TESSERA_ASSIGN_OR_RETURN(const std::optional<Batch> batch, loader->Next());
    if (!batch.has_value()) break;
    if (report.samples == 0) report.first_batch_seconds = SecondsSince(start);
    report.samples += batch->size;
    report.bytes += batch->size * batch->height * batch->width * int64_t{3 * sizeof(float) + 1};
    progress.Show(report.samples);
  }
  report.seconds = SecondsSince(start);
  report.skipped = loader->skipped_samples();
  if (set != nullptr) report.AddCounters(*set);
  Print(report);
  return absl::OkStatus();
}

absl::Status CheckNumbers() {
  if (FLAGS_print_samples < 0 || FLAGS_epoch < 0 || FLAGS_threads < -1) {
    return absl::InvalidArgumentError(
        absl::StrCat("--print_samples=", FLAGS_print_samples, " --epoch=", FLAGS_epoch,
                     " --threads=", FLAGS_threads, ": expected 0 or more"));
  }
  return absl::OkStatus();
}

absl::Status Run(const Experiment& experiment) {
  TESSERA_RETURN_IF_ERROR(CheckNumbers());
  TESSERA_ASSIGN_OR_RETURN(const Task task, MakeTask(experiment));
  const DataConfig& data = task.experiment.data();
  const bool decode = experiment.has_max_duration() && !FLAGS_raw && !FLAGS_print_order &&
                      !FLAGS_verify && FLAGS_print_samples == 0;
  if (!data.has_streaming()) {
    if (decode) return ReadBatches(task, nullptr);
    return absl::InvalidArgumentError(
        "--raw, --verify, --print_order and --print_samples are for sets in shards; expected a "
        "config with data.streaming, --remote or --local");
  }
  TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<const StreamingSet> set,
                           StreamingSet::Open(data.streaming(), task.folder));
  if (decode) return ReadBatches(task, set);
  if (FLAGS_verify) return Verify(*set);
  if (FLAGS_print_order) return PrintOrder(task, *set);
  if (FLAGS_print_samples > 0) return PrintSamples(*set, FLAGS_print_samples, FLAGS_json);
  return ReadRaw(task, *set);
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  return tessera::RunWithConfig(
      argc, argv,
      {.summary =
           "Reads one epoch of a split as training would, and prints how fast it comes and what "
           "it moved; or checks the shards, or prints samples or their order.",
       .examples = R"(bazel run //data:streaming -- --config=configs/quickstart.textproto
                      bazel run //data:streaming -- --config=configs/deeplabv3_camvid_shards.textproto --split=eval data.num_threads=8
                      bazel run //data:streaming -- --remote=s3://bucket/set --local=/tmp/set --split=train
                      bazel run //data:streaming -- --local=SHARDS --split=train --verify
                      bazel run //data:streaming -- --local=SHARDS --split=train --print_samples=3
                      bazel run //data:streaming -- --local=SHARDS --print_order --epoch=1 --world=8 --nodes=2 train_batch_size=256
                      bazel run //data:streaming -- --local=SHARDS --print_order --world=4 train_batch_size=64 --state='{"epoch": 2, "sample_in_epoch": 640, "num_canonical_nodes": 1, "shuffle_seed": 9176, "initial_physical_nodes": 1}')",
       .config_optional = true},
      tessera::Run);
}
