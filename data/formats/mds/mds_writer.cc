#include "data/formats/mds/mds_writer.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "base/write_file.h"

namespace tessera {
namespace {

constexpr uint64_t kMostBytes = UINT32_MAX;  // offsets have 32 bits

void AppendUint32(uint64_t value, std::string* out) {
  const auto narrow = static_cast<uint32_t>(value);
  out->append(reinterpret_cast<const char*>(&narrow), sizeof(narrow));
}

}  // namespace

absl::StatusOr<MdsWriter> MdsWriter::Create(const std::string& folder, MdsSchema columns,
                                            uint64_t size_limit) {
  std::sort(columns.begin(), columns.end(),
            [](const MdsColumn& a, const MdsColumn& b) { return a.name < b.name; });
  if (columns.empty()) return absl::InvalidArgumentError("an MDS data set needs a column");
  for (size_t i = 1; i < columns.size(); ++i) {
    if (columns[i].name == columns[i - 1].name) {
      return absl::InvalidArgumentError(absl::StrCat("two columns are called ", columns[i].name));
    }
  }
  if (size_limit > kMostBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("size limit ", size_limit, ": an MDS shard holds less than 4 GiB"));
  }
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    return absl::NotFoundError(absl::StrCat("no folder ", folder));
  }
  if (std::filesystem::exists(std::filesystem::path(folder) / "index.json", error)) {
    return absl::AlreadyExistsError(absl::StrCat(folder, " already holds an MDS data set"));
  }
  return MdsWriter(folder, std::move(columns), size_limit);
}

MdsWriter::MdsWriter(std::string folder, MdsSchema schema, uint64_t size_limit)
    : folder_(std::move(folder)),
      schema_(std::move(schema)),
      size_limit_(size_limit),
      config_(MdsShardConfig(schema_, size_limit)) {}

uint64_t MdsWriter::shard_size() const {
  return 2 * sizeof(uint32_t) + config_.size() + samples_.size() + sizeof(uint32_t) * ends_.size();
}

absl::Status MdsWriter::Write(absl::Span<const absl::string_view> payloads) {
  TESSERA_ASSIGN_OR_RETURN(const std::string sample, JoinMdsSample(schema_, payloads));
  const uint64_t limit = size_limit_ == 0 ? kMostBytes : size_limit_;
  const uint64_t grown = shard_size() + sample.size() + sizeof(uint32_t);
  if (grown > limit && !ends_.empty()) TESSERA_RETURN_IF_ERROR(Flush());
  if (shard_size() + sample.size() + sizeof(uint32_t) > kMostBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("a sample of ", sample.size(), " bytes does not fit an MDS shard (4 GiB)"));
  }
  samples_ += sample;
  ends_.push_back(static_cast<uint32_t>(samples_.size()));
  return absl::OkStatus();
}

absl::Status MdsWriter::Flush() {
  const uint64_t bytes = shard_size();
  const uint64_t begin = bytes - samples_.size();
  std::string header;
  AppendUint32(ends_.size(), &header);
  AppendUint32(begin, &header);
  for (const uint32_t end : ends_) AppendUint32(begin + end, &header);

  MdsShardInfo info = {absl::StrFormat("shard.%05d.mds", shards_.size()), bytes, ends_.size(),
                       schema_};
  TESSERA_RETURN_IF_ERROR(WriteFile((std::filesystem::path(folder_) / info.basename).string(),
                                    {header, config_, samples_}, Durability::kSynced));
  shards_.push_back(std::move(info));
  samples_.clear();
  ends_.clear();
  return absl::OkStatus();
}

absl::Status MdsWriter::Finish() {
  if (!ends_.empty()) TESSERA_RETURN_IF_ERROR(Flush());
  return WriteFile((std::filesystem::path(folder_) / "index.json").string(),
                   MdsIndexText(shards_, size_limit_), Durability::kSynced);
}

}  // namespace tessera
