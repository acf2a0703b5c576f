#ifndef TESSERA_DATA_STREAMING_STREAM_PLACE_H_
#define TESSERA_DATA_STREAMING_STREAM_PLACE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "data/storage/fetcher.h"
#include "data/streaming/streaming.pb.h"

namespace tessera {

// Where the files of one stream's split are.
struct StreamPlace {
  std::string folder;                      // on this machine: the cache, or the files themselves
  std::shared_ptr<const Fetcher> fetcher;  // null: the folder is all there is
  std::string uri;                         // for messages: of the store, or the folder

  // A file of the stream, in `folder`.
  std::string PathOf(const std::string& name) const;

  // The same for messages: in the store where there is one.
  std::string AddressOf(const std::string& name) const;
};

// Finds the places of `split` of all streams that `config` names: opens stores and names cache
// folders, but makes none. A remote that is a folder of this machine is read where it is, unless a
// local folder is given. `counters` outlives the places. Errors: no stream; streams beside a remote
// or local of their own; two streams in one folder.
absl::StatusOr<std::vector<StreamPlace>> FindStreamPlaces(const StreamingConfig& config,
                                                          const std::string& split,
                                                          FetchCounters* counters);

// The contents of a small file of the stream, such as its index: from the folder, or fetched and
// kept there.
absl::StatusOr<std::string> ReadStreamFile(const StreamPlace& place, const std::string& name);

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_STREAM_PLACE_H_
