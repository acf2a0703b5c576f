#include "tools/download/part_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "base/write_file.h"
#include "nlohmann/json.hpp"

namespace tessera {
namespace {

using nlohmann::json;

std::string NotePath(const std::string& path) { return path + ".json"; }

std::optional<PartFile::Origin> ReadNote(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(NotePath(path));
  if (!text.ok()) return std::nullopt;
  const json note = json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!note.is_object() || !note.contains("url") || !note["url"].is_string() ||
      !note.contains("version") || !note["version"].is_string()) {
    return std::nullopt;
  }
  PartFile::Origin origin{.url = note["url"], .version = note["version"]};
  if (note.contains("size") && note["size"].is_number_unsigned()) origin.size = note["size"];
  return origin;
}

}  // namespace

PartFile::PartFile(std::string path, FileDescriptor file, absl::string_view url)
    : path_(std::move(path)), file_(std::move(file)), origin_{.url = std::string(url)} {}

absl::StatusOr<PartFile> PartFile::Open(const std::string& path, absl::string_view url) {
  PartFile part(path, FileDescriptor(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)), url);
  struct stat about;
  if (!part.file_.open() || fstat(part.file_.get(), &about) != 0) return part.CannotWrite();
  part.size_ = about.st_size;
  const std::optional<Origin> origin = ReadNote(path);
  // Of a file of unknown size nobody could say whether the part is all of it.
  if (origin.has_value() && origin->url == url && origin->size.has_value() &&
      part.size_ <= *origin->size) {
    part.origin_ = *origin;
  } else {
    TESSERA_RETURN_IF_ERROR(part.Truncate());
  }
  return part;
}

absl::Status PartFile::Remove(const std::string& path) {
  for (const std::string& file : {path, NotePath(path)}) {
    if (unlink(file.c_str()) != 0 && errno != ENOENT) {
      return absl::InternalError(absl::StrCat("cannot remove ", file, ": ", std::strerror(errno)));
    }
  }
  return absl::OkStatus();
}

absl::Status PartFile::Restart(std::optional<uint64_t> size, absl::string_view version) {
  TESSERA_RETURN_IF_ERROR(Truncate());
  origin_.size = size;
  origin_.version = std::string(version);
  return WriteNote();
}

absl::Status PartFile::Append(absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = pwrite(file_.get(), bytes.data(), bytes.size(), size_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return CannotWrite();
    size_ += count;
    bytes.remove_prefix(count);
  }
  return absl::OkStatus();
}

absl::Status PartFile::Finish() {
  if (origin_.size.has_value()) return absl::OkStatus();
  origin_.size = size_;
  return WriteNote();
}

absl::Status PartFile::Truncate() {
  if (size_ > 0 && ftruncate(file_.get(), 0) != 0) return CannotWrite();
  size_ = 0;
  return absl::OkStatus();
}

absl::Status PartFile::WriteNote() const {
  json note = {{"url", origin_.url}, {"version", origin_.version}};
  if (origin_.size.has_value()) note["size"] = *origin_.size;
  // A server's version need not be UTF-8; one that is changed here never compares equal again.
  const std::string text = note.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
  const absl::Status status = WriteFile(NotePath(path_), text);
  return status.ok() ? status : absl::InternalError(status.message());
}

// Of a code that is not tried again.
absl::Status PartFile::CannotWrite() const {
  return absl::InternalError(absl::StrCat("cannot write ", path_, ": ", std::strerror(errno)));
}

}  // namespace tessera
