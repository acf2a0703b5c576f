#include <google/protobuf/descriptor.h>
#include <google/protobuf/text_format.h>

#include <memory>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "configs/load_experiment.h"

namespace tessera {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::TextFormat;

// The field as text with the value that `message` has, set or default.
std::string FieldText(const Message& message, const FieldDescriptor& field) {
  std::string value;
  TextFormat::PrintFieldValueToString(message, &field, -1, &value);
  return absl::StrCat(field.name(), ": ", value, "\n");
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

// Appends the fields of `message`: set ones as text, the others, if they have a default, as
// comments.
void PrintFields(const Message& message, const std::string& indent, bool with_defaults,
                 std::string* text) {
  const auto* const type = message.GetDescriptor();
  const auto* const reflection = message.GetReflection();
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor& field = *type->field(i);
    const bool nested = field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (field.is_repeated()) {
      const int size = reflection->FieldSize(message, &field);
      for (int k = 0; k < size; ++k) {
        std::string value;
        TextFormat::PrintFieldValueToString(message, &field, k, &value);
        absl::StrAppend(text, indent, field.name(), ": ", value, "\n");
      }
    } else if (nested) {
      const bool set = reflection->HasField(message, &field);
      if (!set && (!with_defaults || field.containing_oneof() != nullptr)) continue;
      std::string body;
      PrintFields(reflection->GetMessage(message, &field), indent + "  ", with_defaults, &body);
      const std::string block = absl::StrCat(indent, field.name(), " {\n", body, indent, "}\n");
      // Setting a message changes the experiment, so one that is not set stays a comment as a
      // whole.
      absl::StrAppend(text, set ? block : CommentedOut(block));
    } else if (reflection->HasField(message, &field)) {
      absl::StrAppend(text, indent, FieldText(message, field));
    } else if (with_defaults && field.has_default_value()) {
      absl::StrAppend(text, indent, "# ", FieldText(message, field));
    }
  }
}

}  // namespace

std::string PrintExperiment(const Experiment& experiment, bool with_defaults) {
  std::string text;
  PrintFields(experiment, "", with_defaults, &text);
  return text;
}

}  // namespace tessera
