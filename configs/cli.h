#ifndef TESSERA_CONFIGS_CLI_H_
#define TESSERA_CONFIGS_CLI_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "configs/experiment.pb.h"

namespace tessera {

// What `--help` shows besides the flags.
struct Usage {
  std::string summary;   // one or two sentences
  std::string examples;  // command lines, one a line
  // The binary can work from flags alone: without --config it gets a config that holds only what
  // the arguments set.
  bool config_optional = false;
};

// The main function of a binary that works from a config: goes to the user's folder
// (BUILD_WORKING_DIRECTORY), replaces "~/" at the start of values, parses flags (--config,
// --print_config, --explain, --help and the binary's own) and "a.b.c=value" arguments, loads the
// config, and runs `body`. An error becomes one line on stderr and exit code 1; wrong flags and
// arguments do too.
int RunWithConfig(int argc, char** argv, const Usage& usage,
                  const std::function<absl::Status(const Experiment&)>& body);

// The same for a binary that needs no config: `body` gets the arguments that are not flags.
int RunTool(int argc, char** argv, const Usage& usage,
            const std::function<absl::Status(const std::vector<std::string>&)>& body);

}  // namespace tessera

#endif  // TESSERA_CONFIGS_CLI_H_
