#ifndef TESSERA_DATA_FORMATS_WEBDATASET_TAR_READER_H_
#define TESSERA_DATA_FORMATS_WEBDATASET_TAR_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

struct archive;
struct archive_entry;

namespace tessera {

// A regular file in a tar.
struct TarMember {
  std::string name;     // its bytes as they are stored, in whatever encoding
  uint64_t header = 0;  // where its first header begins: that of its long name if it has one
  // Its contents are so many bytes of the tar, from there ...
  uint64_t offset = 0;
  uint64_t size = 0;
  // ... but those of a sparse file, which are not in the tar as they are.
  std::optional<std::string> sparse;
};

// Why a tar cannot be read on.
struct TarDamage {
  uint64_t offset = 0;
  std::string reason;      // what was found there, and what was expected
  bool after_end = false;  // all files were read: it lies behind the end of the archive
};

// The regular files of a plain tar (v7, ustar, GNU, PAX), one after the other. Their contents are
// not touched: a tar in mapped memory is read at its headers alone.
//
// A tar need not have the zero blocks that mark its end. All else is damage, and never passed over:
// a cut header or cut contents, a wrong checksum, anything but zeros behind the end (a tar with
// another one appended, whose files tar itself does not list either), an empty file.
class TarReader {
 public:
  // `tar` outlives the reader.
  explicit TarReader(absl::string_view tar);

  // Null: there is no other; see damage().
  const TarMember* Next();

  const std::optional<TarDamage>& damage() const { return damage_; }

  // The file whose contents are cut, or were refused, if that is the damage: its name and header
  // are as they should be. Null: there is none.
  const TarMember* damaged_member() const { return in_member_ ? &member_ : nullptr; }

 private:
  struct Close {
    void operator()(archive* archive) const;
  };

  bool NextEntry(archive_entry** entry);
  bool LocateContents(archive_entry* entry);
  bool ExpandSparse(uint64_t size, uint64_t done);
  void CheckEnd(uint64_t end);
  void SetDamage(uint64_t offset, std::string reason);
  uint64_t Position() const;

  absl::string_view tar_;
  std::unique_ptr<archive, Close> archive_;
  TarMember member_;
  bool in_member_ = false;  // the damage lies in member_
  std::optional<TarDamage> damage_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_FORMATS_WEBDATASET_TAR_READER_H_
