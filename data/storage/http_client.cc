#include "data/storage/http_client.h"

#include <curl/curl.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <initializer_list>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/environment.h"
#include "data/storage/http_error.h"
#include "data/storage/store_error.h"

namespace tessera {
namespace {

constexpr size_t kMostErrorText = 4096;

// A header of the last answer; empty where there is none.
std::string Header(CURL* curl, const char* name) {
  curl_header* header = nullptr;
  if (curl_easy_header(curl, name, 0, CURLH_HEADER, -1, &header) != CURLHE_OK) return "";
  // Of an empty header curl leaves the line's end.
  return std::string(absl::StripAsciiWhitespace(header->value));
}

int StatusOf(CURL* curl) {
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

// "bytes 0-99/1000" or "bytes 0-99/*".
void ParseContentRange(absl::string_view text, HttpHead& head) {
  if (!absl::StartsWithIgnoreCase(text, "bytes ")) return;
  const std::pair<absl::string_view, absl::string_view> halves =
      absl::StrSplit(text.substr(6), absl::MaxSplits('/', 1));
  const std::pair<absl::string_view, absl::string_view> ends =
      absl::StrSplit(halves.first, absl::MaxSplits('-', 1));
  ByteRange range;
  if (absl::SimpleAtoi(ends.first, &range.first) && absl::SimpleAtoi(ends.second, &range.last)) {
    head.range = range;
  }
  if (uint64_t size = 0; absl::SimpleAtoi(halves.second, &size)) head.object_size = size;
}

HttpHead ReadHead(CURL* curl) {
  HttpHead head{.status = StatusOf(curl)};
  curl_off_t length = -1;
  curl_easy_getinfo(curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
  if (length >= 0) head.content_length = length;
  if (head.status == 206) ParseContentRange(Header(curl, "Content-Range"), head);
  head.version = Header(curl, "ETag");
  if (head.version.empty()) head.version = Header(curl, "Last-Modified");
  return head;
}

// One answer as it comes in.
struct Transfer {
  CURL* curl = nullptr;
  HttpSink* sink = nullptr;
  bool begun = false;
  absl::Status status = {};     // what the sink or the head's check said
  std::string error_text = {};  // the start of an answer that is an error's
};

absl::Status Begin(Transfer& transfer) {
  transfer.begun = true;
  const std::string encoding = Header(transfer.curl, "Content-Encoding");
  if (!encoding.empty() && !absl::EqualsIgnoreCase(encoding, "identity")) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the server sends it in Content-Encoding \"", encoding,
        "\", though it was asked for \"identity\"; expected the object's bytes as they are"));
  }
  return transfer.sink->Begin(ReadHead(transfer.curl));
}

size_t OnData(char* data, size_t, size_t size, void* context) {
  Transfer& transfer = *static_cast<Transfer*>(context);
  const absl::string_view piece(data, size);
  if (StatusOf(transfer.curl) / 100 != 2) {
    const size_t room = kMostErrorText - transfer.error_text.size();
    absl::StrAppend(&transfer.error_text, piece.substr(0, std::min(size, room)));
    return size;
  }
  if (!transfer.begun) transfer.status = Begin(transfer);
  if (transfer.status.ok()) transfer.status = transfer.sink->Append(piece);
  return transfer.status.ok() ? size : CURL_WRITEFUNC_ERROR;
}

// Seconds, or a date.
absl::Duration ParseRetryAfter(const std::string& text) {
  if (int64_t seconds = 0; absl::SimpleAtoi(text, &seconds)) return absl::Seconds(seconds);
  const time_t date = curl_getdate(text.c_str(), nullptr);
  return date < 0 ? absl::ZeroDuration() : absl::FromTimeT(date) - absl::Now();
}

// The error of an answer that isn't 2xx.
absl::Status AnswerError(const Transfer& transfer) {
  const int status = StatusOf(transfer.curl);
  std::string detail = Header(transfer.curl, "X-Error-Message");  // Hugging Face's
  if (detail.empty()) detail = std::string(XmlElement(transfer.error_text, "Message"));
  std::string region = Header(transfer.curl, "x-amz-bucket-region");
  if (region.empty()) region = std::string(XmlElement(transfer.error_text, "Region"));
  if (status / 100 == 3 && !region.empty()) {
    detail = absl::StrCat("the bucket is in region ", region);
  } else if (status / 100 == 3 && detail.empty()) {
    detail = "a redirect without an address";
  }
  absl::Status error = HttpError(status, XmlElement(transfer.error_text, "Code"), detail);
  if (const absl::Duration wait = ParseRetryAfter(Header(transfer.curl, "Retry-After"));
      wait > absl::ZeroDuration()) {
    SetRetryAfter(wait, error);
  }
  if (!region.empty()) SetBucketRegion(region, error);
  return error;
}

absl::Status CurlError(CURLcode code, const char* text) {
  const std::string message = *text != '\0' ? text : curl_easy_strerror(code);
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return absl::DeadlineExceededError(message);
    case CURLE_PARTIAL_FILE:
      return absl::DataLossError(message);
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_TOO_MANY_REDIRECTS:
      return absl::InvalidArgumentError(message);
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return absl::InvalidArgumentError(
          absl::StrCat(message, "; CURL_CA_BUNDLE names a file of trusted certificates"));
    default:
      return absl::UnavailableError(message);
  }
}

