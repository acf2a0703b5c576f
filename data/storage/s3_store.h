#ifndef TESSERA_DATA_STORAGE_S3_STORE_H_
#define TESSERA_DATA_STORAGE_S3_STORE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "data/storage/store.h"

namespace tessera {

// The objects of s3://BUCKET[/PREFIX], by S3's own protocol. The environment says where and as
// whom, as it does to AWS's tools and to mosaicml-streaming:
//   S3_ENDPOINT_URL, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL  another server than AWS's
//   AWS_REGION, AWS_DEFAULT_REGION  the bucket's region; another one that S3 names is taken over
//   AWS_ACCESS_KEY_ID, ...          credentials, see AwsCredentialsChain; without any, requests go
//                                   unsigned, as public buckets take them
//   MOSAICML_STREAMING_AWS_REQUESTER_PAYS  buckets, by commas, that bill who reads
//   S3_CANNED_ACL                   of objects that are written
// The version of an object is its ETag. An object is written by one PUT: at most 5 GiB.
absl::StatusOr<std::shared_ptr<Store>> OpenS3Store(absl::string_view uri, absl::Duration timeout);

// The objects of gs://BUCKET[/PREFIX] by the HMAC key GCS_KEY with the secret GCS_SECRET, over the
// same protocol.
absl::StatusOr<std::shared_ptr<Store>> OpenGcsHmacStore(absl::string_view uri,
                                                        absl::Duration timeout);

}  // namespace tessera

#endif  // TESSERA_DATA_STORAGE_S3_STORE_H_
