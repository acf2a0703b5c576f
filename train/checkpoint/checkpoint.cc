#include "train/checkpoint/checkpoint.h"

#include <ATen/core/grad_mode.h>
#include <fcntl.h>
#include <google/protobuf/text_format.h>
#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "base/write_file.h"
#include "configs/parse_text.h"
#include "models/weights/safetensors.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

constexpr char kModelFile[] = "model.safetensors";
constexpr char kOptimizerFile[] = "optimizer.safetensors";
constexpr char kStateFile[] = "state.textproto";
constexpr char kLatest[] = "latest";
constexpr char kPartialPrefix[] = ".partial-";  // what is being written or removed

absl::Status SystemError(absl::string_view what, const std::string& path, int error) {
  return absl::UnavailableError(
      absl::StrCat("cannot ", what, " ", path, ": ", std::strerror(error)));
}

absl::Status SyncFolder(const fs::path& folder) {
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool good = file >= 0 && fsync(file) == 0;
  const int error = errno;
  if (file >= 0) close(file);
  return good ? absl::OkStatus() : SystemError("sync", folder.string(), error);
}

std::string NameOf(int64_t epoch, int64_t batch) { return absl::StrCat("ep", epoch, "-ba", batch); }

// Batches of a checkpoint folder by its name, "ep3-ba120"; nullopt for any other name.
std::optional<int64_t> BatchOf(absl::string_view name) {
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(name, "-ba");
  int64_t epoch = 0, batch = 0;
  if (!absl::StartsWith(name, "ep") || !absl::SimpleAtoi(parts.first.substr(2), &epoch) ||
      !absl::SimpleAtoi(parts.second, &batch) || name != NameOf(epoch, batch)) {
    return std::nullopt;
  }
  return batch;
}

bool IsWhole(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / kModelFile, error) &&
         fs::is_regular_file(folder / kOptimizerFile, error) &&
         fs::is_regular_file(folder / kStateFile, error);
}

// Names of what lies in `folder`; none where it cannot be read.
std::vector<std::string> NamesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  return names;
}

// Names of the whole checkpoints in `folder`, the oldest first.
std::vector<std::string> ListCheckpoints(const fs::path& folder) {
  std::vector<std::string> names = NamesIn(folder);
  std::erase_if(names, [&](const std::string& name) {
    return !BatchOf(name).has_value() || !IsWhole(folder / name);
  });
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return *BatchOf(a) != *BatchOf(b) ? *BatchOf(a) < *BatchOf(b) : a < b;
  });
  return names;
}

// What a process that was killed while it wrote or removed has left.
void RemoveLeftovers(const fs::path& folder) {
  std::error_code error;
  for (const std::string& name : NamesIn(folder)) {
    if (absl::StartsWith(name, kPartialPrefix)) fs::remove_all(folder / name, error);
  }
}

absl::Status WriteFiles(const fs::path& folder, const CheckpointState& state,
                        const NamedTensors& model, const NamedTensors& optimizer) {
  std::error_code error;
  fs::create_directory(folder, error);
  if (error) return SystemError("make", folder.string(), error.value());
  TESSERA_RETURN_IF_ERROR(
      WriteSafetensors((folder / kModelFile).string(), model, {{"format", "pt"}}));
  TESSERA_RETURN_IF_ERROR(WriteSafetensors((folder / kOptimizerFile).string(), optimizer));
  std::string text;
  if (!google::protobuf::TextFormat::PrintToString(state, &text)) {
    return absl::InternalError("the state cannot be printed");
  }
  TESSERA_RETURN_IF_ERROR(WriteFile((folder / kStateFile).string(), text, Durability::kSynced));
  return SyncFolder(folder);
}

// Puts `partial` in the place of `final`; a folder that is there is exchanged for it in one step,
// and removed when that is on the disk.
absl::Status Publish(const fs::path& partial, const fs::path& final) {
  std::error_code error;
  const unsigned flags = fs::exists(final, error) ? RENAME_EXCHANGE : 0;
  if (renameat2(AT_FDCWD, partial.c_str(), AT_FDCWD, final.c_str(), flags) != 0) {
    return SystemError(flags == 0 ? "make" : "replace", final.string(), errno);
  }
  TESSERA_RETURN_IF_ERROR(SyncFolder(final.parent_path()));
  fs::remove_all(partial, error);
  return absl::OkStatus();
}

absl::Status MoveLatest(const fs::path& folder, const std::string& name) {
  const fs::path temporary = folder / absl::StrCat(kPartialPrefix, kLatest);
  std::error_code error;
  fs::create_directory_symlink(name, temporary, error);
  if (!error) fs::rename(temporary, folder / kLatest, error);
  if (!error) return SyncFolder(folder);
  const absl::Status status = SystemError("move", (folder / kLatest).string(), error.value());
  fs::remove(temporary, error);
  return status;
}

