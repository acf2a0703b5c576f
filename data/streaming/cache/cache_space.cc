#include "data/streaming/cache/cache_space.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status_macros.h"
#include "data/streaming/cache/file_lock.h"

namespace tessera {
namespace {

constexpr absl::Duration kLongestPause = absl::Milliseconds(50);

// Whether to go on.
bool Sleep(absl::Duration wait, const absl::Notification* stop) {
  if (stop != nullptr) return !stop->WaitForNotificationWithTimeout(wait);
  absl::SleepFor(wait);
  return true;
}

// Calls `visit` with a descriptor of the folder and the name of each entry. A folder that is not
// there has none.
template <typename Visit>
absl::Status ForEachEntry(const std::string& folder, const Visit& visit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder.c_str()), closedir);
  if (entries == nullptr && errno == ENOENT) return absl::OkStatus();
  if (entries == nullptr) return absl::ErrnoToStatus(errno, absl::StrCat("cannot list ", folder));
  while (const dirent* const entry = readdir(entries.get())) {
    visit(dirfd(entries.get()), entry->d_name);
  }
  return absl::OkStatus();
}

}  // namespace

struct CacheSpace::Candidate {
  timespec used;
  uint64_t bytes;
  absl::string_view folder;
  absl::string_view name;
};

absl::StatusOr<std::vector<TempFile>> CreateFiles(absl::Span<const CacheSpace::Want> wants) {
  std::vector<TempFile> files;
  for (const CacheSpace::Want& want : wants) {
    TESSERA_ASSIGN_OR_RETURN(TempFile file, TempFile::Create(want.path, want.bytes));
    files.push_back(std::move(file));
  }
  return files;
}

void RemoveAbandonedFiles(const std::string& folder) {
  const auto remove = [&](int, absl::string_view name) {
    if (IsTempName(name)) RemoveIfUnpinned(absl::StrCat(folder, "/", name));
  };
  ForEachEntry(folder, remove).IgnoreError();  // what cannot be listed is no harm
}

std::string LockPath(const std::string& folder) { return folder + "/.tessera.lock"; }

CacheSpace::CacheSpace(Options options, std::map<std::string, Files> folders)
    : options_(std::move(options)),
      folders_(std::move(folders)),
      limited_(options_.limit > 0 && !folders_.empty()),
      lock_path_(limited_ ? LockPath(folders_.begin()->first) : ""),
      reserved_(options_.reserved) {}

absl::StatusOr<std::unique_ptr<CacheSpace>> CacheSpace::Open(Options options,
                                                             std::map<std::string, Files> folders) {
  std::unique_ptr<CacheSpace> space(new CacheSpace(std::move(options), std::move(folders)));
  if (!space->limited_) return space;
  absl::Status started = space->Start();
  if (absl::IsPermissionDenied(started)) {
    space->unwritable_ = std::move(started);
  } else if (!started.ok()) {
    return started;
  }
  return space;
}

absl::Status CacheSpace::Start() {
  TESSERA_ASSIGN_OR_RETURN(const FileLock state, FileLock::Wait(lock_path_, kStateByte));
  TESSERA_ASSIGN_OR_RETURN(doorbell_, Doorbell::Open(lock_path_, options_.close_idle));
  return MakeRoom(0).status();
}

