#include "tools/convert/shard_writer.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/formats/mds/mds_index.h"
#include "data/formats/mds/mds_writer.h"
#include "data/formats/webdataset/web_writer.h"
#include "data/storage/write_with_retries.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

constexpr char kIndex[] = "index.json";
constexpr char kList[] = "shardindex.json";

const char* IndexName(ShardFormat format) { return format == ShardFormat::kMds ? kIndex : kList; }

// That a shard is there as it was written.
absl::Status CheckShard(Store& store, const std::string& name, uint64_t bytes) {
  TESSERA_ASSIGN_OR_RETURN(const uint64_t size, store.Size(name));
  if (size == bytes) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat(store.Uri(name), " has ", size, " bytes, expected ", bytes));
}

class MdsShardWriter : public ShardWriter {
 public:
  // `order`: the place among the columns of each of the writer's, which sorts them.
  MdsShardWriter(MdsWriter writer, std::vector<size_t> order)
      : writer_(std::move(writer)), order_(std::move(order)) {}

  absl::Status Write(const Row& row) override {
    std::vector<absl::string_view> payloads;
    for (const size_t column : order_) payloads.push_back(row.payloads[column]);
    return writer_.Write(payloads);
  }
  absl::Status Finish() override { return writer_.Finish(); }
  int64_t num_shards() const override { return static_cast<int64_t>(writer_.shards().size()); }
  std::string Written() const override { return MdsIndexText(writer_.shards()); }

 private:
  MdsWriter writer_;
  const std::vector<size_t> order_;
};

absl::StatusOr<std::unique_ptr<ShardWriter>> MakeMds(const ShardSettings& settings,
                                                     const std::vector<RowColumn>& columns,
                                                     std::shared_ptr<Store> store,
                                                     const std::string& written) {
  std::vector<MdsShardInfo> shards;
  if (!written.empty()) {
    TESSERA_ASSIGN_OR_RETURN(shards, ParseMdsIndex(written, "the journal"));
    for (const MdsShardInfo& shard : shards) {
      const FileInfo& file = shard.file.zip.has_value() ? *shard.file.zip : shard.file.raw;
      TESSERA_RETURN_IF_ERROR(CheckShard(*store, file.name, file.bytes));
    }
  }
  MdsSchema schema;
  for (const RowColumn& column : columns) {
    TESSERA_ASSIGN_OR_RETURN(MdsColumn made, MakeMdsColumn(column.name, column.encoding));
    schema.push_back(std::move(made));
  }
  TESSERA_ASSIGN_OR_RETURN(MdsWriter writer, MdsWriter::Create(std::move(store), std::move(schema),
                                                               {.size_limit = settings.size_limit,
                                                                .compression = settings.compression,
                                                                .hashes = settings.hashes},
                                                               std::move(shards)));
  std::vector<size_t> order;
  for (const MdsColumn& column : writer.schema()) {
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const RowColumn& c) { return c.name == column.name; });
    order.push_back(found - columns.begin());
  }
  return std::make_unique<MdsShardWriter>(std::move(writer), std::move(order));
}

nlohmann::json ListOf(const std::vector<WebShardInfo>& shards) {
  nlohmann::json list = nlohmann::json::array();
  for (const WebShardInfo& shard : shards) {
    list.push_back({{"url", shard.name}, {"nsamples", shard.samples}, {"filesize", shard.bytes}});
  }
  return list;
}

class WebShardWriter : public ShardWriter {
 public:
  WebShardWriter(WebDatasetWriter writer, std::vector<RowColumn> columns,
                 std::shared_ptr<Store> store)
      : writer_(std::move(writer)), columns_(std::move(columns)), store_(std::move(store)) {}

  absl::Status Write(const Row& row) override {
    std::vector<TarField> fields;
    for (size_t i = 0; i < columns_.size(); ++i) {
      fields.push_back({columns_[i].name, row.payloads[i]});
    }
    return writer_.Write(row.key, fields);
  }

  absl::Status Finish() override {
    TESSERA_RETURN_IF_ERROR(writer_.Finish());
    const nlohmann::json list = {{"__kind__", "wids-shard-index-v1"},
                                 {"wids_version", 1},
                                 {"shardlist", ListOf(writer_.shards())}};
    const std::string text = list.dump(2);
    const absl::string_view piece = text;
    return WriteWithRetries(*store_, kList, {&piece, 1});
  }

  int64_t num_shards() const override { return static_cast<int64_t>(writer_.shards().size()); }
  std::string Written() const override { return ListOf(writer_.shards()).dump(); }

 private:
  WebDatasetWriter writer_;
  const std::vector<RowColumn> columns_;
  const std::shared_ptr<Store> store_;
};

absl::StatusOr<std::unique_ptr<ShardWriter>> MakeWeb(const ShardSettings& settings,
                                                     const std::vector<RowColumn>& columns,
                                                     std::shared_ptr<Store> store,
                                                     const std::string& written) {
  if (!settings.compression.empty() || !settings.hashes.empty()) {
    return absl::InvalidArgumentError("compressions and hashes are those of MDS, not WebDataset");
  }
  std::vector<WebShardInfo> shards;
  if (!written.empty()) {
    const nlohmann::json list = nlohmann::json::parse(written, nullptr, /*allow_exceptions=*/false);
    if (!list.is_array()) return absl::DataLossError("the journal's list of shards is damaged");
    for (const nlohmann::json& shard : list) {
      if (!shard.is_object()) return absl::DataLossError("the journal's list of shards is damaged");
      shards.push_back({.name = shard.value("url", std::string()),
                        .bytes = shard.value("filesize", uint64_t{0}),
                        .samples = shard.value("nsamples", uint64_t{0})});
      TESSERA_RETURN_IF_ERROR(CheckShard(*store, shards.back().name, shards.back().bytes));
    }
  }
  TESSERA_ASSIGN_OR_RETURN(
      WebDatasetWriter writer,
      WebDatasetWriter::Create(store, {.size_limit = settings.size_limit}, std::move(shards)));
  return std::make_unique<WebShardWriter>(std::move(writer), columns, std::move(store));
}

}  // namespace

absl::StatusOr<std::unique_ptr<ShardWriter>> MakeShardWriter(const ShardSettings& settings,
                                                             const std::vector<RowColumn>& columns,
                                                             std::shared_ptr<Store> store,
                                                             const std::string& written) {
  switch (settings.format) {
    case ShardFormat::kMds:
      return MakeMds(settings, columns, std::move(store), written);
    case ShardFormat::kWebDataset:
      return MakeWeb(settings, columns, std::move(store), written);
  }
  return absl::InternalError("no such format");
}

absl::Status RemoveIndex(ShardFormat format, Store& store) {
  return store.Remove(IndexName(format));
}

absl::Status CheckIsFree(ShardFormat format, Store& store) {
  const char* const index = IndexName(format);
  const absl::Status status = store.Read(index).status();
  // Who may not list a bucket is denied what is not there.
  if (absl::IsNotFound(status) || absl::IsPermissionDenied(status)) return absl::OkStatus();
  if (!status.ok()) return status;
  return absl::AlreadyExistsError(
      absl::StrCat(store.Uri(index), " exists; remove the set, or choose another place"));
}

}  // namespace tessera
