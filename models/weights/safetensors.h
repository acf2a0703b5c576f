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

// The safetensors format, version 1 (https://huggingface.co/docs/safetensors): the length of a JSON
// header, the header, and the tensors' bytes, contiguous and little-endian. Dtypes: F64 F32 F16
// BF16 I64 I32 I16 I8 U8 BOOL.

// Writes tensors of any device and memory layout; the file has the bytes that the Python library
// gives. It appears at `path` in one rename, synced before it.
absl::Status WriteSafetensors(const std::string& path,
                              const std::vector<std::pair<std::string, at::Tensor>>& tensors,
                              const std::map<std::string, std::string>& metadata = {});

// Reads all tensors of a file, each into memory of its own. A header or an offset that does not fit
// the file is an error that names the file, what was expected and what was found.
absl::StatusOr<std::map<std::string, at::Tensor>> ReadSafetensors(const std::string& path);

}  // namespace tessera

#endif  // TESSERA_MODELS_WEIGHTS_SAFETENSORS_H_
