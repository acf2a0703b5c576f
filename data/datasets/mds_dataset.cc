#include "data/datasets/mds_dataset.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "data/formats/mds/mds_reader.h"

namespace tessera {
namespace {

// Which columns of a schema hold the parts of a sample.
struct Roles {
  int name = 0;
  int image = 0;
  int mask = 0;
};

absl::StatusOr<int> FindColumn(const MdsSchema& schema, const std::string& name,
                               const char* field) {
  const auto found = std::find_if(schema.begin(), schema.end(),
                                  [&](const MdsColumn& column) { return column.name == name; });
  if (found != schema.end()) return static_cast<int>(found - schema.begin());
  return absl::NotFoundError(
      absl::StrCat("no column \"", name, "\" (data.streaming.", field, "); the columns are ",
                   absl::StrJoin(schema, ", ", [](std::string* out, const MdsColumn& column) {
                     absl::StrAppend(out, column.name, " (", column.encoding, ")");
                   })));
}

absl::StatusOr<Roles> FindRoles(const MdsSchema& schema, const StreamingConfig& config) {
  Roles roles;
  TESSERA_ASSIGN_OR_RETURN(roles.name, FindColumn(schema, config.name_column(), "name_column"));
  TESSERA_ASSIGN_OR_RETURN(roles.image, FindColumn(schema, config.image_column(), "image_column"));
  TESSERA_ASSIGN_OR_RETURN(roles.mask, FindColumn(schema, config.mask_column(), "mask_column"));
  return roles;
}

class MdsDataset : public Dataset {
 public:
  // `roles`: one a shard.
  MdsDataset(MdsReader reader, std::string folder, std::vector<Roles> roles)
      : reader_(std::move(reader)), folder_(std::move(folder)), roles_(std::move(roles)) {}

  int64_t size() const override { return reader_.size(); }

  absl::StatusOr<Sample> Get(int64_t index) const override {
    absl::StatusOr<Sample> sample = Read(index);
    if (sample.ok()) return sample;
    return absl::Status(sample.status().code(),
                        absl::StrCat(folder_, ", sample ", index, ": ", sample.status().message()));
  }

 private:
  absl::StatusOr<Sample> Read(int64_t index) const {
    TESSERA_ASSIGN_OR_RETURN(MdsReader::Row row, reader_.Get(index));
    const Roles& roles = roles_[row.shard_number];
    absl::InlinedVector<absl::string_view, 8> payloads(row.schema->size());
    TESSERA_RETURN_IF_ERROR(SplitMdsSample(*row.schema, row.bytes, absl::MakeSpan(payloads)));
    return Sample{payloads[roles.name], payloads[roles.image], payloads[roles.mask],
                  std::move(row.shard)};
  }

  MdsReader reader_;
  std::string folder_;
  std::vector<Roles> roles_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Dataset>> OpenMdsDataset(const StreamingConfig& config,
                                                              const std::string& split) {
  if (config.local().empty()) {
    return absl::InvalidArgumentError(
        "data.streaming.local is not set; expected the folder that holds the splits' shards");
  }
  const std::string folder = (std::filesystem::path(config.local()) / split).string();
  TESSERA_ASSIGN_OR_RETURN(MdsReader reader, MdsReader::Open(folder));
  std::vector<Roles> roles;
  for (const MdsShardInfo& shard : reader.shards()) {
    const absl::StatusOr<Roles> found = FindRoles(*shard.schema, config);
    if (!found.ok()) {
      return absl::Status(found.status().code(), absl::StrCat(folder, "/", shard.file.raw.name,
                                                              ": ", found.status().message()));
    }
    roles.push_back(*found);
  }
  if (reader.size() == 0) {
    return absl::InvalidArgumentError(absl::StrCat(folder, ": the data set has no samples"));
  }
  return std::make_shared<const MdsDataset>(std::move(reader), folder, std::move(roles));
}

}  // namespace tessera
