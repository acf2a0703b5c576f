#include "tools/convert/convert_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "base/write_file.h"
#include "data/order/permutation_order.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr int64_t kCount = 200;

// Rows of some 100 bytes; those of `bad` cannot be made.
class NumberRows : public Rows {
 public:
  explicit NumberRows(ShardFormat format) {
    if (format == ShardFormat::kMds) {
      columns_ = {{"name", "bytes"}, {"data", "bytes"}};
    } else {
      columns_ = {{"name", ""}, {"data", ""}};
    }
  }
  int64_t size() const override { return kCount; }
  const std::vector<RowColumn>& columns() const override { return columns_; }
  std::string settings() const override { return ""; }
  absl::StatusOr<Row> Get(int64_t index) const override {
    if (bad.contains(index)) return absl::DataLossError(absl::StrCat("row ", index, " is bad"));
    return Row{.key = absl::StrCat("k", index),
               .payloads = {absl::StrCat(index), std::string(50 + index % 70, 'a' + index % 26)},
               .source_bytes = 100};
  }

  std::map<int64_t, bool> bad;

 private:
  std::vector<RowColumn> columns_;
};

std::map<std::string, std::string> Files(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    files[entry.path().filename().string()] = ReadFile(entry.path().string()).value();
  }
  return files;
}

class ConvertSplitTest : public ::testing::TestWithParam<ShardFormat> {
 protected:
  ConvertSplitTest()
      : root_((fs::path(std::getenv("TEST_TMPDIR")) /
               absl::StrCat(::testing::UnitTest::GetInstance()->current_test_info()->name(),
                            static_cast<int>(GetParam())))
                  .string()),
        rows_(GetParam()) {
    fs::remove_all(root_);
  }

  ConvertOptions Options(const std::string& to, int threads = 3) const {
    ConvertOptions options = {.to = to, .shards = {.format = GetParam()}, .num_threads = threads};
    options.shards.size_limit = GetParam() == ShardFormat::kMds ? 3000 : 40000;
    if (GetParam() == ShardFormat::kMds) options.shards.hashes = {"sha1"};
    return options;
  }

  absl::StatusOr<ConvertSummary> ConvertOnly(
      const ConvertOptions& options,
      const std::function<void(int64_t)>& progress = [](int64_t) {}) const {
    return ConvertSplit(
        options, {.split = "train", .source = source_, .rows = rows_, .order = *order_}, progress);
  }

  // As a user's command does that converts one split.
  absl::StatusOr<ConvertSummary> Convert(const ConvertOptions& options) const {
    TESSERA_ASSIGN_OR_RETURN(const ConvertSummary summary, ConvertOnly(options));
    TESSERA_RETURN_IF_ERROR(FinishConversion(options, "train"));
    return summary;
  }

  // Runs a conversion in another process, which is killed when `position` rows are done.
  void ConvertAndKill(const ConvertOptions& options, int64_t position) const {
    const pid_t child = fork();
    if (child == 0) {
      (void)ConvertOnly(options, [&](int64_t done) {
        if (done == position) raise(SIGKILL);
      });
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
  }

  const std::unique_ptr<const EpochOrder> order_ = PermutationOrder(kCount, 1).Epoch(0).value();
  const std::string root_;
  NumberRows rows_;
  std::string source_ = "numbers";
};

TEST_P(ConvertSplitTest, ThreadsDoNotChangeTheBytes) {
  const auto one = Convert(Options(root_ + "/one", 1));
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ(one->samples, kCount);
  EXPECT_EQ(one->bytes, 100u * kCount);
  EXPECT_GT(one->shards, 3);
  ASSERT_TRUE(Convert(Options(root_ + "/eight", 8)).ok());
  EXPECT_EQ(Files(root_ + "/one/train"), Files(root_ + "/eight/train"));
}

TEST_P(ConvertSplitTest, KilledAnywhereItGoesOnToTheSameBytes) {
  ASSERT_TRUE(Convert(Options(root_ + "/whole")).ok());
  const auto want = Files(root_ + "/whole/train");
  for (const std::string scheme : {"", "file://"}) {
    for (const int64_t position : {1, 40, 90, 133, 199}) {
      const std::string folder = absl::StrCat(root_, "/", position, scheme.size());
      const ConvertOptions options = Options(scheme + folder);
      ConvertAndKill(options, position);
      EXPECT_FALSE(fs::exists(folder + "/train/index.json"));
      EXPECT_FALSE(fs::exists(folder + "/train/shardindex.json"));
      ConvertAndKill(options, std::min<int64_t>(position + 30, kCount));
      const auto summary = Convert(options);
      ASSERT_TRUE(summary.ok()) << summary.status();
      EXPECT_EQ(summary->samples, kCount);
      EXPECT_EQ(summary->bytes, 100u * kCount);
      EXPECT_GT(summary->resumed, 0) << position;
      ASSERT_TRUE(FinishConversion(options, "train").ok());
      EXPECT_EQ(Files(folder + "/train"), want) << "killed after row " << position;
    }
  }
}

TEST_P(ConvertSplitTest, ASplitThatIsDoneIsNotDoneAgain) {
  for (const std::string scheme : {"", "file://"}) {
    const ConvertOptions options = Options(absl::StrCat(scheme, root_, "/to", scheme.size()));
    ASSERT_TRUE(ConvertOnly(options).ok());
    const ConvertJob job = {.split = "train", .source = source_, .rows = rows_, .order = *order_};
    EXPECT_TRUE(CheckSplitIsFree(options, job).ok());
    int64_t made = 0;
    const auto summary = ConvertOnly(options, [&](int64_t) { ++made; });
    ASSERT_TRUE(summary.ok()) << summary.status();
    EXPECT_EQ(made, 0);
    EXPECT_EQ(summary->samples, kCount);
    EXPECT_EQ(summary->resumed, kCount);
    EXPECT_GT(summary->shards, 3);
    ASSERT_TRUE(FinishConversion(options, "train").ok());
    EXPECT_TRUE(absl::IsAlreadyExists(CheckSplitIsFree(options, job)));
  }
}

TEST_P(ConvertSplitTest, AnotherConversionDoesNotGoOnWithWhatIsLeft) {
  const ConvertOptions options = Options(root_ + "/to");
  ConvertAndKill(options, 133);
  source_ = "other numbers";
  const auto summary = Convert(options);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->resumed, 0);
  ASSERT_TRUE(Convert(Options(root_ + "/whole")).ok());
  EXPECT_EQ(Files(root_ + "/to/train"), Files(root_ + "/whole/train"));
}

