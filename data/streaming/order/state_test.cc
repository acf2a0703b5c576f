#include "data/streaming/order/state.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;

TEST(OrderState, ReadsWhatStreamingDatasetWrites) {
  const auto state = ParseOrderState(
      R"({"epoch": 3, "sample_in_epoch": 96, "num_canonical_nodes": 64, "shuffle_seed": 9176,
          "initial_physical_nodes": 2})");
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(state->epoch, 3);
  EXPECT_EQ(state->sample_in_epoch, 96);
  EXPECT_EQ(state->num_canonical_nodes, 64);
  EXPECT_EQ(state->shuffle_seed, 9176);
  EXPECT_EQ(state->initial_physical_nodes, 2);
}

TEST(OrderState, WritesWhatItReads) {
  const OrderState state = {.epoch = 1,
                            .sample_in_epoch = int64_t{1} << 40,
                            .num_canonical_nodes = 2,
                            .shuffle_seed = UINT64_MAX,
                            .initial_physical_nodes = 4};
  EXPECT_EQ(state.ToJson(),
            R"({"epoch":1,"initial_physical_nodes":4,"num_canonical_nodes":2,)"
            R"("sample_in_epoch":1099511627776,"shuffle_seed":18446744073709551615})");
  const auto again = ParseOrderState(state.ToJson());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->ToJson(), state.ToJson());
}

TEST(OrderState, AcceptsStatesWithoutInitialNodes) {
  for (const char* end : {"}", R"(, "initial_physical_nodes": null})"}) {
    const auto state =
        ParseOrderState(std::string(R"({"epoch": 0, "sample_in_epoch": 8, "num_canonical_nodes": 1,
                        "shuffle_seed": 1)") +
                        end);
    ASSERT_TRUE(state.ok()) << state.status();
    EXPECT_EQ(state->initial_physical_nodes, 0);
  }
}

TEST(OrderState, RefusesWhatIsNoState) {
  EXPECT_THAT(ParseOrderState("").status().ToString(), HasSubstr("found nothing"));
  EXPECT_THAT(ParseOrderState("[1]").status().ToString(), HasSubstr("expected a JSON object"));
  EXPECT_THAT(ParseOrderState(R"({"epoch": 0})").status().ToString(),
              HasSubstr("\"sample_in_epoch\" is missing"));
  EXPECT_THAT(ParseOrderState(R"({"epoch": -1, "sample_in_epoch": 0, "num_canonical_nodes": 1,
                                  "shuffle_seed": 1})")
                  .status()
                  .ToString(),
              HasSubstr("\"epoch\": expected a whole number of 0 or more; found -1"));
}

}  // namespace
}  // namespace tessera
