#ifndef TESSERA_BASE_TERMINAL_PROGRESS_H_
#define TESSERA_BASE_TERMINAL_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <string>

namespace tessera {

// Shows on stderr how far a pass is: "train: 64 of 367 samples, 532/s", on a terminal on a line
// that is gone with the object, elsewhere on a new line each ten seconds.
class TerminalProgress {
 public:
  TerminalProgress(int64_t total, std::string unit, std::string prefix = "");
  ~TerminalProgress();
  TerminalProgress(const TerminalProgress&) = delete;
  TerminalProgress& operator=(const TerminalProgress&) = delete;

  // Shows it ten times a second at most; calls between are left out. For one thread at a time.
  void Show(int64_t done);

 private:
  const int64_t total_;
  const std::string unit_;
  const std::string prefix_;
  const bool terminal_;
  const std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point shown_;
  int64_t first_ = -1;  // what was done when it was first told
};

}  // namespace tessera

#endif  // TESSERA_BASE_TERMINAL_PROGRESS_H_
