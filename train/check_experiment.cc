#include "train/check_experiment.h"

#include "absl/strings/str_cat.h"

namespace tessera {

absl::Status CheckExperiment(const Experiment& experiment) {
  if (experiment.loss().cross_entropy_weight() == 0 && experiment.loss().dice_weight() == 0) {
    return absl::InvalidArgumentError(
        "loss.cross_entropy_weight and loss.dice_weight are both 0: nothing to learn from");
  }
  if (experiment.train().load_weights_only() && experiment.train().load_path().empty()) {
    return absl::InvalidArgumentError(
        "train.load_weights_only is set, but not train.load_path, which it refers to");
  }
  const int names = experiment.data().class_names_size();
  if (names != 0 && names != experiment.model().num_classes()) {
    return absl::InvalidArgumentError(absl::StrCat("data.class_names has ", names,
                                                   " names, model.num_classes is ",
                                                   experiment.model().num_classes()));
  }
  return absl::OkStatus();
}

}  // namespace tessera
