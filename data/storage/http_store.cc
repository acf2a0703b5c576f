#include "data/storage/http_store.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/environment.h"
#include "data/storage/http_client.h"
#include "data/storage/http_object_store.h"
#include "data/storage/uri.h"

namespace tessera {
namespace {

class HttpStore : public HttpObjectStore {
 public:
  // `url` stands in requests, without a slash at its end.
  HttpStore(std::string uri, std::string url, HttpClient::Options options)
      : HttpObjectStore(std::move(uri)), url_(std::move(url)), client_(std::move(options)) {}

  absl::Status Write(absl::string_view key, absl::Span<const absl::string_view>) override {
    return AtKey(key, absl::InvalidArgumentError("this kind of store cannot be written to"));
  }

 protected:
  absl::Status Get(absl::string_view key, const std::optional<ByteRange>& range,
                   HttpSink& sink) override {
    return client_.Get({.url = absl::StrCat(url_, "/", PercentEncode(key))}, range, sink);
  }

 private:
  const std::string url_;
  HttpClient client_;
};

}  // namespace

std::shared_ptr<Store> OpenHttpStore(absl::string_view uri, absl::Duration timeout) {
  const UriParts parts = SplitUri(uri);
  // A password before the host is for the server alone.
  const size_t user = parts.authority.rfind('@');
  const size_t shown = user == std::string::npos ? 0 : user + 1;
  return std::make_shared<HttpStore>(
      absl::StrCat(parts.scheme, "://", parts.authority.substr(shown), parts.path),
      absl::StrCat(parts.scheme, "://", parts.authority, PercentEncode(parts.path)),
      HttpClient::Options{.timeout = timeout});
}

absl::StatusOr<std::shared_ptr<Store>> OpenHuggingFaceStore(absl::string_view uri,
                                                            absl::Duration timeout) {
  uri = WithoutSlashes(uri);
  absl::string_view rest = uri;
  const bool good = absl::ConsumePrefix(&rest, "hf://datasets/");
  const std::vector<absl::string_view> parts = absl::StrSplit(rest, absl::MaxSplits('/', 2));
  if (!good || parts.size() < 2 || parts[0].empty() || parts[1].empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(uri, ": expected hf://datasets/ORG/NAME or hf://datasets/ORG/NAME/FOLDER"));
  }
  const std::pair<absl::string_view, absl::string_view> name =
      absl::StrSplit(parts[1], absl::MaxSplits('@', 1));
  std::string endpoint = GetEnv("HF_ENDPOINT");
  if (endpoint.empty()) endpoint = "https://huggingface.co";
  std::string url = absl::StrCat(WithoutSlashes(endpoint), "/datasets/", PercentEncode(parts[0]),
                                 "/", PercentEncode(name.first), "/resolve/",
                                 name.second.empty() ? "main" : PercentEncode(name.second));
  if (parts.size() == 3) absl::StrAppend(&url, "/", PercentEncode(parts[2]));
  return std::make_shared<HttpStore>(
      std::string(uri), std::move(url),
      HttpClient::Options{.timeout = timeout, .bearer = GetEnv("HF_TOKEN")});
}

}  // namespace tessera
