#include "configs/validate.h"

#include <glog/logging.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/text_format.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "configs/ranges.h"

namespace tessera {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// A field of one experiment.
struct FieldOf {
  const Message* message = nullptr;
  const FieldDescriptor* field = nullptr;
};

// The field at `path`; no message where a member of a oneof on the way is not chosen.
FieldOf Find(const Message& root, absl::string_view path) {
  FieldOf found = {&root, nullptr};
  for (const absl::string_view name : absl::StrSplit(path, '.')) {
    if (found.field != nullptr) {
      const Reflection& reflection = *found.message->GetReflection();
      const bool unchosen = found.field->containing_oneof() != nullptr &&
                            !reflection.HasField(*found.message, found.field);
      if (unchosen) return {};
      found.message = &reflection.GetMessage(*found.message, found.field);
    }
    found.field = found.message->GetDescriptor()->FindFieldByName(std::string(name));
    CHECK(found.field != nullptr) << path;
  }
  return found;
}

// A value of a number field, or of a repeated one, and its text with all digits that it needs.
struct Number {
  double value = 0;
  std::string text;
};

// `index`: -1 for a field that is not repeated.
double ValueAt(const FieldOf& at, int index) {
  const Reflection& reflection = *at.message->GetReflection();
  const bool one = index < 0;
  switch (at.field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return one ? reflection.GetInt32(*at.message, at.field)
                 : reflection.GetRepeatedInt32(*at.message, at.field, index);
    case FieldDescriptor::CPPTYPE_INT64:
      return static_cast<double>(one ? reflection.GetInt64(*at.message, at.field)
                                     : reflection.GetRepeatedInt64(*at.message, at.field, index));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return one ? reflection.GetFloat(*at.message, at.field)
                 : reflection.GetRepeatedFloat(*at.message, at.field, index);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return one ? reflection.GetDouble(*at.message, at.field)
                 : reflection.GetRepeatedDouble(*at.message, at.field, index);
    default:
      LOG(FATAL) << at.field->full_name() << " has a range but is not a number";
  }
}

Number NumberAt(const FieldOf& at, int index) {
  Number number = {ValueAt(at, index), ""};
  google::protobuf::TextFormat::PrintFieldValueToString(*at.message, at.field, index, &number.text);
  return number;
}

std::vector<Number> Numbers(const FieldOf& at) {
  if (!at.field->is_repeated()) return {NumberAt(at, -1)};
  std::vector<Number> numbers;
  const int size = at.message->GetReflection()->FieldSize(*at.message, at.field);
  for (int i = 0; i < size; ++i) numbers.push_back(NumberAt(at, i));
  return numbers;
}

constexpr int kMostMaskClasses = 255;

// Whether a set has a class for each pixel, as far as the config tells.
bool HasMasks(const DataConfig& data) {
  switch (data.dataset_case()) {
    case DataConfig::kSynthetic:
      return data.synthetic().labels() == SyntheticConfig::MASKS;
    case DataConfig::kStreaming:
      return data.streaming().label_column().empty();
    case DataConfig::kFolder:
    case DataConfig::kCoco:
      return true;
    case DataConfig::kClassFolders:
    case DataConfig::kCifar:
    case DataConfig::kMnist:
    case DataConfig::kDigits:
    case DataConfig::DATASET_NOT_SET:
      return false;
  }
  return false;
}

class Validator {
 public:
  Validator(const Experiment& experiment, const std::string& path, const Origins& origins)
      : experiment_(experiment), path_(path), origins_(origins) {}

  absl::Status Validate() const {
    TESSERA_RETURN_IF_ERROR(CheckRequired());
    TESSERA_RETURN_IF_ERROR(CheckRanges());
    TESSERA_RETURN_IF_ERROR(CheckData());
    TESSERA_RETURN_IF_ERROR(CheckModel());
    TESSERA_RETURN_IF_ERROR(CheckOptimizer());
    return CheckTrain();
  }

 private:
  // What set the field, else the config file.
  const std::string& PlaceOf(const std::string& field) const {
    const auto origin = origins_.find(field);
    return origin == origins_.end() ? path_ : origin->second;
  }

  template <typename... Parts>
  absl::Status Refuse(const std::string& field, const Parts&... parts) const {
    return absl::InvalidArgumentError(absl::StrCat(PlaceOf(field), ": ", field, ": ", parts...));
  }

