// Reads a fake set through a cache, as a process of a training job does, and checks each byte.
//   cache_worker FOLDER LOG LIMIT COMPRESSION SHARDS BYTES THREADS PASSES SEED
// LOG gets a line for each fetch. COMPRESSION may be empty. Exit code 1 with a line at an error.

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "data/streaming/cache/fake_source.h"
#include "data/streaming/cache/shard_cache.h"

namespace tessera {
namespace {

[[noreturn]] void Fail(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::_Exit(1);
}

void Read(ShardCache& cache, const FakeSet& set, int passes, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<size_t> order(set.shards.size());
  std::iota(order.begin(), order.end(), 0);
  for (int pass = 0; pass < passes; ++pass) {
    std::shuffle(order.begin(), order.end(), random);
    for (const size_t shard : order) {
      const auto mapping = cache.Acquire(shard);
      if (!mapping.ok()) Fail(mapping.status().ToString());
      if ((*mapping)->contents() != set.contents[shard]) {
        Fail(absl::StrCat("shard ", shard, " is corrupt"));
      }
    }
  }
}

int Main(char** arguments) {
  const std::string folder = arguments[1];
  const int log = open(arguments[2], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  const FakeSet set = MakeFakeSet(std::atoi(arguments[5]), std::atoi(arguments[6]), arguments[4]);
  const int threads = std::atoi(arguments[7]);
  const int passes = std::atoi(arguments[8]);
  const uint32_t seed = std::atoi(arguments[9]);

  auto source = std::make_shared<FakeSource>(set.store);
  source->on_fetch = [&](absl::string_view name, int, std::string&) {
    const std::string line = absl::StrCat(name, "\n");
    return write(log, line.data(), line.size()) > 0 ? absl::OkStatus()
                                                    : absl::InternalError("cannot write the log");
  };
  CacheOptions options;
  options.limit = std::strtoull(arguments[3], nullptr, 10);
  const auto cache =
      ShardCache::Open(options, {{folder, source, "xxh64", /*keep_zip=*/false}}, set.CacheShards());
  if (!cache.ok()) Fail(cache.status().ToString());
  std::vector<std::thread> readers;
  for (int i = 0; i < threads; ++i) {
    readers.emplace_back([&, i] { Read(**cache, set, passes, seed * 100 + i); });
  }
  for (std::thread& reader : readers) reader.join();
  return 0;
}

}  // namespace
}  // namespace tessera

int main(int, char** arguments) { return tessera::Main(arguments); }
