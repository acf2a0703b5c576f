#ifndef TESSERA_DATA_STORAGE_HTTP_CLIENT_H_
#define TESSERA_DATA_STORAGE_HTTP_CLIENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace tessera {

// Bytes first..last of an object, both included.
struct ByteRange {
  uint64_t first = 0;
  uint64_t last = 0;
};

// What a server says before the contents, of the last of several redirected answers.
struct HttpHead {
  int status = 0;                               // 200 or 206
  std::optional<uint64_t> content_length = {};  // of this answer
  std::optional<ByteRange> range = {};          // of a 206, where in the object its contents are
  std::optional<uint64_t> object_size = {};     // of a 206 that says it
  std::string version = {};                     // ETag, else Last-Modified; may be empty
};

// Takes an answer. A status of code Cancelled ends the transfer without an error: what follows is
// not wanted.
class HttpSink {
 public:
  virtual ~HttpSink() = default;
  virtual absl::Status Begin(const HttpHead& head) = 0;
  virtual absl::Status Append(absl::string_view data) = 0;
};

struct HttpRequest {
  std::string url;
  std::vector<std::string> headers = {};  // "Name: value" each
};

// Requests of http and https addresses, one attempt each. Connections stay open for later requests.
// Goes by proxies as curl does (http_proxy, https_proxy, no_proxy), and certificates of
// AWS_CA_BUNDLE, CURL_CA_BUNDLE or SSL_CERT_FILE. Contents are taken as they are stored: an answer
// in another Content-Encoding is refused. May be used from several threads.
class HttpClient {
 public:
  struct Options {
    absl::Duration timeout;        // of a whole request; may be infinite
    std::string bearer = {};       // a token for the host of the address alone; may be empty
    bool follow_redirects = true;  // not for signed requests: a signature is for one host
    // Ends a request that connects, or brings no byte, for so long: for long ones.
    absl::Duration stall_timeout = absl::InfiniteDuration();
  };

  explicit HttpClient(Options options);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Errors have the codes of Store, and what the server says for the next attempt noted (see
  // store_error.h); they do not name the address.
  absl::Status Get(const HttpRequest& request, const std::optional<ByteRange>& range,
                   HttpSink& sink);

  // Sends the pieces, one after the other, as the contents of the address.
  absl::Status Put(const HttpRequest& request, absl::Span<const absl::string_view> pieces);

  absl::Status Delete(const HttpRequest& request);

 private:
  struct Handle;

  void* TakeHandle();
  void PutHandle(void* handle);

  const Options options_;
  absl::Mutex mutex_;
  // curl's handles, each with its open connections; the one used last is taken first.
  std::vector<void*> idle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tessera

#endif  // TESSERA_DATA_STORAGE_HTTP_CLIENT_H_
