#include "data/formats/webdataset/sample_key.h"

#include <optional>
#include <string>
#include <utility>

#include "gtest/gtest.h"

namespace tessera {
namespace {

using Parts = std::pair<std::string, std::string>;

std::optional<Parts> Split(absl::string_view name) {
  const std::optional<SampleKey> split = SplitSampleName(name);
  if (!split.has_value()) return std::nullopt;
  return Parts(std::string(split->key), split->extension);
}

// webdataset 1.0.2: base_plus_ext, and lcase of the extension.
TEST(SampleKeyTest, SplitsAsPythonDoes) {
  EXPECT_EQ(Split("a.jpg"), Parts("a", "jpg"));
  EXPECT_EQ(Split("a.b.jpg"), Parts("a", "b.jpg"));
  EXPECT_EQ(Split("d.x/a.jpg"), Parts("d.x/a", "jpg"));
  EXPECT_EQ(Split("a/b.c/d.e.f"), Parts("a/b.c/d", "e.f"));
  EXPECT_EQ(Split("a."), Parts("a", ""));
  EXPECT_EQ(Split("a..jpg"), Parts("a", ".jpg"));
  EXPECT_EQ(Split("./a.jpg"), Parts("./a", "jpg"));
  EXPECT_EQ(Split("../a.jpg"), Parts("../a", "jpg"));
  EXPECT_EQ(Split("/abs/a.jpg"), Parts("/abs/a", "jpg"));
  EXPECT_EQ(Split("22.0/1.1.png"), Parts("22.0/1", "1.png"));
}

TEST(SampleKeyTest, TheKeyKeepsItsCase) { EXPECT_EQ(Split("Ab.C.JPG"), Parts("Ab", "c.jpg")); }

TEST(SampleKeyTest, FilesWithoutAnExtensionAreOfNoSample) {
  for (const char* const name : {"", "a", "README", "d.x/a", ".a", ".a.jpg", "d.x/.a", "/"}) {
    EXPECT_EQ(Split(name), std::nullopt) << name;
  }
}

// Odd, but keys must be those that Python's users have.
TEST(SampleKeyTest, AFolderMayBeTheKeyOfADotFile) {
  EXPECT_EQ(Split("d/.a.jpg"), Parts("d/", "a.jpg"));
  EXPECT_EQ(Split("a/b/.c"), Parts("a/b/", "c"));
  EXPECT_EQ(Split("a.b/c/.d"), Parts("a.b/c/", "d"));
  EXPECT_EQ(Split("a.b/.d"), std::nullopt);
}

TEST(SampleKeyTest, NamesInUnderscoresAreWebDatasetsOwn) {
  for (const char* const name : {"__meta__", "__x__/a.jpg", "____"}) {
    EXPECT_EQ(Split(name), std::nullopt) << name;
  }
  EXPECT_EQ(Split("__key__.jpg"), Parts("__key__", "jpg"));
  EXPECT_EQ(Split("d/__x__/a.jpg"), Parts("d/__x__/a", "jpg"));
  EXPECT_EQ(Split("___.jpg"), Parts("___", "jpg"));
}

}  // namespace
}  // namespace tessera
