#include <cstdlib>
#include <filesystem>
#include <string>

#include "configs/load_experiment.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

std::filesystem::path Folder() {
  return std::filesystem::path(std::getenv("TEST_SRCDIR")) / std::getenv("TEST_WORKSPACE") /
         "configs";
}

// The files in configs/ itself are whole experiments; those in its folders are parts of them.
TEST(RecipesTest, EveryRecipeLoads) {
  const std::filesystem::path folder = Folder();
  int recipes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".textproto") continue;
    const absl::StatusOr<Experiment> experiment = LoadExperiment(entry.path().string(), {});
    EXPECT_TRUE(experiment.ok()) << experiment.status();
    ++recipes;
  }
  EXPECT_GE(recipes, 3);
}

TEST(RecipesTest, EverySetFitsAnExperiment) {
  int sets = 0;
  for (const auto& entry : std::filesystem::directory_iterator(Folder() / "data")) {
    const absl::StatusOr<Experiment> experiment = LoadExperiment(
        entry.path().string(), {"max_duration=1ep", "model.deeplabv3={}", "optimizer.sgd.lr=0.1"});
    EXPECT_TRUE(experiment.ok()) << experiment.status();
    ++sets;
  }
  EXPECT_GE(sets, 7);
}

}  // namespace
}  // namespace tessera
