#include "data/storage/aws_credentials.h"

#include <arrow/filesystem/s3fs.h>

#include <cstdlib>
#include <utility>

#include "base/environment.h"

namespace tessera {
namespace {

// Roles' credentials change while a job runs; their provider knows when.
constexpr absl::Duration kReadAgain = absl::Minutes(1);

AwsCredentials OfEnvironment() {
  return {.access_key = GetEnv("AWS_ACCESS_KEY_ID"),
          .secret_key = GetEnv("AWS_SECRET_ACCESS_KEY"),
          .session_token = GetEnv("AWS_SESSION_TOKEN")};
}

// The SDK's shutdown must come before the end of what it uses, so at exit, not in a destructor of a
// global object.
bool StartSdk() {
  static const bool started = [] {
    if (!arrow::fs::EnsureS3Initialized().ok()) return false;
    std::atexit([] { arrow::fs::EnsureS3Finalized().Warn(); });
    return true;
  }();
  return started;
}

}  // namespace

// AWS's chain of providers, which is reached through Arrow.
struct AwsCredentialsChain::Provider {
  AwsCredentials Read() const {
    // Three calls, between which the provider may renew them.
    while (true) {
      AwsCredentials read = {.access_key = options.GetAccessKey(),
                             .secret_key = options.GetSecretKey(),
                             .session_token = options.GetSessionToken()};
      if (options.GetAccessKey() == read.access_key) return read;
    }
  }

  const arrow::fs::S3Options options = arrow::fs::S3Options::Defaults();
};

AwsCredentialsChain::AwsCredentialsChain() = default;
AwsCredentialsChain::~AwsCredentialsChain() = default;

AwsCredentials AwsCredentialsChain::Get() {
  AwsCredentials found = OfEnvironment();
  if (!found.access_key.empty() && !found.secret_key.empty()) return found;
  const absl::MutexLock lock(&mutex_);
  const absl::Time now = absl::Now();
  if (now - read_ < kReadAgain) return current_;
  if (!StartSdk()) return {};
  if (provider_ == nullptr) provider_ = std::make_unique<Provider>();
  current_ = provider_->Read();
  read_ = now;
  return current_;
}

void AwsCredentialsChain::Expire(const AwsCredentials& used) {
  const absl::MutexLock lock(&mutex_);
  if (used.session_token != current_.session_token) return;
  provider_ = nullptr;  // a new one reads the profile's files again
  read_ = absl::InfinitePast();
}

}  // namespace tessera
