#include "data/streaming/cache/shard_cache.h"

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "data/streaming/cache/fake_source.h"
#include "data/streaming/cache/test_folder.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using Names = std::set<std::string>;

// A cache over one folder.
class ShardCacheTest : public testing::Test {
 protected:
  std::unique_ptr<ShardCache> Open(const FakeSet& set, std::shared_ptr<FakeSource> source,
                                   const std::string& hash = "", bool keep_zip = false) {
    auto cache = ShardCache::Open({}, {{folder_.path(), std::move(source), hash, keep_zip}},
                                  set.CacheShards());
    EXPECT_TRUE(cache.ok()) << cache.status();
    return *std::move(cache);
  }

  absl::Status OpenError(const FakeSet& set, const std::string& hash = "") {
    return ShardCache::Open({}, {{folder_.path(), Source(set), hash}}, set.CacheShards()).status();
  }

  static std::shared_ptr<FakeSource> Source(const FakeSet& set) {
    return std::make_shared<FakeSource>(set.store);
  }

  // Reads all shards, each of which must be right.
  static void ExpectReads(ShardCache& cache, const FakeSet& set) {
    for (size_t i = 0; i < set.shards.size(); ++i) {
      const auto mapping = cache.Acquire(i);
      ASSERT_TRUE(mapping.ok()) << mapping.status();
      EXPECT_EQ((*mapping)->contents(), set.contents[i]);
    }
  }

  TestFolder folder_;
};

bool Says(const absl::Status& status, absl::string_view text) {
  return absl::StrContains(status.message(), text);
}

std::string Flipped(std::string text) {
  text[text.size() / 2] ^= 1;
  return text;
}

TEST_F(ShardCacheTest, FetchesAShardOnceAndFindsItLater) {
  const FakeSet set = MakeFakeSet(3, 10000);
  const auto source = Source(set);
  {
    const auto cache = Open(set, source);
    ExpectReads(*cache, set);
    ExpectReads(*cache, set);
    EXPECT_EQ(cache->Stats().misses, 3);
    EXPECT_EQ(cache->Stats().hits, 0);
    EXPECT_EQ(cache->Stats().bytes_on_disk, 10000 + 10001 + 10002);
  }
  const auto cache = Open(set, source);
  ExpectReads(*cache, set);
  EXPECT_EQ(cache->Stats().hits, 3);
  EXPECT_EQ(source->fetches(), 3);
  EXPECT_EQ(folder_.Names(), (Names{"shard.00000.mds", "shard.00001.mds", "shard.00002.mds"}));
}

