#ifndef TESSERA_TOOLS_DOWNLOAD_HTTP_DOWNLOAD_H_
#define TESSERA_TOOLS_DOWNLOAD_HTTP_DOWNLOAD_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "data/storage/attempts.h"
#include "tools/download/part_file.h"

namespace tessera {

// What is fetched, and how hard it is tried for.
struct HttpDownload {
  std::string url = {};
  uint64_t expected_size = 0;  // 0: what the server says
  // Whether a hash is compared in the end. If not, a part whose server names no version of its file
  // is not gone on with: the rest could be another file's.
  bool has_hash = false;
  AttemptLimits limits = {};                         // those in which nothing moved on
  absl::Duration stall_timeout = absl::Seconds(60);  // without a byte
};

struct HttpDownloadCounters {
  uint64_t resumed_at = 0;  // bytes that were there before
  uint64_t fetched = 0;     // bytes that came; those that came twice count twice
  int64_t requests = 0;
};

// Completes `part` from `what.url`, in one stream that is taken up where it broke. A file that
// changes in between (by its ETag or Last-Modified, or its size), and one of a server that sends
// all instead of the rest, starts again. At an error the part keeps what has come. `done` gets its
// size so far and the whole file's, 0 where that is not known.
absl::Status DownloadOverHttp(const HttpDownload& what, PartFile& part,
                              absl::FunctionRef<void(uint64_t done, uint64_t total)> done,
                              HttpDownloadCounters& counters, Clock* clock = Clock::System());

// `url` as it is shown and noted: without what may be secret, a password and a query.
std::string ShownUrl(absl::string_view url);

}  // namespace tessera

#endif  // TESSERA_TOOLS_DOWNLOAD_HTTP_DOWNLOAD_H_
