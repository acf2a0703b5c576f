#ifndef TESSERA_CONFIGS_VALIDATE_H_
#define TESSERA_CONFIGS_VALIDATE_H_

#include "absl/status/status.h"
#include "configs/experiment.pb.h"

namespace tessera {

// Checks what the schema's types cannot say: required fields and ranges. An error names the field,
// what was found and what is expected.
absl::Status ValidateExperiment(const Experiment& experiment);

}  // namespace tessera

#endif  // TESSERA_CONFIGS_VALIDATE_H_
