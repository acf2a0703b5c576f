// Converts a set to shards.

#include <gflags/gflags.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "base/parse_bytes.h"
#include "base/status_macros.h"
#include "base/terminal_progress.h"
#include "configs/cli.h"
#include "data/build_data.h"
#include "data/datasets/coco_dataset.h"
#include "data/detect_set.h"
#include "data/order/permutation_order.h"
#include "tools/convert/coco_box_rows.h"
#include "tools/convert/convert_split.h"
#include "tools/convert/rows.h"
#include "tools/convert/shard_writer.h"

DEFINE_string(
    from, "",
    "Folder of the set, or the address of one in shards; what it is is told by its files. "
    "Without it: the set of --config.");
DEFINE_string(to, "",
              "Folder, or s3:// or another store's address, that gets the shards, in train/ and "
              "val/.");
DEFINE_string(splits, "train,val", "Which to convert.");
DEFINE_string(format, "mds", "Of the shards: mds or webdataset.");
DEFINE_string(size_limit, "64mb", "Most bytes of a shard file.");
DEFINE_string(compression, "", "Of MDS: br, bz2, gz, snappy or zstd, with a level as in zstd:7.");
DEFINE_string(hashes, "xxh64",
              "Of MDS shards, kept in the index, by which //data:streaming --verify and "
              "data.streaming.validate_hash check them: sha1,xxh64, ... Empty: none.");
DEFINE_string(order, "auto",
              "Of the samples in the shards: files (as they are in the set), random, or auto, "
              "which is random for the training split of sets whose files are sorted by class.");
DEFINE_int32(resize_short, 0,
             "Make images smaller whose short side is longer, masks with them. 0: keep all.");
DEFINE_int32(quality, 0,
             "Write JPEG files anew with this quality, 1 to 100. 0: keep their bytes, and use 90 "
             "for those that --resize_short changes.");
DEFINE_string(check, "decode",
              "How images are checked: decode (damage anywhere is found) or headers (format and "
              "size).");
DEFINE_bool(boxes, false, "Of COCO: boxes for detection, MosaicML's columns, instead of masks.");
DEFINE_bool(skip_bad, false,
            "Leave out and count samples that are bad, and files without partner.");
DEFINE_int32(num_threads, 0, "Threads that read and check files. 0: one for each core.");

