// The smallest binaries on the two main functions, for cli_test: `--tool` as the first argument
// chooses the one without a config. Prints what it was given and ends as --end says.

#include <gflags/gflags.h>
#include <unistd.h>

#include <cstring>
#include <iostream>
#include <stdexcept>

#include "absl/strings/str_join.h"
#include "configs/cli.h"

DEFINE_string(end, "ok", "How the body ends: ok, error or exception.");
DEFINE_int32(samples, 4, "Samples that are shown.");

namespace tessera {
namespace {

absl::Status End() {
  if (FLAGS_end == "error") return absl::NotFoundError("two files are missing:\na.jpg\nb.jpg\n");
  if (FLAGS_end == "exception") throw std::runtime_error("thrown on purpose");
  return absl::OkStatus();
}

int Main(int argc, char** argv) {
  const Usage usage = {.summary = "Shows what it was given.", .examples = "one line\nand another"};
  if (argc > 1 && std::strcmp(argv[1], "--tool") == 0) {
    argv[1] = argv[0];
    return RunTool(argc - 1, argv + 1, usage, [](const std::vector<std::string>& arguments) {
      std::cout << "samples " << FLAGS_samples << " arguments " << absl::StrJoin(arguments, ",")
                << "\n";
      return End();
    });
  }
  return RunWithConfig(argc, argv, usage, [](const Experiment& experiment) {
    std::cout << "classes " << experiment.model().num_classes() << " samples " << FLAGS_samples
              << "\n";
    return End();
  });
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) { return tessera::Main(argc, argv); }
