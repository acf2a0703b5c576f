#ifndef TESSERA_DATA_STORAGE_SIGV4_H_
#define TESSERA_DATA_STORAGE_SIGV4_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace tessera {

struct AwsCredentials {
  std::string access_key = {};  // empty: there are none, requests go unsigned
  std::string secret_key = {};
  std::string session_token = {};  // of temporary credentials
};

// What of a request is signed.
struct SigV4Request {
  std::string method;
  std::string host;                                               // with the port, if it is sent
  std::string path;                                               // percent-encoded
  std::string payload_sha256;                                     // 64 hex digits
  std::vector<std::pair<std::string, std::string>> headers = {};  // more; names in lower case
};

// The headers, "Name: value" each, that a request to S3 gets by Signature Version 4 of AWS: the
// payload's hash, the time, the session token and the signature over them and `request`.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
std::vector<std::string> SignV4(const SigV4Request& request, const AwsCredentials& credentials,
                                absl::string_view region, absl::Time time);

// SHA-256 of the pieces, one after the other, in hex.
std::string Sha256Hex(absl::Span<const absl::string_view> pieces);

}  // namespace tessera

#endif  // TESSERA_DATA_STORAGE_SIGV4_H_
