#include "data/image/encode.h"

#include <spng.h>

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "data/image/jpeg_error.h"

namespace tessera {
namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

absl::Status CheckImage(const Image& image) {
  if ((image.channels != 1 && image.channels != 3) || image.height < 1 || image.width < 1) {
    return absl::InvalidArgumentError(absl::StrCat("cannot encode an image of ", image.width, "x",
                                                   image.height, " with ", image.channels,
                                                   " channels: expected 1 or 3"));
  }
  return absl::OkStatus();
}

// Fills `*data`, which the caller frees; false after an error of libjpeg. No object with a
// destructor may live here: libjpeg reports errors by a jump.
bool Compress(const Image& image, int quality, JpegErrorManager* errors, unsigned char** data,
              unsigned long* size) {
  jpeg_compress_struct info{};
  info.err = jpeg_std_error(&errors->base);
  errors->base.error_exit = JumpOnJpegError;
  if (setjmp(errors->jump) != 0) {
    jpeg_destroy_compress(&info);
    return false;
  }
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, data, size);
  info.image_height = image.height;
  info.image_width = image.width;
  info.input_components = image.channels;
  info.in_color_space = image.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&info);  // chroma 4:2:0
  jpeg_set_quality(&info, quality, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = const_cast<JSAMPROW>(image.row(static_cast<int>(info.next_scanline)));
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  return true;
}

}  // namespace

absl::StatusOr<std::string> EncodePng(const Image& image) {
  if (absl::Status status = CheckImage(image); !status.ok()) return status;
  const std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)> context(spng_ctx_new(SPNG_CTX_ENCODER),
                                                                    spng_ctx_free);
  if (context == nullptr) return absl::ResourceExhaustedError("out of memory in libspng");
  spng_ihdr header{};
  header.height = image.height;
  header.width = image.width;
  header.bit_depth = 8;
  header.color_type = image.channels == 1 ? SPNG_COLOR_TYPE_GRAYSCALE : SPNG_COLOR_TYPE_TRUECOLOR;
  int code = spng_set_option(context.get(), SPNG_ENCODE_TO_BUFFER, 1);
  if (code == 0) code = spng_set_ihdr(context.get(), &header);
  if (code == 0) {
    code = spng_encode_image(context.get(), image.pixels.data(), image.pixels.size(), SPNG_FMT_PNG,
                             SPNG_ENCODE_FINALIZE);
  }
  size_t size = 0;
  const std::unique_ptr<void, Free> data(
      code == 0 ? spng_get_png_buffer(context.get(), &size, &code) : nullptr);
  if (data == nullptr) {
    return absl::InternalError(absl::StrCat("cannot encode PNG: ", spng_strerror(code)));
  }
  return std::string(static_cast<const char*>(data.get()), size);
}

absl::StatusOr<std::string> EncodeJpeg(const Image& image, int quality) {
  if (absl::Status status = CheckImage(image); !status.ok()) return status;
  if (quality < 1 || quality > 100) {
    return absl::InvalidArgumentError(absl::StrCat("JPEG quality ", quality, ": give 1 to 100"));
  }
  JpegErrorManager errors{};
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  const bool done = Compress(image, quality, &errors, &memory, &size);
  const std::unique_ptr<unsigned char, Free> data(memory);
  if (!done) return absl::InternalError(absl::StrCat("cannot encode JPEG: ", errors.message));
  return std::string(reinterpret_cast<const char*>(data.get()), size);
}

}  // namespace tessera
