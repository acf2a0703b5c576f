#include "tests/servers/fault_server.h"

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

namespace tessera {
namespace {

std::string NewPath(const char* suffix) {
  static int serial = 0;
  return std::string(std::getenv("TEST_TMPDIR")) + "/fault_server" + std::to_string(serial++) +
         suffix;
}

std::string WriteFaults(const std::string& faults) {
  std::string path = NewPath(".json");
  std::ofstream(path) << faults;
  return path;
}

}  // namespace

FaultServer::FaultServer(const std::string& folder, const std::string& faults)
    : log_(NewPath(".log")),
      process_({"tests/servers/fault_server.py", "--folder", folder, "--faults",
                WriteFaults(faults), "--log", log_}) {}

std::vector<FaultServer::Request> FaultServer::Requests() const {
  std::vector<Request> requests;
  std::ifstream lines(log_);
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json json = nlohmann::json::parse(line);
    requests.push_back({.method = json["method"],
                        .path = json["path"],
                        .headers = json["headers"],
                        .status = json["status"],
                        .client_port = json["client_port"]});
  }
  return requests;
}

}  // namespace tessera
