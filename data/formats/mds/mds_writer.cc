#include "data/formats/mds/mds_writer.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "base/write_file.h"
#include "data/formats/hash/hash.h"
#include "data/storage/write_with_retries.h"

namespace tessera {
namespace {

constexpr uint64_t kMostBytes = UINT32_MAX;  // offsets have 32 bits
constexpr char kIndex[] = "index.json";

void AppendUint32(uint64_t value, std::string* out) {
  const auto narrow = static_cast<uint32_t>(value);
  out->append(reinterpret_cast<const char*>(&narrow), sizeof(narrow));
}

absl::Status SortColumns(MdsSchema* columns) {
  std::sort(columns->begin(), columns->end(),
            [](const MdsColumn& a, const MdsColumn& b) { return a.name < b.name; });
  if (columns->empty()) return absl::InvalidArgumentError("an MDS data set needs a column");
  for (size_t i = 1; i < columns->size(); ++i) {
    if ((*columns)[i].name == (*columns)[i - 1].name) {
      return absl::InvalidArgumentError(
          absl::StrCat("two columns are called ", (*columns)[i].name));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckSettings(const MdsSettings& settings) {
  if (settings.size_limit > kMostBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("size limit ", settings.size_limit, ": an MDS shard holds less than 4 GiB"));
  }
  for (size_t i = 0; i < settings.hashes.size(); ++i) {
    TESSERA_RETURN_IF_ERROR(Hasher::Create(settings.hashes[i]).status());
    if (i > 0 && settings.hashes[i] <= settings.hashes[i - 1]) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the hashes ", absl::StrJoin(settings.hashes, ", "), " are not sorted, each once"));
    }
  }
  return absl::OkStatus();
}

absl::Status AlreadyThere(const std::string& where) {
  return absl::AlreadyExistsError(absl::StrCat(where, " exists: an MDS data set is already there"));
}

}  // namespace

absl::StatusOr<MdsWriter> MdsWriter::Create(std::shared_ptr<Store> store, MdsSchema columns,
                                            MdsSettings settings,
                                            std::vector<MdsShardInfo> written) {
  const absl::Status index = store->Read(kIndex).status();
  if (index.ok()) return AlreadyThere(store->Uri(kIndex));
  // Who may not list a bucket is denied what is not there.
  if (!absl::IsNotFound(index) && !absl::IsPermissionDenied(index)) return index;
  TESSERA_ASSIGN_OR_RETURN(
      MdsWriter writer, Make(
                            [store = std::move(store)](absl::string_view name,
                                                       absl::Span<const absl::string_view> pieces) {
                              return WriteWithRetries(*store, name, pieces);
                            },
                            std::move(columns), std::move(settings)));
  for (MdsShardInfo& shard : written) {
    if (*shard.schema != *writer.schema_ || shard.size_limit != writer.settings_.size_limit) {
      return absl::InvalidArgumentError(absl::StrCat(
          shard.file.raw.name, " was written with other columns or another size limit"));
    }
    shard.schema = writer.schema_;
  }
  writer.shards_ = std::move(written);
  return writer;
}

absl::StatusOr<MdsWriter> MdsWriter::Create(const std::string& folder, MdsSchema columns,
                                            MdsSettings settings) {
  const std::filesystem::path path = folder;
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    return absl::NotFoundError(absl::StrCat("no folder ", folder));
  }
  if (std::filesystem::exists(path / kIndex, error)) return AlreadyThere((path / kIndex).string());
  return Make(
      [path](absl::string_view name, absl::Span<const absl::string_view> pieces) {
        return WriteFile((path / std::string(name)).string(), pieces, Durability::kSynced);
      },
      std::move(columns), std::move(settings));
}

absl::StatusOr<MdsWriter> MdsWriter::Create(const std::string& folder, MdsSchema columns,
                                            uint64_t size_limit) {
  return Create(folder, std::move(columns), MdsSettings{.size_limit = size_limit});
}

absl::StatusOr<MdsWriter> MdsWriter::Make(WriteObject write, MdsSchema columns,
                                          MdsSettings settings) {
  TESSERA_RETURN_IF_ERROR(SortColumns(&columns));
  TESSERA_RETURN_IF_ERROR(CheckSettings(settings));
  std::optional<Codec> codec;
  if (!settings.compression.empty()) {
    TESSERA_ASSIGN_OR_RETURN(codec, Codec::Parse(settings.compression));
  }
  return MdsWriter(std::move(write), std::move(columns), std::move(settings), codec);
}

MdsWriter::MdsWriter(WriteObject write, MdsSchema schema, MdsSettings settings,
                     std::optional<Codec> codec)
    : write_(std::move(write)),
      schema_(std::make_shared<const MdsSchema>(std::move(schema))),
      settings_(std::move(settings)),
      codec_(codec),
      config_(MdsShardConfig(*schema_, settings_)) {}

uint64_t MdsWriter::shard_size() const {
  return 2 * sizeof(uint32_t) + config_.size() + samples_.size() + sizeof(uint32_t) * ends_.size();
}

absl::Status MdsWriter::Write(absl::Span<const absl::string_view> payloads) {
  TESSERA_RETURN_IF_ERROR(status_);
  TESSERA_ASSIGN_OR_RETURN(const std::string sample, JoinMdsSample(*schema_, payloads));
  const uint64_t more = sample.size() + sizeof(uint32_t);
  if (2 * sizeof(uint32_t) + config_.size() + more > kMostBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("a sample of ", sample.size(), " bytes does not fit an MDS shard (4 GiB)"));
  }
  const uint64_t limit = settings_.size_limit == 0 ? kMostBytes : settings_.size_limit;
  if (shard_size() + more > limit && !ends_.empty()) TESSERA_RETURN_IF_ERROR(Flush());
  samples_ += sample;
  ends_.push_back(static_cast<uint32_t>(samples_.size()));
  return absl::OkStatus();
}

