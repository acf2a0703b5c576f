#include "data/storage/http_error.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

// Credentials that the next attempt renews.
bool IsExpired(absl::string_view code) {
  return code == "ExpiredToken" || code == "ExpiredTokenException" ||
         code == "TokenRefreshRequired";
}

bool IsSlowDown(absl::string_view code) {
  return code == "SlowDown" || code == "RequestLimitExceeded" || code == "Throttling" ||
         code == "ThrottlingException";
}

absl::StatusCode CodeOf(int status, absl::string_view code) {
  if (IsExpired(code)) return absl::StatusCode::kUnauthenticated;
  if (IsSlowDown(code)) return absl::StatusCode::kResourceExhausted;
  if (code == "RequestTimeout") return absl::StatusCode::kDeadlineExceeded;
  switch (status) {
    case 401:
      return absl::StatusCode::kUnauthenticated;
    case 403:
      return absl::StatusCode::kPermissionDenied;
    case 404:
    case 410:
      return absl::StatusCode::kNotFound;
    case 408:
      return absl::StatusCode::kDeadlineExceeded;
    case 412:
      return absl::StatusCode::kFailedPrecondition;
    case 416:  // the object is shorter than was said: it may be in the course of replacement
      return absl::StatusCode::kDataLoss;
    case 429:
    case 503:
      return absl::StatusCode::kResourceExhausted;
    case 501:
    case 505:
      return absl::StatusCode::kInvalidArgument;
    default:
      return status >= 500 ? absl::StatusCode::kUnavailable : absl::StatusCode::kInvalidArgument;
  }
}

}  // namespace

absl::Status HttpError(int status, absl::string_view code, absl::string_view detail) {
  std::string message = absl::StrCat("HTTP ", status);
  if (status == 403) absl::StrAppend(&message, ": no permission, or no such object");
  if (status == 416) absl::StrAppend(&message, ": the object is smaller than expected");
  if (!code.empty()) absl::StrAppend(&message, ": ", code);
  if (!detail.empty()) absl::StrAppend(&message, ": ", detail);
  return absl::Status(CodeOf(status, code), message);
}

absl::string_view XmlElement(absl::string_view xml, absl::string_view name) {
  const std::string open = absl::StrCat("<", name, ">");
  const size_t start = xml.find(open);
  if (start == absl::string_view::npos) return {};
  xml.remove_prefix(start + open.size());
  const size_t end = xml.find('<');
  return end == absl::string_view::npos ? absl::string_view() : xml.substr(0, end);
}

}  // namespace tessera
