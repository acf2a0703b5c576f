#ifndef TESSERA_MODELS_METRICS_CONFUSION_MATRIX_H_
#define TESSERA_MODELS_METRICS_CONFUSION_MATRIX_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"

namespace tessera {

// Counts of (true class, predicted class) over pixels, and the metrics that follow from them.
// Exact: 64-bit counts, one table for the whole evaluation, sums of tables equal the table of the
// sum.
class ConfusionMatrix {
 public:
  // `num_classes` is 1 to 256. `ignore_index` may lie outside the classes (those pixels are not
  // counted) or inside (its pixels are not counted either, and the class is left out of the mean).
  ConfusionMatrix(int num_classes, int ignore_index);

  // Adds pixels: two rows of the same length. Any byte is safe; see invalid().
  void Add(absl::Span<const uint8_t> labels, absl::Span<const uint8_t> predictions);
  // Adds another table of the same shape.
  void Merge(const ConfusionMatrix& other);

  int num_classes() const { return num_classes_; }
  // Pixels of the class `label` predicted as `prediction`; 0 for an ignored label.
  int64_t count(int label, int prediction) const {
    return label == ignore_index_ ? 0 : counts_[Cell(label, prediction)];
  }
  // Pixels counted.
  int64_t total() const;
  // Pixels not ignored whose label or prediction is no class. In no metric; more than 0 is an error
  // of the caller.
  int64_t invalid() const;

  // Intersection over union of each class; nullopt for one that occurs neither in the labels nor in
  // the predictions, or that is ignored.
  std::vector<std::optional<double>> IoU() const;
  // Mean over the classes that have an IoU; nullopt where none has.
  std::optional<double> MeanIoU() const;
  // Share of the counted pixels that are right; nullopt without pixels.
  std::optional<double> PixelAccuracy() const;

 private:
  static constexpr size_t kValues = 256;

  static size_t Cell(int label, int prediction) { return label * kValues + prediction; }

  int num_classes_;
  int ignore_index_;
  // [256, 256]: a cell for any two bytes, so that adding a pixel is one increment without a test.
  std::vector<int64_t> counts_;
};

}  // namespace tessera

#endif  // TESSERA_MODELS_METRICS_CONFUSION_MATRIX_H_