  absl::Status CheckRequired() const {
    const DataConfig& data = experiment_.data();
    const ModelConfig& model = experiment_.model();
    std::vector<absl::string_view> missing;
    if (!experiment_.has_max_duration()) missing.push_back("max_duration");
    if (data.dataset_case() == DataConfig::DATASET_NOT_SET) {
      missing.push_back("data.{synthetic|folder|streaming|class_folders|cifar|mnist|digits|coco}");
    }
    for (const auto& [set, root, field] :
         {std::tuple(data.has_folder(), data.folder().root(), "data.folder.root"),
          {data.has_class_folders(), data.class_folders().root(), "data.class_folders.root"},
          {data.has_cifar(), data.cifar().root(), "data.cifar.root"},
          {data.has_mnist(), data.mnist().root(), "data.mnist.root"},
          {data.has_coco(), data.coco().root(), "data.coco.root"}}) {
      if (set && root.empty()) missing.push_back(field);
    }
    if (data.has_streaming() && data.streaming().remote().empty() &&
        data.streaming().local().empty() && data.streaming().streams().empty()) {
      missing.push_back("data.streaming.{remote|local|streams}");
    }
    if (!model.has_num_classes()) missing.push_back("model.num_classes");
    if (model.architecture_case() == ModelConfig::ARCHITECTURE_NOT_SET) {
      missing.push_back("model.{deeplabv3|deeplabv3_plus|resnet|resnet_cifar}");
    }
    if (experiment_.optimizer().optimizer_case() == OptimizerConfig::OPTIMIZER_NOT_SET) {
      missing.push_back("optimizer.{decoupled_sgd|sgd}");
    }
    if (missing.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(path_, ": required fields are missing: ", absl::StrJoin(missing, ", ")));
  }

  absl::Status CheckRanges() const {
    for (const FieldRange& range : FieldRanges()) {
      const FieldOf at = Find(experiment_, range.field);
      if (at.message == nullptr) continue;
      for (const Number& number : Numbers(at)) {
        if (range.interval.Contains(number.value)) continue;
        return Refuse(range.field, "found ", number.text, ", expected ", range.interval.ToString());
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckData() const {
    const DataConfig& data = experiment_.data();
    const int classes = experiment_.model().num_classes();
    const Number least = NumberAt(Find(experiment_, "data.train_transforms.min_scale"), -1);
    const Number most = NumberAt(Find(experiment_, "data.train_transforms.max_scale"), -1);
    if (least.value > most.value) {
      return Refuse("data.train_transforms.min_scale", "found ", least.text,
                    ", expected max_scale (", most.text, ") or less");
    }
    for (const auto& [field, size] : {std::pair("mean", data.normalization().mean_size()),
                                      std::pair("std", data.normalization().std_size())}) {
      if (size == 0 || size == 3) continue;
      return Refuse(absl::StrCat("data.normalization.", field), "found ", size,
                    " values, expected 3 (R G B) or none");
    }
    if (HasMasks(data) && classes > kMostMaskClasses) {
      return Refuse("model.num_classes", "found ", classes, ", expected 2 to ", kMostMaskClasses,
                    ", since a mask holds 8 bits");
    }
    if (data.class_names_size() != 0 && data.class_names_size() != classes) {
      return Refuse("data.class_names", "found ", data.class_names_size(), " names, expected ",
                    classes, " (model.num_classes) or none");
    }
    if (HasMasks(data) && data.ignore_index() < classes) {
      LOG(WARNING) << PlaceOf("data.ignore_index") << ": data.ignore_index: " << data.ignore_index()
                   << " is one of the " << classes
                   << " classes; its pixels count neither in the loss nor in the metrics";
    }
    return absl::OkStatus();
  }

  absl::Status CheckModel() const {
    for (const std::string name : {"deeplabv3", "deeplabv3_plus", "resnet"}) {
      const std::string field = absl::StrCat("model.", name, ".output_stride");
      const FieldOf at = Find(experiment_, field);
      if (at.message == nullptr) continue;
      const Number stride = NumberAt(at, -1);
      if (stride.value != 8 && stride.value != 16 && stride.value != 32) {
        return Refuse(field, "found ", stride.text, ", expected 8, 16 or 32");
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckOptimizer() const {
    const auto check = [this](const std::string& field, const auto& sgd) {
      if (!sgd.nesterov() || (sgd.momentum() > 0 && sgd.dampening() == 0)) {
        return absl::OkStatus();
      }
      return Refuse(field + ".nesterov", "found momentum ", sgd.momentum(), " and dampening ",
                    sgd.dampening(), ", expected more than 0 and 0");
    };
    const OptimizerConfig& optimizer = experiment_.optimizer();
    if (optimizer.has_sgd()) return check("optimizer.sgd", optimizer.sgd());
    return check("optimizer.decoupled_sgd", optimizer.decoupled_sgd());
  }

  absl::Status CheckTrain() const {
    const LossConfig& loss = experiment_.loss();
    if (loss.cross_entropy_weight() == 0 && loss.dice_weight() == 0) {
      return Refuse("loss.cross_entropy_weight",
                    "found 0, as loss.dice_weight, expected one of "
                    "them to be more");
    }
    const TrainConfig& train = experiment_.train();
    if (train.load_weights_only() && train.load_path().empty()) {
      return Refuse("train.load_weights_only", "found true, expected train.load_path beside it");
    }
    return absl::OkStatus();
  }

  const Experiment& experiment_;
  const std::string& path_;
  const Origins& origins_;
};

}  // namespace

absl::Status ValidateExperiment(const Experiment& experiment, const std::string& path,
                                const Origins& origins) {
  return Validator(experiment, path, origins).Validate();
}

}  // namespace tessera
