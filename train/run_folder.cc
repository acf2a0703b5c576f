#include "train/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

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

FolderLock::~FolderLock() { close(file_); }

absl::StatusOr<std::shared_ptr<FolderLock>> LockRunFolder(const RunFolder& folder) {
  std::error_code error;
  fs::create_directories(folder.path, error);
  const int file = error ? -1 : open(folder.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) {
    if (!error) error.assign(errno, std::generic_category());
    return absl::UnavailableError(absl::StrCat(folder.path, ": cannot be made: ", error.message()));
  }
  auto lock = std::make_shared<FolderLock>(file);
  if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return absl::AlreadyExistsError(
        absl::StrCat(folder.path, ": another process is training in this folder"));
  }
  return lock;
}

}  // namespace tessera
