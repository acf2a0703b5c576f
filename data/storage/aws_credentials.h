#ifndef TESSERA_DATA_STORAGE_AWS_CREDENTIALS_H_
#define TESSERA_DATA_STORAGE_AWS_CREDENTIALS_H_

#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "data/storage/sigv4.h"

namespace tessera {

// Credentials as AWS's own tools find them: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and
// AWS_SESSION_TOKEN, else the profile AWS_PROFILE of ~/.aws, web identity, the container's or the
// machine's role. May be used from several threads.
class AwsCredentialsChain {
 public:
  AwsCredentialsChain();
  ~AwsCredentialsChain();

  // Those in force; without an access key where there are none. The first call may ask the network.
  AwsCredentials Get();

  // `used` were refused as expired: unless newer ones are here already, the next Get looks for them
  // again.
  void Expire(const AwsCredentials& used);

 private:
  struct Provider;

  absl::Mutex mutex_;
  std::unique_ptr<Provider> provider_ ABSL_GUARDED_BY(mutex_);
  AwsCredentials current_ ABSL_GUARDED_BY(mutex_);
  absl::Time read_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

}  // namespace tessera

#endif  // TESSERA_DATA_STORAGE_AWS_CREDENTIALS_H_
