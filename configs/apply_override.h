#ifndef TESSERA_CONFIGS_APPLY_OVERRIDE_H_
#define TESSERA_CONFIGS_APPLY_OVERRIDE_H_

#include <google/protobuf/message.h>

#include <string>

#include "absl/status/status.h"

namespace tessera {

// Sets one field by its path: "model.num_classes=21", "max_duration=10ep", "data.shuffle=false",
// "model.deeplabv3.aspp_dilations=[1,6,12]" (replaces the list; brackets may be left out). A path
// into another member of a oneof switches to that member. Errors begin with the override itself.
absl::Status ApplyOverride(const std::string& assignment, google::protobuf::Message* message);

}  // namespace tessera

#endif  // TESSERA_CONFIGS_APPLY_OVERRIDE_H_