void RemoveOld(const fs::path& folder, const std::string& latest, int keep) {
  if (keep <= 0) return;
  std::vector<std::string> names = ListCheckpoints(folder);
  std::erase(names, latest);
  std::error_code error;
  for (size_t i = 0; i + keep - 1 < names.size(); ++i) {
    // Renamed first: one that is half removed is no checkpoint any more.
    const fs::path doomed = folder / absl::StrCat(kPartialPrefix, names[i]);
    fs::rename(folder / names[i], doomed, error);
    fs::remove_all(doomed, error);
  }
}

}  // namespace

absl::Status SaveCheckpoint(const std::string& folder, const CheckpointState& state,
                            const NamedTensors& model, const NamedTensors& optimizer, int keep) {
  const fs::path root(folder);
  std::error_code error;
  fs::create_directories(root, error);
  if (error) return SystemError("make", folder, error.value());
  RemoveLeftovers(root);
  const std::string name = NameOf(state.epoch(), state.batch());
  const fs::path partial = root / absl::StrCat(kPartialPrefix, name);
  absl::Status status = WriteFiles(partial, state, model, optimizer);
  if (status.ok()) status = Publish(partial, root / name);
  if (!status.ok()) {
    fs::remove_all(partial, error);
    return status;
  }
  TESSERA_RETURN_IF_ERROR(MoveLatest(root, name));
  RemoveOld(root, name, keep);
  return absl::OkStatus();
}

absl::StatusOr<Checkpoint> LoadCheckpoint(const std::string& path) {
  const fs::path folder(path);
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return absl::NotFoundError(
        absl::StrCat("no checkpoint ", path, ": expected a folder with ", kModelFile));
  }
  Checkpoint checkpoint;
  const std::string state_path = (folder / kStateFile).string();
  TESSERA_ASSIGN_OR_RETURN(const std::string text, ReadFile(state_path));
  FieldPlaces places;
  TESSERA_RETURN_IF_ERROR(ParseText(text, state_path, &checkpoint.state, &places));
  TESSERA_ASSIGN_OR_RETURN(checkpoint.model, ReadSafetensors((folder / kModelFile).string()));
  TESSERA_ASSIGN_OR_RETURN(checkpoint.optimizer,
                           ReadSafetensors((folder / kOptimizerFile).string()));
  return checkpoint;
}

absl::StatusOr<std::map<std::string, at::Tensor>> LoadWeights(const std::string& path) {
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  return ReadSafetensors(folder ? (fs::path(path) / kModelFile).string() : path);
}

std::optional<std::string> FindLatestCheckpoint(const std::string& folder) {
  std::error_code error;
  const fs::path latest = fs::path(folder) / kLatest;
  const fs::path target = fs::read_symlink(latest, error);
  if (!error && IsWhole(latest)) {
    return (fs::path(folder) / target).string();
  }
  const std::vector<std::string> names = ListCheckpoints(folder);
  if (names.empty()) return std::nullopt;
  return (fs::path(folder) / names.back()).string();
}

absl::Status CopyTensors(const std::map<std::string, at::Tensor>& source,
                         const NamedTensors& model) {
  std::vector<std::string> complaints;
  std::map<std::string, at::Tensor> unused = source;
  for (const auto& [name, tensor] : model) {
    const auto found = source.find(name);
    unused.erase(name);
    if (found == source.end()) {
      complaints.push_back(absl::StrCat(name, " is missing"));
    } else if (found->second.sizes() != tensor.sizes()) {
      complaints.push_back(absl::StrCat(name, " has shape [",
                                        absl::StrJoin(found->second.sizes(), ", "), "], expected [",
                                        absl::StrJoin(tensor.sizes(), ", "), "]"));
    }
  }
  for (const auto& [name, tensor] : unused) {
    complaints.push_back(absl::StrCat(name, " is not in the model"));
  }
  if (!complaints.empty()) {
    constexpr size_t kMostListed = 10;
    const size_t all = complaints.size();
    if (all > kMostListed) complaints.resize(kMostListed);
    return absl::InvalidArgumentError(absl::StrCat("the weights do not fit the model (", all,
                                                   " tensors): ", absl::StrJoin(complaints, "; "),
                                                   all > kMostListed ? "; ..." : ""));
  }
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : model) at::Tensor(tensor).copy_(source.at(name));
  return absl::OkStatus();
}

}  // namespace tessera
