#include "data/streaming/mds_stream.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "data/formats/hash/hash.h"
#include "data/formats/mds/mds_index.h"
#include "data/formats/mds/mds_schema.h"
#include "data/formats/mds/mds_shard.h"

namespace tessera {
namespace {

constexpr char kIndex[] = "index.json";

class MdsStream : public Stream {
 public:
  MdsStream(std::vector<MdsShardInfo> shards, uint64_t index_bytes)
      : shards_(std::move(shards)), index_bytes_(index_bytes) {}

  size_t num_shards() const override { return shards_.size(); }
  const ShardFile& file(size_t shard) const override { return shards_[shard].file; }
  int64_t num_samples(size_t shard) const override {
    return static_cast<int64_t>(shards_[shard].samples);
  }
  uint64_t index_bytes() const override { return index_bytes_; }

  absl::Status RequireParts(absl::Span<const absl::string_view> names) const override {
    const MdsSchema* checked = nullptr;
    for (const MdsShardInfo& shard : shards_) {
      if (shard.schema.get() == checked) continue;
      checked = shard.schema.get();
      for (const absl::string_view name : names) {
        const bool found =
            std::any_of(checked->begin(), checked->end(),
                        [&](const MdsColumn& column) { return column.name == name; });
        if (found) continue;
        return absl::NotFoundError(
            absl::StrCat(shard.file.raw.name, " has no column \"", name, "\"; its columns are ",
                         absl::StrJoin(*checked, ", ", [](std::string* out, const MdsColumn& c) {
                           absl::StrAppend(out, c.name, " (", c.encoding, ")");
                         })));
      }
    }
    return absl::OkStatus();
  }

  absl::Status Read(size_t shard, absl::string_view contents, int64_t sample,
                    Parts* parts) const override {
    const MdsShardInfo& info = shards_[shard];
    TESSERA_ASSIGN_OR_RETURN(const absl::string_view bytes,
                             MdsShard(contents, info.samples).Get(static_cast<uint64_t>(sample)));
    const MdsSchema& schema = *info.schema;
    absl::InlinedVector<absl::string_view, 8> payloads(schema.size());
    TESSERA_RETURN_IF_ERROR(SplitMdsSample(schema, bytes, absl::MakeSpan(payloads)));
    parts->resize(schema.size());
    for (size_t i = 0; i < schema.size(); ++i) {
      (*parts)[i] = {schema[i].name, schema[i].encoding, payloads[i]};
    }
    return absl::OkStatus();
  }

  absl::Status Check(size_t shard, absl::string_view contents) const override {
    TESSERA_RETURN_IF_ERROR(MdsShard(contents, shards_[shard].samples).Check());
    for (const FileInfo::Hash& hash : shards_[shard].file.raw.hashes) {
      TESSERA_ASSIGN_OR_RETURN(const std::string found, HashHex(hash.algorithm, contents));
      if (found == hash.hex) continue;
      return absl::DataLossError(
          absl::StrCat("its ", hash.algorithm, " is ", found, ", expected ", hash.hex));
    }
    return absl::OkStatus();
  }

 private:
  const std::vector<MdsShardInfo> shards_;
  const uint64_t index_bytes_;
};

// What lies in the folder instead, for a message.
std::string OthersThere(const StreamPlace& place) {
  std::vector<std::string> splits;
  bool tars = false;
  std::error_code error;
  for (std::filesystem::directory_iterator at(place.folder, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code ignored;
    const std::string name = at->path().filename().string();
    if (std::filesystem::exists(at->path() / kIndex, ignored)) splits.push_back(name);
    tars |= absl::StrContains(name, ".tar");
  }
  std::sort(splits.begin(), splits.end());
  if (!splits.empty()) {
    return absl::StrCat("; there are sets in ", absl::StrJoin(splits, ", "),
                        " below it, names for --split or data.streaming.train_split");
  }
  return tars ? "; there are tars: set data.streaming.format to WEBDATASET" : "";
}

}  // namespace

absl::StatusOr<std::unique_ptr<Stream>> OpenMdsStream(const StreamPlace& place) {
  const absl::StatusOr<std::string> text = ReadStreamFile(place, kIndex);
  if (absl::IsNotFound(text.status())) {
    return absl::NotFoundError(absl::StrCat(
        place.uri, " is not an MDS data set: ", text.status().message(), OthersThere(place)));
  }
  TESSERA_RETURN_IF_ERROR(text.status());
  TESSERA_ASSIGN_OR_RETURN(std::vector<MdsShardInfo> shards,
                           ParseMdsIndex(*text, place.PathOf(kIndex)));
  const uint64_t index_bytes = place.fetcher == nullptr ? 0 : text->size();
  return std::make_unique<MdsStream>(std::move(shards), index_bytes);
}

}  // namespace tessera
