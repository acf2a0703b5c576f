#ifndef TESSERA_MODELS_METRICS_CONFUSION_MATRIX_H_
#define TESSERA_MODELS_METRICS_CONFUSION_MATRIX_H_

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
  // `ignore_index` may lie outside the classes (those pixels are not counted) or inside (its pixels
  // are not counted either, and the class is left out of the mean).
  ConfusionMatrix(int num_classes, int ignore_index);

  // Adds pixels: two rows of the same length. Predictions are below num_classes.
  void Add(absl::Span<const uint8_t> labels, absl::Span<const uint8_t> predictions);
  // Adds another table of the same shape.
  void Merge(const ConfusionMatrix& other);

  int num_classes() const { return num_classes_; }
  int64_t count(int label, int prediction) const {
    return counts_[static_cast<size_t>(label) * num_classes_ + prediction];
  }
  int64_t total() const;

  // Intersection over union of each class; nullopt for one that occurs neither in the labels nor in
  // the predictions, or that is ignored.
  std::vector<std::optional<double>> IoU() const;
  // Mean over the classes that have an IoU; nullopt where none has.
  std::optional<double> MeanIoU() const;
  // Share of the counted pixels that are right; nullopt without pixels.
  std::optional<double> PixelAccuracy() const;

 private:
  int num_classes_;
  int ignore_index_;
  std::vector<int64_t> counts_;  // [num_classes, num_classes]
};

}  // namespace tessera

#endif  // TESSERA_MODELS_METRICS_CONFUSION_MATRIX_H_
