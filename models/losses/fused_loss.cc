#include "models/losses/fused_loss.h"

#include <ATen/Parallel.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "models/bilinear.h"
#include "models/float8.h"
#include "models/packed_logits.h"

namespace tessera {
namespace {

// Coarse logits and fine labels, and where they meet.
struct Grid {
  Grid(const at::Tensor& logits, const at::Tensor& labels, const SegmentationLossOptions& options)
      : classes(logits.size(1)),
        packed(PackLogits(logits)),
        labels(labels.contiguous()),
        ignore_index(options.ignore_index),
        rows(MakeBilinearAxis(logits.size(2), labels.size(1), options.align_corners)),
        columns(MakeBilinearAxis(logits.size(3), labels.size(2), options.align_corners)) {}

  int64_t samples() const { return packed.size(0); }
  int64_t depth() const { return packed.size(3); }  // floats of a cell
  int64_t row_size() const { return columns.coarse() * depth(); }
  const float* row(int64_t sample, int64_t y) const {
    return packed.const_data_ptr<float>() + (sample * rows.coarse() + y) * row_size();
  }
  const uint8_t* label_row(int64_t sample, int64_t y) const {
    return labels.const_data_ptr<uint8_t>() + (sample * rows.fine() + y) * columns.fine();
  }

  int64_t classes;
  at::Tensor packed;  // [N, h, w, depth]
  at::Tensor labels;  // [N, H, W]
  int ignore_index;
  BilinearAxis rows;
  BilinearAxis columns;
};

// Pixels of each label. Throws where one is neither a class nor ignored.
std::array<int64_t, 256> CountLabels(const Grid& grid) {
  std::array<int64_t, 256> counts = {};
  const uint8_t* const labels = grid.labels.const_data_ptr<uint8_t>();
  for (int64_t i = 0; i < grid.labels.numel(); ++i) ++counts[labels[i]];
  for (int64_t label = grid.classes; label < 256; ++label) {
    TORCH_CHECK(counts[label] == 0 || label == grid.ignore_index, "label ", label, " on ",
                counts[label], " pixels: the classes are 0 to ", grid.classes - 1, ", and ",
                grid.ignore_index, " is ignored");
  }
  return counts;
}

// Sums of the pixels between two coarse rows.
struct BandSums {
  explicit BandSums(int64_t depth) : intersection(depth), prediction(depth) {}

  double cross_entropy = 0;
  std::vector<double> intersection;
  std::vector<double> prediction;
};

// The loss as a linear function of a part's sums, in the kernel's layout.
struct Slopes {
  float cross_entropy;
  std::vector<float> intersection;  // [depth]
  std::vector<float> prediction;    // [depth]
};

// Sum of logarithms through products: a factor is between 1 and the number of classes, so 64 of
// them stay far below the largest double.
class LogSum {
 public:
  void Add(float factor) {
    product_ *= factor;
    if (++factors_ == 64) Flush();
  }
  double Get() {
    Flush();
    return sum_;
  }

 private:
  void Flush() {
    sum_ += std::log(product_);
    product_ = 1;
    factors_ = 0;
  }

  double sum_ = 0;
  double product_ = 1;
  int factors_ = 0;
};

// Walks the pixels between two coarse rows. With slopes, it adds the gradient with respect to these
// two rows to `top` and `bottom`; without, it adds to sums->prediction.
template <bool kGradient>
class Band {
 public:
  Band(const Grid& grid, const Slopes* slopes)
      : grid_(grid),
        slopes_(slopes),
        depth_(grid.depth()),
        // One cell more than the grid has: the right neighbour of the last, with weight 0.
        row_(grid.row_size() + depth_),
        prediction_(kGradient ? 0 : depth_),
        gradient_(kGradient ? grid.row_size() + depth_ : 0),
        label_gradient_(gradient_.size()),
        p_(depth_) {}

