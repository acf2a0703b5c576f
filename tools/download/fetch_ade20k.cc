#include "tools/download/fetch_ade20k.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/file_descriptor.h"
#include "base/status_macros.h"
#include "tools/download/extract_zip.h"
#include "tools/download/http_download.h"
#include "tools/download/part_file.h"
#include "tools/download/work_lock.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

using Progress = std::function<void(const DownloadProgress&)>;

absl::Status FileError(absl::string_view what, absl::string_view path, absl::string_view cause) {
  return absl::InternalError(absl::StrCat("cannot ", what, " ", path, ": ", cause));
}

// The paths in the user's folder.
struct Paths {
  explicit Paths(const std::string& dir)
      : dir(dir.empty() ? "." : dir),
        root(Below(kAde20k.name)),
        zip(root + ".zip"),
        part(zip + ".part"),
        lock(Below(absl::StrCat(".", kAde20k.name, ".lock"))),
        partial_name(absl::StrCat(".", kAde20k.name, ".partial-")) {}

  std::string Below(absl::string_view name) const {
    return absl::StrCat(absl::StripSuffix(dir, "/"), "/", name);
  }

  std::string dir;
  std::string root;
  std::string zip;
  std::string part;
  std::string lock;
  std::string partial_name;  // of folders that are being extracted to: how their names begin
};

// The archive, on this machine.
struct Archive {
  std::string path;
  bool is_part;  // ours to remove
};

// A folder that goes with this object.
struct PartialFolder {
  explicit PartialFolder(std::string path) : path(std::move(path)) {}
  ~PartialFolder() {
    std::error_code error;
    fs::remove_all(path, error);
  }
  PartialFolder(const PartialFolder&) = delete;
  PartialFolder& operator=(const PartialFolder&) = delete;

  const std::string path;
};

absl::Status MakeFolder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  return error ? FileError("make", path, error.message()) : absl::OkStatus();
}

// What killed processes have left.
absl::Status RemovePartialFolders(const Paths& paths) {
  std::error_code error;
  std::vector<fs::path> left;
  for (fs::directory_iterator entries(paths.dir, error);
       !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    if (absl::StartsWith(name, paths.partial_name)) left.push_back(entries->path());
  }
  if (error) return FileError("list", paths.dir, error.message());
  for (const fs::path& path : left) {
    fs::remove_all(path, error);
    if (error) return FileError("remove", path.string(), error.message());
  }
  return absl::OkStatus();
}

absl::Status Check(const std::string& path, const FileChecks& checks, const Progress& progress) {
  std::error_code error;
  const uint64_t total = fs::file_size(path, error);
  return CheckFile(path, checks, [&](uint64_t done) {
    progress({.step = "check", .done = done, .total = error ? 0 : total, .bytes = true});
  });
}

// A zip of that name which is there already, as an earlier run with keep_zip leaves it, is taken if
// it is known to be the right one.
absl::Status CheckZipInPlace(const Paths& paths, const DownloadOptions& options,
                             const Progress& progress) {
  const absl::Status status =
      options.archive.has_hash()
          ? Check(paths.zip, options.archive, progress)
          : absl::InvalidArgumentError(
                absl::StrCat(paths.zip, ": is there already, and no hash is known to check it by"));
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(status.message(),
                                                  "; move it away, or take it as "
                                                  "it is by --url=",
                                                  paths.zip));
}

// As `status`, after the part was removed: what is wrong with it must not be met again.
absl::Status DropPart(const absl::Status& status, const Paths& paths) {
  TESSERA_RETURN_IF_ERROR(PartFile::Remove(paths.part));
  return absl::Status(status.code(), absl::StrCat(status.message(), "; the part was removed",
                                                  absl::IsDataLoss(status) ? ", run again" : ""));
}

absl::Status Download(const Paths& paths, const DownloadOptions& options, const Progress& progress,
                      DownloadSummary& summary) {
  TESSERA_ASSIGN_OR_RETURN(PartFile part, PartFile::Open(paths.part, ShownUrl(options.url)));
  HttpDownloadCounters counters;
  const absl::Status status = DownloadOverHttp(
      {.url = options.url,
       .expected_size = options.archive.size,
       .has_hash = options.archive.has_hash(),
       .limits = options.limits,
       .stall_timeout = options.stall_timeout},
      part,
      [&](uint64_t done, uint64_t total) {
        progress({.step = "download", .done = done, .total = total, .bytes = true});
      },
      counters);
  summary.resumed_at = counters.resumed_at;
  summary.fetched = counters.fetched;
  summary.requests = counters.requests;
  if (status.ok() || part.size() == 0) return status;
  return absl::Status(status.code(), absl::StrCat(status.message(), "; ", part.size(),
                                                  " bytes are kept, run again to go on"));
}

// The archive, checked.
absl::StatusOr<Archive> Obtain(const Paths& paths, const DownloadOptions& options,
                               const Progress& progress, DownloadSummary& summary) {
  const bool is_http =
      absl::StartsWith(options.url, "http://") || absl::StartsWith(options.url, "https://");
  if (!is_http) {
    const std::string path(absl::StripPrefix(options.url, "file://"));
    if (absl::StrContains(path, "://")) {
      return absl::InvalidArgumentError(
          absl::StrCat(options.url, ": expected http://, https://, file:// or a path"));
    }
    TESSERA_RETURN_IF_ERROR(Check(path, options.archive, progress));
    return Archive{path, /*is_part=*/false};
  }
  if (std::error_code error; fs::exists(paths.zip, error)) {
    TESSERA_RETURN_IF_ERROR(CheckZipInPlace(paths, options, progress));
    return Archive{paths.zip, /*is_part=*/false};
  }
  TESSERA_RETURN_IF_ERROR(Download(paths, options, progress, summary));
  const absl::Status status = Check(paths.part, options.archive, progress);
  if (absl::IsDataLoss(status)) return DropPart(status, paths);
  TESSERA_RETURN_IF_ERROR(status);
  return Archive{paths.part, /*is_part=*/true};
}

