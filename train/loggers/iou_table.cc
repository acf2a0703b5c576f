#include "train/loggers/iou_table.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace tessera {

std::vector<std::string> ClassNames(const std::vector<std::string>& configured, int num_classes) {
  if (!configured.empty()) return configured;
  std::vector<std::string> names;
  for (int c = 0; c < num_classes; ++c) names.push_back(absl::StrCat("class ", c));
  return names;
}

std::string FormatMetric(std::optional<double> value) {
  return value.has_value() ? absl::StrFormat("%.4f", *value) : "no data";
}

std::string IouTable(const Evaluation& evaluation, const std::vector<std::string>& class_names) {
  const ConfusionMatrix& matrix = evaluation.matrix;
  const std::vector<std::optional<double>> iou = matrix.IoU();
  const int classes = matrix.num_classes();
  size_t width = 14;  // of "pixel accuracy"
  for (const std::string& name : class_names) width = std::max(width, name.size());

  const int pad = static_cast<int>(width);
  std::string table =
      absl::StrFormat("%-*s  %7s  %12s  %12s\n", pad, "class", "IoU", "labelled", "predicted");
  for (int c = 0; c < classes; ++c) {
    int64_t labelled = 0, predicted = 0;
    for (int other = 0; other < classes; ++other) {
      labelled += matrix.count(c, other);
      predicted += matrix.count(other, c);
    }
    absl::StrAppendFormat(&table, "%-*s  %7s  %12d  %12d\n", pad, class_names[c],
                          iou[c].has_value() ? absl::StrFormat("%.4f", *iou[c]) : "-", labelled,
                          predicted);
  }
  absl::StrAppendFormat(&table, "%-*s  %7s  %12d pixels of %d samples\n", pad, "mIoU",
                        FormatMetric(matrix.MeanIoU()), matrix.total(), evaluation.samples);
  absl::StrAppendFormat(&table, "%-*s  %7s\n", pad, "pixel accuracy",
                        FormatMetric(matrix.PixelAccuracy()));
  absl::StrAppendFormat(&table, "%-*s  %7s\n", pad, "cross entropy",
                        FormatMetric(evaluation.cross_entropy));
  return table;
}

}  // namespace tessera
