#ifndef TESSERA_DATA_FORMATS_HASH_HASH_H_
#define TESSERA_DATA_FORMATS_HASH_HASH_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tessera {

// A digest under way, under the names of MosaicML Streaming: blake2b, blake2s, md5, sha1, sha224,
// sha256, sha384, sha512, sha3_224, sha3_256, sha3_384, sha3_512, xxh32, xxh64, xxh128 and
// xxh3_128 (which are one), and xxh3_64.
class Hasher {
 public:
  // A name that is none of these is an error that lists them.
  static absl::StatusOr<std::unique_ptr<Hasher>> Create(absl::string_view algorithm);
  virtual ~Hasher() = default;

  // Adds bytes, which may come in pieces of any size.
  virtual void Update(absl::string_view bytes) = 0;

  // The digest of all bytes, in lower hex (of the xxh family: most significant byte first). Called
  // once, at the end.
  virtual std::string Hex() = 0;
};

// The digest of `bytes`, as from a Hasher.
absl::StatusOr<std::string> HashHex(absl::string_view algorithm, absl::string_view bytes);

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_HASH_HASH_H_
