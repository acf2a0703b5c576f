// Runs //tools:convert as a user does.

#include <google/protobuf/text_format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "base/write_file.h"
#include "data/build_data.h"
#include "data/detect_set.h"
#include "data/image/decode.h"
#include "data/image/encode.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kConfig[] = R"(
  reduce_zero_label: true
  train_transforms { base_height: 0 base_width: 0 crop_height: 48 crop_width: 48 }
  eval_transforms { height: 0 width: 0 }
)";

DataConfig FolderData(const std::string& root) {
  DataConfig config;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(kConfig, &config));
  config.mutable_folder()->set_root(root);
  return config;
}

DataConfig ShardData(const std::string& local) {
  DataConfig config;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(kConfig, &config));
  config.mutable_streaming()->set_local(local);
  config.mutable_streaming()->set_shuffle_algo(StreamingConfig::GLOBAL);  // as folders have it
  return config;
}

std::vector<Batch> Epoch(const DataConfig& config, Split split, int num_classes, int64_t epoch) {
  const auto loader = BuildDataLoader(
      config, {.split = split, .batch_size = 5, .num_classes = num_classes, .seed = 17});
  EXPECT_TRUE(loader.ok()) << loader.status();
  std::vector<Batch> batches;
  if (!loader.ok() || !(*loader)->StartEpoch(epoch, 0).ok()) return batches;
  while (true) {
    absl::StatusOr<std::optional<Batch>> batch = (*loader)->Next();
    EXPECT_TRUE(batch.ok()) << batch.status();
    if (!batch.ok() || !batch->has_value()) return batches;
    batches.push_back(**std::move(batch));
  }
}

// Bit for bit, in an epoch of either split.
void ExpectSameBatches(const DataConfig& folder, const DataConfig& shards, int num_classes) {
  for (const Split split : {Split::kTrain, Split::kEval}) {
    const std::vector<Batch> a = Epoch(folder, split, num_classes, /*epoch=*/1);
    const std::vector<Batch> b = Epoch(shards, split, num_classes, /*epoch=*/1);
    ASSERT_EQ(a.size(), b.size());
    EXPECT_GT(a.size(), 1u);
    for (size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(a[i].sample_ids, b[i].sample_ids);
      const int64_t pixels = a[i].size * a[i].height * a[i].width;
      EXPECT_TRUE(std::equal(&a[i].images[0], &a[i].images[0] + 3 * pixels, &b[i].images[0]));
      EXPECT_TRUE(std::equal(&a[i].labels[0], &a[i].labels[0] + pixels, &b[i].labels[0]));
    }
  }
}

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;
};

class ConvertTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::string(std::getenv("TEST_TMPDIR")) + "/" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    WriteSplit("training", Split::kTrain);
    WriteSplit("validation", Split::kEval);
  }

  // The samples of the synthetic set as files in the ADE20K layout.
  void WriteSplit(const std::string& name, Split split) const {
    DataConfig config;
    config.mutable_synthetic()->set_train_samples(12);
    config.mutable_synthetic()->set_eval_samples(7);
    const auto dataset = OpenDataset(config, split).value();
    for (const char* part : {"/images/", "/annotations/"}) {
      fs::create_directories(Path("from") + part + name);
    }
    for (int64_t i = 0; i < dataset->size(); ++i) {
      const Sample sample = dataset->Get(i).value();
      const std::string stem = absl::StrCat(name, "/", sample.name, ".png");
      ASSERT_TRUE(WriteFile(absl::StrCat(Path("from"), "/images/", stem), sample.image.bytes).ok());
      ASSERT_TRUE(
          WriteFile(absl::StrCat(Path("from"), "/annotations/", stem), sample.mask.bytes).ok());
    }
  }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

  // From the test's folder.
  Outcome Run(const std::string& arguments) const {
    const std::string binary = absl::StrCat(
        std::getenv("TEST_SRCDIR"), "/", std::getenv("TEST_WORKSPACE"), "/tools/convert/convert");
    const std::string command =
        absl::StrCat("BUILD_WORKING_DIRECTORY='", folder_, "' '", binary, "' ", arguments, " >'",
                     Path("out"), "' 2>'", Path("err"), "'");
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, ReadFile(Path("out")).value_or(""),
            ReadFile(Path("err")).value_or("")};
  }

  // Starts it and kills it (SIGKILL) when `file` is there, or lets it end.
  void RunUntil(const std::string& arguments, const std::string& file) const {
    const pid_t child = fork();
    if (child == 0) {
      setpgid(0, 0);
      _exit(Run(arguments).code);
    }
    std::error_code error;
    while (!fs::exists(file, error) && waitpid(child, nullptr, WNOHANG) == 0) {
    }
    kill(-child, SIGKILL);
    waitpid(child, nullptr, 0);
  }

  std::string folder_;
};

