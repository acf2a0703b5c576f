#include "models/predict.h"

#include <ATen/Parallel.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/upsample_bilinear2d.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/bilinear.h"
#include "models/packed_logits.h"

namespace tessera {
namespace {

// The classes that can be the largest somewhere between two cells: between them each logit is
// linear, so it has to reach, at one end, the largest of the classes' lower ends. Few are left
// where a model is sure, so the pixels themselves cost next to nothing.
void FindCandidates(const float* left, const float* right, int64_t depth, std::vector<int>* found) {
  Float8 reached = Broadcast(kNoClass);
  for (int64_t c = 0; c < depth; c += kLanes) {
    reached = Max(reached, Min(Load(left + c), Load(right + c)));
  }
  const float threshold = Max(reached);
  found->clear();
  for (int64_t c = 0; c < depth; ++c) {
    if (std::max(left[c], right[c]) >= threshold) found->push_back(static_cast<int>(c));
  }
}

// Labels of one fine row, `row` holding the coarse logits at its height and, past the last cell,
// one more for its neighbour of weight 0.
void PredictRow(const BilinearAxis& columns, const float* row, int64_t depth,
                std::vector<int>* candidates, uint8_t* labels) {
  for (int64_t cell = 0; cell < columns.coarse(); ++cell) {
    const int64_t begin = columns.begin[cell];
    const int64_t end = columns.begin[cell + 1];
    if (begin == end) continue;
    const float* const left = row + cell * depth;
    const float* const right = left + depth;
    FindCandidates(left, right, depth, candidates);
    for (int64_t x = begin; x < end; ++x) {
      const float fraction = columns.fraction[x];
      int best = 0;
      float largest = -INFINITY;
      for (const int c : *candidates) {
        const float z = left[c] + fraction * (right[c] - left[c]);
        if (z > largest) {
          largest = z;
          best = c;
        }
      }
      labels[x] = static_cast<uint8_t>(best);
    }
  }
}

at::Tensor PredictOnCpu(const at::Tensor& logits, int64_t height, int64_t width,
                        bool align_corners) {
  const at::Tensor packed = PackLogits(logits);
  const int64_t depth = packed.size(3);
  const BilinearAxis rows = MakeBilinearAxis(packed.size(1), height, align_corners);
  const BilinearAxis columns = MakeBilinearAxis(packed.size(2), width, align_corners);
  const int64_t row_size = columns.coarse() * depth;
  at::Tensor labels = at::empty({packed.size(0), height, width}, at::kByte);
  const float* const cells = packed.const_data_ptr<float>();
  uint8_t* const out = labels.mutable_data_ptr<uint8_t>();

  at::parallel_for(0, packed.size(0) * rows.coarse(), 1, [&](int64_t begin, int64_t end) {
    std::vector<float> row(row_size + depth);
    std::vector<int> candidates;
    for (int64_t band = begin; band < end; ++band) {
      const int64_t sample = band / rows.coarse();
      const int64_t cell = band % rows.coarse();
      const float* const top = cells + band * row_size;
      const float* const bottom = cell + 1 < rows.coarse() ? top + row_size : top;
      for (int64_t y = rows.begin[cell]; y < rows.begin[cell + 1]; ++y) {
        LerpRow(top, bottom, rows.fraction[y], row_size, row.data());
        std::copy_n(&row[row_size - depth], depth, &row[row_size]);
        PredictRow(columns, row.data(), depth, &candidates, out + (sample * height + y) * width);
      }
    }
  });
  return labels;
}

// One image at a time, which bounds the memory and keeps torch's kernels below 2^31 elements.
at::Tensor PredictElsewhere(const at::Tensor& logits, int64_t height, int64_t width,
                            bool align_corners) {
  at::Tensor labels = at::empty({logits.size(0), height, width}, logits.options().dtype(at::kByte));
  for (int64_t n = 0; n < logits.size(0); ++n) {
    const at::Tensor resized =
        at::upsample_bilinear2d(logits.narrow(0, n, 1), {height, width}, align_corners);
    labels[n].copy_(resized.argmax(1)[0]);
  }
  return labels;
}

}  // namespace

at::Tensor PredictLabels(const at::Tensor& logits, int64_t height, int64_t width,
                         bool align_corners) {
  TORCH_CHECK(logits.dim() == 4 && logits.size(1) >= 1 && logits.size(1) <= 256,
              "logits must be [N, C, h, w] with at most 256 classes, found ", logits.sizes());
  const at::Tensor input = logits.detach();
  return input.is_cpu() ? PredictOnCpu(input, height, width, align_corners)
                        : PredictElsewhere(input, height, width, align_corners);
}

}  // namespace tessera
