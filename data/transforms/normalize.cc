#include "data/transforms/normalize.h"

#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

constexpr std::array<float, 3> kImageNetMean = {123.675f, 116.28f, 103.53f};
constexpr std::array<float, 3> kImageNetStd = {58.395f, 57.12f, 57.375f};

}  // namespace

absl::StatusOr<Normalizer> Normalizer::Create(const Normalization& config) {
  for (const auto& [name, values] : {std::pair("mean", &config.mean()), {"std", &config.std()}}) {
    if (values->size() != 0 && values->size() != 3) {
      return absl::InvalidArgumentError(absl::StrCat(
          "normalization.", name, " has ", values->size(), " values: give 3 (R G B) or none"));
    }
    for (const float value : *values) {
      if (!std::isfinite(value) || (values == &config.std() && value <= 0)) {
        return absl::InvalidArgumentError(
            absl::StrCat("normalization.", name, " holds ", value, ": ",
                         values == &config.std() ? "it must be positive" : "it must be finite"));
      }
    }
  }
  Normalizer normalizer;
  for (int i = 0; i < kPeriod; ++i) {
    const int channel = i % 3;
    const double mean = config.mean().empty() ? kImageNetMean[channel] : config.mean(channel);
    const double std = config.std().empty() ? kImageNetStd[channel] : config.std(channel);
    normalizer.scale_[i] = static_cast<float>(1 / std);
    normalizer.offset_[i] = static_cast<float>(-mean / std);
  }
  return normalizer;
}

void Normalizer::Apply(float* row, int pixels) const {
  const int size = 3 * pixels;
  int i = 0;
  for (; i + kPeriod <= size; i += kPeriod) {
    for (int j = 0; j < kPeriod; ++j) row[i + j] = row[i + j] * scale_[j] + offset_[j];
  }
  for (int j = 0; i + j < size; ++j) row[i + j] = row[i + j] * scale_[j] + offset_[j];
}

}  // namespace tessera
