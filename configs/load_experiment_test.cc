#include "configs/load_experiment.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

constexpr char kMinimal[] = R"(max_duration: "2ep"
data { synthetic {} }
model { num_classes: 5 deeplabv3 {} }
optimizer { sgd { lr: 0.5 } }
)";

class LoadExperimentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(std::getenv("TEST_TMPDIR")) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
  }

  std::string Write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }

  // The error of a config file, without the folder.
  std::string ErrorOf(const std::string& text,
                      const std::vector<std::string>& overrides = {}) const {
    const absl::StatusOr<Experiment> experiment =
        LoadExperiment(Write("e.textproto", text), overrides);
    if (experiment.ok()) return "OK";
    std::string message(experiment.status().message());
    const size_t at = message.find(folder_.string());
    if (at != std::string::npos) message.erase(at, folder_.string().size() + 1);
    return message;
  }

  Experiment Load(const std::string& text, const std::vector<std::string>& overrides = {}) const {
    const absl::StatusOr<Experiment> experiment =
        LoadExperiment(Write("e.textproto", text), overrides);
    EXPECT_TRUE(experiment.ok()) << experiment.status();
    return experiment.ok() ? *experiment : Experiment();
  }

  std::filesystem::path folder_;
};

TEST_F(LoadExperimentTest, ZeroDiffersFromAbsent) {
  const std::string decoupled = R"(max_duration: "2ep" data { synthetic {} }
      model { num_classes: 5 deeplabv3 {} } optimizer { decoupled_sgd { )";
  EXPECT_EQ(Load(decoupled + "weight_decay: 0 } }").optimizer().decoupled_sgd().weight_decay(), 0);
  EXPECT_EQ(Load(decoupled + "} }").optimizer().decoupled_sgd().weight_decay(), 5e-5);
}

TEST_F(LoadExperimentTest, UnknownFieldIsRefusedWithPositionAndNearestName) {
  EXPECT_EQ(
      ErrorOf("max_duration: \"2ep\"\noptimizer { sgd { momentun: 0.1 } }"),
      "e.textproto:2:19: no field \"momentun\" in tessera.SgdConfig; did you mean \"momentum\"?");
}

TEST_F(LoadExperimentTest, FieldSetTwiceIsRefused) {
  EXPECT_THAT(ErrorOf("optimizer { sgd { lr: 1 lr: 2 } }"),
              MatchesRegex("e.textproto:1:2.: .*lr.*multiple times.*"));
}

TEST_F(LoadExperimentTest, MisspeltEnumIsRefusedWithNearestValue) {
  EXPECT_EQ(ErrorOf("model { deeplabv3 { backbone {\n depth: RESNET55 } } }"),
            "e.textproto:2:9: no value \"RESNET55\" for depth; did you mean \"RESNET50\"?");
}

TEST_F(LoadExperimentTest, WrongTypeIsRefusedWithPosition) {
  EXPECT_THAT(ErrorOf("seed: \"a\""), StartsWith("e.textproto:1:7: "));
  EXPECT_THAT(ErrorOf("train_batch_size: 1.5"), StartsWith("e.textproto:1:19: "));
}

TEST_F(LoadExperimentTest, TwoMembersOfAOneofAreRefused) {
  EXPECT_THAT(ErrorOf("data { synthetic {} folder {} }"), HasSubstr("oneof"));
}

TEST_F(LoadExperimentTest, EmptyFileNamesTheRequiredFields) {
  const std::string error = ErrorOf("");
  for (const char* field :
       {"max_duration", "data.", "model.num_classes", "model.{", "optimizer."}) {
    EXPECT_THAT(error, HasSubstr(field));
  }
}

TEST_F(LoadExperimentTest, MissingFileIsNamed) {
  const auto experiment = LoadExperiment((folder_ / "absent.textproto").string(), {});
  EXPECT_THAT(std::string(experiment.status().message()),
              HasSubstr("absent.textproto: No such file or directory"));
}

TEST_F(LoadExperimentTest, FileGoesOverItsIncludes) {
  Write("data/set.textproto",
        R"(data { folder { root: "a" } class_names: ["x", "y"] num_threads: 7 })");
  Write("base.textproto", absl::StrCat(kMinimal, "include: \"data/set.textproto\" seed: 3"));
  const Experiment experiment = Load(R"(include: "base.textproto" include: "data/set.textproto"
              data { class_names: "z" } model { deeplabv3_plus {} } seed: 4)");
  EXPECT_EQ(experiment.include_size(), 0);
  EXPECT_EQ(experiment.seed(), 4u);
  EXPECT_EQ(experiment.data().folder().root(), "a");
  EXPECT_FALSE(experiment.data().has_synthetic());  // another member of the oneof was chosen
  EXPECT_EQ(experiment.data().num_threads(), 7);
  EXPECT_THAT(experiment.data().class_names(), ElementsAre("z"));  // replaced, not appended
  EXPECT_TRUE(experiment.model().has_deeplabv3_plus());
  EXPECT_EQ(experiment.model().num_classes(), 5);
}

TEST_F(LoadExperimentTest, IncludeCycleIsRefused) {
  Write("a.textproto", "include: \"e.textproto\"");
  EXPECT_THAT(ErrorOf("include: \"a.textproto\""), HasSubstr("includes itself"));
}

TEST_F(LoadExperimentTest, MissingIncludeNamesBothFiles) {
  const std::string error = ErrorOf("include: \"nowhere.textproto\"");
  EXPECT_THAT(error, HasSubstr("e.textproto: include \"nowhere.textproto\": cannot read"));
}

TEST_F(LoadExperimentTest, OverridesComeLast) {
  const Experiment experiment =
      Load(kMinimal, {"model.num_classes=21", "max_duration=10ep", "data.shuffle=false",
                      "optimizer.sgd.lr=1e-3", "model.deeplabv3.aspp_dilations=[1,6,12]",
                      "model.deeplabv3.backbone.depth=RESNET18", "data.class_names=sky, tree"});
  EXPECT_EQ(experiment.model().num_classes(), 21);
  EXPECT_EQ(experiment.max_duration(), "10ep");
  EXPECT_FALSE(experiment.data().shuffle());
  EXPECT_EQ(experiment.optimizer().sgd().lr(), 1e-3);
  EXPECT_THAT(experiment.model().deeplabv3().aspp_dilations(), ElementsAre(1, 6, 12));
  EXPECT_EQ(experiment.model().deeplabv3().backbone().depth(), ResNetConfig::RESNET18);
  EXPECT_THAT(experiment.data().class_names(), ElementsAre("sky", "tree"));
}

TEST_F(LoadExperimentTest, OverrideOfAnotherOneofMemberSwitchesToIt) {
  const Experiment experiment = Load(kMinimal, {"data.folder.root=/data"});
  EXPECT_TRUE(experiment.data().has_folder());
  EXPECT_FALSE(experiment.data().has_synthetic());
}

TEST_F(LoadExperimentTest, WrongOverrideIsNamed) {
  EXPECT_EQ(
      ErrorOf(kMinimal, {"model.num_clases=3"}),
      "override \"model.num_clases=3\": no field \"num_clases\" in tessera.ModelConfig; did you "
      "mean \"num_classes\"?");
  EXPECT_THAT(ErrorOf(kMinimal, {"model.num_classes=many"}),
              HasSubstr("num_classes expects a whole number, found \"many\""));
  EXPECT_THAT(ErrorOf(kMinimal, {"seed.x=1"}), HasSubstr("seed has no fields of its own"));
  EXPECT_THAT(ErrorOf(kMinimal, {"seed"}), HasSubstr("expected FIELD.FIELD=VALUE"));
}

TEST_F(LoadExperimentTest, ValuesOutOfRangeAreRefused) {
  EXPECT_THAT(ErrorOf(kMinimal, {"data.ignore_index=-1"}),
              HasSubstr("data.ignore_index: -1 found, expected 0 to 255"));
  EXPECT_THAT(ErrorOf(kMinimal, {"train_batch_size=0"}),
              HasSubstr("train_batch_size: 0 found, expected 1 or more"));
  EXPECT_THAT(ErrorOf(kMinimal, {"model.num_classes=1"}),
              HasSubstr("model.num_classes: 1 found, expected 2 to 255"));
  EXPECT_THAT(ErrorOf(kMinimal, {"data.train_transforms.horizontal_flip=nan"}),
              HasSubstr("horizontal_flip"));
  EXPECT_EQ(ErrorOf(kMinimal, {"data.ignore_index=3"}), "OK");
}

TEST_F(LoadExperimentTest, PrintedConfigLoadsToTheSameExperiment) {
  const Experiment experiment =
      Load(kMinimal, {"optimizer.sgd.weight_decay=0.1", "data.normalization.mean=[0.1,2,3]",
                      "run_name=a \"b\"", "model.deeplabv3.aspp_dilations=[1,6]"});
  for (const bool with_defaults : {false, true}) {
    const std::string text = PrintExperiment(experiment, with_defaults);
    EXPECT_EQ(Load(text).SerializeAsString(), experiment.SerializeAsString()) << text;
  }
  const std::string text = PrintExperiment(experiment, true);
  EXPECT_THAT(text, HasSubstr("# momentum: 0.9\n"));
  EXPECT_THAT(text, HasSubstr("# output_stride: 8\n"));
}

TEST_F(LoadExperimentTest, DamagedTextIsAnErrorWithPosition) {
  std::mt19937 random(17);
  const std::string valid = kMinimal;
  for (int round = 0; round < 1000; ++round) {
    std::string text = valid.substr(0, random() % (valid.size() + 1));
    for (int i = 0; i < 2 && !text.empty(); ++i) {
      text[random() % text.size()] = static_cast<char>(random() % 128);
    }
    const std::string error = ErrorOf(text);
    if (error != "OK" && error.find(" found, expected ") == std::string::npos &&
        error.find("required fields") == std::string::npos) {
      EXPECT_THAT(error, MatchesRegex("e.textproto:[0-9]+:[0-9]+: (.|\n)+")) << text;
    }
  }
}

}  // namespace
}  // namespace tessera
