#include "configs/load_experiment.h"

#include <google/protobuf/util/message_differencer.h>

#include <limits>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "configs/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::google::protobuf::util::MessageDifferencer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

using ParseTest = ConfigTest;
using IncludeTest = ConfigTest;
using OverrideTest = ConfigTest;
using PrintTest = ConfigTest;

TEST_F(ParseTest, ZeroDiffersFromAbsent) {
  const std::string decoupled = R"(max_duration: "2ep" data { synthetic {} }
      model { num_classes: 5 deeplabv3 {} } optimizer { decoupled_sgd { )";
  EXPECT_EQ(Load(decoupled + "weight_decay: 0 } }").optimizer().decoupled_sgd().weight_decay(), 0);
  EXPECT_EQ(Load(decoupled + "} }").optimizer().decoupled_sgd().weight_decay(), 5e-5);
}

TEST_F(ParseTest, UnknownFieldIsRefusedWithTheNearestOfItsMessage) {
  EXPECT_EQ(ErrorOf("max_duration: \"2ep\"\noptimizer { sgd { momentun: 0.1 } }"),
            "e.textproto:2:19: found \"momentun\", expected a field of tessera.SgdConfig; did you "
            "mean \"momentum\"?");
  // "lr" is a field of another message; here it is not.
  EXPECT_EQ(ErrorOf("loss { lr: 1 }"),
            "e.textproto:1:8: found \"lr\", expected a field of tessera.LossConfig; valid names: "
            "cross_entropy_weight, dice_weight");
  // The name in a comment or a text is not the one that is meant.
  EXPECT_EQ(ErrorOf("# sed: 1\nrun_name: \"sed: 1\"\nsed  # sed\n: 1"),
            "e.textproto:3:1: found \"sed\", expected a field of tessera.Experiment; did you mean "
            "\"seed\"?");
}

TEST_F(ParseTest, FieldSetTwiceIsRefused) {
  EXPECT_EQ(ErrorOf("optimizer { sgd { lr: 1\n lr: 2 } }"),
            "e.textproto:2:2: Non-repeated field \"lr\" is specified multiple times.");
  EXPECT_THAT(ErrorOf("data {}\ndata {}"), HasSubstr("e.textproto:2:1: "));
}

TEST_F(ParseTest, TwoMembersOfAOneofAreRefused) {
  EXPECT_EQ(
      ErrorOf("data {\n  synthetic {}\n  folder {}\n}"),
      "e.textproto:3:3: Field \"folder\" is specified along with field \"synthetic\", another "
      "member of oneof \"dataset\".");
}

TEST_F(ParseTest, MisspeltEnumIsRefusedWithTheNearestValue) {
  EXPECT_EQ(ErrorOf("model { deeplabv3 { backbone {\n depth: RESNET55 } } }"),
            "e.textproto:2:9: depth: found RESNET55, expected a value of "
            "tessera.ResNetConfig.Depth; did you mean \"RESNET50\"?");
  EXPECT_THAT(ErrorOf("data { bad_samples: 7 }"),
              HasSubstr("e.textproto:1:21: bad_samples: found 7, expected a value of "));
}

TEST_F(ParseTest, WrongTypeIsRefusedWithFoundAndExpected) {
  EXPECT_EQ(ErrorOf("seed: \"a\""),
            "e.textproto:1:7: seed: found \"a\", expected a whole number of 64 bits, 0 or more");
  EXPECT_EQ(ErrorOf("seed: -1"),
            "e.textproto:1:7: seed: found -1, expected a whole number of 64 bits, 0 or more");
  EXPECT_EQ(ErrorOf("train_batch_size: 1.5"),
            "e.textproto:1:19: train_batch_size: found 1.5, expected a whole number of 32 bits");
  EXPECT_EQ(ErrorOf("train_batch_size: 3000000000"),
            "e.textproto:1:19: train_batch_size: found 3000000000, expected a whole number of 32 "
            "bits");
  EXPECT_EQ(ErrorOf("loss { dice_weight: high }"),
            "e.textproto:1:21: dice_weight: found high, expected a number");
  EXPECT_EQ(ErrorOf("data { shuffle: maybe }"),
            "e.textproto:1:17: shuffle: found maybe, expected true or false");
  EXPECT_EQ(ErrorOf("max_duration: 10"),
            "e.textproto:1:15: max_duration: found 10, expected a text in quotes");
  EXPECT_EQ(ErrorOf("model: 5"), "e.textproto:1:8: model: found 5, expected { ... }");
  EXPECT_EQ(ErrorOf("seed 5"), "e.textproto:1:6: seed: found 5, expected \":\"");
  EXPECT_EQ(ErrorOf("model {\n"),
            "e.textproto:2:1: found the end of the text, expected a field or \"}\"");
}

TEST_F(ParseTest, EmptyFileNamesTheRequiredFields) {
  EXPECT_EQ(ErrorOf(""),
            "e.textproto: required fields are missing: max_duration, "
            "data.{synthetic|folder|streaming|class_folders|cifar|mnist|digits|coco}, "
            "model.num_classes, "
            "model.{deeplabv3|deeplabv3_plus|resnet|resnet_cifar}, optimizer.{decoupled_sgd|sgd}");
}

TEST_F(ParseTest, UnreadableFileIsNamed) {
  const auto error = [](const std::string& path) {
    return std::string(LoadExperiment(path, {}).status().message());
  };
  EXPECT_EQ(error("absent.textproto"), "cannot read absent.textproto: No such file or directory");
  EXPECT_THAT(error(folder_.string()), HasSubstr("it is a folder, expected a config file"));
}

TEST_F(ParseTest, LongTokensAreCutInErrors) {
  const std::string error = ErrorOf(std::string(1 << 20, 'a') + ": 1");
  EXPECT_THAT(error, MatchesRegex("e.textproto:1:1: found \"a+\\.\\.\\.\", expected a field.*"));
  EXPECT_LT(error.size(), 400u);
}

// Texts that are cut short and changed at random load or are refused; a fault of the text itself
// has its place.
TEST_F(ParseTest, DamagedTextIsAnErrorWithItsPlace) {
  std::mt19937 random(17);
  const std::string valid = R"(max_duration: "2ep"  # two
      data { synthetic {} class_names: ['a', "b"] bad_samples: SKIP train_transforms { hue: 1e-2 } }
      model < num_classes: 2 deeplabv3 { aspp_dilations: [1, 6] } > optimizer { sgd { lr: 0.5 } })";
  ASSERT_EQ(ErrorOf(valid), "OK");
  const auto damaged = [&] {
    std::string text = valid.substr(0, random() % (valid.size() + 1));
    for (int i = random() % 4; i > 0 && !text.empty(); --i) {
      const size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          text.erase(at, 1 + random() % 8);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), 1 + random() % 8));
      }
    }
    return text;
  };
  for (int round = 0; round < 1000; ++round) {
    const std::string text = damaged();
    EXPECT_THAT(ErrorOf(text), MatchesRegex("OK|e.textproto: required fields are missing: .*|"
                                            "e.textproto:[0-9]+:[0-9]+: .+"))
        << text;
  }
}

