#include "models/metrics/confusion_matrix.h"

#include <glog/logging.h>

namespace tessera {

ConfusionMatrix::ConfusionMatrix(int num_classes, int ignore_index)
    : num_classes_(num_classes), ignore_index_(ignore_index), counts_(kValues * kValues) {
  CHECK_GE(num_classes, 1);
  CHECK_LE(num_classes, static_cast<int>(kValues));
}

void ConfusionMatrix::Add(absl::Span<const uint8_t> labels, absl::Span<const uint8_t> predictions) {
  CHECK_EQ(labels.size(), predictions.size());
  for (size_t i = 0; i < labels.size(); ++i) ++counts_[Cell(labels[i], predictions[i])];
}

void ConfusionMatrix::Merge(const ConfusionMatrix& other) {
  CHECK_EQ(num_classes_, other.num_classes_);
  CHECK_EQ(ignore_index_, other.ignore_index_);
  for (size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
}

int64_t ConfusionMatrix::total() const {
  int64_t total = 0;
  for (int label = 0; label < num_classes_; ++label) {
    for (int prediction = 0; prediction < num_classes_; ++prediction) {
      total += count(label, prediction);
    }
  }
  return total;
}

int64_t ConfusionMatrix::invalid() const {
  int64_t pixels = 0;
  for (int label = 0; label < static_cast<int>(kValues); ++label) {
    for (int prediction = 0; prediction < static_cast<int>(kValues); ++prediction) {
      pixels += count(label, prediction);
    }
  }
  return pixels - total();
}

std::vector<std::optional<double>> ConfusionMatrix::IoU() const {
  std::vector<int64_t> in_labels(num_classes_), in_predictions(num_classes_);
  for (int label = 0; label < num_classes_; ++label) {
    for (int prediction = 0; prediction < num_classes_; ++prediction) {
      in_labels[label] += count(label, prediction);
      in_predictions[prediction] += count(label, prediction);
    }
  }
  std::vector<std::optional<double>> iou(num_classes_);
  for (int c = 0; c < num_classes_; ++c) {
    const int64_t both = count(c, c);
    const int64_t either = in_labels[c] + in_predictions[c] - both;
    if (c != ignore_index_ && either > 0) iou[c] = static_cast<double>(both) / either;
  }
  return iou;
}

std::optional<double> ConfusionMatrix::MeanIoU() const {
  double sum = 0;
  int classes = 0;
  for (const std::optional<double>& iou : IoU()) {
    if (!iou.has_value()) continue;
    sum += *iou;
    ++classes;
  }
  if (classes == 0) return std::nullopt;
  return sum / classes;
}

std::optional<double> ConfusionMatrix::PixelAccuracy() const {
  const int64_t pixels = total();
  if (pixels == 0) return std::nullopt;
  int64_t right = 0;
  for (int c = 0; c < num_classes_; ++c) right += count(c, c);
  return static_cast<double>(right) / pixels;
}

}  // namespace tessera
