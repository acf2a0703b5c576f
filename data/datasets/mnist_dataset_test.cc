#include "data/datasets/mnist_dataset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/write_file.h"
#include "data/image/decode.h"

namespace tessera {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class MnistDatasetTest : public ::testing::Test {
 protected:
  MnistDatasetTest()
      : root_(std::filesystem::path(std::getenv("TEST_TMPDIR")) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::create_directories(root_);
    config_.set_root(root_.string());
  }

  void Write(const std::string& name, const std::string& contents) const {
    ASSERT_TRUE(WriteFile((root_ / name).string(), contents).ok());
  }

  const std::filesystem::path root_;
  MnistConfig config_;
};

const std::string kTwoImages("\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x02\x01\x02\x03\x04", 20);
const std::string kTwoLabels("\0\0\x08\x01\0\0\0\x02\x07\x09", 10);
const std::string kThreeLabels("\0\0\x08\x01\0\0\0\x03\x07\x09\x01", 11);

TEST_F(MnistDatasetTest, ReadsEitherWayOfNamingTheFiles) {
  Write("train-images-idx3-ubyte", kTwoImages);
  Write("train-labels.idx1-ubyte", kTwoLabels);
  const auto dataset = OpenMnistDataset(config_, true);
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  ASSERT_EQ((*dataset)->size(), 2);
  const Sample sample = *(*dataset)->Get(1);
  EXPECT_EQ(sample.label, 9);
  EXPECT_EQ(sample.name, "train_00001");
  EXPECT_EQ(sample.image.height, 1);
  EXPECT_EQ(sample.image.width, 2);
  EXPECT_EQ(sample.image.bytes, "\x03\x04");
}

TEST_F(MnistDatasetTest, SaysWhatIsWrong) {
  const auto message = [this] {
    return std::string(OpenMnistDataset(config_, false).status().message());
  };
  EXPECT_THAT(message(), HasSubstr("t10k-images-idx3-ubyte.gz"));
  Write("t10k-images-idx3-ubyte", kTwoImages);
  Write("t10k-labels-idx1-ubyte", kThreeLabels);
  EXPECT_THAT(message(), AllOf(HasSubstr("has 2 images"), HasSubstr("has 3 labels")));
  Write("t10k-labels-idx1-ubyte", "");
  EXPECT_THAT(message(), HasSubstr("t10k-labels-idx1-ubyte is empty"));
  Write("t10k-images-idx3-ubyte", kTwoImages.substr(0, 18));
  EXPECT_THAT(message(), HasSubstr("t10k-images-idx3-ubyte is truncated"));
  Write("t10k-images-idx3-ubyte", kTwoLabels);
  EXPECT_THAT(message(), HasSubstr("has 1 dimensions, expected 3"));
}

TEST_F(MnistDatasetTest, TheDigitsAreThereAndTheSameAsFromTheirFiles) {
  for (const bool train : {true, false}) {
    const auto embedded = OpenDigitsDataset(train);
    ASSERT_TRUE(embedded.ok()) << embedded.status();
    ASSERT_EQ((*embedded)->size(), train ? 1500 : 297);
    config_.set_root("data/datasets/digits");
    const auto files = OpenMnistDataset(config_, train);
    ASSERT_TRUE(files.ok()) << files.status();
    std::array<int, 10> count{};
    Image image;
    for (int64_t i = 0; i < (*embedded)->size(); ++i) {
      const Sample a = *(*embedded)->Get(i), b = *(*files)->Get(i);
      ASSERT_EQ(a.image.bytes, b.image.bytes);
      ASSERT_EQ(a.label, b.label);
      ASSERT_TRUE(DecodeRgb(a.image, &image).ok());
      ASSERT_EQ(image.pixels.size(), 3u * 8 * 8);
      ++count.at(a.label);
    }
    for (const int times : count) EXPECT_GT(times, 20);
  }
}

}  // namespace
}  // namespace tessera