TEST_F(IncludeTest, FileGoesOverItsIncludes) {
  Write("data/set.textproto",
        R"(data { folder { root: "a" } class_names: ["x", "y"] num_threads: 7 })");
  Write("base.textproto", absl::StrCat(kMinimal, "include: \"data/set.textproto\" seed: 3"));
  const Experiment experiment = Load(R"(include: "base.textproto" include: "data/set.textproto"
      data { class_names: ["1", "2", "3", "4", "5"] } model { deeplabv3_plus {} } seed: 4)");
  EXPECT_EQ(experiment.include_size(), 0);
  EXPECT_EQ(experiment.seed(), 4u);
  EXPECT_EQ(experiment.data().folder().root(), "a");
  EXPECT_EQ(experiment.data().num_threads(), 7);
  EXPECT_THAT(experiment.data().class_names(), ElementsAre("1", "2", "3", "4", "5"));
  EXPECT_TRUE(experiment.model().has_deeplabv3_plus());
  EXPECT_EQ(experiment.model().num_classes(), 5);
}

TEST_F(IncludeTest, EmptyListEmptiesTheIncludedOne) {
  Write("base.textproto", kMinimal);
  Write("names.textproto", "data { class_names: ['1','2','3','4','5'] }");
  EXPECT_THAT(Load("include: ['base.textproto', 'names.textproto']").data().class_names(),
              ElementsAre("1", "2", "3", "4", "5"));
  EXPECT_THAT(Load("include: ['base.textproto', 'names.textproto'] data { class_names: [] }")
                  .data()
                  .class_names(),
              IsEmpty());
}

