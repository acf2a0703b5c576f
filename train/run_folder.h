#ifndef TESSERA_TRAIN_RUN_FOLDER_H_
#define TESSERA_TRAIN_RUN_FOLDER_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "configs/experiment.pb.h"

namespace tessera {

// What a run keeps in its folder:
//   config.textproto   the effective config: loads to the same run
//   metrics.jsonl      a JSON object a line
//   checkpoints/       a folder each, and `latest`
//   images/ba000123/   pictures of an evaluation
//   predictions/       masks of the last evaluation, where asked for
struct RunFolder {
  std::string path;

  std::string config() const { return path + "/config.textproto"; }
  std::string metrics() const { return path + "/metrics.jsonl"; }
  std::string checkpoints() const { return path + "/checkpoints"; }
  std::string images() const { return path + "/images"; }
  std::string predictions() const { return path + "/predictions"; }
};

// train.save_folder, or runs/RUN_NAME.
absl::StatusOr<RunFolder> RunFolderOf(const Experiment& experiment);

// Whether a run left checkpoints or metrics there. A config alone is what a run leaves that stopped
// before its first batch.
bool HoldsRun(const RunFolder& folder);

// Refuses a folder that holds a run unless train.save_overwrite or train.autoresume says what to do
// with it. Changes nothing.
absl::Status CheckRunFolder(const RunFolder& folder, const TrainConfig& config);

// Removes what an earlier run left, and nothing else.
absl::Status ClearRunFolder(const RunFolder& folder);

// Held by the one process that writes to a run's folder; the system lets go of it when the process
// ends, however it ends.
class FolderLock {
 public:
  explicit FolderLock(int file) : file_(file) {}
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  const int file_;
};

// Makes the folder where it is missing and takes its lock; an error if another process has it. On a
// file system without locks nobody is kept out.
absl::StatusOr<std::shared_ptr<FolderLock>> LockRunFolder(const RunFolder& folder);

}  // namespace tessera

#endif  // TESSERA_TRAIN_RUN_FOLDER_H_
