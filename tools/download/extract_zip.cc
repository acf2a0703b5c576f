#include "tools/download/extract_zip.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/file_descriptor.h"
#include "base/status_macros.h"

namespace tessera {
namespace {

constexpr size_t kBlock = 1 << 16;

struct FreeArchive {
  void operator()(archive* archive) const { archive_read_free(archive); }
};
using ArchivePtr = std::unique_ptr<archive, FreeArchive>;

std::string LastError(archive* archive) {
  const char* const error = archive_error_string(archive);
  return error == nullptr ? "no cause is given" : error;
}

// As it is safe to print.
std::string Quoted(absl::string_view name) {
  return absl::StrCat("\"", absl::Utf8SafeCEscape(name), "\"");
}

std::string NameOf(archive_entry* entry) {
  const char* const name = archive_entry_pathname(entry);
  return name == nullptr ? "" : name;
}

// Of a file in which no zip's directory is found at the end.
absl::Status NoDirectory(const std::string& zip, const std::string& error) {
  const ArchivePtr archive(archive_read_new());
  archive_read_support_format_zip_streamable(archive.get());
  std::string last;
  if (archive_read_open_filename(archive.get(), zip.c_str(), kBlock) == ARCHIVE_OK) {
    archive_entry* entry = nullptr;
    int result = ARCHIVE_OK;
    while ((result = archive_read_next_header(archive.get(), &entry)) == ARCHIVE_OK ||
           result == ARCHIVE_WARN) {
      last = NameOf(entry);
      if (archive_read_data_skip(archive.get()) != ARCHIVE_OK) break;
    }
  }
  if (last.empty()) {
    return absl::DataLossError(absl::StrCat(zip, ": found no zip (", error, "), expected one"));
  }
  return absl::DataLossError(absl::StrCat(zip, ": found no directory of a zip at its end (", error,
                                          "), expected one: the file is cut off or damaged; the "
                                          "last entry in it is ",
                                          Quoted(last)));
}

// The path of an entry below `top`; empty for that of `top` itself.
absl::StatusOr<std::string> PathBelow(absl::string_view top, absl::string_view name) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(absl::StripSuffix(name, "/"), absl::ByChar('/'));
  for (const absl::string_view part : parts) {
    if (part.empty() || part == "." || part == "..") {
      return absl::InvalidArgumentError(
          "found a path that leads elsewhere, expected one without \"..\" and the like");
    }
  }
  if (parts.front() != top) {
    return absl::InvalidArgumentError(
        absl::StrCat("found an entry outside of ", top, "/, expected all of them in it"));
  }
  if (parts.size() == 1) return "";
  return std::string(absl::StripSuffix(name.substr(top.size() + 1), "/"));
}

class Extractor {
 public:
  Extractor(const ZipExtraction& what, archive* archive) : what_(what), archive_(archive) {}

  // Errors do not name the entry.
  absl::Status Extract(archive_entry* entry) {
    const bool is_folder = archive_entry_filetype(entry) == AE_IFDIR;
    if ((archive_entry_filetype(entry) != AE_IFREG && !is_folder) ||
        archive_entry_hardlink(entry) != nullptr || archive_entry_symlink(entry) != nullptr) {
      return absl::InvalidArgumentError(
          "found a link or a special file, expected folders and regular files alone");
    }
    TESSERA_ASSIGN_OR_RETURN(const std::string below, PathBelow(what_.top, NameOf(entry)));
    if (below.empty()) {
      if (is_folder) return absl::OkStatus();
      return absl::InvalidArgumentError("found a file, expected a folder");
    }
    const std::string path = absl::StrCat(what_.folder, "/", what_.path_of(below));
    if (is_folder) return MakeFolder(path);
    TESSERA_RETURN_IF_ERROR(MakeFolder(std::filesystem::path(path).parent_path().string()));
    TESSERA_RETURN_IF_ERROR(WriteFile(path));
    ++files_;
    return absl::OkStatus();
  }

  int64_t files() const { return files_; }

 private:
  absl::Status MakeFolder(const std::string& path) {
    if (path == made_) return absl::OkStatus();  // most entries are in the folder of the one before
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) return CannotWrite(path, error.value());
    made_ = path;
    return absl::OkStatus();
  }

  absl::Status WriteFile(const std::string& path) {
    constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    FileDescriptor file(open(path.c_str(), kNew, 0666));
    if (!file.open() && errno == EEXIST) {
      return absl::InvalidArgumentError("found it twice, expected it once");
    }
    if (!file.open()) return CannotWrite(path, errno);
    while (true) {
      const void* block = nullptr;
      size_t count = 0;
      la_int64_t offset = 0;
      const int result = archive_read_data_block(archive_, &block, &count, &offset);
      if (result == ARCHIVE_EOF) break;
      if (result != ARCHIVE_OK) return absl::DataLossError(LastError(archive_));
      absl::string_view rest(static_cast<const char*>(block), count);
      while (!rest.empty()) {
        const ssize_t written = pwrite(file.get(), rest.data(), rest.size(), offset);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return CannotWrite(path, errno);
        rest.remove_prefix(written);
        offset += written;
      }
    }
    // Some file systems tell here that there was no room.
    if (close(file.Release()) != 0) return CannotWrite(path, errno);
    return absl::OkStatus();
  }

  static absl::Status CannotWrite(const std::string& path, int error) {
    return absl::InternalError(absl::StrCat("cannot write ", path, ": ", std::strerror(error)));
  }

  const ZipExtraction& what_;
  archive* const archive_;
  std::string made_;
  int64_t files_ = 0;
};

}  // namespace

absl::Status ExtractZip(const ZipExtraction& what, absl::FunctionRef<void(int64_t done)> done) {
  const ArchivePtr archive(archive_read_new());
  // By the directory at its end, which alone tells links from files.
  archive_read_support_format_zip_seekable(archive.get());
  if (archive_read_open_filename(archive.get(), what.zip.c_str(), kBlock) != ARCHIVE_OK) {
    return NoDirectory(what.zip, LastError(archive.get()));
  }
  Extractor extractor(what, archive.get());
  std::string last;
  while (true) {
    archive_entry* entry = nullptr;
    const int result = archive_read_next_header(archive.get(), &entry);
    if (result == ARCHIVE_EOF) return absl::OkStatus();
    if (result < ARCHIVE_WARN) {
      const std::string error = LastError(archive.get());
      if (last.empty()) return NoDirectory(what.zip, error);
      return absl::DataLossError(
          absl::StrCat(what.zip, ": found damage after the entry ", Quoted(last), ": ", error));
    }
    last = NameOf(entry);
    if (const absl::Status status = extractor.Extract(entry); !status.ok()) {
      return absl::Status(status.code(),
                          absl::StrCat(what.zip, ": entry ", Quoted(last), ": ", status.message()));
    }
    done(extractor.files());
  }
}

}  // namespace tessera
