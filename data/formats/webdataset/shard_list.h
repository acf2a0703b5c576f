#ifndef TESSERA_DATA_FORMATS_WEBDATASET_SHARD_LIST_H_
#define TESSERA_DATA_FORMATS_WEBDATASET_SHARD_LIST_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tessera {

inline constexpr size_t kMostShards = 10'000'000;

// The names that a list of shards stands for, as webdataset has it (Python's braceexpand):
//
//   train-{000..123}.tar   numbers, of one width where one begins with 0; {123..0}, {0..100..10}
//   {a..e}.tar             letters
//   {train,val}-{0..9}     each with each; braces may stand in braces; "{a,}" may be nothing
//   a.tar::b.tar           one list after the other
//   a\{1\}.tar             a backslash takes what follows as it is
//
// Errors say at which character: braces that have no partner, or that hold neither a list nor a
// range (which Python takes as a part of the name); an empty list between "::"; more than
// kMostShards names.
absl::StatusOr<std::vector<std::string>> ExpandShardList(absl::string_view list);

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_WEBDATASET_SHARD_LIST_H_
