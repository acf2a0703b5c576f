#include "data/storage/s3_store.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"
#include "base/environment.h"
#include "base/status_macros.h"
#include "data/storage/aws_credentials.h"
#include "data/storage/http_client.h"
#include "data/storage/http_object_store.h"
#include "data/storage/sigv4.h"
#include "data/storage/store_error.h"
#include "data/storage/uri.h"

namespace tessera {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Settings {
  std::string uri;  // without a slash at its end, for messages
  std::string bucket;
  std::string prefix;               // empty, or with a slash at its end
  std::optional<UriParts> server;   // null: AWS's own for the region
  std::string region = {};          // at first
  AwsCredentials credentials = {};  // those to use; without a key: what the chain finds
  Headers read_headers = {};
  Headers write_headers = {};
};

// As curl sends it: without the port that the scheme has anyway.
std::string HostHeader(absl::string_view scheme, absl::string_view authority) {
  absl::ConsumeSuffix(&authority, scheme == "https" ? ":443" : ":80");
  return std::string(authority);
}

class S3Store : public HttpObjectStore {
 public:
  S3Store(Settings settings, absl::Duration timeout)
      : HttpObjectStore(settings.uri),
        settings_(std::move(settings)),
        client_({.timeout = timeout, .follow_redirects = false}),
        region_(settings_.region) {}

  absl::Status Write(absl::string_view key, absl::Span<const absl::string_view> pieces) override {
    const std::string hash = Sha256Hex(pieces);
    return AtKey(key,
                 Send(key, "PUT", hash, settings_.write_headers,
                      [&](const HttpRequest& request) { return client_.Put(request, pieces); }));
  }

  absl::Status Remove(absl::string_view key) override {
    const absl::Status status =
        Send(key, "DELETE", NoContents(), {},
             [&](const HttpRequest& request) { return client_.Delete(request); });
    return absl::IsNotFound(status) ? absl::OkStatus() : AtKey(key, status);
  }

 protected:
  absl::Status Get(absl::string_view key, const std::optional<ByteRange>& range,
                   HttpSink& sink) override {
    return Send(key, "GET", NoContents(), settings_.read_headers,
                [&](const HttpRequest& request) { return client_.Get(request, range, sink); });
  }

 private:
  static const std::string& NoContents() {
    static const std::string* const hash = new std::string(Sha256Hex({}));
    return *hash;
  }

  // Signs and makes a request. Where S3 says that the bucket is in another region, it is made
  // again there, and later ones at once.
  template <typename Make>
  absl::Status Send(absl::string_view key, const std::string& method, const std::string& hash,
                    const Headers& headers, const Make& make) {
    const std::string region = Region();
    absl::Status status = SendTo(region, key, method, hash, headers, make);
    const std::string other = BucketRegion(status);
    if (other.empty() || other == region) return status;
    status = SendTo(other, key, method, hash, headers, make);
    if (BucketRegion(status).empty()) SetRegion(other);
    return status;
  }

  template <typename Make>
  absl::Status SendTo(const std::string& region, absl::string_view key, const std::string& method,
                      const std::string& hash, const Headers& headers, const Make& make) {
    const UriParts address = AddressOf(region, key);
    HttpRequest request{.url =
                            absl::StrCat(address.scheme, "://", address.authority, address.path)};
    const AwsCredentials credentials =
        settings_.credentials.access_key.empty() ? chain_.Get() : settings_.credentials;
    if (credentials.access_key.empty()) {
      for (const auto& [name, value] : headers) {
        request.headers.push_back(absl::StrCat(name, ": ", value));
      }
    } else {
      request.headers = SignV4({.method = method,
                                .host = HostHeader(address.scheme, address.authority),
                                .path = address.path,
                                .payload_sha256 = hash,
                                .headers = headers},
                               credentials, region, absl::Now());
    }
    const absl::Status status = make(request);
    if (absl::IsUnauthenticated(status)) chain_.Expire(credentials);
    if (!absl::IsPermissionDenied(status) || !credentials.access_key.empty()) return status;
    return AtObject("sent without credentials (none in AWS_ACCESS_KEY_ID, ~/.aws or a role)",
                    status);
  }

