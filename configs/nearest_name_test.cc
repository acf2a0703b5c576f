#include "configs/nearest_name.h"

#include "gtest/gtest.h"

namespace tessera {
namespace {

TEST(SuggestNameTest, NamesTheNearest) {
  const std::vector<std::string> names = {"momentum", "dampening", "lr"};
  EXPECT_EQ(SuggestName("momentun", names), "; did you mean \"momentum\"?");
  EXPECT_EQ(SuggestName("dampning", names), "; did you mean \"dampening\"?");
  EXPECT_EQ(SuggestName("LR", names), "; did you mean \"lr\"?");
}

TEST(SuggestNameTest, ListsAllWhereNoneIsNear) {
  EXPECT_EQ(SuggestName("weight", {"lr", "beta"}), "; valid names: lr, beta");
  EXPECT_EQ(SuggestName("weight", {}), "");
}

}  // namespace
}  // namespace tessera
