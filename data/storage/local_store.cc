#include "data/storage/local_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/file_descriptor.h"
#include "base/status_macros.h"
#include "base/write_file.h"

namespace tessera {
namespace {

absl::Status ErrnoError(int error, const std::string& path) {
  const std::string message = absl::StrCat(path, ": ", std::strerror(error));
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return absl::NotFoundError(message);
    case EACCES:
    case EPERM:
      return absl::PermissionDeniedError(message);
    case EISDIR:
    case ENAMETOOLONG:
    case ELOOP:
      return absl::InvalidArgumentError(message);
    default:  // a network file system's troubles pass
      return absl::UnavailableError(message);
  }
}

struct OpenFile {
  FileDescriptor file;
  uint64_t size = 0;
  std::string version = {};
};

absl::StatusOr<OpenFile> Open(const std::string& path) {
  OpenFile opened{.file = FileDescriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC))};
  struct stat about;
  if (!opened.file.open() || fstat(opened.file.get(), &about) != 0) return ErrnoError(errno, path);
  if (!S_ISREG(about.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": not a regular file"));
  }
  opened.size = about.st_size;
  opened.version =
      absl::StrCat(about.st_ino, "-", about.st_mtim.tv_sec, "-", about.st_mtim.tv_nsec);
  return opened;
}

absl::Status ReadAt(const OpenFile& from, uint64_t offset, absl::Span<char> out,
                    const std::string& path) {
  while (!out.empty()) {
    const ssize_t count = pread(from.file.get(), out.data(), out.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ErrnoError(errno, path);
    if (count == 0) return absl::DataLossError(absl::StrCat(path, ": shrank while it was read"));
    offset += count;
    out.remove_prefix(count);
  }
  return absl::OkStatus();
}

class LocalStore : public Store {
 public:
  explicit LocalStore(std::string folder) : folder_(std::move(folder)) {}

  std::string Uri(absl::string_view key) const override { return Path(key); }
  std::optional<std::string> LocalPath(absl::string_view key) const override { return Path(key); }

  absl::Status ReadRange(absl::string_view key, uint64_t size, uint64_t offset,
                         absl::Span<char> out, std::string* version) override {
    const std::string path = Path(key);
    TESSERA_ASSIGN_OR_RETURN(const OpenFile opened, Open(path));
    if (opened.size != size) {
      return absl::DataLossError(
          absl::StrCat(path, ": has ", opened.size, " bytes, expected ", size));
    }
    if (!version->empty() && *version != opened.version) {
      return absl::FailedPreconditionError(absl::StrCat(path, ": changed while it was read"));
    }
    TESSERA_RETURN_IF_ERROR(ReadAt(opened, offset, out, path));
    *version = opened.version;
    return absl::OkStatus();
  }

  absl::StatusOr<uint64_t> Size(absl::string_view key) override {
    TESSERA_ASSIGN_OR_RETURN(const OpenFile opened, Open(Path(key)));
    return opened.size;
  }

  absl::StatusOr<std::string> Read(absl::string_view key) override {
    const std::string path = Path(key);
    TESSERA_ASSIGN_OR_RETURN(const OpenFile opened, Open(path));
    std::string contents(opened.size, '\0');
    TESSERA_RETURN_IF_ERROR(ReadAt(opened, 0, absl::MakeSpan(contents), path));
    return contents;
  }

  absl::Status Write(absl::string_view key, absl::Span<const absl::string_view> pieces) override {
    const std::string path = Path(key);
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    std::error_code error;
    if (!folder.empty()) std::filesystem::create_directories(folder, error);
    if (error) return ErrnoError(error.value(), folder.string());
    absl::Status status = WriteFile(path, pieces, Durability::kSynced);
    // Unlike a store that asks to slow down, a full disk does not get better by itself.
    if (absl::IsResourceExhausted(status)) return absl::InternalError(status.message());
    return status;
  }

  absl::Status Remove(absl::string_view key) override {
    const std::string path = Path(key);
    if (unlink(path.c_str()) == 0 || errno == ENOENT) return absl::OkStatus();
    return ErrnoError(errno, path);
  }

 private:
  std::string Path(absl::string_view key) const {
    return key.empty() ? folder_ : absl::StrCat(folder_, folder_ == "/" ? "" : "/", key);
  }

  const std::string folder_;  // without a slash at its end, but for "/"
};

}  // namespace

std::shared_ptr<Store> OpenLocalStore(std::string folder) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return std::make_shared<LocalStore>(std::move(folder));
}

}  // namespace tessera
