// Memory does not grow with epochs.

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "data/formats/mds/mds_schema.h"
#include "data/formats/mds/mds_writer.h"
#include "data/streaming/read_samples.h"
#include "data/streaming/streaming_order.h"
#include "data/streaming/streaming_set.h"
#include "tests/servers/fault_server.h"

namespace tessera {
namespace {

// Bytes of this process that are not pages of files: mapped shards come and go with the page cache.
int64_t PrivateBytes() {
  malloc_trim(0);
  std::FILE* const file = std::fopen("/proc/self/status", "r");
  int64_t kilobytes = 0;
  char line[256];
  while (std::fgets(line, sizeof(line), file) != nullptr) {
    if (std::sscanf(line, "RssAnon: %ld", &kilobytes) == 1) break;
  }
  std::fclose(file);
  return kilobytes * 1024;
}

// 2000 samples of 10 kB in shards of 256 kB.
void WriteSet(const std::string& folder) {
  std::filesystem::create_directories(folder);
  MdsSchema schema;
  schema.push_back(MakeMdsColumn("x", "bytes").value());
  MdsWriter writer = MdsWriter::Create(folder, std::move(schema), 256 << 10).value();
  for (int i = 0; i < 2000; ++i) {
    ASSERT_TRUE(writer.Write({std::string(10000, static_cast<char>(i))}).ok());
  }
  ASSERT_TRUE(writer.Finish().ok());
}

TEST(ReadingMemoryTest, IsFlatOver20EpochsOfACacheThatEvicts) {
  const std::string folder = absl::StrCat(std::getenv("TEST_TMPDIR"), "/set");
  WriteSet(folder);
  const FaultServer server(folder);
  StreamingConfig config;
  config.set_remote(server.Address());
  config.set_local(absl::StrCat(std::getenv("TEST_TMPDIR"), "/cache"));
  config.set_cache_limit("8mb");  // of 20
  config.set_shuffle_block_size(200);
  config.set_predownload(128);
  const std::shared_ptr<const StreamingSet> set = StreamingSet::Open(config, "").value();
  const auto order = MakeStreamingOrder(config, set->shard_samples(), {.batch_size = 64}).value();

  int64_t settled = 0;
  for (int epoch = 0; epoch < 20; ++epoch) {
    const auto positions = order->Epoch(epoch).value();
    const absl::StatusOr<ReadingReport> report = ReadSamples(config, *set, *positions, {});
    ASSERT_TRUE(report.ok()) << report.status();
    if (epoch == 4) settled = PrivateBytes();
  }
  EXPECT_GT(set->CacheUse().evictions, 20);
  // 15 more epochs moved 300 MB.
  EXPECT_LT(PrivateBytes() - settled, 1 << 20);
}

}  // namespace
}  // namespace tessera
