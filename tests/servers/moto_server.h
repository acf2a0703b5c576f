#ifndef TESSERA_TESTS_SERVERS_MOTO_SERVER_H_
#define TESSERA_TESTS_SERVERS_MOTO_SERVER_H_

#include <string>

#include "tests/servers/server_process.h"

namespace tessera {

// tests/servers/moto_server.py: an S3 server with the one bucket "bucket".
class MotoServer {
 public:
  enum class Signatures { kAny, kChecked };

  // kChecked: requests must be signed with the key "test-key" and the secret "test-secret".
  explicit MotoServer(Signatures signatures = Signatures::kAny);

  std::string Address() const { return process_.Address(); }

 private:
  ServerProcess process_;
};

}  // namespace tessera

#endif  // TESSERA_TESTS_SERVERS_MOTO_SERVER_H_
