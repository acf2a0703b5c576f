#include "tests/servers/moto_server.h"

#include <vector>

namespace tessera {
namespace {

std::vector<std::string> Arguments(MotoServer::Signatures signatures) {
  std::vector<std::string> arguments = {"tests/servers/moto_server.py", "--site", "../moto/site"};
  if (signatures == MotoServer::Signatures::kChecked) arguments.push_back("--check-signatures");
  arguments.push_back("bucket");
  return arguments;
}

}  // namespace

MotoServer::MotoServer(Signatures signatures) : process_(Arguments(signatures)) {}

}  // namespace tessera
