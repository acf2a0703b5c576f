#include "data/transforms/resample.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

namespace tessera {
namespace {

// Source pixels under the triangle of one output: those with a weight above 0.
struct Support {
  double center;  // in source pixels, whose own centres are at k + 1/2
  int first;
  int last;  // exclusive
};

Support SupportOf(int output, int source, double scale, double radius) {
  const double center = (output + 0.5) * scale;
  return {center, std::max(0, static_cast<int>(std::floor(center - radius - 0.5)) + 1),
          std::min(source, static_cast<int>(std::ceil(center + radius - 0.5)))};
}

// R G B and a fourth value that belongs to the next pixel.
using Pixel = float __attribute__((vector_size(16)));

inline Pixel Load(const float* pixel) {
  Pixel value;
  std::memcpy(&value, pixel, sizeof(value));
  return value;
}

// Each store spills one float into the next pixel, which is written afterwards; `out` and `row`
// have room for one float behind the last pixel.
template <int kTaps>
void ResampleRow(const float* row, const AxisPlan& columns, int first_column, float* out) {
  const int taps = kTaps > 0 ? kTaps : columns.taps;
  const float* weights = columns.weights.data();
  for (const int32_t first : columns.first) {
    const float* pixel = row + 3 * (first - first_column);
    Pixel sum = Load(pixel) * weights[0];
    for (int k = 1; k < taps; ++k) sum += Load(pixel + 3 * k) * weights[k];
    std::memcpy(out, &sum, sizeof(sum));
    out += 3;
    weights += taps;
  }
}

// out = sum of weights[k] * row k.
void BlendRows(const float* rows, size_t stride, int first, const float* weights, int taps,
               int size, float* __restrict out) {
  const auto row = [&](int k) { return rows + (first + k) % taps * stride; };
  const float* a = row(0);
  if (taps == 1) {
    for (int i = 0; i < size; ++i) out[i] = weights[0] * a[i];
    return;
  }
  const float* b = row(1);
  const float weight_a = weights[0], weight_b = weights[1];
  for (int i = 0; i < size; ++i) out[i] = weight_a * a[i] + weight_b * b[i];
  for (int k = 2; k < taps; ++k) {
    const float* c = row(k);
    const float weight_c = weights[k];
    for (int i = 0; i < size; ++i) out[i] += weight_c * c[i];
  }
}

}  // namespace

void PlanBilinear(int source, int target, int begin, int count, bool antialias, bool reverse,
                  AxisPlan* plan) {
  const double scale = static_cast<double>(source) / target;
  const double radius = antialias ? std::max(scale, 1.0) : 1.0;
  plan->taps = 0;
  for (int i = 0; i < count; ++i) {
    const Support support = SupportOf(begin + i, source, scale, radius);
    plan->taps = std::max(plan->taps, support.last - support.first);
  }
  plan->first.resize(count);
  plan->weights.assign(static_cast<size_t>(count) * plan->taps, 0.0f);
  for (int i = 0; i < count; ++i) {
    const Support support = SupportOf(begin + i, source, scale, radius);
    const auto weight = [&](int k) { return 1 - std::abs(k + 0.5 - support.center) / radius; };
    double sum = 0;
    for (int k = support.first; k < support.last; ++k) sum += weight(k);

    const int position = reverse ? count - 1 - i : i;
    const int first = std::min(support.first, source - plan->taps);
    plan->first[position] = first;
    float* weights = plan->weights.data() + static_cast<size_t>(position) * plan->taps;
    for (int k = support.first; k < support.last; ++k) {
      weights[k - first] = static_cast<float>(weight(k) / sum);
    }
  }
}

void Resample(const Image& image, const AxisPlan& rows, const AxisPlan& columns,
              ResampleScratch* scratch, float* out, int64_t out_stride,
              absl::FunctionRef<void(float* row)> finish) {
  const auto [first_column, last_column] = std::minmax(columns.first.front(), columns.first.back());
  const int source_size = 3 * (last_column + columns.taps - first_column);
  const int size = 3 * columns.size();
  const size_t stride = size + 1;
  scratch->source_row.resize(source_size + 1);
  scratch->rows.resize(rows.taps * stride);
  float* const source_row = scratch->source_row.data();
  const auto resample_row = columns.taps == 1   ? ResampleRow<1>
                            : columns.taps == 2 ? ResampleRow<2>
                            : columns.taps == 3 ? ResampleRow<3>
                            : columns.taps == 4 ? ResampleRow<4>
                                                : ResampleRow<0>;

  int next = 0;  // source rows before it were resampled, or are not needed
  for (int y = 0; y < rows.size(); ++y) {
    const int first = rows.first[y];
    for (next = std::max(next, first); next < first + rows.taps; ++next) {
      const uint8_t* pixels = image.row(next) + 3 * first_column;
      for (int i = 0; i < source_size; ++i) source_row[i] = pixels[i];
      resample_row(source_row, columns, first_column,
                   scratch->rows.data() + next % rows.taps * stride);
    }
    BlendRows(scratch->rows.data(), stride, first,
              rows.weights.data() + static_cast<size_t>(y) * rows.taps, rows.taps, size, out);
    finish(out);
    out += out_stride;
  }
}

void PlanNearest(int source, int target, int begin, int count, bool reverse,
                 std::vector<int32_t>* plan) {
  plan->resize(count);
  for (int i = 0; i < count; ++i) {
    const int64_t doubled_center = 2 * static_cast<int64_t>(begin + i) + 1;
    (*plan)[reverse ? count - 1 - i : i] =
        static_cast<int32_t>(doubled_center * source / (2 * static_cast<int64_t>(target)));
  }
}

void ResampleLabels(const Image& mask, const std::vector<int32_t>& rows,
                    const std::vector<int32_t>& columns, const std::array<uint8_t, 256>& table,
                    uint8_t* out, int64_t out_stride) {
  for (size_t y = 0; y < rows.size(); ++y, out += out_stride) {
    if (y > 0 && rows[y] == rows[y - 1]) {
      std::memcpy(out, out - out_stride, columns.size());
      continue;
    }
    const uint8_t* row = mask.row(rows[y]);
    for (size_t x = 0; x < columns.size(); ++x) out[x] = table[row[columns[x]]];
  }
}

}  // namespace tessera
