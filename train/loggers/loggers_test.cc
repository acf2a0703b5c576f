#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "train/loggers/console.h"
#include "train/loggers/iou_table.h"
#include "train/loggers/metrics_file.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// After 5 of 10 batches, 4 an epoch, with an evaluation in which class 2 does not occur.
State HalfWay() {
  State state;
  state.length = {
      .batches_per_epoch = 4, .samples_per_epoch = 8, .batch_size = 2, .max_batches = 10};
  state.timestamp = {
      .epoch = 1, .batch = 5, .batch_in_epoch = 1, .sample = 10, .sample_in_epoch = 2};
  state.step = {.loss = 0.1 + 0.2, .learning_rate = 0.05, .valid_pixels = 8};
  state.samples_per_second = 2;
  state.data_wait = 0.25;
  state.evaluation.emplace(3, 255);
  state.evaluation->matrix.Add(std::vector<uint8_t>{0, 1, 0, 0}, std::vector<uint8_t>{0, 1, 0, 1});
  state.evaluation->samples = 1;
  state.evaluation->cross_entropy = 0.5;
  return state;
}

std::string TemporaryPath(const std::string& name) {
  const std::string path = ::testing::TempDir() + "/" + name;
  std::remove(path.c_str());
  return path;
}

std::vector<std::string> Lines(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

TEST(MetricsFileTest, WritesNumbersThatReadBackAsTheSameBits) {
  const std::string path = TemporaryPath("metrics.jsonl");
  MetricsFile file(path, 5, {"sky", "road", "car"});
  const State state = HalfWay();
  ASSERT_TRUE(file.Run(Event::kBatchEnd, state).ok());
  ASSERT_TRUE(file.Run(Event::kEvalEnd, state).ok());

  const std::vector<std::string> lines = Lines(path);
  ASSERT_EQ(lines.size(), 2);
  const auto train = nlohmann::json::parse(lines[0]), eval = nlohmann::json::parse(lines[1]);
  EXPECT_EQ(train["batch"], 5);
  EXPECT_EQ(train["epoch"], 1);
  EXPECT_EQ(train["sample"], 10);
  EXPECT_EQ(train["loss/train/total"].get<double>(), 0.1 + 0.2);
  EXPECT_EQ(train["lr"], 0.05);
  EXPECT_EQ(train["data_wait"], 0.25);
  EXPECT_DOUBLE_EQ(eval["metrics/eval/MIoU"], (2.0 / 3 + 0.5) / 2);
  EXPECT_EQ(eval["metrics/eval/PixelAccuracy"], 0.75);
  EXPECT_EQ(eval["metrics/eval/CrossEntropy"], 0.5);
  EXPECT_EQ(eval["metrics/eval/IoU/road"], 0.5);
  EXPECT_TRUE(eval["metrics/eval/IoU/car"].is_null());
}

TEST(MetricsFileTest, WritesEveryIntervalAndTheLastBatch) {
  const std::string path = TemporaryPath("interval.jsonl");
  MetricsFile file(path, 4, {"a", "b", "c"});
  State state = HalfWay();
  for (state.timestamp.batch = 1; state.timestamp.batch <= 10; ++state.timestamp.batch) {
    ASSERT_TRUE(file.Run(Event::kBatchEnd, state).ok());
  }
  std::vector<int> batches;
  for (const std::string& line : Lines(path)) {
    batches.push_back(nlohmann::json::parse(line)["batch"]);
  }
  EXPECT_THAT(batches, ElementsAre(4, 8, 10));
}

TEST(MetricsFileTest, TruncationCutsLaterBatchesAndUnfinishedLines) {
  const std::string path = TemporaryPath("cut.jsonl");
  std::ofstream(path) << "{\"batch\":1}\n{\"batch\":2}\n{\"batch\":2,\"x\":1}\n{\"batch\":3}\n";
  ASSERT_TRUE(TruncateMetricsFile(path, 2).ok());
  EXPECT_THAT(Lines(path), ElementsAre("{\"batch\":1}", "{\"batch\":2}", "{\"batch\":2,\"x\":1}"));

  std::ofstream(path) << "{\"batch\":1}\n{\"bat";
  ASSERT_TRUE(TruncateMetricsFile(path, 2).ok());
  EXPECT_THAT(Lines(path), ElementsAre("{\"batch\":1}"));
  EXPECT_TRUE(TruncateMetricsFile(TemporaryPath("missing.jsonl"), 2).ok());
}

TEST(ConsoleTest, WritesPlainLinesWhereThereIsNoTerminal) {
  std::ostringstream out;
  Console console(&out, {.log_interval = 5, .class_names = {"sky", "road", "car"}});
  State state = HalfWay();
  ASSERT_TRUE(console.Run(Event::kBatchEnd, state).ok());
  ASSERT_TRUE(console.Run(Event::kEvalEnd, state).ok());
  EXPECT_EQ(out.str(),
            "epoch 2/3  batch 5/10  loss 0.3000  lr 0.05  2.0 img/s  data wait 25 %  ETA 0:05\n"
            "evaluation after batch 5: mIoU 0.5833  pixel accuracy 0.7500  cross entropy 0.5000  "
            "(1 samples)\n");
  state.timestamp.batch = 6;
  out.str("");
  ASSERT_TRUE(console.Run(Event::kBatchEnd, state).ok());
  EXPECT_EQ(out.str(), "");
}

TEST(ConsoleTest, DrawsTheBarOverItselfOnATerminal) {
  std::ostringstream out;
  Console console(&out, {.terminal_columns = 40, .class_names = {"sky", "road", "car"}});
  ASSERT_TRUE(console.Run(Event::kBatchEnd, HalfWay()).ok());
  EXPECT_THAT(out.str(), HasSubstr("\r"));
  EXPECT_THAT(out.str(), EndsWith("[============            ] epoch 2/3  b"));
  EXPECT_THAT(out.str(), Not(HasSubstr("\n")));
}

TEST(IouTableTest, ShowsEachClassAndTheMeans) {
  EXPECT_EQ(IouTable(*HalfWay().evaluation, {"sky", "road", "car"}),
            "class               IoU      labelled     predicted\n"
            "sky              0.6667             3             2\n"
            "road             0.5000             1             2\n"
            "car                   -             0             0\n"
            "mIoU             0.5833             4 pixels of 1 samples\n"
            "pixel accuracy   0.7500\n"
            "cross entropy    0.5000\n");
}

TEST(IouTableTest, SaysWhenThereIsNoData) {
  EXPECT_EQ(FormatMetric(std::nullopt), "no data");
  EXPECT_THAT(ClassNames({}, 2), ElementsAre("class 0", "class 1"));
}

TEST(ConsoleTest, FormatsDurations) {
  EXPECT_EQ(FormatDuration(59.6), "1:00");
  EXPECT_EQ(FormatDuration(3723), "1:02:03");
}

}  // namespace
}  // namespace tessera
