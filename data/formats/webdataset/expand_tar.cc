#include "data/formats/webdataset/expand_tar.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "arrow/util/compression.h"
#include "base/status_macros.h"

namespace tessera {
namespace {

constexpr uint64_t kBlock = 512;  // of a tar
constexpr size_t kStep = 1 << 20;
// The same whatever the damage and the path, so that the expanded tar has one size.
constexpr absl::string_view kDamageLine =
    "The rest is left out: the compressed file of this tar is damaged.\n";

constexpr absl::string_view kGz("\x1f\x8b\x08", 3);
constexpr absl::string_view kXz(
    "\xfd"
    "7zXZ\0",
    6);
constexpr absl::string_view kZst("\x28\xb5\x2f\xfd", 4);
// A tar may begin with a file called BZh9: what follows the digit is looked at too.
constexpr absl::string_view kBz2Block("1AY&SY", 6);
constexpr absl::string_view kBz2End("\x17\x72\x45\x38\x50\x90", 6);

using Sink = absl::FunctionRef<absl::Status(absl::string_view)>;

// Hands on whole blocks, and keeps what is none yet.
class BlockSink {
 public:
  explicit BlockSink(Sink sink) : sink_(sink) {}

  absl::Status Write(absl::string_view bytes) {
    if (!rest_.empty()) {
      const absl::string_view more = bytes.substr(0, kBlock - rest_.size());
      absl::StrAppend(&rest_, more);
      bytes.remove_prefix(more.size());
      if (rest_.size() < kBlock) return absl::OkStatus();
      TESSERA_RETURN_IF_ERROR(sink_(rest_));
      rest_.clear();
    }
    const uint64_t whole = bytes.size() / kBlock * kBlock;
    rest_ = std::string(bytes.substr(whole));
    return whole == 0 ? absl::OkStatus() : sink_(bytes.substr(0, whole));
  }

  absl::Status Finish() { return rest_.empty() ? absl::OkStatus() : sink_(rest_); }
  absl::Status FinishAtDamage() { return sink_(kDamageLine); }

 private:
  Sink sink_;
  std::string rest_;
};

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

absl::StatusOr<LeftOut> ExpandTar(absl::string_view zip, absl::string_view path, BadShard bad_shard,
                                  Sink sink) {
  const absl::string_view compression = FindCompression(zip);
  if (compression.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " is not compressed with gz, bz2, xz or zst"));
  }
  BlockSink blocks(sink);
  absl::Status sink_status;  // tells damage of a tar from what is wrong with the sink
  const auto write = [&](absl::string_view bytes) { return sink_status = blocks.Write(bytes); };
  uint64_t at = 0;
  const absl::Status status = compression == "xz" ? ExpandByLibarchive(zip, write, &at)
                                                  : ExpandByArrow(compression, zip, write, &at);
  TESSERA_RETURN_IF_ERROR(sink_status);
  if (status.ok()) {
    TESSERA_RETURN_IF_ERROR(blocks.Finish());
    return LeftOut();
  }
  if (!absl::IsDataLoss(status)) return status;
  LeftOut left_out;
  left_out.reason = absl::StrCat(path, ", byte ", at, " of ", zip.size(), ": cannot decompress ",
                                 compression, ": ", status.message());
  if (bad_shard == BadShard::kStop) return absl::DataLossError(left_out.reason);
  left_out.bytes = zip.size() - std::min<uint64_t>(at, zip.size());
  TESSERA_RETURN_IF_ERROR(blocks.FinishAtDamage());
  return left_out;
}

}  // namespace tessera
