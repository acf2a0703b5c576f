#include "train/callbacks/save_predictions.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/write_file.h"
#include "data/image/encode.h"

namespace tessera {

SavePredictions::SavePredictions(std::string folder, std::shared_ptr<const Dataset> dataset,
                                 LabelMap label_map)
    : folder_(std::move(folder)), label_map_(std::move(label_map)), files_(std::move(dataset)) {}

absl::Status SavePredictions::Run(Event event, const State& state) {
  const bool last = state.timestamp.batch == state.length.max_batches;
  if (event != Event::kEvalBatchEnd || !last) return absl::OkStatus();
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) return absl::UnavailableError(absl::StrCat(folder_, ": ", error.message()));
  for (int64_t i = 0; i < state.evaluation->batch.size; ++i) {
    TESSERA_RETURN_IF_ERROR(Save(*state.evaluation, i));
  }
  return absl::OkStatus();
}

absl::Status SavePredictions::Save(const Evaluation& evaluation, int64_t index) {
  const Batch& batch = evaluation.batch;
  const int64_t pixels = int64_t{batch.height} * batch.width;
  const uint8_t* const predictions = evaluation.predictions.data() + index * pixels;
  Image mask;
  mask.Resize(batch.height, batch.width, 1);
  std::transform(predictions, predictions + pixels, mask.pixels.begin(),
                 [this](uint8_t label) { return label_map_.Raw(label); });
  TESSERA_ASSIGN_OR_RETURN(const std::string stem, files_.Stem(batch.sample_ids[index]));
  TESSERA_ASSIGN_OR_RETURN(const std::string png, EncodePng(mask));
  return WriteFile(absl::StrCat(folder_, "/", stem, ".png"), png);
}

}  // namespace tessera
