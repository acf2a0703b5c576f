#include "data/storage/write_with_retries.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

// Fails with `error` so many times, then takes the object.
class FailingStore : public Store {
 public:
  FailingStore(absl::Status error, int times) : error_(std::move(error)), left_(times) {}

  std::string Uri(absl::string_view key) const override { return absl::StrCat("test://", key); }
  std::optional<std::string> LocalPath(absl::string_view) const override { return std::nullopt; }
  absl::Status ReadRange(absl::string_view, uint64_t, uint64_t, absl::Span<char>,
                         std::string*) override {
    return absl::UnimplementedError("");
  }
  absl::StatusOr<uint64_t> Size(absl::string_view) override { return absl::UnimplementedError(""); }
  absl::StatusOr<std::string> Read(absl::string_view) override {
    return absl::UnimplementedError("");
  }
  absl::Status Write(absl::string_view, absl::Span<const absl::string_view> pieces) override {
    ++writes;
    if (left_-- > 0) return error_;
    for (const absl::string_view piece : pieces) absl::StrAppend(&contents, piece);
    return absl::OkStatus();
  }

  int writes = 0;
  std::string contents;

 private:
  const absl::Status error_;
  int left_;
};

class NoWait : public Clock {
 public:
  absl::Time Now() override { return absl::UnixEpoch(); }
  void Sleep(absl::Duration) override {}
};

absl::Status Write(Store& store) {
  NoWait clock;
  const absl::string_view pieces[] = {"a", "b"};
  return WriteWithRetries(store, "k", pieces, {.attempts = 3}, &clock);
}

TEST(WriteWithRetriesTest, OutlastsWhatPasses) {
  FailingStore store(absl::ResourceExhaustedError("slow down"), 2);
  EXPECT_EQ(Write(store), absl::OkStatus());
  EXPECT_EQ(store.contents, "ab");
}

TEST(WriteWithRetriesTest, SaysWhatDoesNot) {
  FailingStore busy(absl::ResourceExhaustedError("slow down"), 3);
  EXPECT_EQ(Write(busy),
            absl::ResourceExhaustedError("test://k: 3 attempts in 0, the last: slow down"));
  FailingStore denied(absl::PermissionDeniedError("no"), 3);
  EXPECT_TRUE(absl::IsPermissionDenied(Write(denied)));
  EXPECT_EQ(denied.writes, 1);
}

}  // namespace
}  // namespace tessera
