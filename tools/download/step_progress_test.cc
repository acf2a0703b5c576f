#include "tools/download/step_progress.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/time/time.h"
#include "data/storage/attempts.h"

namespace tessera {
namespace {

class TestClock : public Clock {
 public:
  absl::Time Now() override { return now_; }
  void Sleep(absl::Duration wait) override { now_ += wait; }

 private:
  absl::Time now_ = absl::UnixEpoch();
};

TEST(StepProgressTest, SaysHowFarAndHowFastEveryTenSeconds) {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* const lines = open_memstream(&text, &size);
  TestClock clock;
  StepProgress progress(/*terminal=*/false, lines, &clock);
  for (uint64_t second = 0; second <= 24; ++second) {
    progress.Show({"download", 50'000'000 + second * 3'000'000, 967'382'037, true});
    clock.Sleep(absl::Seconds(1));
  }
  for (uint64_t second = 0; second <= 10; ++second) {
    progress.Show({"extract", second * 100, 44420, false});
    clock.Sleep(absl::Seconds(1));
  }
  std::fclose(lines);
  EXPECT_EQ(std::string(text),
            "download: 80.0 of 967 MB, 3.0 MB/s\n"
            "download: 110.0 of 967 MB, 3.0 MB/s\n"
            "extract: 1000 of 44420 files, 100.0 files/s\n");
  std::free(text);
}

TEST(StepProgressTest, NeedsNoTotal) {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* const lines = open_memstream(&text, &size);
  TestClock clock;
  StepProgress progress(/*terminal=*/false, lines, &clock);
  progress.Show({"download", 0, 0, true});
  clock.Sleep(absl::Seconds(10));
  progress.Show({"download", 1'500'000, 0, true});
  std::fclose(lines);
  EXPECT_EQ(std::string(text), "download: 1.5 MB, 0.1 MB/s\n");
  std::free(text);
}

}  // namespace
}  // namespace tessera
