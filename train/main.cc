// Trains the model of a config on its data: see --help.

#include <sys/ioctl.h>
#include <unistd.h>

#include <iostream>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "configs/cli.h"
#include "train/build_trainer.h"
#include "train/stop_signal.h"

namespace tessera {
namespace {

const Usage& TrainUsage() {
  static const auto* const usage = new Usage{
      .summary = "Trains the model of a config on its data, evaluates it and saves checkpoints.",
      .examples =
          "bazel run //train:main -- --config=configs/quickstart.textproto\n"
          "bazel run //train:main -- --config=configs/quickstart.textproto "
          "max_duration=2ep optimizer.sgd.lr=0.05 train.save_folder=/tmp/run\n"
          "bazel run //train:main -- --config=configs/quickstart.textproto "
          "train.autoresume=true\n"};
  return *usage;
}

// Columns of the terminal that stdout is; 0 where it is none.
int TerminalColumns() {
  if (isatty(STDOUT_FILENO) == 0) return 0;
  winsize size = {};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

absl::Status Train(const Experiment& experiment) {
  const StopSignal stop;
  const Display display = {.out = &std::cout, .terminal_columns = TerminalColumns()};
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<Trainer> trainer,
                           BuildTrainer(experiment, display, [&stop] { return stop.received(); }));
  return trainer->Fit();
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  return tessera::RunWithConfig(argc, argv, tessera::TrainUsage(), tessera::Train);
}
