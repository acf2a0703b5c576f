#ifndef TESSERA_CONFIGS_SCHEMA_NAMES_H_
#define TESSERA_CONFIGS_SCHEMA_NAMES_H_

#include <google/protobuf/descriptor.h>

#include <string>
#include <vector>

namespace tessera {

// Names of the fields of a message, and of the values of an enum, in the schema's order.
std::vector<std::string> FieldNames(const google::protobuf::Descriptor& type);
std::vector<std::string> ValueNames(const google::protobuf::EnumDescriptor& type);

// What a value of the field looks like, for errors: "a whole number of 32 bits".
std::string ExpectedValue(const google::protobuf::FieldDescriptor& field);

}  // namespace tessera

#endif  // TESSERA_CONFIGS_SCHEMA_NAMES_H_