absl::StatusOr<std::vector<TempFile>> CacheSpace::Reserve(absl::Span<const Want> wants,
                                                          const absl::Notification* stop) {
  if (!limited_) return CreateFiles(wants);
  TESSERA_RETURN_IF_ERROR(unwritable_);
  uint64_t bytes = 0;
  for (const Want& want : wants) bytes += want.bytes;

  TESSERA_ASSIGN_OR_RETURN(const FileLock turn, FileLock::Wait(lock_path_, kTurnByte));
  const auto start = std::chrono::steady_clock::now();
  for (absl::Duration pause = absl::Microseconds(200);;
       pause = std::min(2 * pause, kLongestPause)) {
    uint64_t used = 0;
    {
      TESSERA_ASSIGN_OR_RETURN(const FileLock state, FileLock::Wait(lock_path_, kStateByte));
      TESSERA_ASSIGN_OR_RETURN(used, MakeRoom(bytes));
      if (used + bytes <= options_.limit) return CreateFiles(wants);
    }
    if (absl::FromChrono(std::chrono::steady_clock::now() - start) >= options_.patience) {
      return absl::DeadlineExceededError(absl::StrCat(
          "no room for the ", bytes, " bytes of ", wants.front().path, " in ",
          absl::FormatDuration(options_.patience), ": of the cache's limit of ", options_.limit,
          " bytes, ", used, " are in use; give it more, or let fewer shards be read at once"));
    }
    doorbell_->Ring();
    if (!Sleep(pause, stop)) {
      return absl::CancelledError(
          absl::StrCat("stopped while there was no room for ", wants.front().path));
    }
  }
}

bool CacheSpace::Claim(uint64_t bytes, uint64_t least) {
  if (!limited_) return true;
  if (!unwritable_.ok()) return false;
  const auto claim = [&] {
    const absl::StatusOr<FileLock> state = FileLock::Wait(lock_path_, kStateByte);
    if (!state.ok()) return false;
    if (reserved_ + bytes + least > options_.limit) return false;
    const absl::StatusOr<uint64_t> used = MakeRoom(bytes);
    if (!used.ok() || *used + bytes > options_.limit) return false;
    reserved_ += bytes;
    return true;
  };
  if (claim()) return true;
  options_.close_idle();
  return claim();
}

absl::StatusOr<FileDescriptor> CacheSpace::Publish(TempFile file) {
  if (!limited_) return file.Publish();
  // A file that changes its name while a folder is listed may be missing from the list.
  TESSERA_ASSIGN_OR_RETURN(const FileLock state, FileLock::Wait(lock_path_, kStateByte));
  return file.Publish();
}

void CacheSpace::Touch(int file) const {
  if (!limited_) return;
  const timespec times[] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};  // of access, of change
  futimens(file, times);  // another user's file may refuse: then it is evicted earlier
}

absl::StatusOr<uint64_t> CacheSpace::Count(std::vector<Candidate>* candidates) const {
  uint64_t used = reserved_;
  for (const auto& entry : folders_) {
    const std::string& path = entry.first;
    const Files& files = entry.second;
    const auto count = [&](int folder, const char* name) {
      const bool temp = IsTempName(name);
      const auto file = files.find(absl::string_view(name));
      if (!temp && file == files.end()) return;
      if (temp && candidates != nullptr && RemoveIfUnpinned(absl::StrCat(path, "/", name))) return;
      struct stat info {};
      if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return;
      const auto bytes = static_cast<uint64_t>(info.st_size);
      used += bytes;
      if (!temp && candidates != nullptr) {
        candidates->push_back({info.st_atim, bytes, path, file->first});
      }
    };
    TESSERA_RETURN_IF_ERROR(ForEachEntry(path, count));
  }
  return used;
}

absl::StatusOr<uint64_t> CacheSpace::MakeRoom(uint64_t bytes) {
  std::vector<Candidate> candidates;
  TESSERA_ASSIGN_OR_RETURN(uint64_t used, Count(&candidates));
  if (used + bytes <= options_.limit) return used;

  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const auto age = [&](const Candidate& candidate) {
    const std::pair time(candidate.used.tv_sec, candidate.used.tv_nsec);
    // A time to come is from before the clock was set back.
    const bool known = time <= std::pair(now.tv_sec, now.tv_nsec);
    return std::pair(known, time);
  };
  std::sort(candidates.begin(), candidates.end(),
            [&](const Candidate& a, const Candidate& b) { return age(a) < age(b); });
  for (const Candidate& candidate : candidates) {
    if (used + bytes <= options_.limit) break;
    if (!RemoveIfUnpinned(absl::StrCat(candidate.folder, "/", candidate.name))) continue;
    used -= candidate.bytes;
    ++evictions_;
  }
  return used;
}

}  // namespace tessera
