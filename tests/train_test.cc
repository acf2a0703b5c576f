// Runs //train:main as a user does.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "data/build_data.h"
#include "data/image/decode.h"
#include "data/image/encode.h"
#include "tests/folder_set.h"
#include "tests/run_binary.h"
#include "tests/small_run.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr char kMain[] = "train/main";
constexpr int kClasses = 8;

// 12 samples in batches of 4: 3 batches an epoch, 9 in all.
constexpr char kConfig[] = R"(
  max_duration: "3ep"
  train_batch_size: 4
  eval_batch_size: 2
  data {
    synthetic { train_samples: 12 eval_samples: 5 height: 32 width: 32 }
    reduce_zero_label: true
    train_transforms { base_height: 0 base_width: 0 crop_height: 32 crop_width: 32 }
    eval_transforms { height: 0 width: 0 }
  }
  train { log_interval: 1 num_threads: 1 image_samples: 2 }
)";

std::string Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<std::string> Lines(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void Write(const std::string& path, const std::string& contents) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << contents;
}

class TrainTest : public ::testing::Test {
 protected:
  TrainTest() {
    fs::remove_all(folder_);
    Write(config_, std::string(kConfig) + kSmallRun);
  }

  std::string Folder(const std::string& name) const { return folder_ + "/" + name; }

