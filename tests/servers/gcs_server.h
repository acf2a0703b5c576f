#ifndef TESSERA_TESTS_SERVERS_GCS_SERVER_H_
#define TESSERA_TESTS_SERVERS_GCS_SERVER_H_

#include <string>

#include "tests/servers/server_process.h"

namespace tessera {

// tests/servers/gcs_server.py: a Google Cloud Storage server with the one bucket "bucket".
class GcsServer {
 public:
  GcsServer()
      : process_({"tests/servers/gcs_server.py", "--site", "../gcs_emulator/site", "bucket"}) {}

  std::string Address() const { return process_.Address(); }

 private:
  ServerProcess process_;
};

}  // namespace tessera

#endif  // TESSERA_TESTS_SERVERS_GCS_SERVER_H_
