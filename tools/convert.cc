// Converts a folder of images and masks to shards.

#include <gflags/gflags.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/parse_bytes.h"
#include "base/status_macros.h"
#include "base/terminal_progress.h"
#include "configs/cli.h"
#include "tools/convert_folder.h"

DEFINE_string(from, "",
              "Folder in the ADE20K layout: images/SPLIT/*.jpg, annotations/SPLIT/*.png.");
DEFINE_string(
    to, "",
    "Folder, or s3:// or another store's address, that gets the shards, in train/ and val/.");
DEFINE_string(train_split, "training", "SPLIT that becomes train.");
DEFINE_string(eval_split, "validation", "SPLIT that becomes val.");
DEFINE_string(format, "mds", "Of the shards: mds or webdataset.");
DEFINE_string(size_limit, "64mb", "Most bytes of a shard file.");
DEFINE_bool(skip_unpaired, false, "Leave out images without a mask and masks without an image.");
DEFINE_int32(num_threads, 2, "Threads that read and check files.");

namespace tessera {
namespace {

absl::StatusOr<ConvertSummary> ConvertWithProgress(const ConvertOptions& options,
                                                   const SplitPlan& plan) {
  TerminalProgress progress(static_cast<int64_t>(plan.pairs.size()), "samples",
                            absl::StrCat(plan.split, ": "));
  return ConvertSplit(options, plan, [&](int64_t done, int64_t) { progress.Show(done); });
}

absl::Status Convert(const std::vector<std::string>& arguments) {
  if (!arguments.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", arguments[0], "\" is no flag; --help lists all"));
  }
  if (FLAGS_from.empty() || FLAGS_to.empty()) {
    return absl::InvalidArgumentError("pass --from=FOLDER and --to=FOLDER (--help shows examples)");
  }
  const absl::StatusOr<uint64_t> size_limit = ParseBytes(FLAGS_size_limit);
  if (!size_limit.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--size_limit: ", size_limit.status().message()));
  }
  TESSERA_ASSIGN_OR_RETURN(const ShardFormat format, ParseShardFormat(FLAGS_format));
  const ConvertOptions options = {.from = FLAGS_from,
                                  .to = FLAGS_to,
                                  .size_limit = *size_limit,
                                  .format = format,
                                  .skip_unpaired = FLAGS_skip_unpaired,
                                  .num_threads = FLAGS_num_threads};
  // What names tell is checked for both before the first is written.
  std::vector<SplitPlan> plans;
  for (const auto& [from, to] :
       {std::pair(FLAGS_train_split, "train"), std::pair(FLAGS_eval_split, "val")}) {
    TESSERA_ASSIGN_OR_RETURN(SplitPlan plan, PlanSplit(options, from, to));
    plans.push_back(std::move(plan));
  }
  std::string settings;
  for (const SplitPlan& plan : plans) {
    TESSERA_ASSIGN_OR_RETURN(const ConvertSummary summary, ConvertWithProgress(options, plan));
    std::printf("%-5s  %lld samples, %.1f MB in %lld shards, %lld unpaired files left out\n",
                plan.split.c_str(), static_cast<long long>(summary.samples),
                static_cast<double>(summary.bytes) / 1e6, static_cast<long long>(summary.shards),
                static_cast<long long>(plan.skipped));
    settings = summary.settings;
  }
  if (!settings.empty())
    std::printf("they are read with data.streaming { %s }\n", settings.c_str());
  return absl::OkStatus();
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  return tessera::RunTool(
      argc, argv,
      {.summary =
           "Converts images and masks in the ADE20K layout to shards: MDS, which training and "
           "MosaicML's StreamingDataset read, or WebDataset. The files' own bytes are kept; each "
           "is decoded "
           "first, so that a damaged one is found here.",
       .examples =
           R"(bazel run //tools:convert -- --from=~/data/ADEChallengeData2016 --to=~/data/ade20k
                      bazel run //tools:convert -- --from=camvid --to=camvid_shards --size_limit=8mb)"},
      tessera::Convert);
}
