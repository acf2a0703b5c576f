#include "data/storage/store_error.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

constexpr char kRetryAfter[] = "tessera.retry_after";
constexpr char kBucketRegion[] = "tessera.bucket_region";

}  // namespace

void SetRetryAfter(absl::Duration wait, absl::Status& error) {
  error.SetPayload(kRetryAfter, absl::Cord(absl::FormatDuration(wait)));
}

absl::Duration RetryAfter(const absl::Status& error) {
  const auto payload = error.GetPayload(kRetryAfter);
  absl::Duration wait;
  if (!payload || !absl::ParseDuration(std::string(*payload), &wait)) return absl::ZeroDuration();
  return wait;
}

void SetBucketRegion(absl::string_view region, absl::Status& error) {
  error.SetPayload(kBucketRegion, absl::Cord(region));
}

std::string BucketRegion(const absl::Status& error) {
  const auto payload = error.GetPayload(kBucketRegion);
  return payload ? std::string(*payload) : "";
}

absl::Status WrongSize(uint64_t found, uint64_t expected) {
  return absl::DataLossError(absl::StrCat("the object has ", found, " bytes, expected ", expected));
}

absl::Status AtObject(absl::string_view uri, const absl::Status& error) {
  absl::Status named(error.code(), absl::StrCat(uri, ": ", error.message()));
  error.ForEachPayload(
      [&](absl::string_view name, const absl::Cord& payload) { named.SetPayload(name, payload); });
  return named;
}

}  // namespace tessera
