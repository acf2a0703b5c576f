#include "data/storage/http_object_store.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "data/storage/store_error.h"

namespace tessera {
namespace {

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

}  // namespace

std::string HttpObjectStore::Uri(absl::string_view key) const {
  return absl::StrCat(uri_, "/", key);
}

absl::Status HttpObjectStore::ReadRange(absl::string_view key, uint64_t size, uint64_t offset,
                                        absl::Span<char> out, std::string* version) {
  std::optional<ByteRange> range;
  if (out.size() < size) range = {.first = offset, .last = offset + out.size() - 1};
  RangeSink sink(size, offset, out, *version);
  absl::Status status = Get(key, range, sink);
  if (status.ok()) status = sink.End();
  if (!status.ok()) return AtKey(key, status);
  *version = sink.version();
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> HttpObjectStore::Size(absl::string_view key) {
  SizeSink sink;
  const absl::Status status = Get(key, ByteRange{.first = 0, .last = 0}, sink);
  if (absl::IsDataLoss(status)) return 0;  // 416: no first byte
  if (!status.ok()) return AtKey(key, status);
  if (!sink.size()) {
    return AtKey(key, absl::InvalidArgumentError("the server does not say its size"));
  }
  return *sink.size();
}

absl::StatusOr<std::string> HttpObjectStore::Read(absl::string_view key) {
  StringSink sink;
  const absl::Status status = Get(key, std::nullopt, sink);
  if (!status.ok()) return AtKey(key, status);
  return std::move(sink.contents);
}

absl::Status HttpObjectStore::AtKey(absl::string_view key, const absl::Status& status) const {
  return status.ok() ? status : AtObject(Uri(key), status);
}

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

}  // namespace tessera