TEST_F(ConvertTest, ShardsGiveTheBatchesOfTheFolder) {
  const Outcome outcome = Run("--from=from --to=to --size_limit=60kb");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("train  12 samples"), HasSubstr("val    7 samples")));
  EXPECT_TRUE(fs::exists(Path("to/train/shard.00001.mds")));
  ExpectSameBatches(FolderData(Path("from")), ShardData(Path("to")), /*num_classes=*/8);
}

TEST_F(ConvertTest, WebDatasetShardsGiveTheBatchesOfTheFolder) {
  const Outcome outcome = Run("--from=from --to=to --size_limit=60kb --format=webdataset");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(fs::exists(Path("to/train/shard-000001.tar")));
  const std::string settings =
      "format: WEBDATASET shards: \"shardindex.json\" image_column: \"image.png\" "
      "mask_column: \"mask.png\" name_column: \"__key__\"";
  EXPECT_THAT(outcome.out, HasSubstr(absl::StrCat("data.streaming { ", settings, " }")));
  DataConfig shards = ShardData(Path("to"));
  ASSERT_TRUE(google::protobuf::TextFormat::MergeFromString(settings, shards.mutable_streaming()));
  ExpectSameBatches(FolderData(Path("from")), shards, /*num_classes=*/8);
}

TEST_F(ConvertTest, AnotherFormatIsAnError) {
  const Outcome outcome = Run("--from=from --to=to --format=tfrecord");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("found the format \"tfrecord\", expected mds or webdataset"));
  EXPECT_FALSE(fs::exists(Path("to")));
}

TEST_F(ConvertTest, CamVidShardsGiveTheBatchesOfTheFolder) {
  const char* const data = std::getenv("TESSERA_SHARED_DATA");
  if (data == nullptr) {
    GTEST_SKIP() << "set TESSERA_SHARED_DATA (--test_env) to the folder that holds camvid";
  }
  const std::string root = absl::StrCat(data, "/camvid");
  const Outcome outcome = Run(absl::StrCat("--to=to --size_limit=8mb --from=", root));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  ExpectSameBatches(FolderData(root), ShardData(Path("to")), /*num_classes=*/11);
}

TEST_F(ConvertTest, DamagedFileIsNamedAndItsSplitIsNotWritten) {
  const std::string file = Path("from/images/training/train_7.png");
  const std::string whole = ReadFile(file).value();
  ASSERT_TRUE(WriteFile(file, whole.substr(0, whole.size() / 2)).ok());
  const Outcome outcome = Run("--from=from --to=to");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("ERROR: from/images/training/train_7.png: "));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
  EXPECT_FALSE(fs::exists(Path("to")));
}

TEST_F(ConvertTest, BothSplitsAreCheckedBeforeTheFirstIsWritten) {
  fs::remove(Path("from/annotations/validation/eval_3.png"));
  EXPECT_THAT(Run("--from=from --to=to").err, HasSubstr("1 images without a mask (eval_3)"));
  EXPECT_FALSE(fs::exists(Path("to")));

  EXPECT_EQ(Run("--from=from --to=to --skip_bad").code, 0);
  fs::remove_all(Path("to/train"));
  EXPECT_THAT(Run("--from=from --to=to --skip_bad").err, HasSubstr("to/val exists"));
  EXPECT_FALSE(fs::exists(Path("to/train")));
}

TEST_F(ConvertTest, WhatIsMissingOrMisspeltIsNamed) {
  EXPECT_THAT(Run("--from=from").err, HasSubstr("--to=FOLDER"));
  EXPECT_THAT(Run("--from=from --to=to data.folder.eval_split=val").err,
              AllOf(HasSubstr("no folder from/images/val"), HasSubstr("validation")));
  EXPECT_THAT(Run("--from=from --to=to --splits=test").err,
              HasSubstr("--splits: found test, expected train, val"));
  EXPECT_THAT(Run("--from=from --to=to --order=sorted").err, HasSubstr("--order=sorted"));
  EXPECT_THAT(Run("--from=from --to=to --check=none").err, HasSubstr("--check=none"));
  EXPECT_THAT(Run("--from=from --to=from").err, HasSubstr("--to is the folder of the set itself"));
  EXPECT_THAT(Run("--from=from --to=to --size_limit=64m").err,
              HasSubstr("--size_limit: \"64m\" is not a number of bytes"));
  EXPECT_FALSE(fs::exists(Path("to")));
}

