#ifndef TESSERA_TOOLS_DOWNLOAD_FETCH_ADE20K_H_
#define TESSERA_TOOLS_DOWNLOAD_FETCH_ADE20K_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "data/storage/attempts.h"
#include "tools/download/ade20k_archive.h"
#include "tools/download/ade20k_folder.h"
#include "tools/download/check_file.h"

namespace tessera {

struct DownloadOptions {
  std::string dir = ".";             // gets the folder ADEChallengeData2016; made if need be
  std::string url = kAde20k.url;     // http://, https://, file:// or a path
  FileChecks archive = Published();  // of the file at `url`; what is left out is not checked
  SplitNames names = TesseraNames();
  bool keep_zip = false;
  int64_t train_pairs = kAde20k.train_pairs;  // expected
  int64_t val_pairs = kAde20k.val_pairs;
  AttemptLimits limits = {};                         // of attempts that bring nothing further
  absl::Duration stall_timeout = absl::Seconds(60);  // of a request that brings no byte

  static FileChecks Published() { return {.size = 0, .md5 = kAde20k.md5, .sha256 = {}}; }
};

// How far one of the steps is: "download" and "check" count bytes, "extract" files.
struct DownloadProgress {
  const char* step;
  uint64_t done;
  uint64_t total;  // 0: not known
  bool bytes;
};

struct DownloadSummary {
  std::string root;  // the set's folder
  DownloadNote note = {};
  bool was_there = false;   // nothing was done
  uint64_t resumed_at = 0;  // bytes of an earlier download
  uint64_t fetched = 0;     // bytes that came over the network
  int64_t requests = 0;
};

// Fetches ADE20K and lays it out as data.folder reads it. Whatever ends it, the next call goes on
// where it stopped: bytes that came stay in DIR/ADEChallengeData2016.zip.part until they are
// extracted or found to be wrong, and the set's folder appears in one rename when all of it is
// there. Does nothing where it is. One process at a time works in a folder; for another it is an
// error.
absl::StatusOr<DownloadSummary> DownloadAde20k(
    const DownloadOptions& options, const std::function<void(const DownloadProgress&)>& progress);

}  // namespace tessera

#endif  // TESSERA_TOOLS_DOWNLOAD_FETCH_ADE20K_H_
