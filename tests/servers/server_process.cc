#include "tests/servers/server_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace tessera {
namespace {

// The port of the first line that says it; 0 at the end of the output.
int ReadPort(int output) {
  std::FILE* lines = fdopen(output, "r");
  char line[256];
  int port = 0;
  while (port == 0 && std::fgets(line, sizeof(line), lines) != nullptr) {
    std::sscanf(line, "port %d", &port);
  }
  std::fclose(lines);
  return port;
}

}  // namespace

ServerProcess::ServerProcess(const std::vector<std::string>& arguments) {
  std::vector<char*> argv = {const_cast<char*>("python3")};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  int output[2];
  if (pipe2(output, O_CLOEXEC) != 0) std::abort();
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    dup2(output[1], STDOUT_FILENO);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  close(output[1]);
  port_ = ReadPort(output[0]);
  if (port_ == 0) {
    std::fprintf(stderr, "%s ended before it said its port\n", arguments[0].c_str());
    std::abort();
  }
}

ServerProcess::~ServerProcess() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::string ServerProcess::Address() const { return "http://127.0.0.1:" + std::to_string(port_); }

}  // namespace tessera
