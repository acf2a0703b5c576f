#ifndef TESSERA_TRAIN_CALLBACKS_SAVE_PREDICTIONS_H_
#define TESSERA_TRAIN_CALLBACKS_SAVE_PREDICTIONS_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "data/datasets/dataset.h"
#include "data/transforms/label_map.h"
#include "train/callbacks/sample_files.h"
#include "train/events.h"

namespace tessera {

// Writes the predictions of the last evaluation as gray PNG masks, `folder`/NAME.png, at the size
// that was evaluated and with the values that the set's own masks use (1 for class 0 where
// reduce_zero_label is on).
class SavePredictions : public Callback {
 public:
  SavePredictions(std::string folder, std::shared_ptr<const Dataset> dataset, LabelMap label_map);

  absl::Status Run(Event event, const State& state) override;

 private:
  absl::Status Save(const Evaluation& evaluation, int64_t index);

  const std::string folder_;
  const LabelMap label_map_;
  SampleFiles files_;
};

}  // namespace tessera

#endif  // TESSERA_TRAIN_CALLBACKS_SAVE_PREDICTIONS_H_
