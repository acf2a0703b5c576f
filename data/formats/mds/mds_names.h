#ifndef TESSERA_DATA_FORMATS_MDS_MDS_NAMES_H_
#define TESSERA_DATA_FORMATS_MDS_MDS_NAMES_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "data/formats/mds/mds_index.h"

namespace tessera {

// Whether `path` is relative and has no parts but names.
bool IsPlainPath(absl::string_view path);

// A name that two files of the shards have is an error.
absl::Status CheckNamesAreUnique(absl::Span<const MdsShardInfo> shards);

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_MDS_MDS_NAMES_H_
