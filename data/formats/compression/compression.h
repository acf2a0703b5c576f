#ifndef TESSERA_DATA_FORMATS_COMPRESSION_COMPRESSION_H_
#define TESSERA_DATA_FORMATS_COMPRESSION_COMPRESSION_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tessera {

// Whole-file compression under the names of MosaicML Streaming:
//
//   br[:0-11]    Brotli, default 11
//   bz2[:1-9]    bzip2, default 9
//   gz[:0-9]     gzip, default 9
//   snappy       Snappy's raw block, without framing
//   zstd[:1-22]  Zstandard, default 3: one frame with the content's size and no checksum
//
// br, bz2, zstd and gz are byte for byte what the Python package writes (but for gz's time, here
// 0); snappy is not, for it uses another implementation.
class Codec {
 public:
  // Any other text is an error that lists these forms.
  static absl::StatusOr<Codec> Parse(absl::string_view text);

  // Of the names of compressed files, without a dot: the text before the level.
  absl::string_view extension() const { return extension_; }

  absl::StatusOr<std::string> Compress(absl::string_view bytes) const;

  // Fills `out`, whose size is that of the contents. Contents of another size, compressed data that
  // are damaged or cut short, and bytes after their end are DataLoss. gz, bz2 and zstd may consist
  // of several members, one after the other. The memory needed is bounded, whatever `zip` says of
  // itself.
  absl::Status Decompress(absl::string_view zip, absl::Span<char> out) const;

 private:
  Codec(absl::string_view extension, int level) : extension_(extension), level_(level) {}

  absl::string_view extension_;  // of a constant
  int level_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_COMPRESSION_COMPRESSION_H_
