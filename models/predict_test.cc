#include "models/predict.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

namespace tessera {
namespace {

at::Tensor RandomLogits(at::IntArrayRef shape) {
  return at::randn(shape, at::make_generator<at::CPUGeneratorImpl>(17));
}

// Equal to the argmax of the resized logits, but where two classes are closer than rounding.
void ExpectEqualsArgmax(const at::Tensor& logits, int64_t height, int64_t width,
                        bool align_corners) {
  const at::Tensor labels = PredictLabels(logits, height, width, align_corners);
  ASSERT_EQ(labels.scalar_type(), at::kByte);
  const at::Tensor resized =
      at::upsample_bilinear2d(logits.to(at::kDouble), {height, width}, align_corners);
  const at::Tensor chosen = resized.gather(1, labels.to(at::kLong).unsqueeze(1)).squeeze(1);
  const at::Tensor loss = resized.amax(1) - chosen;
  EXPECT_LT(loss.max().item<double>(), 1e-5);
}

TEST(PredictLabels, EqualsArgmaxOfTheResizedLogits) {
  for (const bool align_corners : {false, true}) {
    ExpectEqualsArgmax(RandomLogits({2, 11, 3, 4}), 48, 64, align_corners);
    ExpectEqualsArgmax(RandomLogits({1, 150, 17, 17}), 129, 129, align_corners);
    ExpectEqualsArgmax(RandomLogits({1, 3, 8, 9}), 4, 3, align_corners);
    ExpectEqualsArgmax(RandomLogits({1, 256, 1, 1}), 5, 7, align_corners);
  }
}

TEST(PredictLabels, OfEqualsTakesTheLowerClass) {
  EXPECT_EQ(PredictLabels(at::zeros({1, 9, 2, 2}), 8, 8, false).max().item<int>(), 0);
  at::Tensor logits = at::zeros({1, 9, 2, 2});
  logits.narrow(1, 4, 3).fill_(1);
  EXPECT_TRUE(PredictLabels(logits, 8, 8, false).eq(4).all().item<bool>());
}

TEST(PredictLabels, TakesAnyLayoutAndThreadCount) {
  const at::Tensor logits = RandomLogits({3, 11, 5, 6});
  const at::Tensor labels = PredictLabels(logits, 50, 60, false);
  const int threads = at::get_num_threads();
  at::set_num_threads(3);
  EXPECT_TRUE(labels.equal(
      PredictLabels(logits.contiguous(at::MemoryFormat::ChannelsLast), 50, 60, false)));
  at::set_num_threads(threads);
}

// B51: the resized logits would have 2162688000 elements, more than 32 bits count.
TEST(PredictLabels, BatchBeyondTwoToThe31Elements) {
  const at::Tensor logits = RandomLogits({55, 150, 8, 8});
  const at::Tensor labels = PredictLabels(logits, 512, 512, false);
  EXPECT_TRUE(labels[54].equal(PredictLabels(logits.narrow(0, 54, 1), 512, 512, false)[0]));
}

}  // namespace
}  // namespace tessera
