#include "data/streaming/cache/doorbell.h"

#include <memory>

#include "absl/synchronization/notification.h"
#include "data/streaming/cache/test_folder.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

TEST(DoorbellTest, AllThatShareTheFileAnswer) {
  const TestFolder folder;
  absl::Notification a;
  absl::Notification b;
  const auto first = Doorbell::Open(folder / "bell", [&] { a.Notify(); }).value();
  const auto second = Doorbell::Open(folder / "bell", [&] { b.Notify(); }).value();
  first->Ring();
  a.WaitForNotification();
  b.WaitForNotification();
}

TEST(DoorbellTest, OldRingsAndClosingsAreNotAnswered) {
  const TestFolder folder;
  Doorbell::Open(folder / "bell", [] {}).value()->Ring();
  int answers = 0;
  {
    const auto listening = Doorbell::Open(folder / "bell", [&] { ++answers; }).value();
    for (int i = 0; i < 10; ++i) Doorbell::Open(folder / "bell", [] {}).value().reset();
  }
  EXPECT_EQ(answers, 0);
}

TEST(DoorbellTest, AFolderThatIsNotThereIsAnError) {
  const TestFolder folder;
  EXPECT_FALSE(Doorbell::Open(folder / "none/bell", [] {}).ok());
}

}  // namespace
}  // namespace tessera
