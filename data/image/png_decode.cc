#include "data/image/png_decode.h"

#include <spng.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace tessera {
namespace {

// Chunks beside the pixels (texts, colour profiles) may be compressed a thousandfold: no more than
// this is unpacked of one, or kept of all.
constexpr size_t kMaxChunkBytes = size_t{16} << 20;
constexpr size_t kMaxCachedBytes = size_t{64} << 20;

using Context = std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)>;

absl::Status Error(int code) {
  switch (code) {
    case SPNG_IO_EOF:
    case SPNG_EIDAT_TOO_SHORT:
      return absl::DataLossError("cut short: the PNG file ends before its image; fetch it again");
    case SPNG_ECHUNK_CRC:
      return absl::DataLossError("damaged PNG: a chunk does not match its checksum");
    default:
      return absl::DataLossError(absl::StrCat("damaged PNG: ", spng_strerror(code)));
  }
}

// A decoder over `bytes` that has read the header.
absl::StatusOr<Context> Open(absl::string_view bytes, spng_ihdr* header) {
  Context context(spng_ctx_new(0), spng_ctx_free);
  if (context == nullptr) return absl::ResourceExhaustedError("out of memory in libspng");
  int code = spng_set_chunk_limits(context.get(), kMaxChunkBytes, kMaxCachedBytes);
  if (code == 0) code = spng_set_png_buffer(context.get(), bytes.data(), bytes.size());
  if (code == 0) code = spng_get_ihdr(context.get(), header);
  if (code != 0) return Error(code);
  TESSERA_RETURN_IF_ERROR(CheckPixelCount(header->height, header->width));
  return context;
}

absl::Status DecodePixels(const Context& context, spng_format format, uint8_t* out, size_t size) {
  int code = spng_decode_image(context.get(), out, size, format, 0);
  // The checksum of the last pixels stands behind them.
  if (code == 0) code = spng_decode_chunks(context.get());
  return code == 0 ? absl::OkStatus() : Error(code);
}

int Channels(const spng_ihdr& header) {
  switch (header.color_type) {
    case SPNG_COLOR_TYPE_GRAYSCALE:
    case SPNG_COLOR_TYPE_INDEXED:
      return 1;
    case SPNG_COLOR_TYPE_GRAYSCALE_ALPHA:
      return 2;
    case SPNG_COLOR_TYPE_TRUECOLOR:
      return 3;
    default:
      return 4;
  }
}

// Rows of `depth`-bit values, each row starting at a whole byte, to one byte a value, in the same
// memory: from the end, where there is room.
void Unpack(int depth, Image* mask) {
  const size_t row_bytes = (static_cast<size_t>(mask->width) * depth + 7) / 8;
  const int per_byte = 8 / depth;
  const int ones = (1 << depth) - 1;
  for (int y = mask->height - 1; y >= 0; --y) {
    const uint8_t* packed = mask->pixels.data() + y * row_bytes;
    uint8_t* row = mask->row(y);
    for (int x = mask->width - 1; x >= 0; --x) {
      const int shift = depth * (per_byte - 1 - x % per_byte);
      row[x] = static_cast<uint8_t>(packed[x / per_byte] >> shift & ones);
    }
  }
}

}  // namespace

absl::Status DecodePngRgb(absl::string_view bytes, Image* image) {
  spng_ihdr header;
  TESSERA_ASSIGN_OR_RETURN(const Context context, Open(bytes, &header));
  image->Resize(static_cast<int>(header.height), static_cast<int>(header.width), 3);
  return DecodePixels(context, SPNG_FMT_RGB8, image->pixels.data(), image->pixels.size());
}

absl::Status DecodePngIndices(absl::string_view bytes, Image* mask) {
  spng_ihdr header;
  TESSERA_ASSIGN_OR_RETURN(const Context context, Open(bytes, &header));
  const int channels = Channels(header);
  if (channels != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "mask has ", channels, " channels, where class indices have 1: ",
        channels == 2 ? "save it without alpha"
                      : "colours are no classes; of ADE20K, use the SceneParsing release "
                        "(ADEChallengeData2016), whose masks are gray"));
  }
  if (header.bit_depth == 16) {
    return absl::InvalidArgumentError(
        "mask has 16 bits a pixel: expected class indices of up to 8 bits");
  }
  mask->Resize(static_cast<int>(header.height), static_cast<int>(header.width), 1);
  const size_t row_bytes = (static_cast<size_t>(header.width) * header.bit_depth + 7) / 8;
  TESSERA_RETURN_IF_ERROR(
      DecodePixels(context, SPNG_FMT_RAW, mask->pixels.data(), row_bytes * header.height));
  if (header.bit_depth < 8) Unpack(header.bit_depth, mask);
  return absl::OkStatus();
}

absl::StatusOr<ImageInfo> ReadPngInfo(absl::string_view bytes) {
  spng_ihdr header;
  TESSERA_ASSIGN_OR_RETURN(const Context context, Open(bytes, &header));
  return ImageInfo{ImageFormat::kPng, static_cast<int>(header.height),
                   static_cast<int>(header.width), Channels(header)};
}

}  // namespace tessera
