#include "base/run_in_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <string>
#include <vector>

namespace tessera {
namespace {

TEST(RunInOrderTest, UsesWhatIsMadeInOrder) {
  for (const int threads : {1, 2, 7}) {
    for (const int64_t chunk : {1, 3, 64, 1000}) {
      std::atomic<int64_t> made = 0;
      std::vector<int64_t> used;
      const absl::Status status = RunInOrder<std::string>(
          5, 205, threads, chunk,
          [&](int64_t i) {
            ++made;
            return std::to_string(i);
          },
          [&](int64_t i, std::string text) {
            EXPECT_EQ(text, std::to_string(i));
            EXPECT_LE(made, static_cast<int64_t>(used.size()) + chunk * (3 * threads + 3));
            used.push_back(i);
            return absl::OkStatus();
          });
      EXPECT_TRUE(status.ok());
      std::vector<int64_t> want(200);
      std::iota(want.begin(), want.end(), 5);
      EXPECT_EQ(used, want);
      EXPECT_EQ(made, 200);
    }
  }
}

TEST(RunInOrderTest, TheFirstErrorEndsIt) {
  std::vector<int64_t> used;
  const absl::Status status = RunInOrder<int64_t>(
      0, 1'000'000, 3, 8, [](int64_t i) { return i; },
      [&](int64_t i, int64_t) {
        used.push_back(i);
        return i == 10 ? absl::DataLossError("ten") : absl::OkStatus();
      });
  EXPECT_EQ(status.message(), "ten");
  EXPECT_EQ(used.size(), 11u);
}

TEST(RunInOrderTest, AnEmptyRangeIsNothing) {
  const absl::Status status = RunInOrder<int>(
      3, 3, 2, 4, [](int64_t) { return 0; },
      [](int64_t, int) { return absl::InternalError("used"); });
  EXPECT_TRUE(status.ok());
}

}  // namespace
}  // namespace tessera