  // The arguments of a run that saves to `run`.
  std::vector<std::string> Arguments(const std::string& run,
                                     const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"--config=" + config_,
                                          "train.save_folder=" + Folder(run)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  RunResult Train(const std::string& run, const std::vector<std::string>& more = {}) const {
    return RunBinary(kMain, Arguments(run, more));
  }

  std::vector<std::string> Metrics(const std::string& run) const { return MetricsOf(Folder(run)); }

  std::vector<std::string> Checkpoints(const std::string& run) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(Folder(run) + "/checkpoints")) {
      if (entry.is_directory() && !entry.is_symlink()) names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  const std::string folder_ = std::string(std::getenv("TEST_TMPDIR")) + "/train_test";
  const std::string config_ = folder_ + "/tiny.textproto";
};

TEST_F(TrainTest, WritesItsFilesAndPrintsTheTable) {
  const RunResult run = Train("run", {"data.class_names=a,b,c,d,e,f,g,last one"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("epoch 3/3  batch 9/9  loss "));
  for (const char* name :
       {"a", "b", "c", "d", "e", "f", "g", "last one", "mIoU", "pixel accuracy"}) {
    EXPECT_THAT(run.out, HasSubstr(std::string("\n") + name + " "));
  }
  // Nine batches, an evaluation after each epoch.
  EXPECT_THAT(Metrics("run"), SizeIs(12));
  EXPECT_THAT(Checkpoints("run"), SizeIs(1));
  int pictures = 0;
  for (const char* batch : {"ba000003", "ba000006", "ba000009"}) {
    for (const auto& entry : fs::directory_iterator(Folder("run") + "/images/" + batch)) {
      pictures += entry.path().extension() == ".png";
    }
  }
  EXPECT_EQ(pictures, 6);

  // The effective config makes the same run.
  const RunResult again = RunBinary(kMain, {"--config=" + Folder("run") + "/config.textproto",
                                            "train.save_folder=" + Folder("again")});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(Metrics("again"), Metrics("run"));
}

TEST_F(TrainTest, KeepsOneCheckpointAnInterval) {
  ASSERT_EQ(Train("run", {"train.save_num_checkpoints_to_keep=0"}).exit_code, 0);
  EXPECT_THAT(Checkpoints("run"), SizeIs(3));
}

TEST_F(TrainTest, AFolderThatHoldsARunIsNotOverwritten) {
  const std::vector<std::string> brief = {"max_duration=1ba"};
  ASSERT_EQ(Train("run", brief).exit_code, 0);
  const std::vector<std::string> before = Metrics("run");
  const RunResult refused = Train("run", brief);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("holds another run"));
  EXPECT_THAT(Lines(refused.err), SizeIs(1));
  ASSERT_EQ(Train("run", {"max_duration=1ba", "train.save_overwrite=true"}).exit_code, 0);
  EXPECT_EQ(Metrics("run"), before);
}

TEST_F(TrainTest, ARunKilledAtAnyMomentResumesToTheSameNumbers) {
  ASSERT_EQ(Train("unbroken").exit_code, 0);
  const std::vector<std::string> arguments =
      Arguments("broken", {"train.autoresume=true", "train.save_interval=2ba"});
  std::mt19937 random(17);
  for (int kills = 0; kills < 6; ++kills) {
    RunningBinary run(kMain, arguments);
    if (run.WaitFor(std::chrono::milliseconds(random() % 1500))) break;
    run.Signal(SIGKILL);
    run.Wait();
  }
  const RunResult last = RunBinary(kMain, arguments);
  ASSERT_EQ(last.exit_code, 0) << last.err;
  EXPECT_EQ(Metrics("broken"), Metrics("unbroken"));
}

TEST_F(TrainTest, ResumesInTheMiddleOfAnEpochAndWithinTheSchedule) {
  ASSERT_EQ(Train("unbroken").exit_code, 0);
  // Every batch is a checkpoint; the run that ends after 4 of 9 keeps the schedule of 9.
  ASSERT_EQ(
      Train("all", {"train.save_interval=1ba", "train.save_num_checkpoints_to_keep=0"}).exit_code,
      0);
  const std::vector<std::string> checkpoints = Checkpoints("all");
  ASSERT_THAT(checkpoints, SizeIs(9));
  const RunResult resumed =
      Train("resumed", {"train.load_path=" + Folder("all") + "/checkpoints/" + checkpoints[3]});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  const std::vector<std::string> whole = Metrics("unbroken"), rest = Metrics("resumed");
  // Of the twelve lines, batches 1 to 4 and the first evaluation are not done again.
  EXPECT_EQ(rest, std::vector<std::string>(whole.begin() + 5, whole.end()));
}

TEST_F(TrainTest, ASignalSavesAndSaysHowToGoOn) {
  ASSERT_EQ(Train("unbroken", {"max_duration=40ep", "train.eval_interval=0ba"}).exit_code, 0);
  const std::vector<std::string> arguments = Arguments(
      "stopped", {"max_duration=40ep", "train.eval_interval=0ba", "train.save_interval=0ba"});
  RunningBinary run(kMain, arguments);
  while (Contents(Folder("stopped") + "/metrics.jsonl").empty() &&
         !run.WaitFor(std::chrono::milliseconds(1))) {
  }
  run.Signal(SIGTERM);
  const RunResult stopped = run.Wait();
  EXPECT_EQ(stopped.exit_code, 1);
  EXPECT_THAT(stopped.err, HasSubstr("train.autoresume=true"));
  EXPECT_THAT(Lines(stopped.err), SizeIs(1));

  std::vector<std::string> again = arguments;
  again.push_back("train.autoresume=true");
  ASSERT_EQ(RunBinary(kMain, again).exit_code, 0);
  EXPECT_EQ(Metrics("stopped"), Metrics("unbroken"));
}

TEST_F(TrainTest, TheMeanIouIsThatOfTheSavedPredictions) {
  WriteFolderSet(Folder("set"), 7);
  const RunResult run = Train("run", {"data.folder.root=" + Folder("set"), "max_duration=4ep",
                                      "train.save_predictions=true"});
  ASSERT_EQ(run.exit_code, 0) << run.err;

  // Counted pixel by pixel.
  std::map<int, int64_t> both, labelled, predicted;
  int files = 0;
  for (const auto& entry : fs::directory_iterator(Folder("run") + "/predictions")) {
    ++files;
    const std::string name = entry.path().filename();
    Image truth, prediction;
    ASSERT_TRUE(
        DecodeMask(Contents(Folder("set") + "/annotations/validation/" + name), &truth).ok());
    ASSERT_TRUE(DecodeMask(Contents(entry.path()), &prediction).ok());
    ASSERT_EQ(prediction.pixels.size(), truth.pixels.size());
    for (size_t i = 0; i < truth.pixels.size(); ++i) {
      if (truth.pixels[i] == 0) continue;  // void
      ++labelled[truth.pixels[i]];
      ++predicted[prediction.pixels[i]];
      if (truth.pixels[i] == prediction.pixels[i]) ++both[truth.pixels[i]];
    }
  }
  EXPECT_EQ(files, 7);
  double sum = 0;
  int present = 0;
  for (int c = 1; c <= kClasses; ++c) {
    const int64_t either = labelled[c] + predicted[c] - both[c];
    if (either == 0) continue;
    ++present;
    sum += static_cast<double>(both[c]) / static_cast<double>(either);
  }
  const auto last = nlohmann::json::parse(Metrics("run").back());
  EXPECT_DOUBLE_EQ(last["metrics/eval/MIoU"].get<double>(), sum / present);
}

// A run that `arguments` make impossible: exit code 1, one line on stderr with `parts`, no part of
// a checkpoint, config or picture.
void ExpectRefused(const std::vector<std::string>& arguments, const std::string& run_folder,
                   const std::vector<std::string>& parts) {
  const RunResult run = RunBinary(kMain, arguments);
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(Lines(run.err), SizeIs(1)) << run.err;
  for (const std::string& part : parts) EXPECT_THAT(run.err, HasSubstr(part));
  if (!fs::exists(run_folder)) return;
  for (const auto& entry : fs::recursive_directory_iterator(run_folder)) {
    EXPECT_EQ(entry.path().filename(), "config.textproto");
  }
}

TEST_F(TrainTest, RefusesAConfigThatIsNotThere) {
  ExpectRefused({"--config=" + Folder("none.textproto")}, Folder("run"), {"none.textproto"});
}

TEST_F(TrainTest, RefusesAnUnknownField) {
  Write(config_, std::string(kConfig) + "learing_rate: 0.1\n");
  ExpectRefused(Arguments("run"), Folder("run"), {"tiny.textproto", "learing_rate"});
  EXPECT_FALSE(fs::exists(Folder("run")));
}

TEST_F(TrainTest, RefusesAMissingDataFolder) {
  ExpectRefused(Arguments("run", {"data.folder.root=" + Folder("none")}), Folder("run"),
                {Folder("none")});
  EXPECT_FALSE(fs::exists(Folder("run")));
}

TEST_F(TrainTest, RefusesAnEpochWithoutABatch) {
  ExpectRefused(Arguments("run", {"data.synthetic.train_samples=5", "train_batch_size=8",
                                  "data.drop_last=true"}),
                Folder("run"), {"5 samples", "batch size is 8", "drop_last"});
  EXPECT_FALSE(fs::exists(Folder("run")));
}

TEST_F(TrainTest, RefusesATailOfOneForBatchNorm) {
  ExpectRefused(Arguments("run", {"data.synthetic.train_samples=5", "train_batch_size=2"}),
                Folder("run"), {"5 training samples mod train_batch_size 2 = 1", "drop_last"});
  EXPECT_FALSE(fs::exists(Folder("run")));
}

TEST_F(TrainTest, NamesTheSampleAndTheValueOfALabelOutOfRange) {
  WriteFolderSet(Folder("set"), 4);
  // 150 classes counted from 1: 151 is one too many.
  Image mask = {.height = 2, .width = 2, .channels = 1, .pixels = {0, 151, 150, 1}};
  Image image = {.height = 2, .width = 2, .channels = 3, .pixels = std::vector<uint8_t>(12, 9)};
  Write(Folder("set") + "/annotations/training/s2.png", EncodePng(mask).value());
  Write(Folder("set") + "/images/training/s2.jpg", EncodePng(image).value());
  ExpectRefused(Arguments("run", {"data.folder.root=" + Folder("set"), "model.num_classes=150"}),
                Folder("run"), {"s2", "151", "1 to 150", "1 pixel"});
}

TEST_F(TrainTest, NamesAnImageThatIsCutShort) {
  WriteFolderSet(Folder("set"), 4);
  const std::string path = Folder("set") + "/images/training/s1.jpg";
  const std::string whole = Contents(path);
  Write(path, whole.substr(0, whole.size() / 2));
  ExpectRefused(Arguments("run", {"data.folder.root=" + Folder("set")}), Folder("run"),
                {"(s1)", "cut short"});
}

}  // namespace
}  // namespace tessera