TEST_F(ShardCacheTest, ThreadsThatWantTheSameShardShareOneFetchAndOneMapping) {
  const FakeSet set = MakeFakeSet(1, 1 << 20);
  const auto source = Source(set);
  const auto cache = Open(set, source);
  std::vector<std::shared_ptr<const MappedFile>> mappings(8);
  std::vector<std::thread> threads;
  for (auto& mapping : mappings) {
    threads.emplace_back([&] { mapping = cache->Acquire(0).value(); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& mapping : mappings) EXPECT_EQ(mapping, mappings[0]);
  EXPECT_EQ(source->fetches(), 1);
}

TEST_F(ShardCacheTest, AMappingOutlivesTheCache) {
  const FakeSet set = MakeFakeSet(1, 5000);
  auto cache = Open(set, Source(set));
  const auto mapping = cache->Acquire(0).value();
  cache.reset();
  EXPECT_EQ(mapping->contents(), set.contents[0]);
}

TEST_F(ShardCacheTest, ReadsShardsInInnerFolders) {
  FakeSet set = MakeFakeSet(2, 1000);
  for (ShardFile& shard : set.shards) {
    const std::string name = absl::StrCat("2024/part#7/", shard.raw.name);
    set.store[name] = set.store[shard.raw.name];
    shard.raw.name = name;
  }
  const auto cache = Open(set, Source(set));
  ExpectReads(*cache, set);
  EXPECT_EQ(folder_.Read("2024/part#7/shard.00001.mds"), set.contents[1]);
  EXPECT_EQ(cache->Stats().bytes_on_disk, 2001);
}

TEST_F(ShardCacheTest, AnEmptyFileIsAShard) {
  const FakeSet set = MakeFakeSet(1, 0);
  ExpectReads(*Open(set, Source(set), "xxh64"), set);
}

TEST_F(ShardCacheTest, DecompressesWhatItFetches) {
  const FakeSet set = MakeFakeSet(2, 20000, "zstd:3");
  const auto cache = Open(set, Source(set), "xxh64");
  ExpectReads(*cache, set);
  EXPECT_EQ(folder_.Names(), (Names{"shard.00000.mds", "shard.00001.mds"}));
  EXPECT_EQ(cache->Stats().bytes_on_disk, 40001);
}

TEST_F(ShardCacheTest, KeepsCompressedFilesIfAsked) {
  const FakeSet set = MakeFakeSet(1, 20000, "gz");
  ExpectReads(*Open(set, Source(set), "", /*keep_zip=*/true), set);
  EXPECT_EQ(folder_.Names(), (Names{"shard.00000.mds", "shard.00000.mds.gz"}));
  EXPECT_EQ(folder_.Read("shard.00000.mds.gz"), set.store.at("shard.00000.mds.gz"));
}

TEST_F(ShardCacheTest, EitherFormOfAShardIsEnough) {
  const FakeSet set = MakeFakeSet(2, 20000, "zstd");
  folder_.Write("shard.00000.mds", set.contents[0]);
  folder_.Write("shard.00001.mds.zstd", set.store.at("shard.00001.mds.zstd"));
  const auto local = Open(set, nullptr, "xxh64");
  ExpectReads(*local, set);
  // The only copies are left.
  EXPECT_EQ(folder_.Names(), (Names{"shard.00000.mds", "shard.00001.mds", "shard.00001.mds.zstd"}));
}

TEST_F(ShardCacheTest, DecompressesAFoundFileInsteadOfFetchingIt) {
  const FakeSet set = MakeFakeSet(1, 20000, "zstd");
  folder_.Write("shard.00000.mds.zstd", set.store.at("shard.00000.mds.zstd"));
  const auto source = Source(set);
  ExpectReads(*Open(set, source, "xxh64"), set);
  EXPECT_EQ(source->fetches(), 0);
  EXPECT_EQ(folder_.Names(), Names{"shard.00000.mds"});
}

// Python deletes the raw file instead and counts 4764 bytes where there are 2777.
TEST_F(ShardCacheTest, OfTwoFoundFormsTheCompressedOneGoes) {
  const FakeSet set = MakeFakeSet(1, 20000, "zstd");
  folder_.Write("shard.00000.mds", set.contents[0]);
  folder_.Write("shard.00000.mds.zstd", set.store.at("shard.00000.mds.zstd"));
  const auto source = Source(set);
  const auto cache = Open(set, source);
  ExpectReads(*cache, set);
  EXPECT_EQ(source->fetches(), 0);
  EXPECT_EQ(folder_.Names(), Names{"shard.00000.mds"});
  EXPECT_EQ(cache->Stats().bytes_on_disk, 20000);
}

// Python compares the paths as they are written, and deletes the source.
TEST_F(ShardCacheTest, AFolderThatIsItsOwnSourceIsReadInPlace) {
  const FakeSet set = MakeFakeSet(2, 20000, "zstd");
  for (const auto& [name, contents] : set.store) folder_.Write(name, contents);
  const TestFolder links;
  std::filesystem::create_directory_symlink(folder_.path(), links / "link");
  for (const std::string& path : {folder_.path() + "/", folder_.path() + "/.", links / "link"}) {
    const auto source = Source(set);
    source->local_folder = path;
    CacheOptions options;
    options.limit = 1;  // of nothing
    const auto cache = ShardCache::Open(options, {{folder_.path(), source}}, set.CacheShards());
    ASSERT_TRUE(cache.ok()) << cache.status();
    ExpectReads(**cache, set);
    EXPECT_EQ(source->fetches(), 0);
    EXPECT_EQ((*cache)->Stats().bytes_on_disk, 0);
    EXPECT_EQ(folder_.Names(), (Names{"shard.00000.mds", "shard.00000.mds.zstd", "shard.00001.mds",
                                      "shard.00001.mds.zstd"}));
  }
}

TEST_F(ShardCacheTest, AnotherLocalFolderIsCopied) {
  const FakeSet set = MakeFakeSet(1, 1000);
  const TestFolder other;
  const auto source = Source(set);
  source->local_folder = other.path();
  ExpectReads(*Open(set, source), set);
  EXPECT_EQ(source->fetches(), 1);
}

TEST_F(ShardCacheTest, FetchesAFoundFileOfAnotherSizeAgain) {
  const FakeSet set = MakeFakeSet(2, 10000);
  folder_.Write("shard.00000.mds", set.contents[0].substr(0, 5000));
  folder_.Write("shard.00001.mds", set.contents[1] + "x");
  const auto source = Source(set);
  const auto cache = Open(set, source);
  ExpectReads(*cache, set);
  EXPECT_EQ(source->fetches(), 2);
  EXPECT_EQ(cache->Stats().verify_failures, 2);
  EXPECT_EQ(folder_.Read("shard.00000.mds"), set.contents[0]);
}

TEST_F(ShardCacheTest, FetchesAFoundFileOfAnotherHashAgain) {
  const FakeSet set = MakeFakeSet(1, 10000);
  folder_.Write("shard.00000.mds", Flipped(set.contents[0]));
  ExpectReads(*Open(set, Source(set), "xxh64"), set);
  EXPECT_EQ(folder_.Read("shard.00000.mds"), set.contents[0]);
}

TEST_F(ShardCacheTest, FetchesADamagedCompressedFileAgain) {
  const FakeSet set = MakeFakeSet(1, 10000, "zstd");
  const std::string& zip = set.store.at("shard.00000.mds.zstd");
  for (const std::string& damaged : {Flipped(zip), zip.substr(0, zip.size() / 2)}) {
    folder_.Write("shard.00000.mds.zstd", damaged);
    const auto source = Source(set);
    const auto cache = Open(set, source, "xxh64");
    ExpectReads(*cache, set);
    EXPECT_EQ(source->fetches(), 1);
    EXPECT_EQ(cache->Stats().verify_failures, 1);
    EXPECT_EQ(folder_.Names(), Names{"shard.00000.mds"});
    std::filesystem::remove(folder_ / "shard.00000.mds");
  }
}

TEST_F(ShardCacheTest, WithoutASourceAWrongFileIsAnErrorAndStays) {
  const FakeSet set = MakeFakeSet(2, 10000);
  folder_.Write("shard.00000.mds", set.contents[0].substr(0, 5000));
  folder_.Write("shard.00001.mds", Flipped(set.contents[1]));
  const auto cache = Open(set, nullptr, "xxh64");
  const absl::Status cut = cache->Acquire(0).status();
  EXPECT_TRUE(absl::IsDataLoss(cut)) << cut;
  EXPECT_TRUE(Says(cut, folder_ / "shard.00000.mds")) << cut;
  EXPECT_TRUE(Says(cut, "it has 5000 bytes, but in the index 10000")) << cut;
  const absl::Status flipped = cache->Acquire(1).status();
  EXPECT_TRUE(Says(flipped, set.shards[1].raw.hashes[0].hex)) << flipped;
  EXPECT_EQ(folder_.Names(), (Names{"shard.00000.mds", "shard.00001.mds"}));
}

TEST_F(ShardCacheTest, WithoutASourceAMissingFileIsAnError) {
  const FakeSet set = MakeFakeSet(1, 100, "zstd");
  const absl::Status status = Open(set, nullptr)->Acquire(0).status();
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_TRUE(Says(status, folder_ / "shard.00000.mds")) << status;
}

TEST_F(ShardCacheTest, FetchesAgainWhatArrivesDamaged) {
  for (const std::string compression : {"", "zstd"}) {
    const FakeSet set = MakeFakeSet(1, 10000, compression);
    const auto source = Source(set);
    source->on_fetch = [](absl::string_view, int before, std::string& contents) {
      if (before < 2) contents = Flipped(contents);
      return absl::OkStatus();
    };
    const auto cache = Open(set, source, "xxh64");
    ExpectReads(*cache, set);
    EXPECT_EQ(source->fetches(), 3);
    EXPECT_EQ(cache->Stats().verify_failures, 2);
    EXPECT_EQ(folder_.Names(), Names{"shard.00000.mds"});
    std::filesystem::remove(folder_ / "shard.00000.mds");
  }
}

// Python raises once, and serves the damaged file from then on.
TEST_F(ShardCacheTest, NeverServesWhatTheStoreHasDamaged) {
  for (const std::string compression : {"", "zstd"}) {
    const FakeSet set = MakeFakeSet(1, 10000, compression);
    const auto source = Source(set);
    source->on_fetch = [](absl::string_view, int, std::string& contents) {
      contents = Flipped(contents);
      return absl::OkStatus();
    };
    const auto cache = Open(set, source, "xxh64");
    for (int i = 1; i <= 2; ++i) {
      const absl::Status status = cache->Acquire(0).status();
      EXPECT_TRUE(absl::IsDataLoss(status)) << status;
      EXPECT_TRUE(Says(status, "fake://store/shard.00000.mds")) << status;
      EXPECT_TRUE(Says(status, "fetched 3 times, but its xxh64 is ")) << status;
      EXPECT_EQ(source->fetches(), 3 * i);
      EXPECT_EQ(folder_.Names(), Names{});
    }
  }
}

TEST_F(ShardCacheTest, WithoutAHashDamageShowsInDecompressingAndInSizes) {
  const FakeSet zipped = MakeFakeSet(1, 10000, "zstd");
  const FakeSet plain = MakeFakeSet(1, 10000);
  for (const FakeSet& set : {zipped, plain}) {
    const auto source = Source(set);
    source->on_fetch = [&](absl::string_view, int, std::string& contents) {
      contents = set.shards[0].zip ? std::string(contents.size(), 'x') : contents + "x";
      return absl::OkStatus();
    };
    const absl::Status status = Open(set, source)->Acquire(0).status();
    EXPECT_TRUE(absl::IsDataLoss(status)) << status;
    EXPECT_EQ(folder_.Names(), Names{});
  }
}

// Python ends the epoch early, without a word.
TEST_F(ShardCacheTest, AnErrorOfTheSourceIsFinalAndReachesAllThatWait) {
  const FakeSet set = MakeFakeSet(1, 10000);
  const auto source = Source(set);
  std::atomic<int> waiting = 0;
  source->on_fetch = [&](absl::string_view, int, std::string&) {
    while (waiting < 4) std::this_thread::yield();
    return absl::UnavailableError("fake://store/shard.00000.mds: slow down, 10 attempts");
  };
  const auto cache = Open(set, source);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      ++waiting;
      const absl::Status status = cache->Acquire(0).status();
      EXPECT_TRUE(Says(status, "fake://store/shard.00000.mds: slow down")) << status;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(source->fetches(), 1);
  EXPECT_EQ(folder_.Names(), Names{});
  source->on_fetch = nullptr;
  ExpectReads(*cache, set);
}

TEST_F(ShardCacheTest, RemovesWhatDeadProcessesLeftAndNothingElse) {
  const FakeSet set = MakeFakeSet(1, 1000);
  const auto live = TempFile::Create(folder_ / "shard.00000.mds", 10);
  ASSERT_TRUE(live.ok()) << live.status();
  Names expected = folder_.Names();
  folder_.Write(".shard.00000.mds.77-3.tessera.tmp", "dead");
  for (const std::string foreign : {"shard.00000.mds.7e0CabeA", ".shard.00000.mds.tmp", "a.txt"}) {
    folder_.Write(foreign, "foreign");
    expected.insert(foreign);
  }
  const auto cache = Open(set, Source(set));
  EXPECT_EQ(folder_.Names(), expected);
  ExpectReads(*cache, set);
  EXPECT_EQ(cache->Stats().bytes_on_disk, 1010);
}

TEST_F(ShardCacheTest, RefusesNamesThatLeaveTheFolder) {
  for (const std::string name : {"../a", "/a", "a/../../b", "a//b", "", "./a"}) {
    FakeSet set = MakeFakeSet(1, 10);
    set.shards[0].raw.name = name;
    EXPECT_TRUE(absl::IsInvalidArgument(OpenError(set))) << name;
  }
}

TEST_F(ShardCacheTest, RefusesTwoShardsThatWouldBeOneFile) {
  FakeSet set = MakeFakeSet(2, 10);
  set.shards[1].raw.name = set.shards[0].raw.name;
  const absl::Status status = OpenError(set);
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_TRUE(Says(status, "shard.00000.mds, of 10 and of 11 bytes")) << status;
}

TEST_F(ShardCacheTest, RefusesToValidateAHashThatTheIndexLacks) {
  const absl::Status lacking = OpenError(MakeFakeSet(1, 10), "sha1");
  EXPECT_TRUE(Says(lacking, "no sha1")) << lacking;
  EXPECT_TRUE(Says(lacking, "xxh64")) << lacking;
  EXPECT_FALSE(OpenError(MakeFakeSet(1, 10), "sha0").ok());
}

TEST_F(ShardCacheTest, AFolderMayHaveAnExpanderOfItsOwn) {
  FakeSet set = MakeFakeSet(1, 20000, "zstd");
  set.shards[0].compression = "no codec's name";
  uint64_t bytes = 20000;  // that it gives
  const auto expander = [&](absl::string_view zip,
                            absl::FunctionRef<absl::Status(absl::string_view)> sink) {
    EXPECT_EQ(zip, set.store.begin()->second);
    std::string contents = set.contents[0];
    contents.resize(bytes);
    const absl::Status status = sink(absl::string_view(contents).substr(0, 7000));
    return status.ok() ? sink(absl::string_view(contents).substr(7000)) : status;
  };
  const auto open = [&] {
    return ShardCache::Open({},
                            {{.path = folder_.path(), .source = Source(set), .expander = expander}},
                            set.CacheShards())
        .value();
  };
  bytes = 19999;
  EXPECT_TRUE(Says(open()->Prefetch(0), "it holds 19999 bytes, but in the index 20000"));
  bytes = 20001;
  EXPECT_TRUE(Says(open()->Prefetch(0), "it holds more than the 20000 bytes"));
  EXPECT_EQ(folder_.Names(), Names{});
  bytes = 20000;
  ExpectReads(*open(), set);
}

TEST_F(ShardCacheTest, AStopIsHandedToTheSource) {
  const FakeSet set = MakeFakeSet(1, 1000);
  const auto source = Source(set);
  absl::Notification stop;
  source->on_fetch = [&](absl::string_view, int before, std::string&) {
    if (before == 0) stop.Notify();
    return absl::OkStatus();
  };
  const auto cache = Open(set, source);
  EXPECT_TRUE(absl::IsCancelled(cache->Prefetch(0, &stop)));
  EXPECT_EQ(folder_.Names(), Names{});
  ExpectReads(*cache, set);
  EXPECT_TRUE(cache->Prefetch(0, &stop).ok()) << "it is there";
}

// A fetch that lasts until it is told to end.
class SlowFetch {
 public:
  explicit SlowFetch(FakeSource* source) {
    source->on_fetch = [this](absl::string_view, int before, std::string&) {
      if (before > 0) return absl::OkStatus();
      begun.Notify();
      end.WaitForNotification();
      return absl::OkStatus();
    };
  }
  absl::Notification begun, end;
};

TEST_F(ShardCacheTest, AStopEndsTheWaitForAnothersFetch) {
  const FakeSet set = MakeFakeSet(1, 1000);
  const auto source = Source(set);
  SlowFetch fetch(source.get());
  const auto cache = Open(set, source);
  const auto other = Open(set, source);  // as another process has it
  std::thread fetching([&] { ExpectReads(*cache, set); });
  fetch.begun.WaitForNotification();
  for (ShardCache* const waiting : {cache.get(), other.get()}) {
    absl::Notification stop;
    std::thread reader([&] { EXPECT_TRUE(absl::IsCancelled(waiting->Prefetch(0, &stop))); });
    stop.Notify();
    reader.join();
  }
  fetch.end.Notify();
  fetching.join();
  EXPECT_EQ(source->fetches(), 1);
}

TEST_F(ShardCacheTest, TheStopOfOneIsNotThatOfAnother) {
  const FakeSet set = MakeFakeSet(1, 1000);
  const auto source = Source(set);
  SlowFetch fetch(source.get());
  const auto cache = Open(set, source);
  absl::Notification stop, other;
  std::thread stopped([&] { EXPECT_TRUE(absl::IsCancelled(cache->Prefetch(0, &stop))); });
  fetch.begun.WaitForNotification();
  std::thread reader([&] { EXPECT_TRUE(cache->Prefetch(0, &other).ok()); });
  stop.Notify();
  fetch.end.Notify();
  stopped.join();
  reader.join();
  ExpectReads(*cache, set);
}

}  // namespace
}  // namespace tessera