absl::Status CannotStart() { return absl::UnavailableError("curl could not be started"); }

// The contents of a PUT, as curl asks for them.
class Upload {
 public:
  explicit Upload(absl::Span<const absl::string_view> pieces) : pieces_(pieces) {}

  uint64_t size() const {
    uint64_t size = 0;
    for (const absl::string_view piece : pieces_) size += piece.size();
    return size;
  }

  size_t Take(char* out, size_t room) {
    size_t taken = 0;
    while (taken < room && piece_ < pieces_.size()) {
      const absl::string_view rest = pieces_[piece_].substr(offset_);
      const size_t count = std::min(room - taken, rest.size());
      std::copy_n(rest.data(), count, out + taken);
      taken += count;
      offset_ += count;
      if (count == rest.size()) {
        ++piece_;
        offset_ = 0;
      }
    }
    return taken;
  }

  void Rewind() { piece_ = offset_ = 0; }

 private:
  const absl::Span<const absl::string_view> pieces_;
  size_t piece_ = 0;
  size_t offset_ = 0;
};

size_t OnUpload(char* out, size_t, size_t room, void* context) {
  return static_cast<Upload*>(context)->Take(out, room);
}

// curl goes back to the start alone, to send again over a new connection.
int OnSeek(void* context, curl_off_t offset, int origin) {
  if (offset != 0 || origin != SEEK_SET) return CURL_SEEKFUNC_CANTSEEK;
  static_cast<Upload*>(context)->Rewind();
  return CURL_SEEKFUNC_OK;
}

class NoSink : public HttpSink {
 public:
  absl::Status Begin(const HttpHead&) override { return absl::OkStatus(); }
  absl::Status Append(absl::string_view) override { return absl::OkStatus(); }
};

// Makes the request that `curl` is set up for.
absl::Status Perform(CURL* curl, const HttpRequest& request,
                     std::initializer_list<const char*> more_headers, HttpSink& sink) {
  Transfer transfer{.curl = curl, .sink = &sink};
  char error_text[CURL_ERROR_SIZE] = "";
  curl_slist* headers = nullptr;
  for (const char* header : more_headers) headers = curl_slist_append(headers, header);
  for (const std::string& header : request.headers) {
    headers = curl_slist_append(headers, header.c_str());
  }
  curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error_text);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &transfer);

  const CURLcode code = curl_easy_perform(curl);
  absl::Status status;
  const int answer = StatusOf(curl);
  const bool redirect_failed = answer / 100 == 3 && code != CURLE_OK;
  if (answer != 0 && answer / 100 != 2 && !redirect_failed) {
    status = AnswerError(transfer);
  } else if (!transfer.status.ok()) {
    status = transfer.status;
  } else if (code != CURLE_OK) {
    status = CurlError(code, error_text);
  } else if (!transfer.begun) {
    status = Begin(transfer);  // an empty answer
  }
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, nullptr);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, nullptr);
  curl_slist_free_all(headers);
  return absl::IsCancelled(status) ? absl::OkStatus() : status;
}

CURL* NewHandle() {
  static const CURLcode initialized = curl_global_init(CURL_GLOBAL_DEFAULT);
  return initialized == CURLE_OK ? curl_easy_init() : nullptr;
}

