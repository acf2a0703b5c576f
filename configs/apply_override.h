#ifndef TESSERA_CONFIGS_APPLY_OVERRIDE_H_
#define TESSERA_CONFIGS_APPLY_OVERRIDE_H_

#include <google/protobuf/message.h>

#include <string>

#include "absl/status/statusor.h"

namespace tessera {

// Sets one field by its path and returns the path. The value is all that follows "=":
//   model.num_classes=21  data.shuffle=false  model.deeplabv3.backbone.depth=RESNET18
//   max_duration=10ep                          a text, without quotes
//   model.deeplabv3.aspp_dilations=[1,6,12]    replaces the list; brackets may be left out
//   data.synthetic={}                          chooses a member of a oneof
// A path through another member of a oneof switches to that member. Errors begin with the override.
absl::StatusOr<std::string> ApplyOverride(const std::string& assignment,
                                          google::protobuf::Message* message);

}  // namespace tessera

#endif  // TESSERA_CONFIGS_APPLY_OVERRIDE_H_