  void Run(int64_t sample, int64_t band, BandSums* sums, float* top, float* bottom) {
    const int64_t next = std::min(band + 1, grid_.rows.coarse() - 1);
    for (int64_t y = grid_.rows.begin[band]; y < grid_.rows.begin[band + 1]; ++y) {
      const float fraction = grid_.rows.fraction[y];
      LerpRow(grid_.row(sample, band), grid_.row(sample, next), fraction, grid_.row_size(),
              row_.data());
      RunRow(grid_.label_row(sample, y), sums);
      if constexpr (kGradient) {
        for (int64_t i = 0; i < grid_.row_size(); i += kLanes) {
          const Float8 g = Load(&gradient_[i]) + Load(&label_gradient_[i]);
          Store(Load(top + i) + (1 - fraction) * g, top + i);
          Store(Load(bottom + i) + fraction * g, bottom + i);
        }
        std::fill(gradient_.begin(), gradient_.end(), 0.0f);
        std::fill(label_gradient_.begin(), label_gradient_.end(), 0.0f);
      } else {
        for (int64_t c = 0; c < depth_; ++c) sums->prediction[c] += prediction_[c];
        std::fill(prediction_.begin(), prediction_.end(), 0.0f);
      }
    }
  }

 private:
  void RunRow(const uint8_t* labels, BandSums* sums) {
    LogSum log_sum;
    double shift = 0;
    for (int64_t cell = 0; cell < grid_.columns.coarse(); ++cell) {
      const float* const left = &row_[cell * depth_];
      for (int64_t x = grid_.columns.begin[cell]; x < grid_.columns.begin[cell + 1]; ++x) {
        const int label = labels[x];
        if (label == grid_.ignore_index) continue;
        const float fraction = grid_.columns.fraction[x];
        const float max = Interpolate(left, fraction);
        shift += max - p_[label];
        float slope_mean = 0;  // sum over the classes of p x prediction slope
        const float sum = Exponentiate(max, &slope_mean);
        log_sum.Add(sum);
        const float inverse = 1 / sum;
        const float p = p_[label] * inverse;
        sums->intersection[label] += p;
        if constexpr (kGradient) {
          AddGradient(cell, fraction, label, p, inverse, slope_mean * inverse);
        } else {
          for (int64_t c = 0; c < depth_; c += kLanes) {
            Store(Load(&prediction_[c]) + Load(&p_[c]) * inverse, &prediction_[c]);
          }
        }
      }
    }
    sums->cross_entropy += shift + log_sum.Get();
  }

  // p_ = the pixel's logits. Returns their maximum.
  float Interpolate(const float* left, float fraction) {
    Float8 max = Broadcast(kNoClass);
    for (int64_t c = 0; c < depth_; c += kLanes) {
      const Float8 a = Load(left + c);
      const Float8 z = a + fraction * (Load(left + depth_ + c) - a);
      Store(z, &p_[c]);
      max = Max(max, z);
    }
    return Max(max);
  }

  // p_ = e^(p_ - max). Returns the sum, and that of p_ x prediction slope.
  float Exponentiate(float max, float* slope_sum) {
    Float8 sum = {};
    Float8 weighted = {};
    for (int64_t c = 0; c < depth_; c += kLanes) {
      const Float8 e = Exp(Load(&p_[c]) - max);
      Store(e, &p_[c]);
      sum += e;
      if constexpr (kGradient) weighted += e * Load(&slopes_->prediction[c]);
    }
    if constexpr (kGradient) *slope_sum = Sum(weighted);
    return Sum(sum);
  }

  // Softmax's gradient: p_c x (s_c - sum over k of p_k s_k), with s_c the slope with respect to
  // p_c, plus cross entropy's p_c - t_c. Goes to the cell and its right neighbour.
  void AddGradient(int64_t cell, float fraction, int label, float p, float inverse,
                   float slope_mean) {
    const float pull = p * slopes_->intersection[label];
    const float common = slopes_->cross_entropy - (slope_mean + pull);
    float* const left = &gradient_[cell * depth_];
    float* const right = left + depth_;
    for (int64_t c = 0; c < depth_; c += kLanes) {
      const Float8 g = Load(&p_[c]) * inverse * (Load(&slopes_->prediction[c]) + common);
      Store(Load(left + c) + (1 - fraction) * g, left + c);
      Store(Load(right + c) + fraction * g, right + c);
    }
    const float own = pull - slopes_->cross_entropy;
    label_gradient_[cell * depth_ + label] += (1 - fraction) * own;
    label_gradient_[cell * depth_ + depth_ + label] += fraction * own;
  }

