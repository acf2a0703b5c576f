#ifndef TESSERA_TESTS_SERVERS_FAULT_SERVER_H_
#define TESSERA_TESTS_SERVERS_FAULT_SERVER_H_

#include <map>
#include <string>
#include <vector>

#include "tests/servers/server_process.h"

namespace tessera {

// tests/servers/fault_server.py, which documents the faults.
class FaultServer {
 public:
  struct Request {
    std::string method;
    std::string path;                            // as it came, percent-encoded
    std::map<std::string, std::string> headers;  // names in lower case
    int status = 0;
    int client_port = 0;
  };

  // Serves the files of `folder`. `faults` is JSON: {"/path": [{"status": 503, "times": 2}, ...]}.
  explicit FaultServer(const std::string& folder, const std::string& faults = "{}");

  std::string Address() const { return process_.Address(); }

  // Those that have come so far.
  std::vector<Request> Requests() const;

 private:
  std::string log_;
  ServerProcess process_;
};

}  // namespace tessera

#endif  // TESSERA_TESTS_SERVERS_FAULT_SERVER_H_
