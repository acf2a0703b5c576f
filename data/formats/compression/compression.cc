#include "data/formats/compression/compression.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "arrow/util/compression.h"
#include "base/status_macros.h"

namespace tessera {
namespace {

using ArrowType = arrow::Compression::type;

struct Algorithm {
  absl::string_view name;
  ArrowType type;
  int lowest, highest, standard;  // levels; `highest` below `lowest`: it has none
};

constexpr Algorithm kAlgorithms[] = {
    {"br", arrow::Compression::BROTLI, 0, 11, 11}, {"bz2", arrow::Compression::BZ2, 1, 9, 9},
    {"gz", arrow::Compression::GZIP, 0, 9, 9},     {"snappy", arrow::Compression::SNAPPY, 0, -1, 0},
    {"zstd", arrow::Compression::ZSTD, 1, 22, 3},
};

constexpr int kZstdWorkers = 400;  // ZSTD_c_nbWorkers, a number that zstd.h promises to keep

const Algorithm& Find(absl::string_view name) {
  return *std::find_if(std::begin(kAlgorithms), std::end(kAlgorithms),
                       [&](const Algorithm& algorithm) { return algorithm.name == name; });
}

absl::StatusOr<std::unique_ptr<arrow::util::Codec>> MakeArrowCodec(ArrowType type, int level) {
  auto codec = [&] {
    if (type == arrow::Compression::SNAPPY) return arrow::util::Codec::Create(type);
    if (type != arrow::Compression::ZSTD) return arrow::util::Codec::Create(type, level);
    // Python's zstd module compresses with workers, whose number does not matter to the result but
    // that there are any does.
    arrow::util::ZstdCodecOptions options;
    options.compression_level = level;
    options.compression_context_params = {{kZstdWorkers, 1}};
    return arrow::util::Codec::Create(type, options);
  }();
  if (!codec.ok()) return absl::UnimplementedError(codec.status().message());
  return *std::move(codec);
}

const uint8_t* Data(absl::string_view bytes) {
  return reinterpret_cast<const uint8_t*>(bytes.data());
}

// For codecs that Arrow does not compress with in one call.
arrow::Result<std::string> CompressStream(arrow::util::Codec& codec, absl::string_view bytes) {
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::util::Compressor> stream,
                        codec.MakeCompressor());
  std::string out(bytes.size() / 2 + 1024, '\0');
  size_t size = 0;
  const auto room = [&] { return static_cast<int64_t>(out.size() - size); };
  const auto at = [&] { return reinterpret_cast<uint8_t*>(out.data()) + size; };
  while (!bytes.empty()) {
    ARROW_ASSIGN_OR_RAISE(const auto step, stream->Compress(static_cast<int64_t>(bytes.size()),
                                                            Data(bytes), room(), at()));
    bytes.remove_prefix(step.bytes_read);
    size += step.bytes_written;
    if (step.bytes_read == 0) out.resize(2 * out.size());
  }
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const auto end, stream->End(room(), at()));
    size += end.bytes_written;
    if (!end.should_retry) break;
    out.resize(2 * out.size());
  }
  out.resize(size);
  return out;
}

arrow::Result<std::string> CompressOnce(arrow::util::Codec& codec, absl::string_view bytes) {
  const auto size = static_cast<int64_t>(bytes.size());
  std::string out(codec.MaxCompressedLen(size, Data(bytes)), '\0');
  ARROW_ASSIGN_OR_RAISE(const int64_t used,
                        codec.Compress(size, Data(bytes), static_cast<int64_t>(out.size()),
                                       reinterpret_cast<uint8_t*>(out.data())));
  out.resize(used);
  return out;
}

// What Python writes into a gzip header: 2 or 4 for the best or fastest level, and 255 for an
// unknown system. The time stays 0, so that the same contents give the same file.
void SetPythonGzipHeader(int level, std::string* zip) {
  (*zip)[8] = level == 9 ? 2 : level == 1 ? 4 : 0;
  (*zip)[9] = '\xff';
}

arrow::Status WrongSize(absl::string_view verb, size_t expected) {
  return arrow::Status::IOError(
      absl::StrCat("its contents ", verb, " the ", expected, " bytes that are expected"));
}

