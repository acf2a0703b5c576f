#include "tools/sample_writer.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/write_file.h"
#include "data/formats/mds/mds_writer.h"
#include "data/formats/webdataset/web_writer.h"
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
absl::StatusOr<std::unique_ptr<SampleWriter>> MakeMds(const std::string& folder,
                                                      uint64_t size_limit) {
  MdsSchema schema;
  for (const auto& [name, encoding] : {std::pair("uid", "bytes"), {"x", "jpeg"}, {"y", "png"}}) {
    TESSERA_ASSIGN_OR_RETURN(MdsColumn column, MakeMdsColumn(name, encoding));
    schema.push_back(std::move(column));
  }
  TESSERA_ASSIGN_OR_RETURN(MdsWriter writer,
                           MdsWriter::Create(folder, std::move(schema), size_limit));
  return std::make_unique<MdsSampleWriter>(std::move(writer));
}

class WebSampleWriter : public SampleWriter {
 public:
  WebSampleWriter(WebDatasetWriter writer, std::string folder)
      : writer_(std::move(writer)), folder_(std::move(folder)) {}

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
    return WriteFile((std::filesystem::path(folder_) / kList).string(), list.dump(2),
                     Durability::kSynced);
  }

  int64_t num_shards() const override { return static_cast<int64_t>(writer_.shards().size()); }

  std::string Settings() const override {
    return absl::StrCat("format: WEBDATASET shards: \"", kList, "\" image_column: \"", extension_,
                        "\" mask_column: \"", kMask, "\" name_column: \"__key__\"");
  }

 private:
  WebDatasetWriter writer_;
  const std::string folder_;
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
                                                               const std::string& folder,
                                                               uint64_t size_limit) {
  if (format == ShardFormat::kMds) return MakeMds(folder, size_limit);
  TESSERA_ASSIGN_OR_RETURN(WebDatasetWriter writer,
                           WebDatasetWriter::Create(folder, {.size_limit = size_limit}));
  return std::make_unique<WebSampleWriter>(std::move(writer), folder);
}

}  // namespace tessera
