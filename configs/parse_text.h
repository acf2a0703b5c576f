#ifndef TESSERA_CONFIGS_PARSE_TEXT_H_
#define TESSERA_CONFIGS_PARSE_TEXT_H_

#include <google/protobuf/message.h>

#include <string>

#include "absl/status/status.h"

namespace tessera {

// Parses protobuf text into `message`, strictly: an unknown field, a wrong type, a misspelt enum
// value, a field or a oneof that is set twice is an error "SOURCE:LINE:COLUMN: found, expected,
// nearest name".
absl::Status ParseText(const std::string& text, const std::string& source,
                       google::protobuf::Message* message);

// Lays `from` over `to`: scalars that `from` sets replace those of `to`, messages are merged field
// by field, a repeated field that `from` names replaces the one of `to`, and a member of a oneof
// drops the other member.
void Overlay(const google::protobuf::Message& from, google::protobuf::Message* to);

}  // namespace tessera

#endif  // TESSERA_CONFIGS_PARSE_TEXT_H_
