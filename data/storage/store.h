#ifndef TESSERA_DATA_STORAGE_STORE_H_
#define TESSERA_DATA_STORAGE_STORE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tessera {

// Objects under keys: a bucket with a prefix, a folder, a web address. Every call is one attempt:
// see Fetcher for those that try again. All methods may be called from several threads at once.
//
// Codes of errors: NotFound, PermissionDenied, Unauthenticated (credentials that have run out are
// renewed by the next attempt), InvalidArgument, FailedPrecondition (the object has changed since
// its first range was read), and those that may pass: Unavailable, DeadlineExceeded,
// ResourceExhausted (the store asks to slow down), DataLoss (fewer or more bytes than announced).
class Store {
 public:
  virtual ~Store() = default;

  // The full address of an object, for messages.
  virtual std::string Uri(absl::string_view key) const = 0;

  // The path of an object where the store is a folder of this machine, so that it can be read where
  // it is.
  virtual std::optional<std::string> LocalPath(absl::string_view key) const = 0;

  // Fills `out` with the bytes from `offset` of an object that has `size` bytes. `version` is empty
  // for the first range of an object; it is then set to what names its contents (an ETag; empty
  // where the store has none), and a later range of other contents is FailedPrecondition.
  virtual absl::Status ReadRange(absl::string_view key, uint64_t size, uint64_t offset,
                                 absl::Span<char> out, std::string* version) = 0;

  // The number of bytes of an object, for sets without an index that says it.
  virtual absl::StatusOr<uint64_t> Size(absl::string_view key) = 0;

  // The whole of an object whose size is not known.
  virtual absl::StatusOr<std::string> Read(absl::string_view key) = 0;

  // Writes an object, whole or not at all; one of that key is replaced.
  virtual absl::Status Write(absl::string_view key, absl::Span<const absl::string_view> pieces) = 0;

  // Removes an object; there may be none of that key.
  virtual absl::Status Remove(absl::string_view key) {
    return absl::InvalidArgumentError(
        absl::StrCat(Uri(key), ": this kind of store cannot be written to"));
  }
};

}  // namespace tessera

#endif  // TESSERA_DATA_STORAGE_STORE_H_
