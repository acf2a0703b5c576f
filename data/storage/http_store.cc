#include "data/storage/http_store.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/environment.h"
#include "data/storage/http_client.h"
#include "data/storage/http_object.h"
#include "data/storage/store_error.h"

namespace tessera {
namespace {

class HttpStore : public Store {
 public:
  // `uri` stands in messages, `url` in requests; both without a slash at their ends.
  HttpStore(std::string uri, std::string url, HttpClient::Options options)
      : uri_(std::move(uri)), url_(std::move(url)), client_(std::move(options)) {}

  std::string Uri(absl::string_view key) const override { return absl::StrCat(uri_, "/", key); }
  std::optional<std::string> LocalPath(absl::string_view) const override { return std::nullopt; }

  absl::Status ReadRange(absl::string_view key, uint64_t size, uint64_t offset,
                         absl::Span<char> out, std::string* version) override {
    return AtKey(key, ReadObjectRange(Get(key), size, offset, out, version));
  }

  absl::StatusOr<uint64_t> Size(absl::string_view key) override {
    absl::StatusOr<uint64_t> size = ObjectSize(Get(key));
    return size.ok() ? std::move(size) : AtKey(key, size.status());
  }

  absl::StatusOr<std::string> Read(absl::string_view key) override {
    absl::StatusOr<std::string> contents = ReadObject(Get(key));
    return contents.ok() ? std::move(contents) : AtKey(key, contents.status());
  }

  absl::Status Write(absl::string_view key, absl::Span<const absl::string_view>) override {
    return AtKey(key, absl::InvalidArgumentError("this kind of store cannot be written to"));
  }

 private:
  GetObject Get(absl::string_view key) {
    return [this, request = HttpRequest{.url = absl::StrCat(url_, "/", PercentEncode(key))}](
               const std::optional<ByteRange>& range, HttpSink& sink) {
      return client_.Get(request, range, sink);
    };
  }

  absl::Status AtKey(absl::string_view key, const absl::Status& status) const {
    return status.ok() ? status : AtObject(Uri(key), status);
  }

  const std::string uri_;
  const std::string url_;
  HttpClient client_;
};

absl::string_view WithoutSlashes(absl::string_view uri) {
  while (absl::ConsumeSuffix(&uri, "/")) {
  }
  return uri;
}

}  // namespace

std::shared_ptr<Store> OpenHttpStore(absl::string_view uri, absl::Duration timeout) {
  uri = WithoutSlashes(uri);
  const size_t host = uri.find("://") + 3;
  const size_t path = std::min(uri.find('/', host), uri.size());
  // A password before the host is for the server alone.
  const absl::string_view authority = uri.substr(host, path - host);
  const size_t user = authority.rfind('@');
  const size_t shown = user == absl::string_view::npos ? 0 : user + 1;
  return std::make_shared<HttpStore>(
      absl::StrCat(uri.substr(0, host), authority.substr(shown), uri.substr(path)),
      absl::StrCat(uri.substr(0, path), PercentEncode(uri.substr(path))),
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
