#include <cstdlib>
#include <filesystem>
#include <string>

#include "configs/load_experiment.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

// The files in configs/ itself are whole experiments; those in its folders are parts of them.
TEST(RecipesTest, EveryRecipeLoads) {
  const std::filesystem::path folder =
      std::filesystem::path(std::getenv("TEST_SRCDIR")) / std::getenv("TEST_WORKSPACE") / "configs";
  int recipes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".textproto") continue;
    const absl::StatusOr<Experiment> experiment = LoadExperiment(entry.path().string(), {});
    EXPECT_TRUE(experiment.ok()) << experiment.status();
    ++recipes;
  }
  EXPECT_GE(recipes, 3);
}

}  // namespace
}  // namespace tessera
