#include "data/formats/webdataset/expand_tar.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "arrow/util/compression.h"
#include "base/file_descriptor.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"

namespace tessera {
namespace {

constexpr uint64_t kBlock = 512;  // of a tar
constexpr size_t kStep = 1 << 20;

constexpr absl::string_view kGz("\x1f\x8b\x08", 3);
constexpr absl::string_view kXz(
    "\xfd"
    "7zXZ\0",
    6);
constexpr absl::string_view kZst("\x28\xb5\x2f\xfd", 4);
// A tar may begin with a file called BZh9: what follows the digit is looked at too.
constexpr absl::string_view kBz2Block("1AY&SY", 6);
constexpr absl::string_view kBz2End("\x17\x72\x45\x38\x50\x90", 6);

// A file in the making: it has its name when it is whole.
class OutFile {
 public:
  explicit OutFile(const std::string& path)
      : path_(path),
        temporary_(path + ".tmp"),
        file_(open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {}
  ~OutFile() {
    if (file_.open()) std::remove(temporary_.c_str());
  }
  OutFile(const OutFile&) = delete;
  OutFile& operator=(const OutFile&) = delete;

  absl::Status Write(absl::string_view bytes) {
    if (!file_.open()) return Failed();
    size_ += bytes.size();
    while (!bytes.empty()) {
      const ssize_t count = write(file_.get(), bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return Failed();
      bytes.remove_prefix(count);
    }
    return absl::OkStatus();
  }

  // Cuts the file to whole blocks and ends it with `line`, which is shorter than one.
  absl::Status EndWith(absl::string_view line) {
    const auto whole = static_cast<off_t>(size_ / kBlock * kBlock);
    if (ftruncate(file_.get(), whole) != 0 || lseek(file_.get(), whole, SEEK_SET) != whole) {
      return Failed();
    }
    return Write(line.substr(0, kBlock - 1));
  }

  absl::Status Publish() {
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return Failed();
    file_ = FileDescriptor();
    return absl::OkStatus();
  }

 private:
  absl::Status Failed() const {
    return absl::UnavailableError(absl::StrCat("cannot write ", path_, ": ", std::strerror(errno)));
  }

  std::string path_;
  std::string temporary_;
  FileDescriptor file_;
  uint64_t size_ = 0;
};

using Sink = absl::FunctionRef<absl::Status(absl::string_view)>;

bool AllZeros(absl::string_view bytes) {
  return bytes.find_first_not_of('\0') == absl::string_view::npos;
}

arrow::Compression::type ArrowType(absl::string_view compression) {
  if (compression == "gz") return arrow::Compression::GZIP;
  return compression == "bz2" ? arrow::Compression::BZ2 : arrow::Compression::ZSTD;
}

// Damage is DataLoss; `at` is set to where it is, about. libarchive would do here too, but that it
// neither compares gzip's checksums nor says what follows the end.
absl::Status ExpandByArrow(absl::string_view compression, absl::string_view zip, Sink sink,
                           uint64_t* at) {
  const auto codec = arrow::util::Codec::Create(ArrowType(compression));
  if (!codec.ok()) return absl::UnimplementedError(codec.status().message());
  const auto stream = (*codec)->MakeDecompressor();
  if (!stream.ok()) return absl::InternalError(stream.status().message());
  const std::unique_ptr<char[]> out(new char[kStep]);
  *at = 0;
  while (true) {
    const absl::string_view rest = zip.substr(*at);
    const auto step = (*stream)->Decompress(static_cast<int64_t>(std::min(rest.size(), kStep)),
                                            reinterpret_cast<const uint8_t*>(rest.data()), kStep,
                                            reinterpret_cast<uint8_t*>(out.get()));
    if (!step.ok()) return absl::DataLossError(step.status().message());
    TESSERA_RETURN_IF_ERROR(sink(absl::string_view(out.get(), step->bytes_written)));
    *at += step->bytes_read;
    if ((*stream)->IsFinished()) {
      if (AllZeros(zip.substr(*at))) return absl::OkStatus();
      const arrow::Status reset = (*stream)->Reset();
      if (!reset.ok()) return absl::InternalError(reset.message());
    } else if (step->bytes_read == 0 && step->bytes_written == 0) {
      return absl::DataLossError("it is cut short");
    }
  }
}

// The same for xz, which Arrow does not know.
absl::Status ExpandByLibarchive(absl::string_view zip, Sink sink, uint64_t* at) {
  const std::unique_ptr<archive, int (*)(archive*)> reader(archive_read_new(), archive_read_free);
  archive_read_support_filter_xz(reader.get());
  archive_read_support_format_raw(reader.get());
  const auto damage = [&] {
    *at = std::max<la_int64_t>(0, archive_filter_bytes(reader.get(), -1));
    const char* const error = archive_error_string(reader.get());
    return absl::DataLossError(error == nullptr ? "it is cut short" : error);
  };
  archive_entry* entry = nullptr;
  if (archive_read_open_memory(reader.get(), zip.data(), zip.size()) != ARCHIVE_OK ||
      archive_read_next_header(reader.get(), &entry) != ARCHIVE_OK) {
    return damage();
  }
  while (true) {
    const void* block = nullptr;
    size_t count = 0;
    la_int64_t offset = 0;
    const int result = archive_read_data_block(reader.get(), &block, &count, &offset);
    if (result == ARCHIVE_EOF) break;
    if (result != ARCHIVE_OK) return damage();
    TESSERA_RETURN_IF_ERROR(sink(absl::string_view(static_cast<const char*>(block), count)));
  }
  *at = static_cast<uint64_t>(archive_filter_bytes(reader.get(), -1));
  if (AllZeros(zip.substr(std::min<uint64_t>(*at, zip.size())))) return absl::OkStatus();
  return absl::DataLossError("other data follow its end");
}

}  // namespace

absl::string_view FindCompression(absl::string_view file) {
  if (absl::StartsWith(file, kGz)) return "gz";
  if (absl::StartsWith(file, kXz)) return "xz";
  if (absl::StartsWith(file, kZst)) return "zst";
  if (absl::StartsWith(file, "BZh") && file.size() >= 10) {
    const absl::string_view magic = file.substr(4, 6);
    if (magic == kBz2Block || magic == kBz2End) return "bz2";
  }
  return "";
}

absl::StatusOr<LeftOut> ExpandTar(const std::string& in, const std::string& out,
                                  BadShard bad_shard) {
  TESSERA_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(in));
  const absl::string_view zip = file->contents();
  const absl::string_view compression = FindCompression(zip);
  if (compression.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(in, " is not compressed with gz, bz2, xz or zst"));
  }
  OutFile tar(out);
  const auto write = [&tar](absl::string_view bytes) { return tar.Write(bytes); };
  uint64_t at = 0;
  const absl::Status status = compression == "xz" ? ExpandByLibarchive(zip, write, &at)
                                                  : ExpandByArrow(compression, zip, write, &at);
  LeftOut left_out;
  if (!status.ok()) {
    if (!absl::IsDataLoss(status)) return status;
    left_out.reason = absl::StrCat(in, ", byte ", at, " of ", zip.size(), ": cannot decompress ",
                                   compression, ": ", status.message());
    if (bad_shard == BadShard::kStop) return absl::DataLossError(left_out.reason);
    left_out.bytes = zip.size() - std::min<uint64_t>(at, zip.size());
    TESSERA_RETURN_IF_ERROR(tar.EndWith(absl::StrCat("the rest is left out: ", left_out.reason)));
  }
  TESSERA_RETURN_IF_ERROR(tar.Publish());
  return left_out;
}

}  // namespace tessera