  const Grid& grid_;
  const Slopes* const slopes_;
  const int64_t depth_;
  std::vector<float> row_;         // coarse logits at the height of the fine row
  std::vector<float> prediction_;  // of the fine row
  // Sum to the gradient with respect to row_. The terms of the label alone are apart, since a
  // register cannot be loaded past the fresh store of one of its floats without a stall.
  std::vector<float> gradient_;
  std::vector<float> label_gradient_;
  std::vector<float> p_;  // of the pixel
};

LossTotals ToTotals(const Grid& grid, const std::array<int64_t, 256>& labels,
                    const std::vector<BandSums>& bands) {
  const auto doubles = at::TensorOptions().dtype(at::kDouble);
  LossTotals totals = {.intersection = at::zeros({grid.classes}, doubles),
                       .target = at::zeros({grid.classes}, doubles),
                       .prediction = at::zeros({grid.classes}, doubles)};
  double* const intersection = totals.intersection.mutable_data_ptr<double>();
  double* const target = totals.target.mutable_data_ptr<double>();
  double* const prediction = totals.prediction.mutable_data_ptr<double>();
  for (int64_t c = 0; c < grid.classes; ++c) {
    if (c == grid.ignore_index) continue;
    target[c] = static_cast<double>(labels[c]);
    totals.valid_pixels += labels[c];
  }
  for (const BandSums& band : bands) {
    totals.cross_entropy += band.cross_entropy;
    for (int64_t c = 0; c < grid.classes; ++c) {
      intersection[c] += band.intersection[c];
      prediction[c] += band.prediction[c];
    }
  }
  return totals;
}

Slopes MakeSlopes(const LossShare& share, int64_t depth) {
  Slopes slopes = {.cross_entropy = static_cast<float>(share.cross_entropy),
                   .intersection = {share.intersection.begin(), share.intersection.end()},
                   .prediction = {share.prediction_slope.begin(), share.prediction_slope.end()}};
  slopes.intersection.resize(depth);
  slopes.prediction.resize(depth);
  return slopes;
}

// [samples x rows, 2, row size]: what band i adds to the coarse rows i and i + 1 of its sample.
// Returns the gradient [N, C, h, w].
at::Tensor SumBands(const Grid& grid, const at::Tensor& bands) {
  const at::Tensor by_row =
      bands.view({grid.samples(), grid.rows.coarse(), 2, grid.columns.coarse(), grid.depth()});
  at::Tensor gradient = by_row.select(2, 0);
  gradient.narrow(1, 1, grid.rows.coarse() - 1)
      .add_(by_row.select(2, 1).narrow(1, 0, grid.rows.coarse() - 1));
  return gradient.narrow(3, 0, grid.classes).permute({0, 3, 1, 2});
}

}  // namespace

LossTotals FusedLossTotals(const at::Tensor& logits, const at::Tensor& labels,
                           const SegmentationLossOptions& options) {
  const Grid grid(logits, labels, options);
  const std::array<int64_t, 256> counts = CountLabels(grid);
  const int64_t bands = grid.samples() * grid.rows.coarse();
  std::vector<BandSums> sums(bands, BandSums(grid.depth()));
  at::parallel_for(0, bands, 1, [&](int64_t begin, int64_t end) {
    Band</*kGradient=*/false> band(grid, nullptr);
    for (int64_t i = begin; i < end; ++i) {
      band.Run(i / grid.rows.coarse(), i % grid.rows.coarse(), &sums[i], nullptr, nullptr);
    }
  });
  return ToTotals(grid, counts, sums);
}

FusedGradient FusedLossGradient(const at::Tensor& logits, const at::Tensor& labels,
                                const LossShare& share, const SegmentationLossOptions& options) {
  const Grid grid(logits, labels, options);
  const std::array<int64_t, 256> counts = CountLabels(grid);
  const Slopes slopes = MakeSlopes(share, grid.depth());
  const int64_t bands = grid.samples() * grid.rows.coarse();
  std::vector<BandSums> sums(bands, BandSums(grid.depth()));
  const at::Tensor gradients = at::zeros({bands, 2, grid.row_size()}, at::kFloat);
  float* const rows = gradients.mutable_data_ptr<float>();
  at::parallel_for(0, bands, 1, [&](int64_t begin, int64_t end) {
    Band</*kGradient=*/true> band(grid, &slopes);
    for (int64_t i = begin; i < end; ++i) {
      float* const top = rows + 2 * i * grid.row_size();
      band.Run(i / grid.rows.coarse(), i % grid.rows.coarse(), &sums[i], top,
               top + grid.row_size());
    }
  });
  return {.gradient = SumBands(grid, gradients), .part = ToTotals(grid, counts, sums)};
}

}  // namespace tessera
