#include "data/streaming/web_stream.h"

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/formats/webdataset/bad_shard.h"
#include "data/formats/webdataset/expand_tar.h"
#include "data/formats/webdataset/tar_index.h"
#include "data/streaming/web_index.h"
#include "data/streaming/web_index_files.h"
#include "data/streaming/web_shard_list.h"

namespace tessera {
namespace {

constexpr absl::string_view kKey = "__key__";

bool HasField(const TarIndex& index, uint64_t sample, absl::string_view extension) {
  for (uint64_t i = index.fields_begin(sample); i < index.fields_begin(sample + 1); ++i) {
    if (index.extension(i) == extension) return true;
  }
  return extension == kKey;
}

std::string Extensions(const TarIndex& index, uint64_t sample) {
  std::string text;
  for (uint64_t i = index.fields_begin(sample); i < index.fields_begin(sample + 1); ++i) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", index.extension(i));
  }
  return text;
}

class WebStream : public Stream {
 public:
  WebStream(std::vector<WebShard> shards, uint64_t index_bytes,
            std::unique_ptr<WebIndexFiles> files, std::function<bool(uint64_t)> claim)
      : shards_(std::move(shards)),
        index_bytes_(index_bytes),
        late_(shards_.size()),
        files_(std::move(files)),
        claim_(std::move(claim)) {}

  size_t num_shards() const override { return shards_.size(); }
  const ShardFile& file(size_t shard) const override { return shards_[shard].file; }
  int64_t num_samples(size_t shard) const override {
    return static_cast<int64_t>(shards_[shard].samples);
  }
  uint64_t index_bytes() const override { return index_bytes_; }

  absl::Status RequireParts(absl::Span<const absl::string_view> names) const override {
    for (const WebShard& shard : shards_) {
      if (!shard.index.has_value()) continue;
      const TarIndex& index = *shard.index;
      for (uint64_t sample = 0; sample < index.size(); ++sample) {
        for (const absl::string_view name : names) {
          if (HasField(index, sample, name)) continue;
          return absl::NotFoundError(absl::StrCat(
              shard.name, ", sample ", sample, " (", index.key(sample), ") has no file \"", name,
              "\"; it has ", Extensions(index, sample), " and ", kKey));
        }
      }
    }
    return absl::OkStatus();
  }

  absl::Status Read(size_t shard, absl::string_view contents, int64_t sample,
                    Parts* parts) const override {
    TESSERA_ASSIGN_OR_RETURN(const TarIndex* const index, IndexOf(shard, contents));
    const auto number = static_cast<uint64_t>(sample);
    if (number >= index->size()) return absl::DataLossError(index->left_out().reason);
    if (!index->HasHeaders(contents, number)) return OtherTar(shard);
    parts->clear();
    parts->push_back({kKey, "", index->key(number)});
    for (uint64_t i = index->fields_begin(number); i < index->fields_begin(number + 1); ++i) {
      parts->push_back({index->extension(i), "", index->Contents(contents, i)});
    }
    return absl::OkStatus();
  }

  absl::Status Check(size_t shard, absl::string_view contents) const override {
    TESSERA_ASSIGN_OR_RETURN(const TarIndex* const index, IndexOf(shard, contents));
    const bool whole = index->left_out().reason.empty();
    TESSERA_ASSIGN_OR_RETURN(const TarIndex found,
                             TarIndex::Build(contents, shards_[shard].file.raw.name,
                                             whole ? BadShard::kStop : BadShard::kSkipRest));
    TarTables tables = found.tables();
    tables.left_out = index->left_out();  // whose reason may name another path
    return tables == index->tables() ? absl::OkStatus() : OtherTar(shard);
  }

 private:
  // An index that is built when its shard is first read.
  struct Late {
    std::once_flag once;
    absl::StatusOr<TarIndex> index = absl::UnknownError("not built");
  };

  absl::StatusOr<const TarIndex*> IndexOf(size_t shard, absl::string_view contents) const {
    if (shards_[shard].index.has_value()) return &*shards_[shard].index;
    Late& late = late_[shard];
    std::call_once(late.once, [&] { late.index = BuildLate(shards_[shard], contents); });
    if (!late.index.ok()) return late.index.status();
    return &*late.index;
  }

  absl::StatusOr<TarIndex> BuildLate(const WebShard& shard, absl::string_view contents) const {
    TESSERA_ASSIGN_OR_RETURN(const TarStamp stamp,
                             files_->CurrentStamp(shard.name, contents.size()));
    TESSERA_ASSIGN_OR_RETURN(TarIndex index, files_->Build(shard.name, stamp, contents));
    files_->Save(shard.name, index, stamp, claim_);
    TESSERA_RETURN_IF_ERROR(CheckCount(*files_, shard.name, index, shard.samples));
    return index;
  }

  absl::Status OtherTar(size_t shard) const {
    return absl::DataLossError(absl::StrCat(
        "it is not the tar that was indexed: its files are elsewhere; remove this file and the "
        "index beside it, ",
        WebIndexFiles::IndexName(shards_[shard].name)));
  }

  const std::vector<WebShard> shards_;
  const uint64_t index_bytes_;
  mutable std::vector<Late> late_;  // one a shard
  const std::unique_ptr<WebIndexFiles> files_;
  const std::function<bool(uint64_t)> claim_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Stream>> OpenWebStream(const StreamingConfig& config,
                                                      const StreamPlace& place,
                                                      const CacheOptions& cache,
                                                      const CacheFolder& folder,
                                                      std::function<bool(uint64_t)> claim) {
  TESSERA_ASSIGN_OR_RETURN(const std::vector<ListedShard> infos,
                           ListWebShards(config.shards(), place));
  auto files = std::make_unique<WebIndexFiles>(
      place, config.bad_shards() == StreamingConfig::SKIP ? BadShard::kSkipRest : BadShard::kStop);
  const uint64_t list_bytes = files->CachedBytes(config.shards());  // 0: it is no file
  WebIndexOptions options = {
      .threads = config.download_threads(), .cache = cache, .folder = folder};
  options.cache.index_bytes += list_bytes;
  TESSERA_ASSIGN_OR_RETURN(WebIndex found, IndexWebShards(infos, options, files.get()));
  std::erase_if(found.shards, [](const WebShard& shard) { return shard.samples == 0; });
  return std::make_unique<WebStream>(std::move(found.shards), list_bytes + found.index_bytes,
                                     std::move(files), std::move(claim));
}

absl::Status ExpandWebShard(absl::string_view zip,
                            absl::FunctionRef<absl::Status(absl::string_view)> sink) {
  return ExpandTar(zip, "its contents", BadShard::kStop, sink).status();
}

}  // namespace tessera
