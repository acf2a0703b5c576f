#include "configs/apply_override.h"

#include <google/protobuf/descriptor.h>

#include <memory>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "configs/nearest_name.h"
#include "configs/parse_text.h"

namespace tessera {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// The value as protobuf text: strings get their quotes, lists their brackets.
std::string ValueText(const FieldDescriptor& field, absl::string_view value) {
  const auto quoted = [&](absl::string_view item) {
    const bool text = field.cpp_type() == FieldDescriptor::CPPTYPE_STRING;
    if (!text || absl::StartsWith(item, "\"")) return std::string(item);
    return absl::StrCat("\"", absl::CEscape(item), "\"");
  };
  if (!field.is_repeated()) return quoted(value);
  if (absl::StartsWith(value, "[")) {
    value.remove_prefix(1);
    if (absl::EndsWith(value, "]")) value.remove_suffix(1);
  }
  std::vector<std::string> items;
  for (absl::string_view item : absl::StrSplit(value, ',', absl::SkipWhitespace())) {
    items.push_back(quoted(absl::StripAsciiWhitespace(item)));
  }
  return absl::StrCat("[", absl::StrJoin(items, ", "), "]");
}

const char* ExpectedType(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
    case FieldDescriptor::CPPTYPE_INT64:
      return "a whole number";
    case FieldDescriptor::CPPTYPE_UINT32:
    case FieldDescriptor::CPPTYPE_UINT64:
      return "a whole number that is not negative";
    case FieldDescriptor::CPPTYPE_DOUBLE:
    case FieldDescriptor::CPPTYPE_FLOAT:
      return "a number";
    case FieldDescriptor::CPPTYPE_BOOL:
      return "true or false";
    case FieldDescriptor::CPPTYPE_STRING:
      return "text";
    case FieldDescriptor::CPPTYPE_ENUM:
      return "a name of its enum";
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return "a message { ... }";
  }
  return "";
}

}  // namespace

absl::Status ApplyOverride(const std::string& assignment, Message* message) {
  const std::string label = absl::StrCat("override \"", assignment, "\": ");
  const size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    return absl::InvalidArgumentError(absl::StrCat(label, "expected FIELD.FIELD=VALUE"));
  }
  const std::vector<std::string> path = absl::StrSplit(assignment.substr(0, equals), '.');
  const std::string value = assignment.substr(equals + 1);

  const Descriptor* type = message->GetDescriptor();
  const FieldDescriptor* field = nullptr;
  std::string text;
  for (const std::string& name : path) {
    if (type == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(label, field->full_name(),
                                                     " has no fields of its own (it is ",
                                                     ExpectedType(*field), ")"));
    }
    field = type->FindFieldByName(name);
    if (field == nullptr) {
      std::vector<std::string> names;
      for (int i = 0; i < type->field_count(); ++i) names.push_back(type->field(i)->name());
      return absl::InvalidArgumentError(absl::StrCat(label, "no field \"", name, "\" in ",
                                                     type->full_name(), SuggestName(name, names)));
    }
    if (&name != &path.back()) absl::StrAppend(&text, name, " { ");
    type = field->message_type();
  }
  const bool braced = type != nullptr;
  absl::StrAppend(&text, field->name(), braced ? " " : ": ", ValueText(*field, value));
  for (size_t i = 1; i < path.size(); ++i) text += " }";

  const std::unique_ptr<Message> change(message->New());
  if (const absl::Status status = ParseText(text, "value", change.get()); !status.ok()) {
    // Positions in the text that was put together mean nothing to the user.
    const std::vector<std::string> parts =
        absl::StrSplit(std::string(status.message()), absl::MaxSplits(": ", 1));
    return absl::InvalidArgumentError(absl::StrCat(label, field->full_name(), " expects ",
                                                   ExpectedType(*field), ", found \"", value,
                                                   "\" (", parts.back(), ")"));
  }
  Overlay(*change, message);
  return absl::OkStatus();
}

}  // namespace tessera
