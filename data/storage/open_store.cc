#include "data/storage/open_store.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/environment.h"
#include "data/storage/arrow_store.h"
#include "data/storage/http_store.h"
#include "data/storage/local_store.h"
#include "data/storage/s3_store.h"

namespace tessera {

absl::StatusOr<std::shared_ptr<Store>> OpenStore(const std::string& uri, absl::Duration timeout) {
  const size_t colon = uri.find("://");
  if (colon == std::string::npos) return OpenLocalStore(uri);
  const absl::string_view scheme(uri.data(), colon);
  if (scheme == "file") {
    absl::string_view path(uri);
    path.remove_prefix(colon + 3);
    absl::ConsumePrefix(&path, "localhost");
    if (absl::StartsWith(path, "/")) return OpenLocalStore(std::string(path));
    return absl::InvalidArgumentError(
        absl::StrCat(uri, ": expected file:///PATH, an absolute path of this machine"));
  }
  if (scheme == "http" || scheme == "https") return OpenHttpStore(uri, timeout);
  if (scheme == "hf") return OpenHuggingFaceStore(uri, timeout);
  if (scheme == "s3") return OpenS3Store(uri, timeout);
  if (scheme == "gs") {
    return GetEnv("GCS_KEY").empty() ? OpenGcsStore(uri, timeout) : OpenGcsHmacStore(uri, timeout);
  }
  for (const char* const azure : {"abfs", "abfss", "az", "azure"}) {
    if (scheme == azure) return OpenAzureStore(uri);
  }
  if (scheme == "hdfs") return OpenHdfsStore(uri);
  return absl::InvalidArgumentError(
      absl::StrCat(uri, ": there is no store for ", scheme,
                   "://; expected a path, file://, s3://, gs://, abfs://, az://, hdfs://, "
                   "http://, https:// or hf://"));
}

}  // namespace tessera
