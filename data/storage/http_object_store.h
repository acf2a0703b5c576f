#ifndef TESSERA_DATA_STORAGE_HTTP_OBJECT_STORE_H_
#define TESSERA_DATA_STORAGE_HTTP_OBJECT_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "data/storage/http_client.h"
#include "data/storage/store.h"

namespace tessera {

// What stores have in common that are read by GETs and Range requests, signed or not. The version
// of an object is its ETag, else its Last-Modified.
class HttpObjectStore : public Store {
 public:
  // `uri` stands in messages, without a slash at its end.
  explicit HttpObjectStore(std::string uri) : uri_(std::move(uri)) {}

  std::string Uri(absl::string_view key) const final;
  std::optional<std::string> LocalPath(absl::string_view) const final { return std::nullopt; }
  absl::Status ReadRange(absl::string_view key, uint64_t size, uint64_t offset,
                         absl::Span<char> out, std::string* version) final;
  // By a GET of the first byte, since HEAD is often refused where GET is allowed.
  absl::StatusOr<uint64_t> Size(absl::string_view key) final;
  absl::StatusOr<std::string> Read(absl::string_view key) final;

 protected:
  // One GET of an object, of the range or of the whole. Errors do not name the object.
  virtual absl::Status Get(absl::string_view key, const std::optional<ByteRange>& range,
                           HttpSink& sink) = 0;

  absl::Status AtKey(absl::string_view key, const absl::Status& status) const;

 private:
  const std::string uri_;
};

// `path` as it stands in an address: all but letters, digits and "-._~/" as %XX.
std::string PercentEncode(absl::string_view path);

}  // namespace tessera

#endif  // TESSERA_DATA_STORAGE_HTTP_OBJECT_STORE_H_