TEST_F(IncludeTest, OtherMemberOfAOneofLeavesNothingOfTheFirst) {
  Write("base.textproto", kMinimal);
  Write("other.textproto", R"(include: "base.textproto" optimizer { decoupled_sgd {} })");
  const Experiment experiment = Load(R"(include: "other.textproto" optimizer { sgd {} })");
  EXPECT_TRUE(experiment.optimizer().has_sgd());
  EXPECT_FALSE(experiment.optimizer().sgd().has_lr());  // base's lr went with its member
}

TEST_F(IncludeTest, CycleIsRefusedWithItsChain) {
  Write("a.textproto", "include: \"sub/b.textproto\"");
  Write("sub/b.textproto", "include: \"../e.textproto\"");
  EXPECT_EQ(ErrorOf("include: \"a.textproto\""),
            "a config includes itself: e.textproto -> a.textproto -> sub/b.textproto -> "
            "e.textproto");
}

TEST_F(IncludeTest, SameFileTwiceIsNoCycle) {
  Write("base.textproto", kMinimal);
  EXPECT_EQ(ErrorOf("include: ['base.textproto', 'base.textproto']"), "OK");
}

TEST_F(IncludeTest, MissingIncludeNamesBothFiles) {
  Write("base.textproto", kMinimal);
  EXPECT_EQ(ErrorOf("include: \"base.textproto\"\ninclude: \"nowhere.textproto\""),
            "e.textproto:2:1: include: cannot read nowhere.textproto: No such file or directory");
}

TEST_F(IncludeTest, ErrorNamesTheFileItIsIn) {
  Write("base.textproto", "data {\n  synthetic {}\n  ignore_index: 256\n}");
  EXPECT_EQ(ErrorOf(R"(include: "base.textproto" max_duration: "2ep" optimizer { sgd {} }
                       model { num_classes: 5 deeplabv3 {} })"),
            "base.textproto:3:3: data.ignore_index: found 256, expected 0 to 255");
  Write("base.textproto", "sed: 1");
  EXPECT_THAT(ErrorOf("include: \"base.textproto\""), HasSubstr("base.textproto:1:1: "));
}

TEST_F(OverrideTest, ComesLast) {
  const Experiment experiment =
      Load(kMinimal, {"model.num_classes=2", "max_duration=10ep", "data.shuffle=false",
                      "data.drop_last=1", "optimizer.sgd.lr=1e-3", "run_name=a = \"b\", c",
                      "model.deeplabv3.aspp_dilations=[1,6,12]", "data.normalization.std=1, 2,3",
                      "model.deeplabv3.backbone.depth=RESNET18", "data.class_names=sky, tree"});
  EXPECT_EQ(experiment.model().num_classes(), 2);
  EXPECT_EQ(experiment.max_duration(), "10ep");
  EXPECT_FALSE(experiment.data().shuffle());
  EXPECT_TRUE(experiment.data().drop_last());
  EXPECT_EQ(experiment.optimizer().sgd().lr(), 1e-3);
  EXPECT_EQ(experiment.run_name(), "a = \"b\", c");
  EXPECT_THAT(experiment.model().deeplabv3().aspp_dilations(), ElementsAre(1, 6, 12));
  EXPECT_THAT(experiment.data().normalization().std(), ElementsAre(1, 2, 3));
  EXPECT_EQ(experiment.model().deeplabv3().backbone().depth(), ResNetConfig::RESNET18);
  EXPECT_THAT(experiment.data().class_names(), ElementsAre("sky", "tree"));
}

TEST_F(OverrideTest, ListIsReplacedAndEmptied) {
  const std::string text = absl::StrCat(kMinimal, "train {}");
  EXPECT_THAT(Load(text, {"model.deeplabv3.aspp_dilations=1,2", "model.deeplabv3.aspp_dilations=3"})
                  .model()
                  .deeplabv3()
                  .aspp_dilations(),
              ElementsAre(3));
  EXPECT_THAT(
      Load(text, {"model.deeplabv3.aspp_dilations=1,2", "model.deeplabv3.aspp_dilations=[]"})
          .model()
          .deeplabv3()
          .aspp_dilations(),
      IsEmpty());
}

