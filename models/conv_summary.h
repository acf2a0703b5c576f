#ifndef TESSERA_MODELS_CONV_SUMMARY_H_
#define TESSERA_MODELS_CONV_SUMMARY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "models/model.h"

namespace tessera {

// One convolution of a model, as it ran.
struct ConvSummary {
  std::string name;             // of the module, as in weight files
  std::vector<int64_t> output;  // shape
  int64_t parameters = 0;       // weight and bias
  int64_t multiply_adds = 0;    // products summed; the bias is not counted
  bool channels_last = false;   // layout of the output
};

// Runs the model once on `images`, without gradient, and reports its convolutions in the order they
// ran in. Batch norms, activations and resizes are below 1 % of the work and are left out.
std::vector<ConvSummary> SummarizeConvs(Model& model, const at::Tensor& images);

}  // namespace tessera

#endif  // TESSERA_MODELS_CONV_SUMMARY_H_
