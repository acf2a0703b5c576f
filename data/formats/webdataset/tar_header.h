#ifndef TESSERA_DATA_FORMATS_WEBDATASET_TAR_HEADER_H_
#define TESSERA_DATA_FORMATS_WEBDATASET_TAR_HEADER_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace tessera {

inline constexpr uint64_t kTarBlock = 512;     // headers and contents are padded to it
inline constexpr uint64_t kTarRecord = 10240;  // and a whole tar to this, with two zero blocks

// Adds the header of a regular file of `size` bytes, byte for byte as webdataset 1.0.2's
// TarWriter(mtime=0) has it: ustar, mode 0444, owner and group "bigdata". A PAX header before it
// holds names of more than 100 bytes or not of ASCII, and sizes from 8 GiB on.
void AppendTarHeader(absl::string_view name, uint64_t size, std::string* out);

// Whether the block is a header of any form of tar, by its checksum.
bool IsTarHeader(absl::string_view block);

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_WEBDATASET_TAR_HEADER_H_
