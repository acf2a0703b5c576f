#ifndef TESSERA_DATA_FORMATS_MDS_MDS_SCHEMA_H_
#define TESSERA_DATA_FORMATS_MDS_MDS_SCHEMA_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tessera {

// One column of an MDS shard. A sample holds the payloads of all columns back to back, preceded by
// a 32-bit length for each column whose size varies (MosaicML Streaming, MDS version 2).
struct MdsColumn {
  std::string name;
  std::string encoding;  // "int", "bytes", "jpeg", ...
  uint32_t size = 0;     // bytes of a payload; 0 where it varies

  friend bool operator==(const MdsColumn&, const MdsColumn&) = default;
};

// The columns of a shard, sorted by name.
using MdsSchema = std::vector<MdsColumn>;

// A column with the size that its encoding has. Errors: those of ParseMdsEncoding, with the name of
// the column.
absl::StatusOr<MdsColumn> MakeMdsColumn(const std::string& name, const std::string& encoding);

// Splits a sample into the payloads of its columns: views into `sample`, one a column.
absl::Status SplitMdsSample(const MdsSchema& schema, absl::string_view sample,
                            absl::Span<absl::string_view> payloads);

// The bytes of a sample with these payloads, one a column. A payload of another size than its
// column's is an error.
absl::StatusOr<std::string> JoinMdsSample(const MdsSchema& schema,
                                          absl::Span<const absl::string_view> payloads);

// Payload of the encoding "int".
std::string EncodeMdsInt(int64_t value);

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_MDS_MDS_SCHEMA_H_
