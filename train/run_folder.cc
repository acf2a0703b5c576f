#include "train/run_folder.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "base/write_file.h"
#include "configs/load_experiment.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

bool HasContents(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error) && !fs::is_empty(path, error);
}

}  // namespace

absl::StatusOr<RunFolder> RunFolderOf(const Experiment& experiment) {
  if (!experiment.train().save_folder().empty()) {
    return RunFolder{experiment.train().save_folder()};
  }
  if (experiment.run_name().empty()) {
    return absl::InvalidArgumentError("neither train.save_folder nor run_name is set");
  }
  return RunFolder{"runs/" + experiment.run_name()};
}

bool HoldsRun(const RunFolder& folder) {
  return HasContents(folder.metrics()) || HasContents(folder.checkpoints());
}

absl::Status CheckRunFolder(const RunFolder& folder, const TrainConfig& config) {
  if (!HoldsRun(folder) || config.save_overwrite() || config.autoresume()) {
    return absl::OkStatus();
  }
  return absl::AlreadyExistsError(
      absl::StrCat(folder.path,
                   " holds another run. Set train.autoresume=true to go on with it, "
                   "train.save_overwrite=true to replace it, or another train.save_folder"));
}

absl::Status ClearRunFolder(const RunFolder& folder) {
  for (const std::string& path :
       {folder.metrics(), folder.checkpoints(), folder.images(), folder.predictions()}) {
    std::error_code error;
    fs::remove_all(path, error);
    if (error) {
      return absl::UnavailableError(absl::StrCat(path, ": cannot be removed: ", error.message()));
    }
  }
  return absl::OkStatus();
}

absl::Status OpenRunFolder(const RunFolder& folder, const Experiment& experiment) {
  std::error_code error;
  fs::create_directories(folder.path, error);
  if (error) {
    return absl::UnavailableError(absl::StrCat(folder.path, ": cannot be made: ", error.message()));
  }
  return WriteFile(folder.config(), PrintExperiment(experiment, /*with_defaults=*/true));
}

}  // namespace tessera
