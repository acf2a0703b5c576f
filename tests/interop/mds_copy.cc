// Copies the samples of an MDS set to a new one, payload by payload.

#include <gflags/gflags.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/parse_bytes.h"
#include "base/status_macros.h"
#include "configs/cli.h"
#include "data/formats/mds/mds_schema.h"
#include "data/formats/mds/mds_writer.h"
#include "data/streaming/streaming_set.h"

DEFINE_string(from, "", "Folder of the set.");
DEFINE_string(to, "", "Folder of the new set.");
DEFINE_string(size_limit, "64mb", "Most bytes of a shard.");
DEFINE_string(compression, "", "As \"zstd:7\".");
DEFINE_string(hashes, "", "As \"sha1,xxh64\".");

namespace tessera {
namespace {

absl::Status Copy(const std::vector<std::string>&) {
  StreamingConfig config;
  config.set_local(FLAGS_from);
  TESSERA_ASSIGN_OR_RETURN(const auto set, StreamingSet::Open(config, ""));
  MdsSettings settings = {.compression = FLAGS_compression};
  TESSERA_ASSIGN_OR_RETURN(settings.size_limit, ParseBytes(FLAGS_size_limit));
  settings.hashes = absl::StrSplit(FLAGS_hashes, ',', absl::SkipEmpty());

  Record record;
  TESSERA_RETURN_IF_ERROR(set->Get(0, &record));
  MdsSchema schema;
  for (const Part& part : record.parts) {
    TESSERA_ASSIGN_OR_RETURN(schema.emplace_back(),
                             MakeMdsColumn(std::string(part.name), std::string(part.encoding)));
  }
  TESSERA_ASSIGN_OR_RETURN(MdsWriter writer, MdsWriter::Create(FLAGS_to, schema, settings));
  for (int64_t i = 0; i < set->size(); ++i) {
    TESSERA_RETURN_IF_ERROR(set->Get(i, &record));
    std::vector<absl::string_view> payloads;
    for (const Part& part : record.parts) payloads.push_back(part.value);
    TESSERA_RETURN_IF_ERROR(writer.Write(payloads));
  }
  return writer.Finish();
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  return tessera::RunTool(argc, argv,
                          {.summary = "Copies the samples of an MDS set to a new one.",
                           .examples = "mds_copy --from=SET --to=NEW --compression=zstd:7"},
                          tessera::Copy);
}
