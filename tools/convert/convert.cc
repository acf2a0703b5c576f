// Converts a set to shards.

#include <gflags/gflags.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/parse_bytes.h"
#include "base/status_macros.h"
#include "configs/cli.h"
#include "data/data.pb.h"
#include "data/detect_set.h"
#include "tools/convert/convert_set.h"
#include "tools/convert/convert_split.h"
#include "tools/convert/rows.h"

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

absl::StatusOr<RowOrder> ParseOrder(const std::string& text) {
  if (text == "auto") return RowOrder::kAuto;
  if (text == "files") return RowOrder::kFiles;
  if (text == "random") return RowOrder::kRandom;
  return absl::InvalidArgumentError(
      absl::StrCat("--order=", text, ": expected files, random or auto"));
}

absl::Status Convert(const Experiment& experiment) {
  TESSERA_ASSIGN_OR_RETURN(const DataConfig config, Source(experiment));
  std::error_code error;
  if (std::filesystem::equivalent(FLAGS_from, FLAGS_to, error)) {
    return absl::InvalidArgumentError(
        absl::StrCat(FLAGS_to, ": --to is the folder of the set itself; expected another"));
  }
  ConvertSetOptions options = {.boxes = FLAGS_boxes};
  TESSERA_ASSIGN_OR_RETURN(options.convert, Options());
  TESSERA_ASSIGN_OR_RETURN(options.rows, OptionsOfRows(options.convert.shards.format));
  TESSERA_ASSIGN_OR_RETURN(options.order, ParseOrder(FLAGS_order));
  options.splits.clear();
  for (const absl::string_view split : absl::StrSplit(FLAGS_splits, ',', absl::SkipEmpty())) {
    if (split != "train" && split != "val") {
      return absl::InvalidArgumentError(
          absl::StrCat("--splits: found ", split, ", expected train, val or train,val"));
    }
    options.splits.emplace_back(split);
  }
  if (options.splits.empty()) {
    return absl::InvalidArgumentError("--splits is empty, expected train,val");
  }
  return ConvertSet(config, options);
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
