#ifndef TESSERA_MODELS_LAYERS_CONV_NORM_H_
#define TESSERA_MODELS_LAYERS_CONV_NORM_H_

#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>

#include <cstdint>
#include <string>

namespace tessera {

// A convolution without bias whose output is as large as its input (over the stride).
struct ConvShape {
  int64_t in = 0;
  int64_t out = 0;
  int64_t kernel = 1;  // odd
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t groups = 1;
};

torch::nn::Conv2dOptions ConvOptions(const ConvShape& shape);

// How weight files call the two children of a ConvNorm.
struct ConvNormNames {
  std::string conv = "conv";
  std::string norm = "bn";
};

// Convolution, batch norm and, where asked, ReLU. [N, in, H, W] -> [N, out, H / stride, W /
// stride].
class ConvNorm : public torch::nn::Module {
 public:
  ConvNorm(const ConvShape& shape, bool relu, const ConvNormNames& names);

  at::Tensor forward(const at::Tensor& input);

 private:
  const bool relu_;
  torch::nn::Conv2d conv_;
  torch::nn::BatchNorm2d norm_;
};

// A depthwise convolution and a 1x1 convolution, each with batch norm and ReLU (Chollet 2017).
// `shape` is that of both together, without groups.
class SeparableConvNorm : public torch::nn::Module {
 public:
  explicit SeparableConvNorm(const ConvShape& shape);

  at::Tensor forward(const at::Tensor& input);

 private:
  std::shared_ptr<ConvNorm> depthwise_;
  std::shared_ptr<ConvNorm> pointwise_;
};

}  // namespace tessera

#endif  // TESSERA_MODELS_LAYERS_CONV_NORM_H_
