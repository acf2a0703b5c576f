#ifndef TESSERA_TRAIN_LOGGERS_CONSOLE_H_
#define TESSERA_TRAIN_LOGGERS_CONSOLE_H_

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "train/events.h"

namespace tessera {

// Shows how far a run is: on a terminal a bar that is drawn over itself, elsewhere a line every
// `log_interval` batches. Evaluations get a line, the end the IoU of each class.
class Console : public Callback {
 public:
  struct Options {
    int terminal_columns = 0;  // 0: `out` is no terminal
    int64_t log_interval = 10;
    std::vector<std::string> class_names;
  };

  // `out` must outlive the object.
  Console(std::ostream* out, Options options);

  absl::Status Run(Event event, const State& state) override;

 private:
  void ShowBatch(const State& state);
  void ShowEvaluation(const State& state);
  void ShowEnd(const State& state);
  // Writes whole lines, in place of the bar.
  void Print(const std::string& lines);

  std::ostream& out_;
  const Options options_;
};

// "12:05" or "1:02:03".
std::string FormatDuration(double seconds);

}  // namespace tessera

#endif  // TESSERA_TRAIN_LOGGERS_CONSOLE_H_
