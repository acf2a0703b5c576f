#ifndef TESSERA_DATA_STREAMING_MDS_STREAM_H_
#define TESSERA_DATA_STREAMING_MDS_STREAM_H_

#include <memory>

#include "absl/status/statusor.h"
#include "data/streaming/stream.h"
#include "data/streaming/stream_place.h"

namespace tessera {

// The MDS shards that the index.json at `place` names. Errors: no index; see ParseMdsIndex.
absl::StatusOr<std::unique_ptr<Stream>> OpenMdsStream(const StreamPlace& place);

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_MDS_STREAM_H_
