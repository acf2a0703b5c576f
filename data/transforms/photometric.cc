#include "data/transforms/photometric.h"

#include <algorithm>
#include <cmath>

namespace tessera {
namespace {

constexpr float kMax = 255;

// Pixels worked on at a time, one array a channel.
constexpr int kBlock = 64;

struct Block {
  alignas(32) float red[kBlock];
  alignas(32) float green[kBlock];
  alignas(32) float blue[kBlock];
};

void Multiply(float factor, float* row, int size) {
  if (factor == 1) return;
  for (int i = 0; i < size; ++i) row[i] = std::min(row[i] * factor, kMax);
}

void Saturate(float factor, Block* block) {
  for (int i = 0; i < kBlock; ++i) {
    const float r = block->red[i], g = block->green[i], b = block->blue[i];
    const float value = std::max(std::max(r, g), b);
    const float chroma = value - std::min(std::min(r, g), b);
    // New over old saturation. Gray has none, and stays as it is with any ratio.
    const float limit = value / std::max(chroma, 1e-6f);
    const float ratio = factor < limit ? factor : limit;
    block->red[i] = value - (value - r) * ratio;
    block->green[i] = value - (value - g) * ratio;
    block->blue[i] = value - (value - b) * ratio;
  }
}

// A channel of the colour with the hue `hue` (in sixths of a turn, red 0): `phase` is 5 for red, 3
// for green and 1 for blue.
inline float Channel(float value, float chroma, float hue, float phase) {
  const float turns = (hue + phase) * (1.0f / 6);
  const float k = (turns - std::floor(turns)) * 6;
  return value - chroma * std::min(std::max(std::min(k, 4 - k), 0.0f), 1.0f);
}

void TurnHue(float turn, Block* block) {
  for (int i = 0; i < kBlock; ++i) {
    const float r = block->red[i], g = block->green[i], b = block->blue[i];
    const float value = std::max(std::max(r, g), b);
    const float chroma = value - std::min(std::min(r, g), b);
    const float inverse = 1 / std::max(chroma, 1e-6f);
    const float from_green = 2 + (b - r) * inverse;
    const float from_blue = 4 + (r - g) * inverse;
    float hue = value == g ? from_green : from_blue;
    hue = (value == r ? (g - b) * inverse : hue) + 6 * turn;
    block->red[i] = Channel(value, chroma, hue, 5);
    block->green[i] = Channel(value, chroma, hue, 3);
    block->blue[i] = Channel(value, chroma, hue, 1);
  }
}

void ApplyColor(const Photometric& photometric, float* row, int pixels) {
  Block block{};
  for (int begin = 0; begin < pixels; begin += kBlock) {
    float* const first = row + 3 * begin;
    const int count = std::min(kBlock, pixels - begin);
    for (int i = 0; i < count; ++i) {
      block.red[i] = first[3 * i];
      block.green[i] = first[3 * i + 1];
      block.blue[i] = first[3 * i + 2];
    }
    if (photometric.saturation != 1) Saturate(photometric.saturation, &block);
    if (photometric.hue != 0) TurnHue(photometric.hue, &block);
    for (int i = 0; i < count; ++i) {
      first[3 * i] = block.red[i];
      first[3 * i + 1] = block.green[i];
      first[3 * i + 2] = block.blue[i];
    }
  }
}

}  // namespace

Photometric DrawPhotometric(const TrainTransforms& config, Philox& random) {
  const auto heads = [&random] { return random.Uniform() < 0.5; };
  const auto draw = [&](double center, double spread) {
    const bool apply = heads();
    const double value = random.Uniform(center - spread, center + spread);
    return static_cast<float>(apply ? value : center);
  };
  Photometric photometric;
  photometric.brightness = draw(1, config.brightness());
  const float contrast = draw(1, config.contrast());
  (heads() ? photometric.contrast_first : photometric.contrast_last) = contrast;
  photometric.saturation = draw(1, config.saturation());
  photometric.hue = draw(0, config.hue());
  return photometric;
}

void ApplyPhotometric(const Photometric& photometric, float* row, int pixels) {
  Multiply(photometric.brightness, row, 3 * pixels);
  Multiply(photometric.contrast_first, row, 3 * pixels);
  if (photometric.saturation != 1 || photometric.hue != 0) ApplyColor(photometric, row, pixels);
  Multiply(photometric.contrast_last, row, 3 * pixels);
}

}  // namespace tessera
