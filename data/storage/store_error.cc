#include "data/storage/store_error.h"

#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

constexpr char kPayload[] = "tessera.retry_after";

}  // namespace

void SetRetryAfter(absl::Duration wait, absl::Status& error) {
  error.SetPayload(kPayload, absl::Cord(absl::FormatDuration(wait)));
}

absl::Duration RetryAfter(const absl::Status& error) {
  const auto payload = error.GetPayload(kPayload);
  absl::Duration wait;
  if (!payload || !absl::ParseDuration(std::string(*payload), &wait)) return absl::ZeroDuration();
  return wait;
}

absl::Status AtObject(absl::string_view uri, const absl::Status& error) {
  absl::Status named(error.code(), absl::StrCat(uri, ": ", error.message()));
  if (auto payload = error.GetPayload(kPayload)) named.SetPayload(kPayload, *std::move(payload));
  return named;
}

}  // namespace tessera
