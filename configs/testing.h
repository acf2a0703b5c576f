#ifndef TESSERA_CONFIGS_TESTING_H_
#define TESSERA_CONFIGS_TESTING_H_

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "configs/load_experiment.h"
#include "gtest/gtest.h"

namespace tessera {

// A fixture with a folder of its own for config files.
class ConfigTest : public ::testing::Test {
 protected:
  // A config with what is required and no more.
  static constexpr char kMinimal[] = R"(max_duration: "2ep"
data { synthetic {} }
model { num_classes: 5 deeplabv3 {} }
optimizer { sgd { lr: 0.5 } }
)";

  void SetUp() override {
    folder_ = std::filesystem::path(std::getenv("TEST_TMPDIR")) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
  }

  std::string Write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }

  Experiment Load(const std::string& text, const std::vector<std::string>& overrides = {}) const {
    const absl::StatusOr<Experiment> experiment =
        LoadExperiment(Write("e.textproto", text), overrides);
    EXPECT_TRUE(experiment.ok()) << experiment.status();
    return experiment.ok() ? *experiment : Experiment();
  }

  // The error of a config, its folder left out of it; "OK" if there is none.
  std::string ErrorOf(const std::string& text,
                      const std::vector<std::string>& overrides = {}) const {
    const absl::StatusOr<Experiment> experiment =
        LoadExperiment(Write("e.textproto", text), overrides);
    if (experiment.ok()) return "OK";
    std::string message(experiment.status().message());
    const std::string prefix = folder_.string() + "/";
    for (size_t at; (at = message.find(prefix)) != std::string::npos;) {
      message.erase(at, prefix.size());
    }
    return message;
  }

  std::filesystem::path folder_;
};

}  // namespace tessera

#endif  // TESSERA_CONFIGS_TESTING_H_
