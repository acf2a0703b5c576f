#ifndef TESSERA_DATA_FORMATS_WEBDATASET_EXPAND_TAR_H_
#define TESSERA_DATA_FORMATS_WEBDATASET_EXPAND_TAR_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "data/formats/webdataset/bad_shard.h"

namespace tessera {

// How a file is compressed, by its first bytes whatever its name: "gz", "bz2", "xz" or "zst";
// empty: none of these.
absl::string_view FindCompression(absl::string_view file);

// Decompresses the file `in` to `out`, which appears whole or not at all, in constant memory. gz,
// bz2, xz and zst may consist of several members; zeros may follow. DataLoss, with the byte, where
// it is cut short or damaged (all checksums are compared) or anything else follows.
//
// Under kSkipRest `out` then holds what came before, up to whole blocks of the tar, and a line that
// says why it ends there. The line is no tar header: TarIndex finds the damage in `out` too.
// Returns what is left out, in bytes of `in`.
absl::StatusOr<LeftOut> ExpandTar(const std::string& in, const std::string& out,
                                  BadShard bad_shard);

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_WEBDATASET_EXPAND_TAR_H_
