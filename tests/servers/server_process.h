#ifndef TESSERA_TESTS_SERVERS_SERVER_PROCESS_H_
#define TESSERA_TESTS_SERVERS_SERVER_PROCESS_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace tessera {

// A server in Python, as a process of its own that ends with this object, or with the test that
// dies before. Start it from the test's main thread.
class ServerProcess {
 public:
  // Runs `python3 ARGUMENTS`, where paths are relative to the workspace, and waits for its line
  // "port N". Ends the test where the server ends first.
  explicit ServerProcess(const std::vector<std::string>& arguments);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  int port() const { return port_; }
  // "http://127.0.0.1:PORT"
  std::string Address() const;

 private:
  pid_t pid_ = 0;
  int port_ = 0;
};

}  // namespace tessera

#endif  // TESSERA_TESTS_SERVERS_SERVER_PROCESS_H_
