#ifndef TESSERA_CONFIGS_PARSE_TEXT_H_
#define TESSERA_CONFIGS_PARSE_TEXT_H_

#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tessera {

// Where a text names each field of the message that was parsed from it.
using FieldPlaces = google::protobuf::TextFormat::ParseInfoTree;

// "SOURCE:LINE:COLUMN", counted from 1 (protobuf counts from 0). A tab ends at the next multiple of
// eight columns, as in compilers' messages.
std::string FormatPlace(absl::string_view source, int line, int column);

// Parses protobuf text into `message`, strictly: an unknown field, a value of another type, a
// misspelt enum value, a field or a oneof that is set twice are errors
// "SOURCE:LINE:COLUMN: found, expected, nearest name".
absl::Status ParseText(const std::string& text, const std::string& source,
                       google::protobuf::Message* message, FieldPlaces* places);

}  // namespace tessera

#endif  // TESSERA_CONFIGS_PARSE_TEXT_H_
