#include "data/storage/write_with_retries.h"

#include <gtest/gtest.h>

#include "data/storage/memory_store.h"
#include "data/storage/no_wait_clock.h"

namespace tessera {
namespace {

// Makes the first `times` writes fail.
void Fail(absl::Status error, int times, MemoryStore& store, int* writes = nullptr) {
  store.on_write = [=, made = 0]() mutable {
    if (writes != nullptr) ++*writes;
    return made++ < times ? error : absl::OkStatus();
  };
}

absl::Status Write(Store& store) {
  NoWaitClock clock;
  const absl::string_view pieces[] = {"a", "b"};
  return WriteWithRetries(store, "k", pieces, {.attempts = 3}, &clock);
}

TEST(WriteWithRetriesTest, OutlastsWhatPasses) {
  MemoryStore store;
  Fail(absl::ResourceExhaustedError("slow down"), 2, store);
  EXPECT_EQ(Write(store), absl::OkStatus());
  EXPECT_EQ(store.objects["k"], "ab");
}

TEST(WriteWithRetriesTest, SaysWhatDoesNot) {
  MemoryStore busy("test://");
  Fail(absl::ResourceExhaustedError("slow down"), 3, busy);
  EXPECT_EQ(Write(busy),
            absl::ResourceExhaustedError("test://k: 3 attempts in 0, the last: slow down"));
  MemoryStore denied;
  int writes = 0;
  Fail(absl::PermissionDeniedError("no"), 3, denied, &writes);
  EXPECT_TRUE(absl::IsPermissionDenied(Write(denied)));
  EXPECT_EQ(writes, 1);
}

}  // namespace
}  // namespace tessera
