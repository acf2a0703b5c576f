#include "data/formats/webdataset/tar_index_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/read_file.h"
#include "base/status_macros.h"
#include "base/write_file.h"
#include "xxhash.h"

namespace tessera {
namespace {

// A file is this, a hash of all that follows, and then numbers of 64 bits, arrays and texts, each
// behind its length. It is not meant to leave machines of one byte order.
constexpr absl::string_view kMagic = "TesseraTarIndex1";  // the last character is the version
constexpr size_t kHashEnd = kMagic.size() + sizeof(uint64_t);

class Writer {
 public:
  void Number(uint64_t value) { Append(&value, sizeof(value)); }
  void Text(absl::string_view text) {
    Number(text.size());
    Append(text.data(), text.size());
  }
  template <typename T>
  void Array(const std::vector<T>& values) {
    Number(values.size());
    Append(values.data(), values.size() * sizeof(T));
  }
  std::string Take() && { return std::move(bytes_); }

 private:
  void Append(const void* data, size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
  }

  std::string bytes_;
};

// After something was missing, what is read is 0 or empty.
class Reader {
 public:
  explicit Reader(absl::string_view bytes) : bytes_(bytes) {}

  uint64_t Number() {
    uint64_t value = 0;
    const absl::string_view bytes = Take(1, sizeof(value));
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof(value));
    return value;
  }
  std::string Text() {
    const uint64_t size = Number();
    return std::string(Take(size, 1));
  }
  template <typename T>
  std::vector<T> Array() {
    const uint64_t size = Number();
    const absl::string_view bytes = Take(size, sizeof(T));
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  bool good() const { return good_; }  // nothing was missing so far
  // Whether all was there, and nothing more.
  bool Done() const { return good_ && bytes_.empty(); }

 private:
  absl::string_view Take(uint64_t count, uint64_t size) {
    if (count > bytes_.size() / size) {
      good_ = false;
      bytes_ = {};
      return {};
    }
    const absl::string_view taken = bytes_.substr(0, count * size);
    bytes_.remove_prefix(taken.size());
    return taken;
  }

  absl::string_view bytes_;
  bool good_ = true;
};

std::string Serialize(const TarTables& tables, const TarStamp& stamp) {
  Writer writer;
  writer.Number(stamp.bytes);
  writer.Number(stamp.mark);
  writer.Text(stamp.compression);
  writer.Number(tables.tar_bytes);
  writer.Array(tables.key_ends);
  writer.Array(tables.field_ends);
  writer.Array(tables.offsets);
  writer.Array(tables.sizes);
  writer.Array(tables.extensions);
  writer.Text(tables.keys);
  writer.Number(tables.extension_names.size());
  for (const std::string& name : tables.extension_names) writer.Text(name);
  writer.Text(tables.sparse);
  writer.Number(tables.left_out.samples);
  writer.Number(tables.left_out.bytes);
  writer.Text(tables.left_out.reason);
  return std::move(writer).Take();
}

TarTables ReadTables(Reader& reader) {
  TarTables tables;
  tables.tar_bytes = reader.Number();
  tables.key_ends = reader.Array<uint64_t>();
  tables.field_ends = reader.Array<uint64_t>();
  tables.offsets = reader.Array<uint64_t>();
  tables.sizes = reader.Array<uint64_t>();
  tables.extensions = reader.Array<uint32_t>();
  tables.keys = reader.Text();
  const uint64_t extensions = reader.Number();
  for (uint64_t i = 0; i < extensions && reader.good(); ++i) {
    tables.extension_names.push_back(reader.Text());
  }
  tables.sparse = reader.Text();
  tables.left_out.samples = reader.Number();
  tables.left_out.bytes = reader.Number();
  tables.left_out.reason = reader.Text();
  return tables;
}

uint64_t NextNumber() {
  static std::atomic<uint64_t> number = 0;
  return number++;
}

absl::Status Damaged(const std::string& path, absl::string_view what) {
  return absl::DataLossError(absl::StrCat(path, " is damaged: ", what));
}

}  // namespace

absl::StatusOr<TarStamp> StampOf(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    return absl::NotFoundError(absl::StrCat("cannot read ", path, ": ", std::strerror(errno)));
  }
  const auto seconds = static_cast<uint64_t>(info.st_mtim.tv_sec);
  return TarStamp{static_cast<uint64_t>(info.st_size),
                  seconds * 1'000'000'000 + static_cast<uint64_t>(info.st_mtim.tv_nsec)};
}

absl::Status SaveTarIndex(const TarIndex& index, const TarStamp& stamp, const std::string& path) {
  const std::string tables = Serialize(index.tables(), stamp);
  Writer hash;
  hash.Number(XXH3_64bits(tables.data(), tables.size()));
  const std::string hash_bytes = std::move(hash).Take();
  // Processes that read the same set write it at the same time.
  const std::string own = absl::StrCat(path, ".", getpid(), ".", NextNumber());
  TESSERA_RETURN_IF_ERROR(WriteFile(own, {kMagic, hash_bytes, tables}, Durability::kCached));
  if (std::rename(own.c_str(), path.c_str()) == 0) return absl::OkStatus();
  const std::string cause = std::strerror(errno);
  std::remove(own.c_str());
  return absl::UnavailableError(absl::StrCat("cannot write ", path, ": ", cause));
}

absl::StatusOr<SavedTarIndex> LoadTarIndex(const std::string& path) {
  TESSERA_ASSIGN_OR_RETURN(const std::string file, ReadFile(path));
  const absl::string_view bytes = file;
  if (bytes.size() < kHashEnd) {
    return Damaged(path, absl::StrCat("it has ", bytes.size(), " bytes"));
  }
  if (!absl::StartsWith(bytes, kMagic)) {
    return absl::FailedPreconditionError(absl::StrCat(
        path, " is no tar's index of this version, which begins with \"", kMagic, "\""));
  }
  const absl::string_view tables = bytes.substr(kHashEnd);
  if (Reader(bytes.substr(kMagic.size())).Number() != XXH3_64bits(tables.data(), tables.size())) {
    return Damaged(path, "its hash is not that of its contents");
  }
  Reader reader(tables);
  TarStamp stamp;
  stamp.bytes = reader.Number();
  stamp.mark = reader.Number();
  stamp.compression = reader.Text();
  TarTables found = ReadTables(reader);
  if (!reader.Done()) return Damaged(path, "its tables do not end where the file does");
  TESSERA_ASSIGN_OR_RETURN(TarIndex index, TarIndex::Create(std::move(found)));
  return SavedTarIndex{std::move(index), stamp};
}

}  // namespace tessera
