#include "configs/parse_text.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <optional>
#include <tuple>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "configs/nearest_name.h"
#include "configs/schema_names.h"

namespace tessera {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::io::Tokenizer;

// Positions are counted from 0, as protobuf does.
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

// Follows the tokens of a text through the schema. Protobuf's errors say where the parser stood but
// not in which message or field, and they stand behind the name or value that they complain about.
class TextCursor {
 public:
  enum class Role { kName, kValue, kOther };

  explicit TextCursor(const Descriptor* root) : types_{root} {}

  // Takes the tokens in front of `stop`; `found` becomes the one that stands there.
  void ReadUntil(const ParseError& stop, const std::string& text) {
    google::protobuf::io::ArrayInputStream input(text.data(), static_cast<int>(text.size()));
    FirstError ignored;
    Tokenizer tokenizer(&input, &ignored);
    tokenizer.set_comment_style(Tokenizer::SH_COMMENT_STYLE);
    tokenizer.set_allow_f_after_float(true);
    while (tokenizer.Next()) {
      const Tokenizer::Token& token = tokenizer.current();
      if (std::tie(token.line, token.column) >= std::tie(stop.line, stop.column)) break;
      Take(token);
    }
    found_ = tokenizer.current().text;
    if (found_ == "-" && tokenizer.Next()) found_ += tokenizer.current().text;
    if (tokenizer.current().type == Tokenizer::TYPE_END) found_ = "the end of the text";
  }

  // The message that the place is in; null below an unknown field.
  const Descriptor* type() const { return types_.back(); }
  // The field that was named last; null if there is none of that name.
  const FieldDescriptor* field() const { return field_; }
  // Whether a value of field() comes next.
  bool before_value() const { return before_value_; }
  const Tokenizer::Token& previous() const { return previous_; }
  Role previous_role() const { return previous_role_; }
  const std::string& found() const { return found_; }

 private:
  void Take(const Tokenizer::Token& token) {
    previous_ = token;
    previous_role_ = Role::kOther;
    if (token.text == "{" || token.text == "<") {
      types_.push_back(field_ == nullptr ? nullptr : field_->message_type());
      field_ = nullptr;
      before_value_ = in_list_ = false;
    } else if (token.text == "}" || token.text == ">") {
      if (types_.size() > 1) types_.pop_back();
      field_ = nullptr;
      before_value_ = in_list_ = false;
    } else if (token.text == ":") {
      before_value_ = true;
    } else if (token.text == "[") {
      in_list_ = before_value_;
    } else if (token.text == "]") {
      before_value_ = in_list_ = false;
    } else if (before_value_ && token.type != Tokenizer::TYPE_SYMBOL) {
      previous_role_ = Role::kValue;
      before_value_ = in_list_;
    } else if (token.type == Tokenizer::TYPE_IDENTIFIER) {
      previous_role_ = Role::kName;
      field_ = type() == nullptr ? nullptr : type()->FindFieldByName(token.text);
    }
  }

  std::vector<const Descriptor*> types_;
  const FieldDescriptor* field_ = nullptr;
  bool before_value_ = false;
  bool in_list_ = false;
  Tokenizer::Token previous_;
  Role previous_role_ = Role::kOther;
  std::string found_;
};

bool HasValue(const EnumDescriptor& type, const std::string& text) {
  int number = 0;
  if (absl::SimpleAtoi(text, &number)) return type.FindValueByNumber(number) != nullptr;
  return type.FindValueByName(text) != nullptr;
}

// A token as errors show it.
std::string Shown(const std::string& token) {
  constexpr size_t kMost = 60;
  return token.size() <= kMost ? token : absl::StrCat(token.substr(0, kMost), "...");
}

// The error about the name in front of `cursor`, or "".
std::string ExplainName(const TextCursor& cursor, const std::string& message) {
  if (cursor.previous_role() != TextCursor::Role::kName || cursor.type() == nullptr) return "";
  if (cursor.field() == nullptr) {
    const std::string& name = cursor.previous().text;
    return absl::StrCat("found \"", Shown(name), "\", expected a field of ",
                        cursor.type()->full_name(), SuggestName(name, FieldNames(*cursor.type())));
  }
  const bool twice = absl::StartsWith(message, "Non-repeated field") ||
                     absl::StrContains(message, "another member of oneof");
  return twice ? message : "";
}

// The error about the value in front of `cursor`, or "".
std::string ExplainValue(const TextCursor& cursor, const std::string& message) {
  const FieldDescriptor* const field = cursor.field();
  if (cursor.previous_role() != TextCursor::Role::kValue || field == nullptr) return "";
  const std::string& value = cursor.previous().text;
  if (field->enum_type() != nullptr && !HasValue(*field->enum_type(), value)) {
    return absl::StrCat(field->name(), ": found ", Shown(value), ", expected a value of ",
                        field->enum_type()->full_name(),
                        SuggestName(value, ValueNames(*field->enum_type())));
  }
  if (!absl::StartsWith(message, "Invalid value for boolean")) return "";
  return absl::StrCat(field->name(), ": found ", Shown(value), ", expected ",
                      ExpectedValue(*field));
}

// The error about the token at `cursor`.
std::string ExplainNext(const TextCursor& cursor, const std::string& message) {
  const FieldDescriptor* const field = cursor.field();
  const bool other_expected =
      absl::StartsWith(message, "Expected") || absl::StartsWith(message, "Integer out of range");
  if (!other_expected) return message;
  const std::string found = Shown(cursor.found());
  if (field == nullptr) return absl::StrCat("found ", found, ", expected a field or \"}\"");
  if (cursor.before_value()) {
    return absl::StrCat(field->name(), ": found ", found, ", expected ", ExpectedValue(*field));
  }
  if (cursor.previous_role() == TextCursor::Role::kName) {
    return absl::StrCat(field->name(), ": found ", found, ", expected \"",
                        field->message_type() == nullptr ? ":" : "{", "\"");
  }
  return absl::StrCat("found ", found, ", expected another field or \"}\"");
}

// Moves the error to the token that it is about and says what is found and expected there.
void Explain(const Descriptor* root, const std::string& text, ParseError* error) {
  TextCursor cursor(root);
  cursor.ReadUntil(*error, text);
  std::string behind = ExplainName(cursor, error->message);
  if (behind.empty()) behind = ExplainValue(cursor, error->message);
  if (behind.empty()) {
    error->message = ExplainNext(cursor, error->message);
  } else {
    *error = {cursor.previous().line, cursor.previous().column, std::move(behind)};
  }
}

}  // namespace

std::string FormatPlace(absl::string_view source, int line, int column) {
  return absl::StrCat(source, ":", line + 1, ":", column + 1);
}

absl::Status ParseText(const std::string& text, const std::string& source, Message* message,
                       FieldPlaces* places) {
  FirstError collector;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&collector);
  parser.WriteLocationsTo(places);
  const bool parsed = parser.ParseFromString(text, message);
  if (parsed && !collector.error().has_value()) return absl::OkStatus();
  ParseError error = collector.error().value_or(ParseError{0, 0, "not a protobuf text"});
  Explain(message->GetDescriptor(), text, &error);
  return absl::InvalidArgumentError(
      absl::StrCat(FormatPlace(source, error.line, error.column), ": ", error.message));
}

}  // namespace tessera
