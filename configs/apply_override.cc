#include "configs/apply_override.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "configs/nearest_name.h"
#include "configs/schema_names.h"

namespace tessera {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// An override's errors are about its one value, so protobuf's own words add nothing.
class NoErrors : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int, google::protobuf::io::ColumnNumber, const std::string&) override {}
};

// Sets, or for a repeated field adds, one value.
absl::Status SetValue(absl::string_view value, const FieldDescriptor* field, Message* message) {
  const std::string text(value);
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
    const Reflection* const reflection = message->GetReflection();
    field->is_repeated() ? reflection->AddString(message, field, text)
                         : reflection->SetString(message, field, text);
    return absl::OkStatus();
  }
  NoErrors errors;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  if (parser.ParseFieldValueFromString(text, field, message)) return absl::OkStatus();
  const bool is_enum = field->cpp_type() == FieldDescriptor::CPPTYPE_ENUM;
  return absl::InvalidArgumentError(
      absl::StrCat("found \"", text, "\", expected ",
                   is_enum ? absl::StrCat("a value of ", field->enum_type()->full_name(),
                                          SuggestName(text, ValueNames(*field->enum_type())))
                           : ExpectedValue(*field)));
}

absl::Status SetField(absl::string_view value, const FieldDescriptor* field, Message* message) {
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    if (field->is_repeated() || value != "{}") {
      return absl::InvalidArgumentError(
          absl::StrCat("found \"", value, "\", expected {}, or a field of it: ", field->name(),
                       ".FIELD=VALUE with FIELD one of ",
                       absl::StrJoin(FieldNames(*field->message_type()), ", ")));
    }
    message->GetReflection()->MutableMessage(message, field);
    return absl::OkStatus();
  }
  if (!field->is_repeated()) return SetValue(value, field, message);

  message->GetReflection()->ClearField(message, field);
  if (absl::StartsWith(value, "[") && absl::EndsWith(value, "]")) {
    value = value.substr(1, value.size() - 2);
  }
  if (absl::StripAsciiWhitespace(value).empty()) return absl::OkStatus();
  for (const absl::string_view item : absl::StrSplit(value, ',')) {
    TESSERA_RETURN_IF_ERROR(SetValue(absl::StripAsciiWhitespace(item), field, message));
  }
  return absl::OkStatus();
}

absl::Status SetByPath(const std::string& path, absl::string_view value, Message* message) {
  const std::vector<std::string> names = absl::StrSplit(path, '.');
  std::string prefix;
  for (size_t i = 0;; ++i) {
    const Descriptor* const type = message->GetDescriptor();
    const FieldDescriptor* const field = type->FindFieldByName(names[i]);
    if (field == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("found \"", names[i],
                                                     "\", expected a field of ", type->full_name(),
                                                     SuggestName(names[i], FieldNames(*type))));
    }
    absl::StrAppend(&prefix, i == 0 ? "" : ".", names[i]);
    if (i + 1 == names.size()) {
      const absl::Status status = SetField(value, field, message);
      if (status.ok()) return status;
      return absl::Status(status.code(), absl::StrCat(prefix, ": ", status.message()));
    }
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE || field->is_repeated()) {
      return absl::InvalidArgumentError(absl::StrCat("found \".", names[i + 1], "\" behind ",
                                                     prefix,
                                                     ", which has no fields, expected \"=\""));
    }
    message = message->GetReflection()->MutableMessage(message, field);
  }
}

}  // namespace

absl::StatusOr<std::string> ApplyOverride(const std::string& assignment, Message* message) {
  const size_t equals = assignment.find('=');
  const std::string path = assignment.substr(0, equals);
  const absl::Status status =
      equals == std::string::npos || equals == 0
          ? absl::InvalidArgumentError("expected FIELD.FIELD=VALUE, as model.num_classes=21")
          : SetByPath(path, absl::string_view(assignment).substr(equals + 1), message);
  if (status.ok()) return path;
  return absl::InvalidArgumentError(
      absl::StrCat("override \"", assignment, "\": ", status.message()));
}

}  // namespace tessera
