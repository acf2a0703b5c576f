#include "data/storage/http_store.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "data/storage/http_client.h"
#include "data/storage/store_error.h"

namespace tessera {
namespace {

absl::Status WrongSize(uint64_t found, uint64_t expected) {
  return absl::DataLossError(absl::StrCat("the object has ", found, " bytes, expected ", expected));
}

// Takes the bytes from `offset` of an object into a span, of an answer with just these bytes or of
// one with the whole object: a server may ignore ranges.
class RangeSink : public HttpSink {
 public:
  RangeSink(uint64_t size, uint64_t offset, absl::Span<char> out, absl::string_view version)
      : size_(size), offset_(offset), out_(out), version_(version) {}

  absl::Status Begin(const HttpHead& head) override {
    if (!version_.empty() && head.version != version_) {
      return absl::FailedPreconditionError("the object changed while it was read");
    }
    version_ = head.version;
    const bool whole = head.status != 206;
    if (whole) {
      skip_ = offset_;
    } else if (head.range && head.range->first != offset_) {
      return absl::DataLossError(
          absl::StrCat("the answer starts at byte ", head.range->first, ", expected ", offset_));
    }
    if (head.object_size && *head.object_size != size_) return WrongSize(*head.object_size, size_);
    const uint64_t expected = whole ? size_ : out_.size();
    if (head.content_length && *head.content_length != expected) {
      if (whole) return WrongSize(*head.content_length, expected);
      return absl::DataLossError(
          absl::StrCat("the answer has ", *head.content_length, " bytes, expected ", expected));
    }
    return absl::OkStatus();
  }

  absl::Status Append(absl::string_view data) override {
    const size_t skipped = std::min<uint64_t>(skip_, data.size());
    skip_ -= skipped;
    data.remove_prefix(skipped);
    const size_t count = std::min(data.size(), out_.size() - filled_);
    std::memcpy(out_.data() + filled_, data.data(), count);
    filled_ += count;
    if (count == data.size()) return absl::OkStatus();
    if (offset_ + out_.size() < size_) return absl::CancelledError("the rest is another range's");
    return absl::DataLossError(absl::StrCat("more bytes came than the expected ", size_));
  }

  absl::Status End() const {
    if (filled_ == out_.size()) return absl::OkStatus();
    return absl::DataLossError(
        absl::StrCat("the answer ended after ", filled_, " bytes, expected ", out_.size()));
  }

  const std::string& version() const { return version_; }

 private:
  const uint64_t size_;
  const uint64_t offset_;
  const absl::Span<char> out_;
  std::string version_;
  uint64_t skip_ = 0;
  size_t filled_ = 0;
};

class SizeSink : public HttpSink {
 public:
  absl::Status Begin(const HttpHead& head) override {
    size_ = head.status == 206 ? head.object_size : head.content_length;
    return absl::CancelledError("the contents are not wanted");
  }
  absl::Status Append(absl::string_view) override { return absl::OkStatus(); }

  const std::optional<uint64_t>& size() const { return size_; }

 private:
  std::optional<uint64_t> size_;
};

class StringSink : public HttpSink {
 public:
  absl::Status Begin(const HttpHead&) override { return absl::OkStatus(); }
  absl::Status Append(absl::string_view data) override {
    contents.append(data.data(), data.size());
    return absl::OkStatus();
  }

  std::string contents;
};

class HttpStore : public Store {
 public:
  // `uri` stands in messages, `url` in requests; both without a slash at their ends.
  HttpStore(std::string uri, std::string url, HttpClient::Options options)
      : uri_(std::move(uri)), url_(std::move(url)), client_(std::move(options)) {}

  std::string Uri(absl::string_view key) const override { return absl::StrCat(uri_, "/", key); }
  std::optional<std::string> LocalPath(absl::string_view) const override { return std::nullopt; }

  absl::Status ReadRange(absl::string_view key, uint64_t size, uint64_t offset,
                         absl::Span<char> out, std::string* version) override {
    std::optional<ByteRange> range;
    if (out.size() < size) range = {.first = offset, .last = offset + out.size() - 1};
    RangeSink sink(size, offset, out, *version);
    absl::Status status = client_.Get(Url(key), range, sink);
    if (status.ok()) status = sink.End();
    if (!status.ok()) return AtKey(key, status);
    *version = sink.version();
    return absl::OkStatus();
  }

  // By a GET of the first byte, since HEAD is often refused where GET is allowed.
  absl::StatusOr<uint64_t> Size(absl::string_view key) override {
    SizeSink sink;
    const absl::Status status = client_.Get(Url(key), ByteRange{.first = 0, .last = 0}, sink);
    if (absl::IsDataLoss(status)) return 0;  // 416: no first byte
    if (!status.ok()) return AtKey(key, status);
    if (!sink.size()) {
      return AtKey(key, absl::InvalidArgumentError("the server does not say its size"));
    }
    return *sink.size();
  }

  absl::StatusOr<std::string> Read(absl::string_view key) override {
    StringSink sink;
    const absl::Status status = client_.Get(Url(key), std::nullopt, sink);
    if (!status.ok()) return AtKey(key, status);
    return std::move(sink.contents);
  }

  absl::Status Write(absl::string_view key, absl::Span<const absl::string_view>) override {
    return AtKey(key, absl::InvalidArgumentError("this kind of store cannot be written to"));
  }

 private:
  std::string Url(absl::string_view key) const {
    return absl::StrCat(url_, "/", PercentEncode(key));
  }

  absl::Status AtKey(absl::string_view key, const absl::Status& status) const {
    return AtObject(Uri(key), status);
  }

  const std::string uri_;
  const std::string url_;
  HttpClient client_;
};

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

absl::string_view WithoutSlashes(absl::string_view uri) {
  while (absl::ConsumeSuffix(&uri, "/")) {
  }
  return uri;
}

}  // namespace

std::string PercentEncode(absl::string_view path) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : path) {
    if (absl::ascii_isalnum(c) || std::strchr("-._~/", c) != nullptr) {
      encoded += c;
    } else {
      const unsigned char byte = c;
      encoded += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return encoded;
}

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
  std::string endpoint = Environment("HF_ENDPOINT");
  if (endpoint.empty()) endpoint = "https://huggingface.co";
  std::string url = absl::StrCat(WithoutSlashes(endpoint), "/datasets/", PercentEncode(parts[0]),
                                 "/", PercentEncode(name.first), "/resolve/",
                                 name.second.empty() ? "main" : PercentEncode(name.second));
  if (parts.size() == 3) absl::StrAppend(&url, "/", PercentEncode(parts[2]));
  return std::make_shared<HttpStore>(
      std::string(uri), std::move(url),
      HttpClient::Options{.timeout = timeout, .bearer = Environment("HF_TOKEN")});
}

}  // namespace tessera
