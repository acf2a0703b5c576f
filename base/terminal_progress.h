#ifndef TESSERA_BASE_TERMINAL_PROGRESS_H_
#define TESSERA_BASE_TERMINAL_PROGRESS_H_

#include <chrono>
#include <cstdint>
#include <string>

namespace tessera {

// Shows on stderr how far a pass is, where that is a terminal: "train: 64 of 367 samples", on a
// line that is gone with the object.
class TerminalProgress {
 public:
  TerminalProgress(int64_t total, std::string unit, std::string prefix = "");
  ~TerminalProgress();
  TerminalProgress(const TerminalProgress&) = delete;
  TerminalProgress& operator=(const TerminalProgress&) = delete;

  // Ten times a second at most; calls between are left out.
  void Show(int64_t done);

 private:
  const int64_t total_;
  const std::string unit_;
  const std::string prefix_;
  const bool terminal_;
  std::chrono::steady_clock::time_point shown_;
};

}  // namespace tessera

#endif  // TESSERA_BASE_TERMINAL_PROGRESS_H_
