#include "data/formats/webdataset/tar_reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tessera {
namespace {

constexpr uint64_t kBlock = 512;
// Holes take no room in a tar: a small one may claim a file of any size.
constexpr uint64_t kMostSparse = uint64_t{1} << 28;

// In the C locale libarchive leaves names as they are. In others it decodes those of PAX headers
// and composes them (NFC), so that a key would depend on the user's locale and differ from
// Python's.
class ScopedCLocale {
 public:
  ScopedCLocale() {
    static const locale_t c = newlocale(LC_ALL_MASK, "C", nullptr);
    before_ = uselocale(c);
  }
  ~ScopedCLocale() { uselocale(before_); }
  ScopedCLocale(const ScopedCLocale&) = delete;
  ScopedCLocale& operator=(const ScopedCLocale&) = delete;

 private:
  locale_t before_;
};

std::string LastError(archive* archive) {
  const char* const error = archive_error_string(archive);
  return error == nullptr ? "no cause is given" : error;
}

size_t FirstNonZero(absl::string_view bytes, size_t begin) {
  return std::min(bytes.find_first_not_of('\0', begin), bytes.size());
}

}  // namespace

void TarReader::Close::operator()(archive* archive) const { archive_read_free(archive); }

TarReader::TarReader(absl::string_view tar) : tar_(tar), archive_(archive_read_new()) {
  if (tar.empty()) {
    SetDamage(0, "found an empty file, expected a tar");
    return;
  }
  const ScopedCLocale locale;
  archive_read_support_format_tar(archive_.get());
  if (archive_read_open_memory(archive_.get(), tar.data(), tar.size()) != ARCHIVE_OK) {
    SetDamage(0, "found no header of a tar (it is none, or damaged), expected one");
  }
}

const TarMember* TarReader::Next() {
  if (damage_.has_value()) return nullptr;
  const ScopedCLocale locale;
  archive_entry* entry = nullptr;
  while (NextEntry(&entry)) {
    const char* const name = archive_entry_pathname(entry);
    member_.name = name == nullptr ? "" : name;
    if (archive_entry_filetype(entry) == AE_IFREG && archive_entry_hardlink(entry) == nullptr) {
      in_member_ = !LocateContents(entry);
      return in_member_ ? nullptr : &member_;
    }
    if (archive_read_data_skip(archive_.get()) != ARCHIVE_OK) {
      SetDamage(tar_.size(),
                absl::StrCat("found the end in ", member_.name, ", expected its rest"));
      return nullptr;
    }
  }
  return nullptr;
}

// Moves to the next header. False: there is none, or damage.
bool TarReader::NextEntry(archive_entry** entry) {
  const uint64_t begin = Position();  // all contents so far were read or skipped
  const int result = archive_read_next_header(archive_.get(), entry);
  member_.header = begin;
  if (result == ARCHIVE_OK) return true;
  const std::string error = LastError(archive_.get());
  // A name that is not ASCII, which stays as it is.
  if (result == ARCHIVE_WARN && absl::StrContains(error, "can't be converted")) return true;
  const uint64_t rest = tar_.size() - begin;
  if (result == ARCHIVE_EOF) {
    CheckEnd(begin);
  } else if (rest >= kBlock) {
    SetDamage(begin,
              absl::StrCat("found a damaged header (", error, "), expected that of the next file"));
  } else if (FirstNonZero(tar_, begin) < tar_.size()) {  // else it is a zero block that was cut
    SetDamage(begin,
              absl::StrCat("found ", rest, " bytes of a header that was cut, expected ", kBlock));
  }
  return false;
}

bool TarReader::LocateContents(archive_entry* entry) {
  const auto size = static_cast<uint64_t>(archive_entry_size(entry));
  const uint64_t begin = Position();
  member_.offset = begin;
  member_.size = size;
  member_.sparse.reset();
  uint64_t done = 0;
  while (true) {
    const void* block = nullptr;
    size_t count = 0;
    la_int64_t offset = 0;
    const int result = archive_read_data_block(archive_.get(), &block, &count, &offset);
    if (result == ARCHIVE_EOF) break;
    if (result != ARCHIVE_OK) {
      const uint64_t found = tar_.size() - begin;
      SetDamage(tar_.size(), found < size
                                 ? absl::StrCat("found the end after ", found, " bytes of ",
                                                member_.name, ", expected ", size)
                                 : absl::StrCat("found the end in the padding after ", member_.name,
                                                ", expected a multiple of ", kBlock, " bytes"));
      return false;
    }
    // The blocks are views of the tar itself, which is one block unless the file is sparse.
    const uint64_t at = static_cast<const char*>(block) - tar_.data();
    if (done == 0 && count > 0) member_.offset = at;
    const bool in_place = static_cast<uint64_t>(offset) == done && at == member_.offset + done;
    if (count == 0) continue;
    if (!member_.sparse.has_value() && !in_place && !ExpandSparse(size, done)) return false;
    if (member_.sparse.has_value()) {
      std::memcpy(member_.sparse->data() + offset, block, count);
    }
    done += count;
  }
  return member_.sparse.has_value() || done == size || ExpandSparse(size, done);
}

// Makes the member one with contents of its own, of which the first `done` bytes are in the tar.
bool TarReader::ExpandSparse(uint64_t size, uint64_t done) {
  if (size > kMostSparse) {
    SetDamage(member_.header, absl::StrCat("found the sparse file ", member_.name, " of ", size,
                                           " bytes, expected at most ", kMostSparse));
    return false;
  }
  member_.sparse.emplace(size, '\0');
  std::memcpy(member_.sparse->data(), tar_.data() + member_.offset, done);
  return true;
}

// Checks that nothing follows where libarchive sees the end.
void TarReader::CheckEnd(uint64_t end) {
  const size_t data = FirstNonZero(tar_, end);
  if (data == tar_.size()) return;
  if (data < end + kBlock) {
    return SetDamage(end, "found the header of a long name or the like, expected a file after it");
  }
  SetDamage(data,
            "found data behind the end of the archive, expected zeros or nothing (tars cannot "
            "be joined by appending one to another)");
  damage_->after_end = true;
}

void TarReader::SetDamage(uint64_t offset, std::string reason) {
  damage_ = TarDamage{offset, std::move(reason)};
}

uint64_t TarReader::Position() const {
  return static_cast<uint64_t>(archive_filter_bytes(archive_.get(), 0));
}

}  // namespace tessera
