#include "tools/download/http_download.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "data/storage/http_client.h"

namespace tessera {
namespace {

// An attempt that brings so much further is not one in vain: a long file may break often.
constexpr uint64_t kProgress = 1 << 20;

using Done = absl::FunctionRef<void(uint64_t done, uint64_t total)>;

// Takes one answer, the whole file or its rest, into the part.
class PartSink : public HttpSink {
 public:
  PartSink(const HttpDownload& what, PartFile& part, Done done, HttpDownloadCounters& counters)
      : what_(what), part_(part), done_(done), counters_(counters) {}

  absl::Status Begin(const HttpHead& head) override {
    std::optional<uint64_t> size = head.status == 206 ? head.object_size : head.content_length;
    if (what_.expected_size != 0) {
      if (size.has_value() && *size != what_.expected_size) {
        return absl::InvalidArgumentError(absl::StrCat("the server's file has ", *size,
                                                       " bytes, expected ", what_.expected_size));
      }
      size = what_.expected_size;
    }
    if (head.status != 206) return Restart(size, head.version);
    if (head.version != part_.origin().version || (size && size != part_.origin().size)) {
      TESSERA_RETURN_IF_ERROR(Restart(size, head.version));
      return absl::FailedPreconditionError("the file changed while it was fetched");
    }
    if (head.range && head.range->first != part_.size()) {
      return absl::DataLossError(absl::StrCat("the answer starts at byte ", head.range->first,
                                              ", expected ", part_.size()));
    }
    return absl::OkStatus();
  }

  absl::Status Append(absl::string_view data) override {
    counters_.fetched += data.size();
    const std::optional<uint64_t> size = part_.origin().size;
    if (size && data.size() > *size - part_.size()) {
      TESSERA_RETURN_IF_ERROR(Restart(size, std::string(part_.origin().version)));
      return absl::DataLossError(absl::StrCat("more bytes came than the expected ", *size));
    }
    TESSERA_RETURN_IF_ERROR(part_.Append(data));
    done_(part_.size(), size.value_or(0));
    return absl::OkStatus();
  }

  absl::Status End() const {
    const std::optional<uint64_t> size = part_.origin().size;
    if (!size || *size == part_.size()) return absl::OkStatus();
    return absl::DataLossError(
        absl::StrCat("the answer ended at byte ", part_.size(), ", expected ", *size));
  }

 private:
  absl::Status Restart(std::optional<uint64_t> size, absl::string_view version) {
    counters_.resumed_at = 0;
    return part_.Restart(size, version);
  }

  const HttpDownload& what_;
  PartFile& part_;
  const Done done_;
  HttpDownloadCounters& counters_;
};

// An ETag that stands for each byte, or a date: what a server compares for If-Range.
bool IsStrong(absl::string_view version) {
  return !version.empty() && !absl::StartsWith(version, "W/");
}

absl::Status Try(HttpClient& client, const HttpDownload& what, PartFile& part, Done done,
                 HttpDownloadCounters& counters) {
  const PartFile::Origin& origin = part.origin();
  // Of an answer whose size was not known, or that nothing would tell from another file's, all is
  // fetched again.
  if (part.size() > 0 && (!origin.size || (origin.version.empty() && !what.has_hash))) {
    TESSERA_RETURN_IF_ERROR(part.Restart(std::nullopt, ""));
  }
  HttpRequest request{.url = what.url};
  std::optional<ByteRange> rest;
  if (part.size() > 0) {
    rest = ByteRange{part.size(), *origin.size - 1};
    if (IsStrong(origin.version)) request.headers = {absl::StrCat("If-Range: ", origin.version)};
  }
  ++counters.requests;
  PartSink sink(what, part, done, counters);
  const absl::Status status = client.Get(request, rest, sink);
  // The file has become shorter than the part, at a server that doesn't know If-Range.
  if (rest && absl::StartsWith(status.message(), "HTTP 416")) {
    TESSERA_RETURN_IF_ERROR(part.Restart(std::nullopt, ""));
  }
  TESSERA_RETURN_IF_ERROR(status);
  return sink.End();
}

}  // namespace

absl::Status DownloadOverHttp(const HttpDownload& what, PartFile& part, Done done,
                              HttpDownloadCounters& counters, Clock* clock) {
  counters.resumed_at = part.size();
  if (part.whole()) return absl::OkStatus();
  HttpClient client({.timeout = absl::InfiniteDuration(), .stall_timeout = what.stall_timeout});
  const std::string shown = ShownUrl(what.url);
  std::optional<Attempts> attempts(std::in_place, what.limits, shown, clock);
  uint64_t furthest = part.size();
  while (true) {
    const absl::Status status = Try(client, what, part, done, counters);
    if (status.ok()) return part.Finish();
    if (part.size() >= furthest + kProgress) {
      furthest = part.size();
      attempts.emplace(what.limits, shown, clock);
    }
    if (!attempts->Again(status)) return attempts->Explain(status);
  }
}

std::string ShownUrl(absl::string_view url) {
  url = url.substr(0, url.find('?'));
  const size_t host = url.find("://");
  if (host == absl::string_view::npos) return std::string(url);
  const size_t begin = host + 3;
  const size_t end = std::min(url.find('/', begin), url.size());
  const size_t user = url.substr(0, end).rfind('@');
  if (user == absl::string_view::npos || user < begin) return std::string(url);
  return absl::StrCat(url.substr(0, begin), url.substr(user + 1));
}

}  // namespace tessera
