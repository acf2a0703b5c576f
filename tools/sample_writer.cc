#include "tools/sample_writer.h"

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/formats/mds/mds_writer.h"
#include "data/formats/webdataset/web_writer.h"
#include "data/storage/write_with_retries.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

constexpr char kList[] = "shardindex.json";
constexpr char kMask[] = "mask.png";

class MdsSampleWriter : public SampleWriter {
 public:
  explicit MdsSampleWriter(MdsWriter writer) : writer_(std::move(writer)) {}

  absl::Status Write(const std::string& name, const std::string& image,
                     const std::string& mask) override {
    return writer_.Write({name, image, mask});
  }
  absl::Status Finish() override { return writer_.Finish(); }
  int64_t num_shards() const override { return static_cast<int64_t>(writer_.shards().size()); }
  std::string Settings() const override { return ""; }

 private:
  MdsWriter writer_;
};

// uid, x and y: the order in which MdsWriter takes them, by name.
absl::StatusOr<std::unique_ptr<SampleWriter>> MakeMds(std::shared_ptr<Store> store,
                                                      uint64_t size_limit) {
  MdsSchema schema;
  for (const auto& [name, encoding] : {std::pair("uid", "bytes"), {"x", "jpeg"}, {"y", "png"}}) {
    TESSERA_ASSIGN_OR_RETURN(MdsColumn column, MakeMdsColumn(name, encoding));
    schema.push_back(std::move(column));
  }
  TESSERA_ASSIGN_OR_RETURN(MdsWriter writer, MdsWriter::Create(std::move(store), std::move(schema),
                                                               {.size_limit = size_limit}));
  return std::make_unique<MdsSampleWriter>(std::move(writer));
}

class WebSampleWriter : public SampleWriter {
 public:
  WebSampleWriter(WebDatasetWriter writer, std::shared_ptr<Store> store)
      : writer_(std::move(writer)), store_(std::move(store)) {}

  absl::Status Write(const std::string& name, const std::string& image,
                     const std::string& mask) override {
    const char* const extension = absl::StartsWith(image, "\x89PNG") ? "image.png" : "image.jpg";
    if (extension_.empty()) extension_ = extension;
    if (extension_ != extension) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, ": found an ", extension, " where those before are ", extension_,
                       "; a WebDataset is read by one extension, expected images of one kind"));
    }
    const TarField fields[] = {{extension, image}, {kMask, mask}};
    return writer_.Write(name, fields);
  }

  absl::Status Finish() override {
    TESSERA_RETURN_IF_ERROR(writer_.Finish());
    nlohmann::json list = {{"__kind__", "wids-shard-index-v1"},
                           {"wids_version", 1},
                           {"shardlist", nlohmann::json::array()}};
    for (const WebShardInfo& shard : writer_.shards()) {
      list["shardlist"].push_back(
          {{"url", shard.name}, {"nsamples", shard.samples}, {"filesize", shard.bytes}});
    }
    const std::string text = list.dump(2);
    const absl::string_view piece = text;
    return WriteWithRetries(*store_, kList, {&piece, 1});
  }

  int64_t num_shards() const override { return static_cast<int64_t>(writer_.shards().size()); }

  std::string Settings() const override {
    return absl::StrCat("format: WEBDATASET shards: \"", kList, "\" image_column: \"", extension_,
                        "\" mask_column: \"", kMask, "\" name_column: \"__key__\"");
  }

 private:
  WebDatasetWriter writer_;
  const std::shared_ptr<Store> store_;
  std::string extension_;  // of the images
};

}  // namespace

absl::StatusOr<ShardFormat> ParseShardFormat(absl::string_view text) {
  if (text == "mds") return ShardFormat::kMds;
  if (text == "webdataset") return ShardFormat::kWebDataset;
  return absl::InvalidArgumentError(
      absl::StrCat("found the format \"", text, "\", expected mds or webdataset"));
}

absl::StatusOr<std::unique_ptr<SampleWriter>> MakeSampleWriter(ShardFormat format,
                                                               std::shared_ptr<Store> store,
                                                               uint64_t size_limit) {
  if (format == ShardFormat::kMds) return MakeMds(std::move(store), size_limit);
  TESSERA_ASSIGN_OR_RETURN(WebDatasetWriter writer,
                           WebDatasetWriter::Create(store, {.size_limit = size_limit}));
  return std::make_unique<WebSampleWriter>(std::move(writer), std::move(store));
}

absl::Status CheckIsFree(ShardFormat format, Store& store) {
  const char* const index = format == ShardFormat::kMds ? "index.json" : kList;
  const absl::Status status = store.Read(index).status();
  // Who may not list a bucket is denied what is not there.
  if (absl::IsNotFound(status) || absl::IsPermissionDenied(status)) return absl::OkStatus();
  if (!status.ok()) return status;
  return absl::AlreadyExistsError(
      absl::StrCat(store.Uri(index), " exists; remove the set, or choose another place"));
}

}  // namespace tessera
