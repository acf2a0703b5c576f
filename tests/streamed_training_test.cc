// Training from a store equals training from the folder that was written to it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/folder_set.h"
#include "tests/run_binary.h"
#include "tests/servers/moto_server.h"
#include "tests/small_run.h"

namespace tessera {
namespace {

using ::testing::HasSubstr;

constexpr char kTransforms[] = R"(
    reduce_zero_label: true
    train_transforms { base_height: 0 base_width: 0 crop_height: 32 crop_width: 32 }
    eval_transforms { height: 0 width: 0 }
)";

constexpr char kExperiment[] = R"(
  max_duration: "2ep"
  train_batch_size: 4
  eval_batch_size: 3
  train { log_interval: 1 num_threads: 1 }
)";

std::string Path(const std::string& name) {
  return std::string(std::getenv("TEST_TMPDIR")) + "/" + name;
}

// Trains from `data`, the text of the field that says where from.
std::vector<std::string> Train(const std::string& name, const std::string& data) {
  const std::string config = Path(name + ".textproto");
  std::ofstream(config) << kExperiment << kSmallRun << "data { " << kTransforms << data << " }";
  const RunResult run =
      RunBinary("train/main", {"--config=" + config, "train.save_folder=" + Path(name)});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return MetricsOf(Path(name));
}

struct Format {
  const char* name;
  const char* settings;
};

class StreamedTraining : public ::testing::TestWithParam<Format> {};

TEST_P(StreamedTraining, FromS3EqualsTheFolderLossForLoss) {
  const MotoServer server;
  setenv("S3_ENDPOINT_URL", server.Address().c_str(), 1);
  setenv("AWS_ACCESS_KEY_ID", "any", 1);
  setenv("AWS_SECRET_ACCESS_KEY", "any", 1);
  const std::string name = GetParam().name;
  const std::string root = Path("files_" + name);
  const std::string uri = "s3://bucket/" + name;
  WriteFolderSet(root, 14);
  const std::vector<std::string> convert = {"--from=" + root, "--to=" + uri, "--size_limit=8kb",
                                            "--format=" + name};
  const RunResult converted = RunBinary("tools/convert/convert", convert);
  ASSERT_EQ(converted.exit_code, 0) << converted.err;

  const std::vector<std::string> folder =
      Train("folder_" + name, "folder { root: \"" + root + "\" }");
  const std::vector<std::string> streamed = Train(
      "streamed_" + name, "streaming { shuffle_algo: GLOBAL remote: \"" + uri + "\" local: \"" +
                              Path("cache_" + name) + "\" " + GetParam().settings + " }");
  EXPECT_GE(folder.size(), 6u);  // batches, an evaluation after each epoch
  EXPECT_EQ(streamed, folder);

  const RunResult again = RunBinary("tools/convert/convert", convert);
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_THAT(again.err, HasSubstr("exists"));
}

INSTANTIATE_TEST_SUITE_P(
    Formats, StreamedTraining,
    ::testing::Values(Format{"mds", ""},
                      Format{"webdataset",
                             "format: WEBDATASET shards: \"shardindex.json\" image_column: "
                             "\"image.png\" mask_column: \"mask.png\" name_column: \"__key__\""}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tessera