absl::Status Extract(const std::string& zip, const std::string& folder,
                     const DownloadOptions& options, const Progress& progress) {
  const uint64_t total = 2 * (options.train_pairs + options.val_pairs);
  TESSERA_RETURN_IF_ERROR(ExtractZip(
      {.zip = zip,
       .top = kAde20k.name,
       .folder = folder,
       .path_of = [&](absl::string_view path) { return PathInSet(path, options.names); }},
      [&](int64_t done) {
        progress({.step = "extract",
                  .done = static_cast<uint64_t>(done),
                  .total = total,
                  .bytes = false});
      }));
  for (const auto& [split, pairs] : {std::pair(options.names.train, options.train_pairs),
                                     std::pair(options.names.val, options.val_pairs)}) {
    const absl::Status status = CheckPairs(folder, split, pairs);
    if (!status.ok()) {
      return absl::Status(status.code(), absl::StrCat(zip, ": ", status.message()));
    }
  }
  return absl::OkStatus();
}

// Gives the folder its name. What is in it is on the disk before: a name that outlives a power cut
// must not be that of empty files.
absl::Status Publish(const std::string& folder, const std::string& root) {
  const FileDescriptor file(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!file.open() || syncfs(file.get()) != 0) {
    return FileError("write", folder, std::strerror(errno));
  }
  if (std::rename(folder.c_str(), root.c_str()) != 0) {
    return FileError("rename", absl::StrCat(folder, " to ", root), std::strerror(errno));
  }
  return absl::OkStatus();
}

// A part beside the set is of a process that was killed just before it would have removed it.
void RemoveStalePart(const Paths& paths) {
  if (std::error_code error; !fs::exists(paths.part, error)) return;
  const absl::StatusOr<WorkLock> lock = WorkLock::Take(paths.lock);
  if (lock.ok()) PartFile::Remove(paths.part).IgnoreError();
}

// Whether the set is there, which `summary` then describes.
absl::StatusOr<bool> IsThere(const Paths& paths, const DownloadOptions& options,
                             DownloadSummary& summary) {
  TESSERA_ASSIGN_OR_RETURN(std::optional<DownloadNote> note, FindDownloaded(paths.root));
  if (!note.has_value()) return false;
  if (note->names != options.names) {
    return absl::FailedPreconditionError(absl::StrCat(
        paths.root, " is there, with splits named ", note->names.train, " and ", note->names.val,
        ", expected ", options.names.train, " and ", options.names.val, "; pass --original_names=",
        note->names == OriginalNames() ? "true" : "false", ", or move it away"));
  }
  summary.note = *std::move(note);
  summary.was_there = true;
  return true;
}

absl::Status KeepZip(const Paths& paths) {
  if (std::rename(paths.part.c_str(), paths.zip.c_str()) == 0) return absl::OkStatus();
  return FileError("rename", absl::StrCat(paths.part, " to ", paths.zip), std::strerror(errno));
}

}  // namespace

absl::StatusOr<DownloadSummary> DownloadAde20k(const DownloadOptions& options,
                                               const Progress& progress) {
  const Paths paths(options.dir);
  DownloadSummary summary{.root = paths.root};
  TESSERA_ASSIGN_OR_RETURN(bool is_there, IsThere(paths, options, summary));
  if (is_there) {
    RemoveStalePart(paths);
    return summary;
  }
  TESSERA_RETURN_IF_ERROR(MakeFolder(paths.dir));
  TESSERA_ASSIGN_OR_RETURN(const WorkLock lock, WorkLock::Take(paths.lock));
  // Another process may have come to its end meanwhile.
  TESSERA_ASSIGN_OR_RETURN(is_there, IsThere(paths, options, summary));
  if (is_there) return summary;
  TESSERA_RETURN_IF_ERROR(RemovePartialFolders(paths));
  TESSERA_ASSIGN_OR_RETURN(const Archive archive, Obtain(paths, options, progress, summary));

  const PartialFolder partial(paths.Below(absl::StrCat(paths.partial_name, getpid())));
  TESSERA_RETURN_IF_ERROR(MakeFolder(partial.path));
  const absl::Status extracted = Extract(archive.path, partial.path, options, progress);
  const bool is_bad = absl::IsDataLoss(extracted) || absl::IsInvalidArgument(extracted);
  if (is_bad && archive.is_part) return DropPart(extracted, paths);
  TESSERA_RETURN_IF_ERROR(extracted);

  summary.note = {.url = ShownUrl(options.url),
                  .archive = options.archive,
                  .names = options.names,
                  .train_pairs = options.train_pairs,
                  .val_pairs = options.val_pairs};
  std::error_code error;
  summary.note.archive.size = fs::file_size(archive.path, error);
  TESSERA_RETURN_IF_ERROR(WriteDownloadNote(partial.path, summary.note));
  if (archive.is_part && options.keep_zip) TESSERA_RETURN_IF_ERROR(KeepZip(paths));
  TESSERA_RETURN_IF_ERROR(Publish(partial.path, paths.root));
  TESSERA_RETURN_IF_ERROR(PartFile::Remove(paths.part));
  return summary;
}

}  // namespace tessera
