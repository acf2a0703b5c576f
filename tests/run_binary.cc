#include "tests/run_binary.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace tessera {
namespace {

std::string Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string OutputPath(const char* suffix) {
  static int serial = 0;
  return std::string(std::getenv("TEST_TMPDIR")) + "/output" + std::to_string(serial++) + suffix;
}

}  // namespace

RunningBinary::RunningBinary(const std::string& binary, const std::vector<std::string>& arguments)
    : out_path_(OutputPath(".out")), err_path_(OutputPath(".err")) {
  std::vector<char*> argv = {const_cast<char*>(binary.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, out_path_.c_str(), kWrite, 0644);
  posix_spawn_file_actions_addopen(&actions, 2, err_path_.c_str(), kWrite, 0644);
  if (posix_spawn(&pid_, binary.c_str(), &actions, nullptr, argv.data(), environ) != 0) {
    std::abort();
  }
  posix_spawn_file_actions_destroy(&actions);
  pid_file_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
}

RunningBinary::~RunningBinary() {
  if (!reaped_) {
    Signal(SIGKILL);
    Wait();
  }
  close(pid_file_);
}

bool RunningBinary::WaitFor(std::chrono::milliseconds limit) {
  pollfd ended = {.fd = pid_file_, .events = POLLIN, .revents = 0};
  return poll(&ended, 1, static_cast<int>(limit.count())) == 1;
}

void RunningBinary::Signal(int signal) { kill(pid_, signal); }

RunResult RunningBinary::Wait() {
  int status = 0;
  waitpid(pid_, &status, 0);
  reaped_ = true;
  return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
          .out = Contents(out_path_),
          .err = Contents(err_path_)};
}

}  // namespace tessera
