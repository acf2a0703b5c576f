#include "configs/overlay.h"

#include <google/protobuf/descriptor.h>

#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Where the text names the field first; line -1 if it does not.
google::protobuf::TextFormat::ParseLocation PlaceOf(const FieldPlaces& places,
                                                    const FieldDescriptor* field) {
  return places.GetLocation(field, field->is_repeated() ? 0 : -1);
}

// The places inside a message field that is set; null for other fields.
const FieldPlaces* PlacesInside(const Message& from, const FieldPlaces& places,
                                const FieldDescriptor* field) {
  const bool message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
  if (!message || field->is_repeated()) return nullptr;
  if (!from.GetReflection()->HasField(from, field)) return nullptr;
  return places.GetTreeForNested(field, -1);
}

// Clears the repeated fields of `to` that the text of `from` names.
void ClearReplaced(const Message& from, const FieldPlaces& places, Message* to) {
  const Descriptor* const type = from.GetDescriptor();
  const Reflection& reflection = *from.GetReflection();
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* const field = type->field(i);
    if (field->is_repeated()) {
      if (PlaceOf(places, field).line >= 0) reflection.ClearField(to, field);
    } else if (const FieldPlaces* const inside = PlacesInside(from, places, field)) {
      if (!reflection.HasField(*to, field)) continue;
      ClearReplaced(reflection.GetMessage(from, field), *inside,
                    reflection.MutableMessage(to, field));
    }
  }
}

}  // namespace

void Overlay(const Message& from, const FieldPlaces& places, Message* to) {
  ClearReplaced(from, places, to);
  to->MergeFrom(from);
}

void RecordOrigins(const Message& from, const FieldPlaces& places, const std::string& source,
                   const std::string& prefix, Origins* origins) {
  const Descriptor* const type = from.GetDescriptor();
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* const field = type->field(i);
    const auto place = PlaceOf(places, field);
    if (place.line < 0) continue;
    const std::string path = absl::StrCat(prefix, field->name());
    (*origins)[path] = FormatPlace(source, place.line, place.column);
    if (const FieldPlaces* const inside = PlacesInside(from, places, field)) {
      RecordOrigins(from.GetReflection()->GetMessage(from, field), *inside, source,
                    absl::StrCat(path, "."), origins);
    }
  }
}

}  // namespace tessera
