#include "models/layers/conv_norm.h"

#include <memory>

namespace tessera {

torch::nn::Conv2dOptions ConvOptions(const ConvShape& shape) {
  return torch::nn::Conv2dOptions(shape.in, shape.out, shape.kernel)
      .stride(shape.stride)
      .padding(shape.dilation * (shape.kernel / 2))
      .dilation(shape.dilation)
      .groups(shape.groups)
      .bias(false);
}

ConvNorm::ConvNorm(const ConvShape& shape, bool relu, const ConvNormNames& names)
    : relu_(relu),
      conv_(register_module(names.conv, torch::nn::Conv2d(ConvOptions(shape)))),
      norm_(register_module(names.norm, torch::nn::BatchNorm2d(shape.out))) {}

at::Tensor ConvNorm::forward(const at::Tensor& input) {
  at::Tensor output = norm_->forward(conv_->forward(input));
  if (relu_) output.relu_();
  return output;
}

SeparableConvNorm::SeparableConvNorm(const ConvShape& shape) {
  ConvShape depthwise = shape;
  depthwise.out = depthwise.groups = shape.in;
  depthwise_ = register_module(
      "depthwise_conv", std::make_shared<ConvNorm>(depthwise, /*relu=*/true, ConvNormNames()));
  pointwise_ = register_module(
      "pointwise_conv", std::make_shared<ConvNorm>(ConvShape{.in = shape.in, .out = shape.out},
                                                   /*relu=*/true, ConvNormNames()));
}

at::Tensor SeparableConvNorm::forward(const at::Tensor& input) {
  return pointwise_->forward(depthwise_->forward(input));
}

}  // namespace tessera
