#ifndef TESSERA_DATA_FORMATS_WEBDATASET_EXPAND_TAR_H_
#define TESSERA_DATA_FORMATS_WEBDATASET_EXPAND_TAR_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "data/formats/webdataset/bad_shard.h"

namespace tessera {

// How a file is compressed, by its first bytes whatever its name: "gz", "bz2", "xz" or "zst";
// empty: none of these.
absl::string_view FindCompression(absl::string_view file);

// Decompresses `zip`, the contents of the file `path`, to `sink`, in pieces and constant memory.
// gz, bz2, xz and zst may consist of several members; zeros may follow. DataLoss, with the byte,
// where it is cut short or damaged (all checksums are compared) or anything else follows. What
// `sink` was given is of no use after an error.
//
// Under kSkipRest `sink` then has what came before, up to whole blocks of the tar, and a line that
// says that it ends there. The line is no tar header: TarIndex finds the damage in the tar too.
// Returns what is left out, in bytes of `zip`.
absl::StatusOr<LeftOut> ExpandTar(absl::string_view zip, absl::string_view path, BadShard bad_shard,
                                  absl::FunctionRef<absl::Status(absl::string_view)> sink);

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_WEBDATASET_EXPAND_TAR_H_
