#include "data/formats/hash/hash.h"

#include <algorithm>
#include <string>

#include "absl/strings/string_view.h"
#include "base/read_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

using ::testing::HasSubstr;

// By length of the input, then by algorithm.
nlohmann::json Golden() {
  return nlohmann::json::parse(*ReadFile("data/formats/hash/testdata/golden.json"));
}

std::string Input(const std::string& length) {
  std::string input(std::stoul(length), '\0');
  for (size_t i = 0; i < input.size(); ++i) input[i] = static_cast<char>(i % 251);
  return input;
}

TEST(HashTest, DigestsArePythons) {
  const nlohmann::json golden = Golden();
  int compared = 0;
  for (const auto& [length, digests] : golden.items()) {
    for (const auto& [algorithm, hex] : digests.items()) {
      const auto found = HashHex(algorithm, Input(length));
      ASSERT_TRUE(found.ok()) << found.status();
      EXPECT_EQ(*found, hex.get<std::string>()) << algorithm << " of " << length;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 4 * 17);
}

TEST(HashTest, BytesMayComeInPieces) {
  const std::string input = Input("5000");
  const nlohmann::json golden = Golden();
  for (const auto& [algorithm, hex] : golden["5000"].items()) {
    const auto hasher = Hasher::Create(algorithm);
    ASSERT_TRUE(hasher.ok()) << hasher.status();
    absl::string_view rest = input;
    for (size_t piece = 0; !rest.empty(); piece = piece * 3 + 1) {
      (*hasher)->Update(rest.substr(0, piece));
      rest.remove_prefix(std::min(piece, rest.size()));
    }
    EXPECT_EQ((*hasher)->Hex(), hex.get<std::string>()) << algorithm;
  }
}

TEST(HashTest, UnknownNameListsTheKnown) {
  const std::string message(HashHex("crc32", "").status().message());
  EXPECT_THAT(message, HasSubstr("\"crc32\""));
  const nlohmann::json golden = Golden();
  for (const auto& [algorithm, hex] : golden["0"].items()) {
    EXPECT_THAT(message, HasSubstr(algorithm));
  }
}

}  // namespace
}  // namespace tessera
