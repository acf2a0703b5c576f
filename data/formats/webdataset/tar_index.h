#ifndef TESSERA_DATA_FORMATS_WEBDATASET_TAR_INDEX_H_
#define TESSERA_DATA_FORMATS_WEBDATASET_TAR_INDEX_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "data/formats/webdataset/bad_shard.h"

namespace tessera {

// The contents of a TarIndex: a few arrays, however many samples there are.
struct TarTables {
  uint64_t tar_bytes = 0;  // size of the tar
  // One a sample: the ends of its key in `keys` and of its fields below.
  std::vector<uint64_t> key_ends;
  std::vector<uint64_t> field_ends;
  // One a field. Offsets from tar_bytes on are in `sparse`, as if that followed the tar.
  std::vector<uint64_t> offsets;
  std::vector<uint64_t> sizes;
  std::vector<uint32_t> extensions;  // in extension_names
  std::string keys;
  std::vector<std::string> extension_names;
  std::string sparse;  // contents of sparse files, which are not in the tar as they are
  LeftOut left_out;

  friend bool operator==(const TarTables&, const TarTables&) = default;
};

// The samples of one WebDataset shard, in the order of the tar: where each of their files lies.
class TarIndex {
 public:
  // Reads the headers of a plain tar. `path` is named in errors, which are DataLoss and say at
  // which byte what was found and what was expected. Besides damage (see TarReader) these are
  // errors, or under kSkipRest the place where the samples end:
  //   - a sample with two files of one extension;
  //   - a key that comes again after another one: the files of a sample stand together. Then its
  //     first files are no whole sample, and are left out too;
  //   - a compressed file: see ExpandTar. This one is InvalidArgument, under kSkipRest too.
  // A sample that damage may have cut is not whole: where a tar is damaged, its last one is left
  // out.
  static absl::StatusOr<TarIndex> Build(absl::string_view tar, absl::string_view path,
                                        BadShard bad_shard);

  // Tables from elsewhere; DataLoss where they do not fit together, or point outside the tar.
  static absl::StatusOr<TarIndex> Create(TarTables tables);

  uint64_t size() const { return tables_.key_ends.size(); }
  absl::string_view key(uint64_t sample) const;

  // The fields of a sample are those from fields_begin(sample) to fields_begin(sample + 1).
  uint64_t fields_begin(uint64_t sample) const {
    return sample == 0 ? 0 : tables_.field_ends[sample - 1];
  }
  absl::string_view extension(uint64_t field) const {
    return tables_.extension_names[tables_.extensions[field]];
  }
  uint64_t offset(uint64_t field) const { return tables_.offsets[field]; }  // see TarTables
  uint64_t bytes(uint64_t field) const { return tables_.sizes[field]; }

  // The contents of a field of `tar`, which is the one of this index.
  absl::string_view Contents(absl::string_view tar, uint64_t field) const;

  // Whether `tar` has headers where the files of a sample begin. It has not if it is another one,
  // also of the same size.
  bool HasHeaders(absl::string_view tar, uint64_t sample) const;

  const LeftOut& left_out() const { return tables_.left_out; }
  const TarTables& tables() const { return tables_; }

 private:
  explicit TarIndex(TarTables tables);

  TarTables tables_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_WEBDATASET_TAR_INDEX_H_
