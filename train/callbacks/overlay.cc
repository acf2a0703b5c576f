#include "train/callbacks/overlay.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "base/write_file.h"
#include "data/image/encode.h"

namespace tessera {
namespace {

// Half `pixel`, half the colour of its class.
void Blend(const uint8_t* pixel, int label, uint8_t* out) {
  const std::array<uint8_t, 3> color = ClassColor(label);
  for (int c = 0; c < 3; ++c) out[c] = static_cast<uint8_t>((pixel[c] + color[c]) / 2);
}

}  // namespace

std::array<uint8_t, 3> ClassColor(int label) {
  std::array<uint8_t, 3> color{};
  int bits = label + 1;
  for (int shift = 7; bits != 0; --shift, bits >>= 3) {
    for (int c = 0; c < 3; ++c) color[c] |= static_cast<uint8_t>((bits >> c & 1) << shift);
  }
  return color;
}

Overlay::Overlay(Options options, std::shared_ptr<const Dataset> dataset,
                 const Normalizer& normalizer)
    : options_(std::move(options)), files_(dataset) {
  const int64_t samples = dataset->size();
  const int64_t drawn = std::min<int64_t>(options_.image_samples, samples);
  for (int64_t i = 0; i < drawn; ++i) sample_ids_.push_back(i * samples / drawn);

  // Two pixels through the normalisation show its scale and offset.
  float probe[] = {0, 0, 0, 1, 1, 1};
  normalizer.Apply(probe, 2);
  for (int c = 0; c < 3; ++c) {
    offset_[c] = probe[c];
    scale_[c] = probe[3 + c] - probe[c];
  }
}

absl::Status Overlay::Run(Event event, const State& state) {
  if (event != Event::kEvalBatchEnd) return absl::OkStatus();
  const Evaluation& evaluation = *state.evaluation;
  const std::string folder =
      absl::StrCat(options_.folder, "/", absl::StrFormat("ba%06d", state.timestamp.batch));
  for (int64_t i = 0; i < evaluation.batch.size; ++i) {
    const int64_t id = evaluation.batch.sample_ids[i];
    if (!std::binary_search(sample_ids_.begin(), sample_ids_.end(), id)) continue;
    TESSERA_RETURN_IF_ERROR(Draw(evaluation, i, folder));
  }
  return absl::OkStatus();
}

absl::Status Overlay::Draw(const Evaluation& evaluation, int64_t index, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return absl::UnavailableError(absl::StrCat(folder, ": ", error.message()));
  TESSERA_ASSIGN_OR_RETURN(const std::string stem, files_.Stem(evaluation.batch.sample_ids[index]));
  TESSERA_ASSIGN_OR_RETURN(const std::string png, EncodePng(Compose(evaluation, index)));
  return WriteFile(absl::StrCat(folder, "/", stem, ".png"), png);
}

Image Overlay::Compose(const Evaluation& evaluation, int64_t index) const {
  const Batch& batch = evaluation.batch;
  const int64_t pixels = int64_t{batch.height} * batch.width;
  const float* const image = batch.images.get() + index * pixels * 3;
  const uint8_t* const labels = batch.labels.get() + index * pixels;
  const uint8_t* const predictions = evaluation.predictions.data() + index * pixels;

  Image picture;
  picture.Resize(batch.height, 3 * batch.width, 3);
  for (int y = 0; y < batch.height; ++y) {
    uint8_t* const row = picture.row(y);
    for (int x = 0; x < batch.width; ++x) {
      const int64_t i = int64_t{y} * batch.width + x;
      uint8_t* const pixel = row + 3 * x;
      for (int c = 0; c < 3; ++c) {
        const float value = (image[3 * i + c] - offset_[c]) / scale_[c];
        pixel[c] = static_cast<uint8_t>(std::clamp(std::round(value), 0.0f, 255.0f));
      }
      uint8_t* const truth = pixel + 3 * batch.width;
      if (labels[i] == options_.ignore_index) {
        std::fill_n(truth, 3, uint8_t{0});
      } else {
        Blend(pixel, labels[i], truth);
      }
      Blend(pixel, predictions[i], truth + 3 * batch.width);
    }
  }
  return picture;
}

}  // namespace tessera
