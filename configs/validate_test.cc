#include <google/protobuf/descriptor.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "configs/load_experiment.h"
#include "configs/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;
using ::testing::AllOf;
using ::testing::HasSubstr;

using ValidateTest = ConfigTest;

// A field that holds values, and its path from Experiment.
struct Leaf {
  std::string path;
  const FieldDescriptor* field;
};

void AddLeaves(const Descriptor& type, const std::string& prefix, std::vector<Leaf>* leaves) {
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* const field = type.field(i);
    const std::string path = absl::StrCat(prefix, field->name());
    if (field->message_type() == nullptr) {
      leaves->push_back({path, field});
    } else if (!field->is_repeated()) {  // an override cannot name one of several messages
      AddLeaves(*field->message_type(), absl::StrCat(path, "."), leaves);
    }
  }
}

// Every field of the schema but `include`.
std::vector<Leaf> Leaves() {
  std::vector<Leaf> leaves;
  AddLeaves(*Experiment::descriptor(), "", &leaves);
  leaves.erase(leaves.begin());
  return leaves;
}

// Values of which one differs from the default and the config's.
std::vector<std::string> OtherValues(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return {field.default_value_bool() ? "false" : "true"};
    case FieldDescriptor::CPPTYPE_ENUM:
      return {field.enum_type()->value(0)->name(), field.enum_type()->value(1)->name()};
    case FieldDescriptor::CPPTYPE_STRING:
      return {"3ep"};
    default:
      return {"0.25", "32", "3"};
  }
}

// What a field needs beside it.
std::vector<std::string> Beside(const std::string& path) {
  if (path == "train.load_weights_only") return {"train.load_path=checkpoint"};
  for (const std::string set : {"folder", "class_folders", "cifar", "mnist", "coco"}) {
    const std::string prefix = absl::StrCat("data.", set, ".");
    if (path.starts_with(prefix)) return {prefix + "root=data"};
  }
  if (path.starts_with("data.streaming.")) return {"data.streaming.local=shards"};
  return {};
}

// Overrides of which the last one changes the field.
std::vector<std::vector<std::string>> Changes(const Leaf& leaf) {
  const std::string& path = leaf.path;
  if (path == "data.class_names") return {{"data.class_names=a,b,c,d,e"}};
  if (path.starts_with("data.normalization.")) return {{absl::StrCat(path, "=4,5,6")}};
  std::vector<std::vector<std::string>> changes;
  for (const std::string& value : OtherValues(*leaf.field)) {
    std::vector<std::string>& overrides = changes.emplace_back(Beside(path));
    overrides.push_back(absl::StrCat(path, "=", value));
  }
  return changes;
}

TEST_F(ValidateTest, EveryFieldCanBeChanged) {
  for (const Leaf& leaf : Leaves()) {
    bool changed = false;
    std::string error;
    for (std::vector<std::string> overrides : Changes(leaf)) {
      const std::string path = Write("e.textproto", kMinimal);
      const absl::StatusOr<Experiment> after = LoadExperiment(path, overrides);
      overrides.pop_back();
      const absl::StatusOr<Experiment> before = LoadExperiment(path, overrides);
      if (!after.ok() || !before.ok()) {
        error = after.status().ToString();
        continue;
      }
      changed |= PrintExperiment(*after) != PrintExperiment(*before);
    }
    EXPECT_TRUE(changed) << leaf.path << ": " << error;
  }
}

TEST_F(ValidateTest, EveryNumberRefusesNonsense) {
  for (const Leaf& leaf : Leaves()) {
    std::string value;
    if (leaf.field->cpp_type() == FieldDescriptor::CPPTYPE_INT32) value = "-2147483648";
    if (leaf.field->cpp_type() == FieldDescriptor::CPPTYPE_INT64) value = "-9223372036854775808";
    if (leaf.field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE) value = "nan";
    if (leaf.field->cpp_type() == FieldDescriptor::CPPTYPE_FLOAT) value = "inf";
    if (value.empty()) continue;  // every uint64 is a seed
    std::vector<std::string> overrides = Beside(leaf.path);
    overrides.push_back(absl::StrCat(leaf.path, "=", value));
    EXPECT_THAT(
        ErrorOf(kMinimal, overrides),
        AllOf(HasSubstr(absl::StrCat(leaf.path, ": found ", value)), HasSubstr("expected ")));
  }
}

TEST_F(ValidateTest, IgnoreIndexFitsAMaskOf8Bits) {
  EXPECT_EQ(ErrorOf(kMinimal, {"data.ignore_index=-1"}),
            "override \"data.ignore_index=-1\": data.ignore_index: found -1, expected 0 to 255");
  EXPECT_THAT(ErrorOf(kMinimal, {"data.ignore_index=256"}), HasSubstr("expected 0 to 255"));
  // Inside the classes: allowed. cli_test sees the warning.
  EXPECT_EQ(ErrorOf(kMinimal, {"data.ignore_index=3"}), "OK");
}

TEST_F(ValidateTest, BoundsAreNamed) {
  EXPECT_THAT(ErrorOf(kMinimal, {"model.num_classes=1"}), HasSubstr("found 1, expected 2 or more"));
  EXPECT_THAT(ErrorOf(kMinimal, {"model.num_classes=256"}), HasSubstr("expected 2 to 255"));
  EXPECT_THAT(ErrorOf(kMinimal, {"train_batch_size=0"}), HasSubstr("found 0, expected 1 or more"));
  EXPECT_THAT(ErrorOf(kMinimal, {"data.train_transforms.min_scale=0"}),
              HasSubstr("found 0, expected more than 0, up to 1000"));
  EXPECT_THAT(ErrorOf(kMinimal, {"model.deeplabv3.dropout=1"}),
              HasSubstr("found 1, expected 0 to below 1"));
  EXPECT_THAT(ErrorOf(kMinimal, {"model.deeplabv3.output_stride=4"}),
              HasSubstr("found 4, expected 8, 16 or 32"));
  // Classes of images are not stored in 8 bits.
  EXPECT_EQ(ErrorOf(kMinimal, {"model.num_classes=1000", "data.digits={}"}), "OK");
}

TEST_F(ValidateTest, FieldsThatContradictEachOtherAreRefused) {
  for (const auto& [override, error] : {
           std::pair("data.train_transforms.min_scale=3",
                     "found 3, expected max_scale (2) or less"),
           std::pair("data.normalization.mean=1,2", "found 2 values, expected 3 (R G B) or none"),
           std::pair("data.class_names=a,b", "found 2 names, expected 5 (model.num_classes)"),
           std::pair("train.load_weights_only=true", "expected train.load_path"),
           std::pair("data.folder={}", "required fields are missing: data.folder.root"),
           std::pair("data.cifar={}", "required fields are missing: data.cifar.root"),
           std::pair("data.streaming={}",
                     "required fields are missing: data.streaming.{remote|local|streams}"),
       }) {
    EXPECT_THAT(ErrorOf(kMinimal, {override}), HasSubstr(error));
  }
  EXPECT_THAT(ErrorOf(kMinimal, {"loss.cross_entropy_weight=0", "loss.dice_weight=0"}),
              HasSubstr("expected one of them to be more"));
  EXPECT_THAT(ErrorOf(kMinimal, {"optimizer.sgd.nesterov=true", "optimizer.sgd.momentum=0"}),
              HasSubstr("optimizer.sgd.nesterov: found momentum 0"));
}

}  // namespace
}  // namespace tessera