TEST_F(ConvertTest, BadSamplesAreSkippedAndCounted) {
  const std::string file = Path("from/images/training/train_7.png");
  const std::string whole = ReadFile(file).value();
  ASSERT_TRUE(WriteFile(file, whole.substr(0, whole.size() / 2)).ok());
  const Outcome outcome = Run("--from=from --to=to --skip_bad");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("train  11 samples"), HasSubstr("1 skipped\n"),
                                 HasSubstr("skipped from/images/training/train_7.png: ")));
}

TEST_F(ConvertTest, KilledBetweenOrWithinSplitsItGoesOn) {
  const std::string arguments = "--from=from --size_limit=20kb --to=";
  ASSERT_EQ(Run(arguments + "whole").code, 0);
  // Killed when a file is there: at the first shard of either split, and between them.
  for (const std::string file :
       {".partial-train/shard.00000.mds", "train/index.json", ".partial-val/shard.00000.mds"}) {
    const std::string to = absl::StrCat("to", file.size());
    RunUntil(arguments + to, Path(to + "/" + file));
    const Outcome again = Run(arguments + to);
    ASSERT_EQ(again.code, 0) << again.err;
    for (const std::string split : {"/train", "/val"}) {
      std::vector<std::string> names;
      for (const auto& entry : fs::directory_iterator(Path("whole" + split))) {
        const std::string name = entry.path().filename().string();
        EXPECT_EQ(ReadFile(Path(to + split + "/" + name)).value_or(""),
                  ReadFile(entry.path().string()).value());
        names.push_back(name);
      }
      EXPECT_GT(names.size(), 1u);
      EXPECT_EQ(std::distance(fs::directory_iterator(Path(to + split)), fs::directory_iterator()),
                static_cast<ptrdiff_t>(names.size()));
    }
  }
}

// All samples of both splits: names apart, which not every format keeps.
void ExpectSameSamples(const DataConfig& a, const DataConfig& b) {
  for (const Split split : {Split::kTrain, Split::kEval}) {
    const auto first = OpenDataset(a, split), second = OpenDataset(b, split);
    ASSERT_TRUE(first.ok()) << first.status();
    ASSERT_TRUE(second.ok()) << second.status();
    ASSERT_EQ((*first)->size(), (*second)->size());
    Image x, y;
    for (int64_t i = 0; i < (*first)->size(); ++i) {
      const Sample want = (*first)->Get(i).value(), got = (*second)->Get(i).value();
      ASSERT_EQ(want.label, got.label);
      ASSERT_TRUE(DecodeRgb(want.image, &x).ok());
      ASSERT_TRUE(DecodeRgb(got.image, &y).ok());
      ASSERT_EQ(x.height, y.height);
      ASSERT_EQ(x.pixels, y.pixels);
      ASSERT_EQ(want.mask.empty(), got.mask.empty());
      if (want.mask.empty()) continue;
      ASSERT_TRUE(DecodeMask(want.mask, &x).ok());
      ASSERT_TRUE(DecodeMask(got.mask, &y).ok());
      ASSERT_EQ(x.pixels, y.pixels);
    }
  }
}

class ConvertSetsTest : public ConvertTest {
 protected:
  // Converts `from` to both formats, and one of these to the other; all hold the same samples.
  void ExpectConverts(const std::string& from) {
    for (const auto& [source, to, format] :
         {std::tuple<std::string, std::string, std::string>{from, "mds", "mds"},
          {from, "web", "webdataset"},
          {Path("mds"), "web2", "webdataset"},
          {Path("web"), "mds2", "mds"}}) {
      fs::remove_all(Path(to));
      const Outcome outcome =
          Run(absl::StrCat("--from=", source, " --to=", to, " --format=", format,
                           " --order=files --size_limit=10mb"));
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      ExpectSameSamples(DetectSet(from).value(), DetectSet(Path(to)).value());
    }
  }

  void Write(const std::string& name, const std::string& contents) {
    fs::create_directories(fs::path(Path(name)).parent_path());
    ASSERT_TRUE(WriteFile(Path(name), contents).ok());
  }
};

TEST_F(ConvertSetsTest, CamVidConverts) {
  const char* const data = std::getenv("TESSERA_SHARED_DATA");
  if (data == nullptr) {
    GTEST_SKIP() << "set TESSERA_SHARED_DATA (--test_env) to the folder that holds camvid";
  }
  ExpectConverts(absl::StrCat(data, "/camvid"));
}

