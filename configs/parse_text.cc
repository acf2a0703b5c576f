#include "configs/parse_text.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "configs/nearest_name.h"

namespace tessera {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// The message type called `name` at or below `root`.
const Descriptor* FindMessage(const Descriptor* root, const std::string& name,
                              std::set<const Descriptor*>* seen) {
  if (root->full_name() == name) return root;
  if (!seen->insert(root).second) return nullptr;
  for (int i = 0; i < root->field_count(); ++i) {
    if (const Descriptor* const child = root->field(i)->message_type()) {
      if (const Descriptor* const found = FindMessage(child, name, seen)) return found;
    }
  }
  return nullptr;
}

// The enum of a field called `name` at or below `root`.
const EnumDescriptor* FindEnum(const Descriptor* root, const std::string& name,
                               std::set<const Descriptor*>* seen) {
  if (!seen->insert(root).second) return nullptr;
  for (int i = 0; i < root->field_count(); ++i) {
    const FieldDescriptor* const field = root->field(i);
    if (field->name() == name && field->enum_type() != nullptr) return field->enum_type();
    if (field->message_type() == nullptr) continue;
    if (const EnumDescriptor* const found = FindEnum(field->message_type(), name, seen))
      return found;
  }
  return nullptr;
}

// An error of protobuf's parser: a position, counted from 0, and its words.
struct ParseError {
  int line = 0;
  int column = 0;
  std::string message;
};

// Keeps the first error: what follows it is mostly its consequence.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (!error_.has_value()) error_ = ParseError{line, column, message};
  }
  void AddWarning(int, google::protobuf::io::ColumnNumber, const std::string&) override {}

  const std::optional<ParseError>& error() const { return error_; }

 private:
  std::optional<ParseError> error_;
};

// Moves the position back to `name`, the token before the one that the parser stands on.
void PointAt(const std::string& name, const std::string& text, ParseError* error) {
  size_t offset = 0;
  for (int line = 0; line < error->line; ++line) offset = text.find('\n', offset) + 1;
  const size_t found = text.rfind(name, offset + error->column);
  if (found == std::string::npos) return;
  const size_t line_start = text.rfind('\n', found) + 1;  // 0 in the first line
  error->line = static_cast<int>(std::count(text.begin(), text.begin() + found, '\n'));
  error->column = static_cast<int>(found - line_start);
}

// Rewords and places the two errors that a nearest name helps with.
void Explain(const Descriptor* root, const std::string& text, ParseError* error) {
  static const std::regex no_field(R"re(Message type "([^"]*)" has no field named "([^"]*)"\.)re");
  static const std::regex no_value(
      R"re(Unknown enumeration value of "([^"]*)" for field "([^"]*)"\.)re");
  const std::string message = error->message;
  std::smatch match;
  std::set<const Descriptor*> seen;
  std::vector<std::string> names;
  if (std::regex_match(message, match, no_field)) {
    if (const Descriptor* const type = FindMessage(root, match[1], &seen)) {
      for (int i = 0; i < type->field_count(); ++i) names.push_back(type->field(i)->name());
    }
    PointAt(match[2], text, error);
    error->message = absl::StrCat("no field \"", match[2].str(), "\" in ", match[1].str(),
                                  SuggestName(match[2].str(), names));
  } else if (std::regex_match(message, match, no_value)) {
    if (const EnumDescriptor* const type = FindEnum(root, match[2], &seen)) {
      for (int i = 0; i < type->value_count(); ++i) names.push_back(type->value(i)->name());
    }
    PointAt(match[1], text, error);
    error->message = absl::StrCat("no value \"", match[1].str(), "\" for ", match[2].str(),
                                  SuggestName(match[1].str(), names));
  }
}

// Clears the repeated fields of `to` that `from` names.
void ClearReplaced(const Message& from, Message* to) {
  const Reflection& reflection = *from.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(from, &fields);
  for (const FieldDescriptor* const field : fields) {
    if (field->is_repeated()) {
      reflection.ClearField(to, field);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
               reflection.HasField(*to, field)) {
      ClearReplaced(reflection.GetMessage(from, field), reflection.MutableMessage(to, field));
    }
  }
}

}  // namespace

absl::Status ParseText(const std::string& text, const std::string& source, Message* message) {
  FirstError collector;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&collector);
  const bool parsed = parser.ParseFromString(text, message);
  if (parsed && !collector.error().has_value()) return absl::OkStatus();
  ParseError error = collector.error().value_or(ParseError{0, 0, "not a protobuf text"});
  Explain(message->GetDescriptor(), text, &error);
  return absl::InvalidArgumentError(
      absl::StrCat(source, ":", error.line + 1, ":", error.column + 1, ": ", error.message));
}

void Overlay(const Message& from, Message* to) {
  ClearReplaced(from, to);
  to->MergeFrom(from);
}

}  // namespace tessera
