#include "data/formats/webdataset/web_writer.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "base/write_file.h"
#include "data/formats/webdataset/sample_key.h"
#include "data/formats/webdataset/tar_header.h"
#include "data/storage/write_with_retries.h"

namespace tessera {
namespace {

constexpr size_t kMostDigits = 20;

// "shard-%06d.tar" in its parts.
struct Pattern {
  absl::string_view before, after;
  int digits = 0;  // at least, with zeros in front
};

std::optional<Pattern> ParsePattern(absl::string_view text) {
  const size_t percent = text.find('%');
  if (percent == absl::string_view::npos) return std::nullopt;
  const size_t letter = text.find_first_not_of("0123456789", percent + 1);
  if (letter == absl::string_view::npos || text[letter] != 'd') return std::nullopt;
  Pattern pattern = {text.substr(0, percent), text.substr(letter + 1)};
  const absl::string_view width = text.substr(percent + 1, letter - percent - 1);
  // Without the zero it would be padded with spaces.
  if (!width.empty() && (width[0] != '0' || !absl::SimpleAtoi(width, &pattern.digits))) {
    return std::nullopt;
  }
  if (pattern.digits > static_cast<int>(kMostDigits)) return std::nullopt;
  if (pattern.after.find('%') != absl::string_view::npos) return std::nullopt;
  return pattern;
}

uint64_t RoundUp(uint64_t bytes, uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

// The size of a tar with its end.
uint64_t TarSize(uint64_t bytes) { return RoundUp(bytes + 2 * kTarBlock, kTarRecord); }

absl::Status CheckName(absl::string_view key, absl::string_view extension, absl::string_view name) {
  const std::optional<SampleKey> read = SplitSampleName(name);
  if (read.has_value() && read->key == key && read->extension == extension &&
      name.find('\0') == absl::string_view::npos) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "a file \"", name, "\" would not be read back as \"", extension, "\" of the key \"", key,
      "\": keys have no dot after their last slash and are not called __x__, extensions have "
      "neither slashes nor capitals"));
}

}  // namespace

absl::StatusOr<WebDatasetWriter> WebDatasetWriter::Create(std::shared_ptr<Store> store,
                                                          WebSettings settings,
                                                          std::vector<WebShardInfo> written) {
  absl::StatusOr<WebDatasetWriter> writer = Make(
      [store = std::move(store)](absl::string_view name,
                                 absl::Span<const absl::string_view> pieces) {
        return WriteWithRetries(*store, name, pieces);
      },
      std::move(settings));
  if (writer.ok()) writer->shards_ = std::move(written);
  return writer;
}

absl::StatusOr<WebDatasetWriter> WebDatasetWriter::Create(const std::string& folder,
                                                          WebSettings settings) {
  const std::filesystem::path path = folder;
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    return absl::NotFoundError(absl::StrCat("no folder ", folder));
  }
  return Make(
      [path](absl::string_view name, absl::Span<const absl::string_view> pieces) {
        return WriteFile((path / std::string(name)).string(), pieces, Durability::kSynced);
      },
      std::move(settings));
}

absl::StatusOr<WebDatasetWriter> WebDatasetWriter::Make(WriteObject write, WebSettings settings) {
  if (!ParsePattern(settings.pattern).has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "\"", settings.pattern, "\" is no pattern for names of shards, expected one number in it: ",
        WebSettings().pattern));
  }
  if (settings.sample_limit == 0) {
    return absl::InvalidArgumentError(
        "a shard of at most 0 samples holds none, expected 1 or more");
  }
  return WebDatasetWriter(std::move(write), std::move(settings));
}

WebDatasetWriter::WebDatasetWriter(WriteObject write, WebSettings settings)
    : write_(std::move(write)), settings_(std::move(settings)) {}

absl::Status WebDatasetWriter::Write(absl::string_view key, absl::Span<const TarField> fields) {
  TESSERA_RETURN_IF_ERROR(status_);
  if (fields.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("the sample \"", key, "\" has no files"));
  }
  std::vector<TarField> sorted(fields.begin(), fields.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const TarField& a, const TarField& b) { return a.extension < b.extension; });
  std::string headers;
  std::vector<size_t> header_ends;
  uint64_t size = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const std::string name = absl::StrCat(key, ".", sorted[i].extension);
    TESSERA_RETURN_IF_ERROR(CheckName(key, sorted[i].extension, name));
    if (i > 0 && sorted[i].extension == sorted[i - 1].extension) {
      return absl::InvalidArgumentError(
          absl::StrCat("the sample \"", key, "\" has two files \"", sorted[i].extension, "\""));
    }
    AppendTarHeader(name, sorted[i].bytes.size(), &headers);
    header_ends.push_back(headers.size());
    size += RoundUp(sorted[i].bytes.size(), kTarBlock);
  }
  size += headers.size();
  const bool full =
      keys_.size() >= settings_.sample_limit || TarSize(tar_.size() + size) > settings_.size_limit;
  if (full && !keys_.empty()) TESSERA_RETURN_IF_ERROR(Flush());
  if (!keys_.emplace(key).second) {
    return absl::AlreadyExistsError(
        absl::StrCat("the shard under way has a sample \"", key, "\" already"));
  }
  for (size_t i = 0; i < sorted.size(); ++i) {
    const size_t begin = i == 0 ? 0 : header_ends[i - 1];
    tar_.append(headers, begin, header_ends[i] - begin);
    absl::StrAppend(&tar_, sorted[i].bytes);
    tar_.resize(RoundUp(tar_.size(), kTarBlock));
  }
  return absl::OkStatus();
}

absl::Status WebDatasetWriter::Flush() {
  const Pattern pattern = *ParsePattern(settings_.pattern);
  const std::string name =
      absl::StrFormat("%s%0*d%s", pattern.before, pattern.digits, shards_.size(), pattern.after);
  const std::string end(TarSize(tar_.size()) - tar_.size(), '\0');
  status_ = write_(name, {tar_, end});
  TESSERA_RETURN_IF_ERROR(status_);
  shards_.push_back({name, tar_.size() + end.size(), keys_.size()});
  tar_.clear();
  keys_.clear();
  return absl::OkStatus();
}

absl::Status WebDatasetWriter::Finish() {
  TESSERA_RETURN_IF_ERROR(status_);
  if (!keys_.empty()) TESSERA_RETURN_IF_ERROR(Flush());
  status_ = absl::FailedPreconditionError("the WebDataset is finished");
  return absl::OkStatus();
}

}  // namespace tessera
