#ifndef TESSERA_CONFIGS_LOAD_EXPERIMENT_H_
#define TESSERA_CONFIGS_LOAD_EXPERIMENT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "configs/experiment.pb.h"

namespace tessera {

// Reads a text config: its includes first, the file on top, then each override "a.b.c=value".
// Errors name file, line and column, what was found and the nearest valid name.
absl::StatusOr<Experiment> LoadExperiment(const std::string& path,
                                          const std::vector<std::string>& overrides);

// The config that holds what these overrides set and nothing else; what a run requires may be
// missing.
absl::StatusOr<Experiment> ExperimentOf(const std::vector<std::string>& overrides);

// The config as text that loads to the same experiment: all that was set, includes resolved, with
// the defaults of the fields that were not set as comments where `with_defaults`.
std::string PrintExperiment(const Experiment& experiment, bool with_defaults = false);

}  // namespace tessera

#endif  // TESSERA_CONFIGS_LOAD_EXPERIMENT_H_
