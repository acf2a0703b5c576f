#include "configs/explain_field.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/descriptor_database.h>
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "configs/experiment.pb.h"
#include "configs/nearest_name.h"
#include "configs/schema_docs.h"
#include "configs/schema_names.h"

namespace tessera {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;

// "int32, default 255"
std::string TypeText(const FieldDescriptor& field) {
  std::string text = field.is_repeated() ? "list of " : "";
  if (field.message_type() != nullptr) {
    absl::StrAppend(&text, field.message_type()->name(), " { ... }");
  } else {
    text += field.enum_type() != nullptr ? field.enum_type()->name() : field.type_name();
  }
  if (field.has_default_value()) {
    const auto* const prototype =
        google::protobuf::MessageFactory::generated_factory()->GetPrototype(
            field.containing_type());
    std::string value;
    google::protobuf::TextFormat::PrintFieldValueToString(*prototype, &field, -1, &value);
    absl::StrAppend(&text, ", default ", value);
  }
  if (field.containing_oneof() != nullptr) {
    absl::StrAppend(&text, ", a choice of ", field.containing_oneof()->name());
  }
  return text;
}

// The schema's comments.
class Docs {
 public:
  Docs() {
    google::protobuf::FileDescriptorSet files;
    files.ParseFromArray(SchemaDocs().data(), static_cast<int>(SchemaDocs().size()));
    for (const auto& file : files.file()) database_.Add(file);
  }

  // A field by its path: its line, its comment, and what is in it.
  std::string Explain(const std::string& path, const FieldDescriptor& field) const {
    std::string text = Entry(path, field, "");
    if (field.enum_type() != nullptr) text += Values(*field.enum_type());
    if (field.message_type() != nullptr) {
      absl::StrAppend(&text,
                      Comment(pool_.FindMessageTypeByName(field.message_type()->full_name()), "  "),
                      Fields(*field.message_type(), "  "));
    }
    return text;
  }

  std::string Fields(const Descriptor& type, const std::string& indent) const {
    std::string text;
    for (int i = 0; i < type.field_count(); ++i) {
      text += Entry(type.field(i)->name(), *type.field(i), indent);
    }
    return text;
  }

 private:
  std::string Entry(const std::string& name, const FieldDescriptor& field,
                    const std::string& indent) const {
    return absl::StrCat(indent, name, ": ", TypeText(field), "\n",
                        Comment(pool_.FindFieldByName(field.full_name()), indent + "  "));
  }

  std::string Values(const EnumDescriptor& type) const {
    std::string text;
    for (int i = 0; i < type.value_count(); ++i) {
      const auto& value = *type.value(i);
      absl::StrAppend(&text, "  ", value.name(), "\n",
                      Comment(pool_.FindEnumValueByName(value.full_name()), "    "));
    }
    return text;
  }

  template <typename AnyDescriptor>
  static std::string Comment(const AnyDescriptor* descriptor, const std::string& indent) {
    google::protobuf::SourceLocation location;
    if (descriptor == nullptr || !descriptor->GetSourceLocation(&location)) return "";
    std::string text;
    for (const std::string& comment : {location.leading_comments, location.trailing_comments}) {
      for (const absl::string_view line : absl::StrSplit(comment, '\n', absl::SkipWhitespace())) {
        absl::StrAppend(&text, indent, absl::StripAsciiWhitespace(line), "\n");
      }
    }
    return text;
  }

  google::protobuf::SimpleDescriptorDatabase database_;
  google::protobuf::DescriptorPool pool_{&database_};
};

}  // namespace

absl::StatusOr<std::string> ExplainField(const std::string& path) {
  const Descriptor* type = Experiment::descriptor();
  const Docs docs;
  if (path == ".") return docs.Fields(*type, "");
  const FieldDescriptor* field = nullptr;
  for (const std::string& name : std::vector<std::string>(absl::StrSplit(path, '.'))) {
    if (type == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(
          "\"", path, "\": found \".", name, "\" behind ", field->name(), ", which has no fields"));
    }
    field = type->FindFieldByName(name);
    if (field == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("\"", path, "\": found \"", name,
                                                     "\", expected a field of ", type->full_name(),
                                                     SuggestName(name, FieldNames(*type))));
    }
    type = field->message_type();
  }
  return docs.Explain(path, *field);
}

}  // namespace tessera
