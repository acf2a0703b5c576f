#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "data/image/decode.h"
#include "train/callbacks/overlay.h"
#include "train/callbacks/sample_files.h"
#include "train/callbacks/save_predictions.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;

// Samples that have only names.
class Names : public Dataset {
 public:
  explicit Names(std::vector<std::string> names) : names_(std::move(names)) {}
  int64_t size() const override { return static_cast<int64_t>(names_.size()); }
  absl::StatusOr<Sample> Get(int64_t index) const override {
    Sample sample;
    sample.name = names_[index];
    return sample;
  }

 private:
  const std::vector<std::string> names_;
};

std::string TemporaryFolder(const std::string& name) {
  const std::string path = ::testing::TempDir() + "/" + name;
  std::filesystem::remove_all(path);
  return path;
}

std::string Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// The evaluation of two samples of 1 x 2 pixels at the end of a training.
State EndOfTraining() {
  State state;
  state.length.max_batches = state.timestamp.batch = 12;
  Evaluation& evaluation = state.evaluation.emplace(3, 255);
  Batch& batch = evaluation.batch;
  batch = {.size = 2,
           .height = 1,
           .width = 2,
           .images = {},
           .labels = {},
           .classes = {},
           .sample_ids = {0, 1}};
  // Normalised by mean 10 20 30, std 10.
  batch.images = std::shared_ptr<float[]>(new float[12]{0, 0, 0, 9, 8, 7, 0, 0, 0, 0, 0, 0});
  batch.labels = std::shared_ptr<uint8_t[]>(new uint8_t[4]{1, 255, 0, 0});
  static const uint8_t predictions[] = {0, 2, 1, 2};
  evaluation.predictions = predictions;
  return state;
}

TEST(SampleFilesTest, MakesSafeFileNames) {
  EXPECT_EQ(FileStem("ADE_val_00000001.jpg"), "ADE_val_00000001");
  EXPECT_EQ(FileStem("a/b c/d.e.png"), "a_b_c_d.e");
  EXPECT_EQ(FileStem("../../etc/passwd"), "etc_passwd");
  EXPECT_EQ(FileStem("\xc3\xa9.png"), "");
}

TEST(SampleFilesTest, KeepsSamplesApart) {
  SampleFiles files(std::make_shared<Names>(std::vector<std::string>{"a.jpg", "a.png", "", "b"}));
  EXPECT_EQ(files.Stem(0).value(), "a");
  EXPECT_EQ(files.Stem(1).value(), "a_1");
  EXPECT_EQ(files.Stem(2).value(), "sample_2");
  EXPECT_EQ(files.Stem(3).value(), "b");
  EXPECT_EQ(files.Stem(0).value(), "a");
}

TEST(OverlayTest, UsesVocsColoursButKeepsBlackForIgnoredPixels) {
  EXPECT_THAT(ClassColor(0), ElementsAre(128, 0, 0));
  EXPECT_THAT(ClassColor(2), ElementsAre(128, 128, 0));
  EXPECT_THAT(ClassColor(7), ElementsAre(64, 0, 0));
  EXPECT_THAT(ClassColor(14), ElementsAre(192, 128, 128));
}

TEST(OverlayTest, DrawsImageLabelsAndPredictionsSideBySide) {
  Normalization normalization;
  for (const float mean : {10, 20, 30}) normalization.add_mean(mean);
  for (int c = 0; c < 3; ++c) normalization.add_std(10);
  const std::string folder = TemporaryFolder("images");
  // One of the two samples is drawn, the first.
  Overlay overlay({.folder = folder, .image_samples = 1, .ignore_index = 255},
                  std::make_shared<Names>(std::vector<std::string>{"first.jpg", "second.jpg"}),
                  Normalizer::Create(normalization).value());
  ASSERT_TRUE(overlay.Run(Event::kEvalBatchEnd, EndOfTraining()).ok());

  Image picture;
  ASSERT_TRUE(DecodeRgb(Contents(folder + "/ba000012/first.png"), &picture).ok());
  EXPECT_EQ(picture.height, 1);
  EXPECT_EQ(picture.width, 6);
  EXPECT_THAT(picture.pixels, ElementsAre(10, 20, 30, 100, 100, 100,   // image
                                          5, 74, 15, 0, 0, 0,          // class 1, ignored
                                          69, 10, 15, 114, 114, 50));  // classes 0 and 2
  EXPECT_FALSE(std::filesystem::exists(folder + "/ba000012/second.png"));
}

TEST(SavePredictionsTest, WritesTheLastEvaluationInTheFormOfTheSetsMasks) {
  const std::string folder = TemporaryFolder("predictions");
  SavePredictions save(
      folder, std::make_shared<Names>(std::vector<std::string>{"x/first.jpg", "x/second.jpg"}),
      LabelMap::Create({.num_classes = 3, .reduce_zero_label = true}).value());
  State state = EndOfTraining();
  state.length.max_batches = 13;
  ASSERT_TRUE(save.Run(Event::kEvalBatchEnd, state).ok());
  EXPECT_FALSE(std::filesystem::exists(folder));

  ASSERT_TRUE(save.Run(Event::kEvalBatchEnd, EndOfTraining()).ok());
  Image mask;
  ASSERT_TRUE(DecodeMask(Contents(folder + "/x_second.png"), &mask).ok());
  EXPECT_THAT(mask.pixels, ElementsAre(2, 3));
}

}  // namespace
}  // namespace tessera