  // Where an object is reached; the path is percent-encoded.
  UriParts AddressOf(const std::string& region, absl::string_view key) const {
    const std::string object =
        absl::StrCat("/", PercentEncode(settings_.prefix), PercentEncode(key));
    const std::string in_path = absl::StrCat("/", settings_.bucket, object);
    if (const std::optional<UriParts>& server = settings_.server) {
      return {.scheme = server->scheme, .authority = server->authority, .path = in_path};
    }
    const std::string host =
        absl::StrCat("s3.", region, ".amazonaws.com", absl::StartsWith(region, "cn-") ? ".cn" : "");
    // A certificate for *.s3.REGION.amazonaws.com does not hold for a bucket with dots.
    if (absl::StrContains(settings_.bucket, ".")) {
      return {.scheme = "https", .authority = host, .path = in_path};
    }
    return {
        .scheme = "https", .authority = absl::StrCat(settings_.bucket, ".", host), .path = object};
  }

  std::string Region() const {
    const absl::MutexLock lock(&mutex_);
    return region_;
  }

  void SetRegion(const std::string& region) {
    const absl::MutexLock lock(&mutex_);
    region_ = region;
  }

  const Settings settings_;
  HttpClient client_;
  AwsCredentialsChain chain_;
  mutable absl::Mutex mutex_;
  std::string region_ ABSL_GUARDED_BY(mutex_);
};

// "SCHEME://BUCKET[/PREFIX]" and the endpoint.
absl::StatusOr<Settings> ParseUri(absl::string_view uri, absl::string_view scheme,
                                  std::string endpoint) {
  const UriParts parts = SplitUri(uri);
  if (parts.authority.empty() || absl::StrContains(parts.authority, ":")) {
    return absl::InvalidArgumentError(absl::StrCat(WithoutSlashes(uri), ": expected ", scheme,
                                                   "://BUCKET or ", scheme, "://BUCKET/FOLDER"));
  }
  const UriParts server = SplitUri(endpoint);
  if (!endpoint.empty() && ((server.scheme != "http" && server.scheme != "https") ||
                            server.authority.empty() || !server.path.empty())) {
    return absl::InvalidArgumentError(absl::StrCat(
        WithoutSlashes(uri), ": its server is given as \"", endpoint,
        "\"; expected https://HOST or http://HOST:PORT (S3_ENDPOINT_URL, AWS_ENDPOINT_URL_S3, "
        "AWS_ENDPOINT_URL, or STORAGE_EMULATOR_HOST of gs://)"));
  }
  absl::string_view prefix = parts.path;
  absl::ConsumePrefix(&prefix, "/");
  return Settings{.uri = std::string(WithoutSlashes(uri)),
                  .bucket = parts.authority,
                  .prefix = prefix.empty() ? "" : absl::StrCat(prefix, "/"),
                  .server = endpoint.empty() ? std::nullopt : std::make_optional(server)};
}

}  // namespace

absl::StatusOr<std::shared_ptr<Store>> OpenS3Store(absl::string_view uri, absl::Duration timeout) {
  TESSERA_ASSIGN_OR_RETURN(
      Settings settings,
      ParseUri(uri, "s3",
               FirstEnv({"S3_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"})));
  settings.region = FirstEnv({"AWS_REGION", "AWS_DEFAULT_REGION"});
  if (settings.region.empty()) settings.region = "us-east-1";
  const std::string paid = GetEnv("MOSAICML_STREAMING_AWS_REQUESTER_PAYS");
  const std::vector<absl::string_view> paid_buckets = absl::StrSplit(paid, ',');
  if (std::count(paid_buckets.begin(), paid_buckets.end(), settings.bucket) > 0) {
    settings.read_headers = settings.write_headers = {{"x-amz-request-payer", "requester"}};
  }
  if (const std::string acl = GetEnv("S3_CANNED_ACL"); !acl.empty()) {
    settings.write_headers.push_back({"x-amz-acl", acl});
  }
  return std::make_shared<S3Store>(std::move(settings), timeout);
}

absl::StatusOr<std::shared_ptr<Store>> OpenGcsHmacStore(absl::string_view uri,
                                                        absl::Duration timeout) {
  std::string endpoint = GetEnv("STORAGE_EMULATOR_HOST");
  if (endpoint.empty()) endpoint = "https://storage.googleapis.com";
  TESSERA_ASSIGN_OR_RETURN(Settings settings, ParseUri(uri, "gs", std::move(endpoint)));
  settings.region = "auto";
  settings.credentials = {.access_key = GetEnv("GCS_KEY"), .secret_key = GetEnv("GCS_SECRET")};
  if (settings.credentials.access_key.empty() || settings.credentials.secret_key.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(uri, ": expected both GCS_KEY and GCS_SECRET in the environment"));
  }
  return std::make_shared<S3Store>(std::move(settings), timeout);
}

}  // namespace tessera
