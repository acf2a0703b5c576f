// Iterates one epoch of a split as training would, without a model.

#include <gflags/gflags.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "configs/cli.h"
#include "data/build_data.h"

DEFINE_string(split, "train", "Split to iterate: train or eval.");

namespace tessera {
namespace {

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

absl::StatusOr<Split> ParseSplit(const std::string& name) {
  if (name == "train") return Split::kTrain;
  if (name == "eval" || name == "val") return Split::kEval;
  return absl::InvalidArgumentError(absl::StrCat("--split=", name, ": expected train or eval"));
}

absl::Status Iterate(const Experiment& experiment) {
  TESSERA_ASSIGN_OR_RETURN(const Split split, ParseSplit(FLAGS_split));
  const DataSpec spec = {.split = split,
                         .batch_size = split == Split::kTrain ? experiment.train_batch_size()
                                                              : experiment.eval_batch_size(),
                         .num_classes = experiment.model().num_classes(),
                         .seed = experiment.seed()};
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<DataLoader> loader,
                           BuildDataLoader(experiment.data(), spec));
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const auto start = std::chrono::steady_clock::now();
  TESSERA_RETURN_IF_ERROR(loader->StartEpoch(0, 0));
  int64_t samples = 0, bytes = 0;
  double first_batch = 0;
  while (true) {
    TESSERA_ASSIGN_OR_RETURN(const std::optional<Batch> batch, loader->Next());
    if (!batch.has_value()) break;
    if (samples == 0) first_batch = SecondsSince(start);
    samples += batch->size;
    bytes += batch->size * batch->height * batch->width * int64_t{3 * sizeof(float) + 1};
    if (terminal) {
      std::fprintf(stderr, "\r%lld of %lld samples", static_cast<long long>(samples),
                   static_cast<long long>(loader->samples_per_epoch()));
    }
  }
  if (terminal) std::fprintf(stderr, "\r\033[K");
  const double seconds = SecondsSince(start);
  std::printf("samples       %lld of %lld\n", static_cast<long long>(samples),
              static_cast<long long>(loader->num_samples()));
  std::printf("skipped       %lld\n", static_cast<long long>(loader->skipped_samples()));
  std::printf("samples/s     %.1f\n", samples / seconds);
  std::printf("batch MB/s    %.1f\n", bytes / seconds / 1e6);
  std::printf("first batch   %.3f s\n", first_batch);
  std::printf("epoch         %.3f s\n", seconds);
  return absl::OkStatus();
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  return tessera::RunWithConfig(
      argc, argv,
      {.summary = "Iterates one epoch of a split as training would, and prints how fast it comes.",
       .examples = R"(bazel run //data:streaming -- --config=configs/quickstart.textproto
                      bazel run //data:streaming -- --config=configs/deeplabv3_camvid.textproto --split=eval
                      bazel run //data:streaming -- --config=configs/deeplabv3_camvid_shards.textproto data.num_threads=8)"},
      tessera::Iterate);
}
