#ifndef TESSERA_MODELS_BUILD_MODEL_H_
#define TESSERA_MODELS_BUILD_MODEL_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "models/model.pb.h"

namespace tessera {

class Model;
class SegmentationModel;

// Builds the network that `config` names, with its initial values drawn from `seed`: one switch
// over the architectures. A config that asks the impossible (no classes, one class with softmax, an
// output stride that the backbone does not have) is an error that shows the arithmetic.
absl::StatusOr<std::shared_ptr<Model>> BuildModel(const ModelConfig& config, uint64_t seed);

// The same where the network labels pixels; an error where it does not.
absl::StatusOr<std::shared_ptr<SegmentationModel>> BuildSegmentationModel(const ModelConfig& config,
                                                                          uint64_t seed);

}  // namespace tessera

#endif  // TESSERA_MODELS_BUILD_MODEL_H_