TEST_F(OverrideTest, OtherMemberOfAOneofIsSwitchedTo) {
  const Experiment folder = Load(kMinimal, {"data.folder.root=/data"});
  EXPECT_TRUE(folder.data().has_folder());
  EXPECT_FALSE(folder.data().has_synthetic());
  EXPECT_TRUE(Load(kMinimal, {"model.deeplabv3_plus={}"}).model().has_deeplabv3_plus());
}

TEST_F(OverrideTest, WrongPartIsNamed) {
  EXPECT_EQ(ErrorOf(kMinimal, {"model.num_clases=3"}),
            "override \"model.num_clases=3\": found \"num_clases\", expected a field of "
            "tessera.ModelConfig; did you mean \"num_classes\"?");
  EXPECT_EQ(ErrorOf(kMinimal, {"modl.num_classes=3"}),
            "override \"modl.num_classes=3\": found \"modl\", expected a field of "
            "tessera.Experiment; did you mean \"model\"?");
  EXPECT_EQ(ErrorOf(kMinimal, {"seed.x=1"}),
            "override \"seed.x=1\": found \".x\" behind seed, which has no fields, expected \"=\"");
  EXPECT_THAT(ErrorOf(kMinimal, {"seed"}), HasSubstr("expected FIELD.FIELD=VALUE"));
  EXPECT_THAT(ErrorOf(kMinimal, {"=1"}), HasSubstr("expected FIELD.FIELD=VALUE"));
  EXPECT_THAT(ErrorOf(kMinimal, {"model.=1"}), HasSubstr("found \"\", expected a field of"));
  EXPECT_THAT(ErrorOf(kMinimal, {"data=x"}), HasSubstr("data: found \"x\", expected {}"));
  EXPECT_THAT(ErrorOf(kMinimal, {"include=base.textproto"}), HasSubstr("expected another field"));
}

TEST_F(OverrideTest, WrongValueIsRefused) {
  EXPECT_EQ(ErrorOf(kMinimal, {"model.num_classes=many"}),
            "override \"model.num_classes=many\": model.num_classes: found \"many\", expected a "
            "whole number of 32 bits");
  EXPECT_THAT(ErrorOf(kMinimal, {"model.deeplabv3.backbone.depth=RESNET55"}),
              HasSubstr("found \"RESNET55\", expected a value of tessera.ResNetConfig.Depth; did "
                        "you mean \"RESNET50\"?"));
  for (const char* wrong :
       {"seed=", "seed=-1", "seed=1 seed: 2", "seed=1.5", "data.shuffle=maybe", "data.shuffle=2",
        "optimizer.sgd.lr=0.1,0.2", "model.deeplabv3.aspp_dilations=[1,,2]",
        "model.deeplabv3.aspp_dilations=[1,2"}) {
    EXPECT_THAT(ErrorOf(kMinimal, {wrong}), HasSubstr(absl::StrCat("override \"", wrong, "\": ")))
        << wrong;
  }
}

TEST_F(PrintTest, LoadsToTheSameExperiment) {
  Experiment experiment = Load(
      kMinimal, {"data.normalization.mean=[0.1,2,3]", "model.deeplabv3.aspp_dilations=[1,6]",
                 "seed=18446744073709551615", "data.bad_samples=SKIP", "data.eval_transforms={}"});
  experiment.set_run_name("quotes \" ' \\ lines \n\t and \xc3\xa4");
  experiment.mutable_optimizer()->mutable_sgd()->set_lr(0.1 + 0.2);
  experiment.mutable_optimizer()->mutable_sgd()->set_weight_decay(
      std::numeric_limits<double>::denorm_min());
  for (const bool with_defaults : {false, true}) {
    const std::string text = PrintExperiment(experiment, with_defaults);
    EXPECT_TRUE(MessageDifferencer::Equals(Load(text), experiment)) << text;
  }
}

TEST_F(PrintTest, ShowsEveryFieldWithItsDefault) {
  const std::string text = PrintExperiment(Load(kMinimal), /*with_defaults=*/true);
  for (const char* line :
       {"\n    lr: 0.5\n", "\n    # momentum: 0.9\n", "\n    # output_stride: 8\n",
        "\n    # backbone {\n", "\n      # depth: RESNET50\n", "\n    # aspp_dilations: not set\n",
        "\n  # save_folder: not set\n", "\n  # folder {}: another choice of dataset\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(PrintExperiment(Load(kMinimal)), ::testing::Not(HasSubstr("#")));
}

}  // namespace
}  // namespace tessera
