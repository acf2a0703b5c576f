// Downloads ADE20K's scene parsing set and lays it out as data.folder reads it.

#include <gflags/gflags.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "configs/cli.h"
#include "data/detect_set.h"
#include "tools/convert/convert_set.h"
#include "tools/download/fetch_ade20k.h"
#include "tools/download/step_progress.h"

DEFINE_string(dir, ".", "Folder that gets the folder ADEChallengeData2016.");
DEFINE_string(url, "",
              "A mirror of ADEChallengeData2016.zip: http://, https://, file:// or a path. Its "
              "contents are checked by --size, --md5 and --sha256 as far as they are given, and by "
              "the zip's own checksums. Empty: the authors' site, whose archive is known.");
DEFINE_uint64(size, 0, "Bytes of the file at --url. 0: not known.");
DEFINE_string(md5, "", "MD5 of the file at --url, in hex. Empty: not known.");
DEFINE_string(sha256, "", "SHA-256 of the file at --url, in hex. Empty: not known.");
DEFINE_bool(keep_zip, false, "Keep the archive as DIR/ADEChallengeData2016.zip.");
DEFINE_string(convert, "",
              "Folder, or s3:// or another store's address, that gets the set as MDS shards, too: "
              "//tools:convert with its defaults.");
DEFINE_bool(original_names, false,
            "Call the splits training and validation, as the archive does, instead of train and "
            "val.");

namespace tessera {
namespace {

bool IsHex(const std::string& text, size_t digits) {
  return text.empty() || (text.size() == digits &&
                          text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos);
}

absl::StatusOr<DownloadOptions> OptionsOfFlags() {
  const FileChecks checks = {.size = FLAGS_size, .md5 = FLAGS_md5, .sha256 = FLAGS_sha256};
  if (FLAGS_url.empty() && (checks.size != 0 || checks.has_hash())) {
    return absl::InvalidArgumentError(
        "--size, --md5 and --sha256 are of the file at --url, which is not set");
  }
  if (!IsHex(checks.md5, 32) || !IsHex(checks.sha256, 64)) {
    return absl::InvalidArgumentError("expected 32 hex digits in --md5 and 64 in --sha256");
  }
  DownloadOptions options = {.dir = FLAGS_dir, .keep_zip = FLAGS_keep_zip};
  if (!FLAGS_url.empty()) {
    options.url = FLAGS_url;
    options.archive = checks;
  }
  if (FLAGS_original_names) options.names = OriginalNames();
  return options;
}

std::string Fetched(const DownloadSummary& summary) {
  if (summary.was_there) return "was there already";
  if (summary.requests == 0) {
    return summary.resumed_at > 0 ? "all of it fetched before" : "of a file that was there";
  }
  const auto megabytes = [](uint64_t bytes) { return static_cast<double>(bytes) / 1e6; };
  std::string text = absl::StrFormat("%.1f MB fetched in %d requests", megabytes(summary.fetched),
                                     summary.requests);
  if (summary.resumed_at > 0) {
    absl::StrAppendFormat(&text, " behind %.1f MB of before", megabytes(summary.resumed_at));
  }
  return text;
}

absl::Status Convert(const std::string& root) {
  if (const auto shards = DetectSet(FLAGS_convert); shards.ok() && shards->has_streaming() &&
                                                    shards->streaming().has_train_split() &&
                                                    shards->streaming().has_eval_split()) {
    absl::PrintF("%s: the shards were there already\n", FLAGS_convert);
    return absl::OkStatus();
  }
  TESSERA_ASSIGN_OR_RETURN(const DataConfig config, DetectSet(root));
  ConvertSetOptions options;
  options.convert.to = FLAGS_convert;
  options.convert.num_threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  options.convert.shards.hashes = {"xxh64"};
  return ConvertSet(config, options);
}

absl::Status Download(const std::vector<std::string>& arguments) {
  if (!arguments.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", arguments[0], "\" is no flag; --help lists all"));
  }
  TESSERA_ASSIGN_OR_RETURN(const DownloadOptions options, OptionsOfFlags());
  absl::StatusOr<DownloadSummary> summary;
  {
    StepProgress progress(isatty(STDERR_FILENO) != 0, stderr);
    summary = DownloadAde20k(options, [&](const DownloadProgress& step) { progress.Show(step); });
  }
  TESSERA_RETURN_IF_ERROR(summary.status());
  const DownloadNote& note = summary->note;
  absl::PrintF(
      "%s: %d training and %d validation pairs, %s; it is read with data.folder { root: "
      "\"%s\" train_split: \"%s\" eval_split: \"%s\" }\n",
      summary->root, note.train_pairs, note.val_pairs, Fetched(*summary), summary->root,
      note.names.train, note.names.val);
  return FLAGS_convert.empty() ? absl::OkStatus() : Convert(summary->root);
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  return tessera::RunTool(
      argc, argv,
      {.summary =
           "Downloads ADE20K's scene parsing set (about 0.9 GB) and lays it out as data.folder "
           "reads it: "
           "images/train, images/val, annotations/train and annotations/val. Run it again after "
           "whatever stopped it: it goes on where it was, and does nothing once all is there.",
       .examples = R"(bazel run //tools:download_ade20k -- --dir=data
                      bazel run //tools:download_ade20k -- --dir=data --original_names
                      bazel run //tools:download_ade20k -- --url=$HOME/Downloads/ADEChallengeData2016.zip --md5=7328b3957e407ddae1d3cbf487f149ef
                      bazel run //tools:download_ade20k -- --dir=data --convert=data/ade20k_shards)"},
      tessera::Download);
}
