#ifndef TESSERA_TRAIN_LOGGERS_IOU_TABLE_H_
#define TESSERA_TRAIN_LOGGERS_IOU_TABLE_H_

#include <optional>
#include <string>
#include <vector>

#include "train/state.h"

namespace tessera {

// The name of each class: `configured`, or "class 0" ... where that is empty.
std::vector<std::string> ClassNames(const std::vector<std::string>& configured, int num_classes);

// One row a class (name, IoU, pixels labelled and predicted), then the means. Ends in a new line.
std::string IouTable(const Evaluation& evaluation, const std::vector<std::string>& class_names);

// "0.6123", or "no data".
std::string FormatMetric(std::optional<double> value);

}  // namespace tessera

#endif  // TESSERA_TRAIN_LOGGERS_IOU_TABLE_H_