// br, bz2 and gz: Arrow's one-call forms ignore what follows the end, or do not exist.
arrow::Status DecompressStream(arrow::util::Codec& codec, bool members, absl::string_view zip,
                               absl::Span<char> out) {
  ARROW_ASSIGN_OR_RAISE(const std::shared_ptr<arrow::util::Decompressor> stream,
                        codec.MakeDecompressor());
  size_t size = 0;
  while (true) {
    // When all is there, the stream must still come to its end: one byte more is one too many.
    uint8_t beyond = 0;
    const bool full = size == out.size();
    ARROW_ASSIGN_OR_RAISE(
        const auto step,
        stream->Decompress(static_cast<int64_t>(zip.size()), Data(zip),
                           full ? 1 : static_cast<int64_t>(out.size() - size),
                           full ? &beyond : reinterpret_cast<uint8_t*>(out.data()) + size));
    if (full && step.bytes_written > 0) return WrongSize("exceed", out.size());
    zip.remove_prefix(step.bytes_read);
    size += step.bytes_written;
    if (stream->IsFinished()) {
      if (zip.empty()) break;
      if (!members) {
        return arrow::Status::IOError(absl::StrCat(zip.size(), " bytes follow its end"));
      }
      ARROW_RETURN_NOT_OK(stream->Reset());
    } else if (step.bytes_read == 0 && step.bytes_written == 0) {
      return arrow::Status::IOError("it is cut short");
    }
  }
  return size == out.size() ? arrow::Status::OK() : WrongSize("fall short of", out.size());
}

arrow::Status DecompressOnce(arrow::util::Codec& codec, absl::string_view zip,
                             absl::Span<char> out) {
  uint8_t nothing = 0;
  ARROW_ASSIGN_OR_RAISE(
      const int64_t size,
      codec.Decompress(static_cast<int64_t>(zip.size()), Data(zip),
                       static_cast<int64_t>(out.size()),
                       out.empty() ? &nothing : reinterpret_cast<uint8_t*>(out.data())));
  return size == static_cast<int64_t>(out.size()) ? arrow::Status::OK()
                                                  : WrongSize("fall short of", out.size());
}

}  // namespace

absl::StatusOr<Codec> Codec::Parse(absl::string_view text) {
  for (const Algorithm& algorithm : kAlgorithms) {
    if (text == algorithm.name) return Codec(algorithm.name, algorithm.standard);
    for (int level = algorithm.lowest; level <= algorithm.highest; ++level) {
      if (text == absl::StrCat(algorithm.name, ":", level)) return Codec(algorithm.name, level);
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("there is no compression \"", text,
                   "\"; the known are br[:0-11], bz2[:1-9], gz[:0-9], snappy and zstd[:1-22]"));
}

absl::StatusOr<std::string> Codec::Compress(absl::string_view bytes) const {
  const ArrowType type = Find(extension_).type;
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<arrow::util::Codec> codec,
                           MakeArrowCodec(type, level_));
  arrow::Result<std::string> zip =
      type == arrow::Compression::BZ2 ? CompressStream(*codec, bytes) : CompressOnce(*codec, bytes);
  if (!zip.ok()) {
    return absl::InternalError(
        absl::StrCat("cannot compress with ", extension_, ": ", zip.status().message()));
  }
  if (type == arrow::Compression::GZIP) SetPythonGzipHeader(level_, &*zip);
  return *std::move(zip);
}

absl::Status Codec::Decompress(absl::string_view zip, absl::Span<char> out) const {
  const ArrowType type = Find(extension_).type;
  TESSERA_ASSIGN_OR_RETURN(const std::unique_ptr<arrow::util::Codec> codec,
                           MakeArrowCodec(type, level_));
  const bool once = type == arrow::Compression::SNAPPY || type == arrow::Compression::ZSTD;
  const bool members = type != arrow::Compression::BROTLI;
  const arrow::Status status =
      once ? DecompressOnce(*codec, zip, out) : DecompressStream(*codec, members, zip, out);
  if (status.ok()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("cannot decompress ", zip.size(), " bytes of ",
                                          extension_, ": ", status.message()));
}

}  // namespace tessera