TEST_P(ConvertSplitTest, ADamagedRestIsNotUsed) {
  ASSERT_TRUE(Convert(Options(root_ + "/whole")).ok());
  const auto want = Files(root_ + "/whole/train");
  const ConvertOptions options = Options(root_ + "/to");
  ConvertAndKill(options, 133);
  const std::string first =
      want.begin()->first.starts_with("index") ? "shard.00000.mds" : "shard-000000.tar";
  ASSERT_TRUE(WriteFile(root_ + "/to/.partial-train/" + first, "cut").ok());
  const auto summary = Convert(options);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->resumed, 0);
  EXPECT_EQ(Files(root_ + "/to/train"), want);
}

TEST_P(ConvertSplitTest, ABadRowEndsItAndTheRestGoesOn) {
  ConvertOptions options = Options(root_ + "/to");
  rows_.bad[order_->At(150)] = true;
  EXPECT_THAT(std::string(Convert(options).status().message()),
              HasSubstr(absl::StrCat("row ", order_->At(150), " is bad; what is written is kept")));
  options.skip_bad = true;
  const auto summary = Convert(options);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_GT(summary->resumed, 0);
  EXPECT_EQ(summary->samples, kCount - 1);
  EXPECT_EQ(summary->skipped.count, 1);
  EXPECT_THAT(summary->skipped.reasons[0], HasSubstr("is bad"));
  ConvertOptions whole = Options(root_ + "/whole");
  whole.skip_bad = true;
  ASSERT_TRUE(Convert(whole).ok());
  EXPECT_EQ(Files(root_ + "/to/train"), Files(root_ + "/whole/train"));
}

TEST_P(ConvertSplitTest, AnErrorBeforeTheFirstShardLeavesNothing) {
  rows_.bad[order_->At(3)] = true;
  EXPECT_EQ(Convert(Options(root_ + "/to")).status().message(),
            absl::StrCat("row ", order_->At(3), " is bad"));
  EXPECT_FALSE(fs::exists(root_ + "/to"));
}

TEST_P(ConvertSplitTest, OnlyBadRowsAreAnError) {
  for (int64_t i = 0; i < kCount; ++i) rows_.bad[i] = true;
  ConvertOptions options = Options(root_ + "/to");
  options.skip_bad = true;
  EXPECT_THAT(std::string(Convert(options).status().message()),
              HasSubstr("all 200 samples are bad; the first: row "));
  EXPECT_FALSE(fs::exists(root_ + "/to"));
}

TEST_P(ConvertSplitTest, WhatIsThereIsNotTouched) {
  const ConvertOptions options = Options(root_ + "/to");
  ConvertJob job = {.split = "train", .source = source_, .rows = rows_, .order = *order_};
  EXPECT_TRUE(CheckSplitIsFree(options, job).ok());
  ASSERT_TRUE(Convert(options).ok());
  EXPECT_TRUE(absl::IsAlreadyExists(CheckSplitIsFree(options, job)));
  EXPECT_TRUE(absl::IsAlreadyExists(CheckSplitIsFree(Options("file://" + root_ + "/to"), job)));
  job.split = "val";
  EXPECT_TRUE(CheckSplitIsFree(options, job).ok());
}

INSTANTIATE_TEST_SUITE_P(Formats, ConvertSplitTest,
                         ::testing::Values(ShardFormat::kMds, ShardFormat::kWebDataset));

}  // namespace
}  // namespace tessera
