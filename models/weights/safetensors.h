#ifndef TESSERA_MODELS_WEIGHTS_SAFETENSORS_H_
#define TESSERA_MODELS_WEIGHTS_SAFETENSORS_H_

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tessera {

// Writes tensors in the safetensors format (https://huggingface.co/docs/safetensors, format version
// 1): CPU copies, contiguous, little-endian. The file appears at `path` in one rename, synced
// before it.
absl::Status WriteSafetensors(const std::string& path,
                              const std::vector<std::pair<std::string, at::Tensor>>& tensors,
                              const std::map<std::string, std::string>& metadata = {});

// Reads all tensors of a file. A header or an offset that does not fit the file is an error that
// names the file, what was expected and what was found.
absl::StatusOr<std::map<std::string, at::Tensor>> ReadSafetensors(const std::string& path);

}  // namespace tessera

#endif  // TESSERA_MODELS_WEIGHTS_SAFETENSORS_H_
