#ifndef TESSERA_CONFIGS_OVERLAY_H_
#define TESSERA_CONFIGS_OVERLAY_H_

#include <google/protobuf/message.h>

#include <map>
#include <string>

#include "configs/parse_text.h"

namespace tessera {

// What set each field last, by its path: "data.ignore_index" -> "FILE:LINE:COLUMN", or the
// override. Fields that have their default are not in it.
using Origins = std::map<std::string, std::string>;

// Lays `from`, parsed from a text that names its fields at `places`, over `to`: scalars replace,
// messages are merged field by field, a repeated field that is named replaces (so an empty list
// empties it), and a member of a oneof drops the other member with all that it held.
void Overlay(const google::protobuf::Message& from, const FieldPlaces& places,
             google::protobuf::Message* to);

// Notes `source` as the origin of the fields of `from`. `prefix`: "", or the path of `from` and a
// dot.
void RecordOrigins(const google::protobuf::Message& from, const FieldPlaces& places,
                   const std::string& source, const std::string& prefix, Origins* origins);

}  // namespace tessera

#endif  // TESSERA_CONFIGS_OVERLAY_H_
