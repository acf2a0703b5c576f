#ifndef TESSERA_DATA_STORAGE_ARROW_STORE_H_
#define TESSERA_DATA_STORAGE_ARROW_STORE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "data/storage/store.h"

namespace arrow::fs {
class FileSystem;
}  // namespace arrow::fs

namespace tessera {

// The objects below the folder `root` of a file system of Arrow's. Objects have no versions here:
// one that changes between two ranges of the same size is told by its hash alone. `renames`: writes
// go to another name first and are then renamed, as file systems need it; stores of objects show an
// object when it is whole.
std::shared_ptr<Store> MakeArrowStore(std::string uri, std::shared_ptr<arrow::fs::FileSystem> files,
                                      std::string root, bool renames);

// gs://BUCKET[/PREFIX] with Google's default credentials (GOOGLE_APPLICATION_CREDENTIALS, gcloud's
// login, a machine's account), or none with GCS_ANONYMOUS=1.
absl::StatusOr<std::shared_ptr<Store>> OpenGcsStore(absl::string_view uri, absl::Duration timeout);

// abfs://CONTAINER@ACCOUNT.dfs.core.windows.net[/PREFIX], or abfs://, az:// or
// azure://CONTAINER[/PREFIX] with the account of AZURE_ACCOUNT_NAME. Credentials:
// AZURE_ACCOUNT_ACCESS_KEY, else AZURE_STORAGE_SAS_TOKEN, else Azure's default chain
// (AZURE_CLIENT_ID, ..., a managed identity).
absl::StatusOr<std::shared_ptr<Store>> OpenAzureStore(absl::string_view uri);

// hdfs://[USER@]HOST[:PORT][/FOLDER] through libhdfs of the Hadoop installation (HADOOP_HOME,
// JAVA_HOME, CLASSPATH).
absl::StatusOr<std::shared_ptr<Store>> OpenHdfsStore(absl::string_view uri);

}  // namespace tessera

#endif  // TESSERA_DATA_STORAGE_ARROW_STORE_H_
