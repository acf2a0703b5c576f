#include "train/stop_signal.h"

#include <gtest/gtest.h>

#include <csignal>

namespace tessera {
namespace {

TEST(StopSignalTest, NotesTheFirstSignal) {
  const StopSignal stop;
  EXPECT_EQ(stop.received(), 0);
  std::raise(SIGTERM);
  EXPECT_EQ(stop.received(), SIGTERM);
}

TEST(StopSignalTest, ASecondSignalEndsTheProcess) {
  EXPECT_EXIT(
      {
        const StopSignal stop;
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

TEST(StopSignalTest, AfterwardsSignalsEndTheProcess) {
  EXPECT_EXIT(
      {
        { const StopSignal stop; }
        std::raise(SIGTERM);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace tessera
