#ifndef TESSERA_TRAIN_CALLBACKS_SAMPLE_FILES_H_
#define TESSERA_TRAIN_CALLBACKS_SAMPLE_FILES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "data/datasets/dataset.h"

namespace tessera {

// A file name without extension for a sample called `name`: its folders are joined by "_", its
// extension and characters that need quoting are left out. May be empty.
std::string FileStem(absl::string_view name);

// Names the files that a callback writes for the samples of a data set.
class SampleFiles {
 public:
  explicit SampleFiles(std::shared_ptr<const Dataset> dataset) : dataset_(std::move(dataset)) {}

  // FileStem of the sample's name; with "_ID" where another sample has that one already.
  absl::StatusOr<std::string> Stem(int64_t sample_id);

 private:
  std::shared_ptr<const Dataset> dataset_;
  std::map<std::string, int64_t> owners_;  // by stem
};

}  // namespace tessera

#endif  // TESSERA_TRAIN_CALLBACKS_SAMPLE_FILES_H_
