#ifndef TESSERA_MODELS_RESNET_RESNET_H_
#define TESSERA_MODELS_RESNET_RESNET_H_

#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "models/resnet/resnet.pb.h"

namespace tessera {

struct ResNetOptions {
  std::vector<int> blocks = {3, 4, 6, 3};  // of each stage
  bool bottleneck = true;                  // 1x1, 3x3, 1x1 to four times the planes; else two 3x3
  int64_t width = 64;                      // channels of the stem, and planes of the first stage
  // 7x7 with stride 2 and a 3x3 max pool with stride 2; else 3x3 with stride 1, for small pictures.
  bool large_stem = true;
  // Of the stages after the first: keep the resolution, and dilate what follows instead. Empty: of
  // none.
  std::vector<bool> replace_stride_with_dilation = {};
};

// Options of the network that `config` describes with the input size over the size of its last
// features as `output_stride`: 8, 16 or 32.
absl::StatusOr<ResNetOptions> MakeResNetOptions(const ResNetConfig& config, int output_stride);

struct ResNetFeatures {
  at::Tensor low;   // [N, low_channels, H / 4, W / 4], of the first stage
  at::Tensor high;  // [N, high_channels, H / output stride, W / output stride], of the last stage
};

class ResNetStage;

// A ResNet (He et al. 2015) without pooling and classifier. Names of parameters and buffers, order
// and numbers are torchvision's; the stride is in the 3x3 convolution.
//
// A dilated stage doubles the dilation from its second block on; its first block keeps that of the
// stage before, as the weights were trained at that distance. torchvision has this rule for
// bottlenecks alone; here both 3x3 convolutions of a basic block follow it too.
class ResNet : public torch::nn::Module {
 public:
  explicit ResNet(const ResNetOptions& options);

  // images: [N, 3, H, W].
  ResNetFeatures forward(const at::Tensor& images);

  int64_t low_channels() const { return low_channels_; }
  int64_t high_channels() const { return high_channels_; }

  // Sets the weight of each block's last batch norm to 0.
  void ZeroInitResidual();

 private:
  int64_t low_channels_;
  int64_t high_channels_;
  const bool large_stem_;
  torch::nn::Conv2d conv1_{nullptr};
  torch::nn::BatchNorm2d bn1_{nullptr};
  std::vector<std::shared_ptr<ResNetStage>> stages_;
};

}  // namespace tessera

#endif  // TESSERA_MODELS_RESNET_RESNET_H_
