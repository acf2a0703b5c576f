// Time of one training sample, in one thread: decoding a JPEG and its mask, and the transform to
// 512 x 512. Without --photos a photo-like picture of 640 x 480 is made in memory.
//
//   bazel run //data/transforms:train_transform_benchmark -- --photos=DIR
//
// DIR holds images/train/*.jpg and annotations/train/*.png of the same names.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "data/image/decode.h"
#include "data/image/encode.h"
#include "data/transforms/train_transform.h"
#include "gflags/gflags.h"
#include "glog/logging.h"

DEFINE_string(photos, "", "Folder of photos with masks; empty: one picture made in memory.");

namespace tessera {
namespace {

struct File {
  std::string image;
  std::string mask;
};

// Waves with noise: at quality 90 about as many bytes a pixel as a photo.
File MakePicture() {
  constexpr int kHeight = 480, kWidth = 640;
  Image image, mask;
  image.Resize(kHeight, kWidth, 3);
  mask.Resize(kHeight, kWidth, 1);
  Philox random(1, 0, 0);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const double wave = 60 * std::sin(x * 0.031 + y * 0.017) + 40 * std::sin(x * 0.2 - y * 0.13);
      for (int c = 0; c < 3; ++c) {
        const double value = 120 + wave * (1 - 0.3 * c) + random.Uniform(-14, 14);
        image.row(y)[3 * x + c] = static_cast<uint8_t>(std::clamp(value, 0.0, 255.0));
      }
      mask.row(y)[x] = static_cast<uint8_t>(1 + (y / 60 * 8 + x / 80) % 150);
    }
  }
  return {EncodeJpeg(image, 90).value(), EncodePng(mask).value()};
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  CHECK(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::vector<File>& Files() {
  static const auto& files = *[] {
    auto* files = new std::vector<File>;
    if (FLAGS_photos.empty()) {
      files->push_back(MakePicture());
      return files;
    }
    const std::filesystem::path root(FLAGS_photos);
    for (const auto& entry : std::filesystem::directory_iterator(root / "images/train")) {
      const std::string name = entry.path().stem().string() + ".png";
      files->push_back({ReadFile(entry.path()), ReadFile(root / "annotations/train" / name)});
    }
    return files;
  }();
  return files;
}

struct Decoded {
  Image image;
  Image mask;
};

Decoded Decode(const File& file) {
  Decoded decoded;
  CHECK(DecodeRgb(file.image, &decoded.image).ok());
  CHECK(DecodeMask(file.mask, &decoded.mask).ok());
  return decoded;
}

TrainTransform Transform(bool distort) {
  TrainTransforms config;
  config.set_base_height(0);
  config.set_base_width(0);
  if (!distort) {
    config.set_brightness(0);
    config.set_contrast(0);
    config.set_saturation(0);
    config.set_hue(0);
    config.set_class_max_share(1);
  }
  return TrainTransform::Create(
             config, {}, LabelMap::Create({.num_classes = 150, .reduce_zero_label = true}).value())
      .value();
}

void BM_DecodeImage(benchmark::State& state) {
  Image image;
  for (int64_t i = 0; auto _ : state) {
    CHECK(DecodeRgb(Files()[i++ % Files().size()].image, &image).ok());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_DecodeImage);

void BM_DecodeMask(benchmark::State& state) {
  Image mask;
  for (int64_t i = 0; auto _ : state) {
    CHECK(DecodeMask(Files()[i++ % Files().size()].mask, &mask).ok());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_DecodeMask);

// Argument 0: scale, crop, flip and normalise; 1: the whole recipe, with the class rule and
// distortion.
void BM_Transform(benchmark::State& state) {
  std::vector<Decoded> samples;
  for (size_t i = 0; i < std::min<size_t>(Files().size(), 32); ++i) {
    samples.push_back(Decode(Files()[i]));
  }
  const TrainTransform transform = Transform(state.range(0) != 0);
  std::vector<float> out_image(512 * 512 * 3);
  std::vector<uint8_t> out_labels(512 * 512);
  TransformScratch scratch;
  for (int64_t i = 0; auto _ : state) {
    const Decoded& sample = samples[i % samples.size()];
    Philox random(17, 0, i++);
    CHECK(
        transform
            .Apply(sample.image, sample.mask, random, &scratch, out_image.data(), out_labels.data())
            .ok());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_Transform)->Arg(0)->Arg(1);

void BM_DecodeAndTransform(benchmark::State& state) {
  const TrainTransform transform = Transform(state.range(0) != 0);
  std::vector<float> out_image(512 * 512 * 3);
  std::vector<uint8_t> out_labels(512 * 512);
  TransformScratch scratch;
  Image image, mask;
  for (int64_t i = 0; auto _ : state) {
    const File& file = Files()[i % Files().size()];
    CHECK(DecodeRgb(file.image, &image).ok());
    CHECK(DecodeMask(file.mask, &mask).ok());
    Philox random(17, 0, i++);
    CHECK(transform.Apply(image, mask, random, &scratch, out_image.data(), out_labels.data()).ok());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_DecodeAndTransform)->Arg(0)->Arg(1);

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  gflags::ParseCommandLineFlags(&argc, &argv, /*remove_flags=*/true);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