TEST_F(ConvertSetsTest, MasksConvert) { ExpectConverts(Path("from")); }

TEST_F(ConvertSetsTest, MnistConverts) {
  ExpectConverts(absl::StrCat(std::getenv("TEST_SRCDIR"), "/", std::getenv("TEST_WORKSPACE"),
                              "/data/datasets/digits"));
}

TEST_F(ConvertSetsTest, CifarPicturesConvert) {
  const char* const data = std::getenv("TESSERA_SHARED_DATA");
  if (data == nullptr) {
    GTEST_SKIP() << "set TESSERA_SHARED_DATA (--test_env) to the folder of cifar10_images.tar.gz";
  }
  fs::create_directories(Path("pictures"));
  ASSERT_EQ(std::system(absl::StrCat("tar xzf '", data, "/cifar10_images.tar.gz' -C '",
                                     Path("pictures"), "'")
                            .c_str()),
            0);
  ExpectConverts(Path("pictures"));
}

TEST_F(ConvertSetsTest, CifarConverts) {
  const auto record = [](const std::string& labels, char value) {
    std::string planes;
    for (int i = 0; i < 3072; ++i) planes.push_back(static_cast<char>(value + i / 7));
    return labels + planes;
  };
  Write("cifar/train.bin", record("\x01\x02", 3) + record("\x13\x63", 90));
  Write("cifar/test.bin", record("\x05\x06", 77));
  ExpectConverts(Path("cifar"));
}

TEST_F(ConvertSetsTest, CocoConverts) {
  Image image;
  image.Resize(20, 30, 3);
  for (const std::string split : {"train2017", "val2017"}) {
    Write(absl::StrCat("coco/annotations/instances_", split, ".json"),
          R"({"categories": [{"id": 1, "name": "person"}, {"id": 13, "name": "sign"}],
              "images": [{"id": 7, "file_name": "7.jpg", "height": 20, "width": 30},
                         {"id": 9, "file_name": "9.jpg", "height": 20, "width": 30}],
              "annotations": [{"id": 1, "image_id": 9, "category_id": 13, "bbox": [3, 4, 9, 8],
                               "segmentation": [[3, 4, 12, 4, 12, 12, 3, 12]]}]})");
    for (const char* const name : {"/7.jpg", "/9.jpg"}) {
      Write(absl::StrCat("coco/", split, name), EncodeJpeg(image, 90).value());
    }
  }
  ExpectConverts(Path("coco"));

  // Boxes: only one image has any.
  const Outcome outcome = Run("--from=coco --to=boxes --boxes");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("train  1 samples"));
  const std::string index = ReadFile(Path("boxes/train/index.json")).value();
  EXPECT_THAT(index, HasSubstr("[\"bbox_labels\", \"bbox_sizes\", \"htot\", \"img\", "
                               "\"img_id\", \"wtot\"]"));
  EXPECT_THAT(Run("--from=from --to=no --boxes").err, HasSubstr("--boxes is for COCO"));
}

TEST_F(ConvertSetsTest, FoldersOfClassesConvert) {
  Image image;
  for (const std::string split : {"train", "val"}) {
    for (int i = 0; i < 12; ++i) {
      image.Resize(8 + i, 9, 3);
      std::fill(image.pixels.begin(), image.pixels.end(), static_cast<uint8_t>(20 * i));
      Write(absl::StrCat("classes/", split, "/n", i % 3, "/v1.", i, ".JPEG"),
            // One PNG is called JPEG, as in ImageNet.
            i == 5 ? EncodePng(image).value() : EncodeJpeg(image, 90).value());
    }
  }
  ExpectConverts(Path("classes"));

  // Unless told otherwise the order is drawn, since the files are sorted by class; i is their
  // place.
  ASSERT_EQ(Run("--from=classes --to=drawn").code, 0);
  const auto files = OpenDataset(DetectSet(Path("classes")).value(), Split::kTrain).value();
  const auto drawn = OpenDataset(DetectSet(Path("drawn")).value(), Split::kTrain).value();
  std::vector<int64_t> in_files, in_shards;
  for (int64_t i = 0; i < 12; ++i) {
    in_files.push_back(files->Get(i)->label);
    in_shards.push_back(drawn->Get(i)->label);
  }
  EXPECT_NE(in_shards, in_files);
  std::sort(in_shards.begin(), in_shards.end());
  EXPECT_EQ(in_shards, in_files);
}

}  // namespace
}  // namespace tessera
