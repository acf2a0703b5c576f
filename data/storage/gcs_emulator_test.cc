// gs:// by way of Arrow, against a server of Google Cloud Storage that is not ours.

#include <gtest/gtest.h>
#include <stdlib.h>

#include "data/storage/open_store.h"
#include "data/storage/store_conformance.h"
#include "tests/servers/gcs_server.h"

namespace tessera {
namespace {

TEST(GcsEmulatorTest, ReadsWhatItWrites) {
  const GcsServer server;
  setenv("CLOUD_STORAGE_EMULATOR_ENDPOINT", server.Address().c_str(), 1);
  setenv("GCS_ANONYMOUS", "1", 1);
  for (const char* const uri : {"gs://bucket", "gs://bucket/a folder"}) {
    const absl::StatusOr<std::shared_ptr<Store>> store = OpenStore(uri, absl::Seconds(20));
    ASSERT_TRUE(store.ok()) << store.status();
    ExpectWrites(**store);
    ExpectReads(**store);
  }
}

}  // namespace
}  // namespace tessera