absl::StatusOr<FileInfo> MdsWriter::Describe(std::string name,
                                             absl::Span<const absl::string_view> pieces) const {
  FileInfo info;
  info.name = std::move(name);
  for (const absl::string_view piece : pieces) info.bytes += piece.size();
  for (const std::string& algorithm : settings_.hashes) {
    TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<Hasher> hasher, Hasher::Create(algorithm));
    for (const absl::string_view piece : pieces) hasher->Update(piece);
    info.hashes.push_back({algorithm, hasher->Hex()});
  }
  return info;
}

absl::Status MdsWriter::Flush() {
  status_ = WriteShard();
  return status_;
}

absl::Status MdsWriter::WriteShard() {
  const uint64_t begin = shard_size() - samples_.size();
  std::string header;
  AppendUint32(ends_.size(), &header);
  AppendUint32(begin, &header);
  for (const uint32_t end : ends_) AppendUint32(begin + end, &header);

  const absl::string_view raw[] = {header, config_, samples_};
  MdsShardInfo info;
  info.samples = ends_.size();
  info.size_limit = settings_.size_limit;
  info.schema = schema_;
  const std::string name = absl::StrFormat("shard.%05d.mds", shards_.size());
  TESSERA_ASSIGN_OR_RETURN(info.file.raw, Describe(name, raw));
  if (codec_.has_value()) {
    TESSERA_ASSIGN_OR_RETURN(const std::string zip,
                             codec_->Compress(absl::StrCat(header, config_, samples_)));
    info.file.compression = settings_.compression;
    TESSERA_ASSIGN_OR_RETURN(info.file.zip,
                             Describe(absl::StrCat(name, ".", codec_->extension()), {zip}));
    TESSERA_RETURN_IF_ERROR(write_(info.file.zip->name, {zip}));
  } else {
    TESSERA_RETURN_IF_ERROR(write_(name, raw));
  }
  shards_.push_back(std::move(info));
  samples_.clear();
  ends_.clear();
  return absl::OkStatus();
}

absl::Status MdsWriter::Finish() {
  TESSERA_RETURN_IF_ERROR(status_);
  if (!ends_.empty()) TESSERA_RETURN_IF_ERROR(Flush());
  status_ = write_(kIndex, {MdsIndexText(shards_)});
  if (!status_.ok()) return status_;
  status_ = absl::FailedPreconditionError("the MDS data set is finished");
  return absl::OkStatus();
}

}  // namespace tessera
