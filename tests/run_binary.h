#ifndef TESSERA_TESTS_RUN_BINARY_H_
#define TESSERA_TESTS_RUN_BINARY_H_

#include <chrono>
#include <string>
#include <vector>

namespace tessera {

struct RunResult {
  int exit_code = 0;  // of a process that a signal ended: minus the signal
  std::string out;
  std::string err;
};

// A program under test, with its output in files of the test's temporary folder.
class RunningBinary {
 public:
  // `binary` is relative to the workspace, as "train/main".
  RunningBinary(const std::string& binary, const std::vector<std::string>& arguments);
  ~RunningBinary();
  RunningBinary(const RunningBinary&) = delete;
  RunningBinary& operator=(const RunningBinary&) = delete;

  // Waits until it ends by itself, at most `limit`: true if it did.
  bool WaitFor(std::chrono::milliseconds limit);
  void Signal(int signal);
  // Waits for the end.
  RunResult Wait();

 private:
  int pid_ = 0;
  int pid_file_ = 0;  // a pidfd: readable once the process has ended
  std::string out_path_;
  std::string err_path_;
  bool reaped_ = false;
};

inline RunResult RunBinary(const std::string& binary, const std::vector<std::string>& arguments) {
  return RunningBinary(binary, arguments).Wait();
}

}  // namespace tessera

#endif  // TESSERA_TESTS_RUN_BINARY_H_
