#include "train/check_experiment.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>

namespace tessera {
namespace {

using ::testing::HasSubstr;

std::string Message(const std::string& text) {
  Experiment experiment;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &experiment));
  return std::string(CheckExperiment(experiment).message());
}

TEST(CheckExperimentTest, WantsALossToLearnFrom) {
  EXPECT_EQ(Message(""), "");
  EXPECT_EQ(Message("loss { cross_entropy_weight: 0 }"), "");
  EXPECT_THAT(Message("loss { cross_entropy_weight: 0 dice_weight: 0 }"), HasSubstr("both 0"));
}

TEST(CheckExperimentTest, WantsANameForEachClass) {
  EXPECT_THAT(Message("model { num_classes: 3 } data { class_names: ['a', 'b'] }"),
              HasSubstr("data.class_names has 2 names, model.num_classes is 3"));
}

TEST(CheckExperimentTest, WantsAPathForTheWeights) {
  EXPECT_THAT(Message("train { load_weights_only: true }"), HasSubstr("train.load_path"));
}

}  // namespace
}  // namespace tessera
