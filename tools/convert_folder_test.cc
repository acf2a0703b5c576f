#include "tools/convert_folder.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "base/write_file.h"
#include "data/datasets/folder_dataset.h"
#include "data/image/encode.h"
#include "data/streaming/streaming_dataset.h"
#include "data/streaming/streaming_set.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class ConvertFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto base = fs::path(std::getenv("TEST_TMPDIR")) /
                      ::testing::UnitTest::GetInstance()->current_test_info()->name();
    options_.from = (base / "from").string();
    options_.to = (base / "to").string();
    options_.size_limit = 4000;
    for (const char* part : {"images", "annotations"}) {
      fs::create_directories(fs::path(options_.from) / part / "training");
    }
    for (int i = 0; i < 9; ++i) AddPair(i);
  }

  std::string Path(const std::string& name) const { return absl::StrCat(options_.from, "/", name); }

  void AddPair(int i) const {
    Image image, mask;
    image.Resize(10, 20 + i, 3);
    mask.Resize(10, 20 + i, 1);
    for (size_t k = 0; k < image.pixels.size(); ++k) image.pixels[k] = (k * (i + 3)) % 251;
    mask.pixels[5] = i;
    ASSERT_TRUE(
        WriteFile(Path(absl::StrCat("images/training/", i, ".jpg")), *EncodeJpeg(image, 90)).ok());
    ASSERT_TRUE(
        WriteFile(Path(absl::StrCat("annotations/training/", i, ".png")), *EncodePng(mask)).ok());
  }

  static absl::StatusOr<ConvertSummary> ConvertTo(const ConvertOptions& options) {
    TESSERA_ASSIGN_OR_RETURN(const SplitPlan plan, PlanSplit(options, "training", "train"));
    return ConvertSplit(options, plan, [](int64_t, int64_t) {});
  }
  absl::StatusOr<ConvertSummary> Convert() const { return ConvertTo(options_); }

  ConvertOptions options_;
};

TEST_F(ConvertFolderTest, ShardsHoldTheFilesInTheOrderOfTheFolder) {
  const auto summary = Convert();
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->samples, 9);
  EXPECT_GT(summary->shards, 1);
  FolderConfig folder_config;
  folder_config.set_root(options_.from);
  StreamingConfig shards_config;
  shards_config.set_local(options_.to);
  const auto folder = *OpenFolderDataset(folder_config, "training");
  const auto set = StreamingSet::Open(shards_config, "train");
  ASSERT_TRUE(set.ok()) << set.status();
  const auto shards = MakeStreamingDataset(shards_config, *set);
  ASSERT_TRUE(shards.ok()) << shards.status();
  ASSERT_EQ((*shards)->size(), 9);
  for (int64_t i = 0; i < 9; ++i) {
    const Sample want = *folder->Get(i), got = *(*shards)->Get(i);
    EXPECT_EQ(got.name, want.name);
    EXPECT_EQ(got.image, want.image);
    EXPECT_EQ(got.mask, want.mask);
  }
  shards_config.set_mask_column("mask");
  EXPECT_THAT(std::string(MakeStreamingDataset(shards_config, *set).status().message()),
              AllOf(HasSubstr("no column \"mask\""), HasSubstr("uid (bytes), x (jpeg), y (png)")));
}

TEST_F(ConvertFolderTest, ThreadsDoNotChangeTheBytes) {
  ASSERT_TRUE(Convert().ok());
  ConvertOptions other = options_;
  other.to += "_one";
  other.num_threads = 1;
  ASSERT_TRUE(ConvertTo(other).ok());
  int files = 0;
  for (const auto& entry : fs::directory_iterator(options_.to + "/train")) {
    EXPECT_EQ(*ReadFile(entry.path().string()),
              *ReadFile(other.to + "/train/" + entry.path().filename().string()));
    ++files;
  }
  EXPECT_GT(files, 2);
}

TEST_F(ConvertFolderTest, DamagedImageIsNamedAndNothingIsLeft) {
  const std::string file = Path("images/training/7.jpg");
  const std::string whole = *ReadFile(file);
  ASSERT_TRUE(WriteFile(file, whole.substr(0, whole.size() / 2)).ok());
  EXPECT_THAT(std::string(Convert().status().message()), HasSubstr(file));
  EXPECT_FALSE(fs::exists(options_.to));
}

TEST_F(ConvertFolderTest, MaskOfAnotherSizeIsNamed) {
  Image mask;
  mask.Resize(4, 4, 1);
  ASSERT_TRUE(WriteFile(Path("annotations/training/3.png"), *EncodePng(mask)).ok());
  EXPECT_THAT(std::string(Convert().status().message()),
              AllOf(HasSubstr("3.png"), HasSubstr("4 x 4"), HasSubstr("10 x 23")));
  EXPECT_FALSE(fs::exists(options_.to));
}

TEST_F(ConvertFolderTest, UnpairedFilesAreRefusedOrCounted) {
  fs::remove(Path("annotations/training/2.png"));
  EXPECT_THAT(std::string(Convert().status().message()), HasSubstr("without a mask (2)"));
  options_.skip_unpaired = true;
  const auto summary = Convert();
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->samples, 8);
  EXPECT_EQ(PlanSplit(options_, "training", "val")->skipped, 1);
}

TEST_F(ConvertFolderTest, ExistingResultIsNotTouched) {
  ASSERT_TRUE(Convert().ok());
  EXPECT_THAT(std::string(Convert().status().message()), HasSubstr("exists"));
  EXPECT_TRUE(fs::exists(options_.to + "/train/index.json"));
}

}  // namespace
}  // namespace tessera
