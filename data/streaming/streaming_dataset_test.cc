#include "data/streaming/streaming_dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <future>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "data/order/sample_order.h"
#include "data/streaming/streaming_set.h"
#include "tests/servers/fault_server.h"

namespace tessera {
namespace {

class InOrder : public EpochOrder {
 public:
  explicit InOrder(int64_t size) : size_(size) {}
  int64_t size() const override { return size_; }
  int64_t At(int64_t position) const override { return position; }

 private:
  const int64_t size_;
};

// A store that asks to wait for two minutes holds up neither the end of a run nor those who wait.
TEST(StreamingDatasetTest, EndsWithoutWaitingForTheNextAttempt) {
  const FaultServer server("data/formats/mds/testdata/a_plain",
                           R"({"/shard.00000.mds": [{"status": 503, "code": "SlowDown",
                               "headers": {"Retry-After": "120"}, "times": -1}]})");
  StreamingConfig config;
  config.set_remote(server.Address());
  config.set_local(absl::StrCat(std::getenv("TEST_TMPDIR"), "/cache"));
  const std::shared_ptr<const StreamingSet> set = StreamingSet::Open(config, "").value();
  config.set_name_column("name");
  config.set_image_column("image");
  config.set_mask_column("mask");
  absl::StatusOr<std::shared_ptr<const Dataset>> dataset = MakeStreamingDataset(config, set);
  if (!dataset.ok()) GTEST_FAIL() << dataset.status();

  const InOrder order(set->size());
  std::unique_ptr<Readahead> readahead = (*dataset)->StartReadahead(order, 0, 4);
  ASSERT_NE(readahead, nullptr);
  auto waiting = std::async(std::launch::async, [&] { return (*dataset)->Get(0).status(); });
  // The shard has been asked for, and the attempt after that is far.
  const absl::Time deadline = absl::Now() + absl::Seconds(60);
  while (set->fetch_counters().requests < 2 && absl::Now() < deadline) {
    waiting.wait_for(std::chrono::milliseconds(10));
  }
  const absl::Time start = absl::Now();
  readahead = nullptr;
  EXPECT_TRUE(absl::IsCancelled(waiting.get()));
  EXPECT_LT(absl::Now() - start, absl::Seconds(20));
}

}  // namespace
}  // namespace tessera