// The options that all requests share.
void SetUp(CURL* curl, const HttpClient::Options& options) {
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "tessera");
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, options.follow_redirects ? 1L : 0L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 10L);
  curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(curl, CURLOPT_BUFFERSIZE, 512L * 1024);
  if (options.timeout < absl::InfiniteDuration()) {
    const int64_t timeout = std::max<int64_t>(1, absl::ToInt64Milliseconds(options.timeout));
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(timeout));
  }
  if (options.stall_timeout < absl::InfiniteDuration()) {
    const auto seconds = std::max<int64_t>(1, absl::ToInt64Seconds(options.stall_timeout));
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, static_cast<long>(seconds));
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, static_cast<long>(seconds));
  }
  const std::string certificates = FirstEnv({"AWS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"});
  if (!certificates.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, certificates.c_str());
  if (!options.bearer.empty()) {
    curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
    curl_easy_setopt(curl, CURLOPT_XOAUTH2_BEARER, options.bearer.c_str());
  }
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &OnData);
}

}  // namespace

// A handle of curl's, for one request; null where there is none.
struct HttpClient::Handle {
  explicit Handle(HttpClient& owner) : client(owner), curl(owner.TakeHandle()) {}
  ~Handle() {
    if (curl != nullptr) client.PutHandle(curl);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  HttpClient& client;
  CURL* const curl;
};

HttpClient::HttpClient(Options options) : options_(std::move(options)) {}

HttpClient::~HttpClient() {
  for (void* handle : idle_) curl_easy_cleanup(handle);
}

void* HttpClient::TakeHandle() {
  {
    absl::MutexLock lock(&mutex_);
    if (!idle_.empty()) {
      void* handle = idle_.back();
      idle_.pop_back();
      return handle;
    }
  }
  CURL* curl = NewHandle();
  if (curl != nullptr) SetUp(curl, options_);
  return curl;
}

void HttpClient::PutHandle(void* handle) {
  absl::MutexLock lock(&mutex_);
  idle_.push_back(handle);
}

absl::Status HttpClient::Get(const HttpRequest& request, const std::optional<ByteRange>& range,
                             HttpSink& sink) {
  const Handle handle(*this);
  if (handle.curl == nullptr) return CannotStart();
  const std::string bytes = range ? absl::StrCat(range->first, "-", range->last) : "";
  curl_easy_setopt(handle.curl, CURLOPT_HTTPGET, 1L);
  curl_easy_setopt(handle.curl, CURLOPT_RANGE, range ? bytes.c_str() : nullptr);
  return Perform(handle.curl, request, {"Accept-Encoding: identity"}, sink);
}

absl::Status HttpClient::Put(const HttpRequest& request,
                             absl::Span<const absl::string_view> pieces) {
  const Handle handle(*this);
  if (handle.curl == nullptr) return CannotStart();
  Upload upload(pieces);
  NoSink sink;
  curl_easy_setopt(handle.curl, CURLOPT_RANGE, nullptr);
  curl_easy_setopt(handle.curl, CURLOPT_UPLOAD, 1L);
  curl_easy_setopt(handle.curl, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(upload.size()));
  curl_easy_setopt(handle.curl, CURLOPT_READFUNCTION, &OnUpload);
  curl_easy_setopt(handle.curl, CURLOPT_READDATA, &upload);
  curl_easy_setopt(handle.curl, CURLOPT_SEEKFUNCTION, &OnSeek);
  curl_easy_setopt(handle.curl, CURLOPT_SEEKDATA, &upload);
  return Perform(handle.curl, request, {"Expect:"}, sink);
}

absl::Status HttpClient::Delete(const HttpRequest& request) {
  const Handle handle(*this);
  if (handle.curl == nullptr) return CannotStart();
  NoSink sink;
  curl_easy_setopt(handle.curl, CURLOPT_RANGE, nullptr);
  curl_easy_setopt(handle.curl, CURLOPT_HTTPGET, 1L);
  curl_easy_setopt(handle.curl, CURLOPT_CUSTOMREQUEST, "DELETE");
  absl::Status status = Perform(handle.curl, request, {}, sink);
  curl_easy_setopt(handle.curl, CURLOPT_CUSTOMREQUEST, nullptr);
  return status;
}

}  // namespace tessera
