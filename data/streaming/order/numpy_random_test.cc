#include "data/streaming/order/numpy_random.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/types/span.h"
#include "data/streaming/order/golden_json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::ElementsAreArray;
using Ids = std::vector<int64_t>;

// Each test draws from fresh generators, over every seed of the golden file that 64 bits can hold.
class NumpyRandomTest : public testing::Test {
 protected:
  struct Vectors {
    uint64_t seed;
    nlohmann::json golden;
  };

  NumpyRandomTest() {
    const nlohmann::json file = GoldenJson("rng_vectors.json");
    for (const auto& [seed, golden] : file.items()) {
      Vectors vectors = {.seed = 0, .golden = golden};
      if (absl::SimpleAtoi(seed, &vectors.seed)) all_.push_back(vectors);
    }
    EXPECT_EQ(all_.size(), 5);
  }

  static Ids First(Ids ids, size_t count) {
    ids.resize(count);
    return ids;
  }

  std::vector<Vectors> all_;
};

double FromHex(const nlohmann::json& value) {
  return std::strtod(value.get<std::string>().c_str(), nullptr);
}

TEST_F(NumpyRandomTest, DrawsRawNumbers) {
  for (const Vectors& v : all_) {
    NumpyRandom random(v.seed);
    for (const auto& expected : v.golden["u64_first8"]) {
      EXPECT_EQ(std::to_string(random.Next64()), expected) << v.seed;
    }
  }
}

TEST_F(NumpyRandomTest, DrawsDoubles) {
  for (const Vectors& v : all_) {
    NumpyRandom random(v.seed);
    for (const auto& expected : v.golden["doubles_hex_first4"]) {
      EXPECT_EQ(random.Random(), FromHex(expected)) << v.seed;
    }
  }
}

TEST_F(NumpyRandomTest, DrawsIntegers) {
  for (const Vectors& v : all_) {
    NumpyRandom random(v.seed);
    for (const auto& expected : v.golden["integers_0_1000_x16"]) {
      EXPECT_EQ(random.Integers(0, 1000), expected) << v.seed;
    }
  }
}

TEST_F(NumpyRandomTest, Shuffles) {
  for (const Vectors& v : all_) {
    Ids ids(20);
    for (int64_t i = 0; i < 20; ++i) ids[i] = i;
    NumpyRandom(v.seed).Shuffle(absl::MakeSpan(ids));
    EXPECT_THAT(ids, ElementsAreArray(v.golden["shuffle_list_20"].get<Ids>())) << v.seed;
    EXPECT_THAT(NumpyRandom(v.seed).Permutation(20),
                ElementsAreArray(v.golden["permutation_20"].get<Ids>()))
        << v.seed;
  }
}

TEST_F(NumpyRandomTest, ChoosesWithoutReplacement) {
  for (const Vectors& v : all_) {
    EXPECT_EQ(NumpyRandom(v.seed).Choice(100, 7), v.golden["choice_100_7_noreplace"].get<Ids>());
    // More than a fiftieth of more than 10000: another algorithm.
    EXPECT_EQ(First(NumpyRandom(v.seed).Choice(20000, 500), 20),
              v.golden["choice_20000_500_noreplace_first20"].get<Ids>());
    EXPECT_EQ(First(NumpyRandom(v.seed).Choice(20000, 100), 20),
              v.golden["choice_20000_100_noreplace_first20"].get<Ids>());
  }
}

TEST_F(NumpyRandomTest, KeepsTheHalfOfANumberBetweenCallsOfOtherKinds) {
  for (const Vectors& v : all_) {
    const nlohmann::json& out = v.golden["mixed"]["out"];
    NumpyRandom random(v.seed);
    EXPECT_EQ(std::to_string(random.Integers(0, 10)), out[0]);
    EXPECT_EQ(random.Random(), FromHex(out[1]));
    EXPECT_EQ(std::to_string(random.Integers(0, 10)), out[2]);
    EXPECT_EQ(std::to_string(random.Integers(5, 5 + (int64_t{1} << 33))), out[3]);
    EXPECT_EQ(random.Uniform(-2.5, 7.0), FromHex(out[4]));
    EXPECT_EQ(std::to_string(random.Integers(3, 4)), out[5]);
    EXPECT_EQ(std::to_string(random.Integers(0, 1000)), out[6]);
  }
}

TEST(NumpyRandom, LeavesListsOfNoneAndOneAlone) {
  NumpyRandom random(1);
  EXPECT_TRUE(random.Permutation(0).empty());
  EXPECT_EQ(random.Permutation(1), Ids{0});
  EXPECT_TRUE(random.Choice(5, 0).empty());
  EXPECT_EQ(random.Next64(), NumpyRandom(1).Next64());
}

}  // namespace
}  // namespace tessera