namespace tessera {
namespace {

absl::StatusOr<DataConfig> Source(const Experiment& experiment) {
  DataConfig config = experiment.data();
  if (!FLAGS_from.empty()) {
    if (experiment.has_max_duration()) {
      return absl::InvalidArgumentError("found --from and --config; expected one of them");
    }
    TESSERA_ASSIGN_OR_RETURN(config, DetectSet(FLAGS_from));
    config.MergeFrom(experiment.data());
  }
  if (config.dataset_case() == DataConfig::DATASET_NOT_SET) {
    return absl::InvalidArgumentError(
        "no set: pass --from=FOLDER or --config=FILE (--help shows examples)");
  }
  if (FLAGS_skip_bad && config.has_folder()) config.mutable_folder()->set_skip_unpaired(true);
  return config;
}

absl::StatusOr<ConvertOptions> Options() {
  ConvertOptions options = {.to = FLAGS_to, .shards = {}, .skip_bad = FLAGS_skip_bad};
  if (FLAGS_to.empty()) return absl::InvalidArgumentError("pass --to=FOLDER (or s3://...)");
  TESSERA_ASSIGN_OR_RETURN(options.shards.format, ParseShardFormat(FLAGS_format));
  const absl::StatusOr<uint64_t> size_limit = ParseBytes(FLAGS_size_limit);
  if (!size_limit.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--size_limit: ", size_limit.status().message()));
  }
  options.shards.size_limit = *size_limit;
  options.shards.compression = FLAGS_compression;
  if (options.shards.format == ShardFormat::kMds) {
    options.shards.hashes = absl::StrSplit(FLAGS_hashes, ',', absl::SkipEmpty());
  }
  std::sort(options.shards.hashes.begin(), options.shards.hashes.end());
  options.num_threads = FLAGS_num_threads > 0
                            ? FLAGS_num_threads
                            : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return options;
}

absl::StatusOr<RowOptions> OptionsOfRows(ShardFormat format) {
  RowOptions options = {
      .format = format, .resize_short = FLAGS_resize_short, .quality = FLAGS_quality};
  if (FLAGS_check == "headers") {
    options.check = ImageCheck::kHeaders;
  } else if (FLAGS_check != "decode") {
    return absl::InvalidArgumentError(
        absl::StrCat("--check=", FLAGS_check, ": expected decode or headers"));
  }
  if (FLAGS_resize_short < 0 || FLAGS_quality < 0 || FLAGS_quality > 100) {
    return absl::InvalidArgumentError(absl::StrCat("--resize_short=", FLAGS_resize_short,
                                                   " --quality=", FLAGS_quality,
                                                   ": expected 0 or more, and 0 to 100"));
  }
  return options;
}

// A split that can be converted, as far as its names tell.
struct Job {
  std::string split;  // as it is called in the result
  std::string source;
  std::unique_ptr<const Rows> rows;
  std::unique_ptr<const EpochOrder> order;
};

// `sorted`: the files stand by class, so that the order is drawn unless told otherwise.
absl::StatusOr<std::unique_ptr<const SampleOrder>> OrderOf(int64_t size, bool sorted) {
  if (FLAGS_order == "random" || (FLAGS_order == "auto" && sorted)) {
    return std::make_unique<PermutationOrder>(size, /*seed=*/17);
  }
  if (FLAGS_order == "files" || FLAGS_order == "auto") {
    return std::make_unique<SequentialOrder>(size);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--order=", FLAGS_order, ": expected files, random or auto"));
}

// What a row is made of, and the order of the rows.
absl::Status OpenRows(const DataConfig& config, Split split, const RowOptions& options, Job* job) {
  std::unique_ptr<const SampleOrder> order;
  if (FLAGS_boxes) {
    if (!config.has_coco()) return absl::InvalidArgumentError("--boxes is for COCO");
    TESSERA_ASSIGN_OR_RETURN(CocoFiles files, OpenCocoFiles(config.coco(), split == Split::kTrain));
    TESSERA_ASSIGN_OR_RETURN(job->rows, MakeCocoBoxRows(std::move(files), options));
    TESSERA_ASSIGN_OR_RETURN(order, OrderOf(job->rows->size(), split == Split::kTrain));
  } else {
    TESSERA_ASSIGN_OR_RETURN(std::shared_ptr<const Dataset> dataset, OpenDataset(config, split));
    const bool by_class = dataset->label_kind() == LabelKind::kClass && split == Split::kTrain;
    TESSERA_ASSIGN_OR_RETURN(order, OrderOf(dataset->size(), by_class));
    TESSERA_ASSIGN_OR_RETURN(job->rows, MakeDatasetRows(std::move(dataset), options));
  }
  TESSERA_ASSIGN_OR_RETURN(job->order, order->Epoch(0));
  return absl::OkStatus();
}

absl::StatusOr<Job> MakeJob(const DataConfig& config, const std::string& name,
                            const RowOptions& options) {
  Job job = {.split = name, .source = {}, .rows = nullptr, .order = nullptr};
  if (name != "train" && name != "val") {
    return absl::InvalidArgumentError(
        absl::StrCat("--splits: found ", name, ", expected train, val or train,val"));
  }
  const Split split = name == "train" ? Split::kTrain : Split::kEval;
  if (const absl::Status status = OpenRows(config, split, options, &job); !status.ok()) {
    return absl::Status(status.code(), absl::StrCat("split ", name, ": ", status.message()));
  }
  google::protobuf::TextFormat::PrintToString(config, &job.source);
  absl::StrAppend(&job.source, name, " ", FLAGS_order, " ", options.resize_short, " ",
                  options.quality, " ", FLAGS_boxes);
  return job;
}

ConvertJob AsConvertJob(const Job& job) {
  return {.split = job.split, .source = job.source, .rows = *job.rows, .order = *job.order};
}

absl::Status Run(const ConvertOptions& options, const Job& job) {
  absl::StatusOr<ConvertSummary> summary;
  {
    TerminalProgress progress(job.order->size(), "samples", absl::StrCat(job.split, ": "));
    summary = ConvertSplit(options, AsConvertJob(job), [&](int64_t done) { progress.Show(done); });
  }
  TESSERA_RETURN_IF_ERROR(summary.status());
  std::cout << absl::StrFormat("%-5s  %d samples, %.1f MB in %d shards", job.split,
                               summary->samples, static_cast<double>(summary->bytes) / 1e6,
                               summary->shards);
  if (summary->resumed > 0) std::cout << ", " << summary->resumed << " of them by an earlier run";
  std::cout << "; " << summary->skipped.count << " skipped\n";
  for (const std::string& reason : summary->skipped.reasons) {
    std::cout << "       skipped " << reason << "\n";
  }
  const int64_t unnamed =
      summary->skipped.count - static_cast<int64_t>(summary->skipped.reasons.size());
  if (unnamed > 0) std::cout << "       skipped " << unnamed << " more\n";
  return absl::OkStatus();
}

absl::Status Convert(const Experiment& experiment) {
  TESSERA_ASSIGN_OR_RETURN(const DataConfig config, Source(experiment));
  TESSERA_ASSIGN_OR_RETURN(const ConvertOptions options, Options());
  TESSERA_ASSIGN_OR_RETURN(const RowOptions row_options, OptionsOfRows(options.shards.format));
  std::error_code error;
  if (std::filesystem::equivalent(FLAGS_from, FLAGS_to, error)) {
    return absl::InvalidArgumentError(
        absl::StrCat(FLAGS_to, ": --to is the folder of the set itself; expected another"));
  }
  // What names tell is checked for all splits before the first is written.
  std::vector<Job> jobs;
  for (const absl::string_view part : absl::StrSplit(FLAGS_splits, ',', absl::SkipEmpty())) {
    const std::string name(part);
    TESSERA_ASSIGN_OR_RETURN(Job job, MakeJob(config, name, row_options));
    TESSERA_RETURN_IF_ERROR(CheckSplitIsFree(options, AsConvertJob(job)));
    jobs.push_back(std::move(job));
  }
  if (jobs.empty()) return absl::InvalidArgumentError("--splits is empty, expected train,val");
  for (const Job& job : jobs) TESSERA_RETURN_IF_ERROR(Run(options, job));
  for (const Job& job : jobs) TESSERA_RETURN_IF_ERROR(FinishConversion(options, job.split));
  if (const std::string settings = jobs.front().rows->settings(); !settings.empty()) {
    std::cout << "they are read with data.streaming { " << settings << " }\n";
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  return tessera::RunWithConfig(
      argc, argv,
      {.summary =
           "Converts a set to shards: MDS, which training and MosaicML's StreamingDataset read, or "
           "WebDataset. It may be images and masks in the ADE20K layout, a folder for each class "
           "(ImageNet), CIFAR-10 or -100, MNIST, COCO, or in shards. Files keep their own bytes; "
           "each is decoded first, so that a damaged one is found here. A conversion that was "
           "interrupted goes on where it was when the same command is given again.",
       .examples =
           R"(bazel run //tools:convert -- --from=ADEChallengeData2016 --to=ade20k
                      bazel run //tools:convert -- --from=imagenet --to=s3://bucket/imagenet --resize_short=256 --skip_bad
                      bazel run //tools:convert -- --from=cifar --to=cifar_tars --format=webdataset
                      bazel run //tools:convert -- --config=configs/data/camvid.textproto --to=camvid_shards data.folder.root=DIR)",
       .config_optional = true},
      tessera::Convert);
}
