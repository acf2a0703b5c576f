#include <google/protobuf/descriptor.h>
#include <google/protobuf/text_format.h>

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "configs/load_experiment.h"

namespace tessera {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::TextFormat;

// The value, set or default, with as many digits as it takes to read the same number back.
std::string ValueText(const Message& message, const FieldDescriptor& field, int index = -1) {
  std::string value;
  TextFormat::PrintFieldValueToString(message, &field, index, &value);
  return value;
}

std::string ListText(const Message& message, const FieldDescriptor& field) {
  std::vector<std::string> values;
  const int size = message.GetReflection()->FieldSize(message, &field);
  const bool nested = field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
  for (int i = 0; i < size; ++i) {
    const std::string value = ValueText(message, field, i);
    values.push_back(nested ? absl::StrCat("{\n", value, "}") : value);
  }
  return absl::StrCat("[", absl::StrJoin(values, ", "), "]");
}

// Each line of `block` as a comment.
std::string CommentedOut(absl::string_view block) {
  std::string text;
  for (const absl::string_view line : absl::StrSplit(block, '\n', absl::SkipEmpty())) {
    const absl::string_view content = absl::StripLeadingAsciiWhitespace(line);
    const absl::string_view indent = line.substr(0, line.size() - content.size());
    absl::StrAppend(&text, indent, absl::StartsWith(content, "#") ? "" : "# ", content, "\n");
  }
  return text;
}

class Printer {
 public:
  explicit Printer(bool with_defaults) : with_defaults_(with_defaults) {}

  // The fields of `message`: set ones as text, the others, where asked for, as comments.
  std::string Fields(const Message& message, const std::string& indent) const {
    std::string text;
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
      text += Field(message, *message.GetDescriptor()->field(i), indent);
    }
    return text;
  }

 private:
  std::string Field(const Message& message, const FieldDescriptor& field,
                    const std::string& indent) const {
    const auto& reflection = *message.GetReflection();
    const bool nested = field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    const bool set = field.is_repeated() ? reflection.FieldSize(message, &field) > 0
                                         : reflection.HasField(message, &field);
    if (!set && !with_defaults_) return "";
    const std::string start = absl::StrCat(indent, set ? "" : "# ", field.name());
    if (!set && field.containing_oneof() != nullptr) {
      return absl::StrCat(start, " {}: another choice of ", field.containing_oneof()->name(), "\n");
    }
    if (nested && !field.is_repeated()) {
      // A message that is not set stays a comment as a whole, so that it is not set in the copy.
      const std::string block = absl::StrCat(
          indent, field.name(), " {\n",
          Fields(reflection.GetMessage(message, &field), indent + "  "), indent, "}\n");
      return set ? block : CommentedOut(block);
    }
    if (!set && !field.has_default_value()) return absl::StrCat(start, ": not set\n");
    return absl::StrCat(start, ": ",
                        field.is_repeated() ? ListText(message, field) : ValueText(message, field),
                        "\n");
  }

  const bool with_defaults_;
};

}  // namespace

std::string PrintExperiment(const Experiment& experiment, bool with_defaults) {
  return Printer(with_defaults).Fields(experiment, "");
}

}  // namespace tessera
