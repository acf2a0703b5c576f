#ifndef TESSERA_CONFIGS_VALIDATE_H_
#define TESSERA_CONFIGS_VALIDATE_H_

#include <string>

#include "absl/status/status.h"
#include "configs/experiment.pb.h"
#include "configs/overlay.h"

namespace tessera {

// Checks what the schema's types cannot say: required fields, ranges, fields that contradict each
// other. An error is one line "PLACE: field: found, expected"; the place is the field's of
// `origins`, or the config's `path`. A value that is allowed but rarely meant is logged as a
// warning.
absl::Status ValidateExperiment(const Experiment& experiment, const std::string& path,
                                const Origins& origins);

}  // namespace tessera

#endif  // TESSERA_CONFIGS_VALIDATE_H_
