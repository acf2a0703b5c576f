#include "data/image/jpeg_decode.h"

#include <csetjmp>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "data/image/jpeg_error.h"

// After jpeglib.h, which jpeg_error.h includes.
#include <jerror.h>

namespace tessera {
namespace {

// Warnings that leave every pixel as the writer meant it.
bool IsHarmless(int code) {
  return code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR || code == JWRN_ADOBE_XFORM;
}

// Level -1 is a warning: by default libjpeg fills in what is missing and goes on.
void OnMessage(j_common_ptr info, int level) {
  if (level < 0 && !IsHarmless(info->err->msg_code)) JumpOnJpegError(info);
}

void IgnoreMessage(j_common_ptr) {}
void IgnoreSource(j_decompress_ptr) {}

// The source is one buffer, so this is called only when the file ended too early.
boolean OnEndOfData(j_decompress_ptr info) {
  const auto common = reinterpret_cast<j_common_ptr>(info);
  JpegErrorManager::Of(common).cut_short = true;
  info->err->msg_code = JWRN_JPEG_EOF;
  JumpOnJpegError(common);
}

void Skip(j_decompress_ptr info, long count) {
  if (count <= 0) return;
  jpeg_source_mgr* source = info->src;
  if (static_cast<size_t>(count) > source->bytes_in_buffer) OnEndOfData(info);
  source->next_input_byte += count;
  source->bytes_in_buffer -= count;
}

// x * y / 255, rounded, for x and y in 0 to 255.
inline int MultiplyUnit(int x, int y) {
  const int product = x * y + 128;
  return (product + (product >> 8)) >> 8;
}

// CMYK as Adobe stores it (0 is full ink) to RGB: each colour is the product of its two lights,
// rounded as Pillow's convert("RGB") rounds.
void InvertedCmykToRgb(const uint8_t* cmyk, int pixels, uint8_t* rgb) {
  for (int i = 0; i < pixels; ++i, cmyk += 4, rgb += 3) {
    const int light = cmyk[3];
    for (int c = 0; c < 3; ++c) {
      rgb[c] = static_cast<uint8_t>(light - MultiplyUnit(255 - cmyk[c], light));
    }
  }
}

// A decompressor of libjpeg that is used for one file after another.
class JpegDecoder {
 public:
  JpegDecoder() {
    info_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = JumpOnJpegError;
    errors_.base.emit_message = OnMessage;
    errors_.base.output_message = IgnoreMessage;
    source_.init_source = IgnoreSource;
    source_.fill_input_buffer = OnEndOfData;
    source_.skip_input_data = Skip;
    source_.resync_to_restart = jpeg_resync_to_restart;
    source_.term_source = IgnoreSource;
    // The one failure here is a library of another version than the headers.
    created_ = setjmp(errors_.jump) == 0;
    if (created_) jpeg_create_decompress(&info_);
    info_.src = &source_;
  }
  ~JpegDecoder() { jpeg_destroy_decompress(&info_); }
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  absl::StatusOr<ImageInfo> ReadInfo(absl::string_view bytes) {
    const bool done = ReadHeader(bytes);
    jpeg_abort_decompress(&info_);
    if (!done) return Error();
    return ImageInfo{ImageFormat::kJpeg, static_cast<int>(info_.image_height),
                     static_cast<int>(info_.image_width), info_.num_components};
  }

  absl::Status Decode(absl::string_view bytes, Image* image) {
    absl::Status status = ReadHeader(bytes) ? Start(image) : Error();
    if (status.ok() && !ReadRows(image)) status = Error();
    jpeg_abort_decompress(&info_);
    return status;
  }

 private:
  // Below, no object with a destructor may live in a function that calls setjmp.

  bool ReadHeader(absl::string_view bytes) {
    errors_.cut_short = false;
    errors_.base.num_warnings = 0;
    if (!created_) return false;
    source_.next_input_byte = reinterpret_cast<const JOCTET*>(bytes.data());
    source_.bytes_in_buffer = bytes.size();
    if (setjmp(errors_.jump) != 0) return false;
    jpeg_read_header(&info_, TRUE);
    return true;
  }

  // Chooses the output's colours and makes room for it.
  absl::Status Start(Image* image) {
    const int channels = info_.num_components;
    if (channels != 1 && channels != 3 && channels != 4) {
      return absl::InvalidArgumentError(
          absl::StrCat("JPEG has ", channels, " channels: expected 1, 3 or 4"));
    }
    if (absl::Status status = CheckPixelCount(info_.image_height, info_.image_width);
        !status.ok()) {
      return status;
    }
    info_.out_color_space = channels == 4 ? JCS_CMYK : JCS_RGB;
    info_.dct_method = JDCT_ISLOW;
    info_.do_fancy_upsampling = TRUE;
    image->Resize(static_cast<int>(info_.image_height), static_cast<int>(info_.image_width), 3);
    return absl::OkStatus();
  }

  bool ReadRows(Image* image) {
    if (setjmp(errors_.jump) != 0) return false;
    jpeg_start_decompress(&info_);
    JSAMPARRAY cmyk = nullptr;
    if (info_.out_color_space == JCS_CMYK) {
      // Memory of libjpeg's own, freed with the image.
      cmyk = info_.mem->alloc_sarray(reinterpret_cast<j_common_ptr>(&info_), JPOOL_IMAGE,
                                     4 * info_.output_width, 1);
    }
    while (info_.output_scanline < info_.output_height) {
      uint8_t* rgb = image->row(static_cast<int>(info_.output_scanline));
      if (cmyk == nullptr) {
        JSAMPROW rows[1] = {rgb};
        jpeg_read_scanlines(&info_, rows, 1);
      } else {
        jpeg_read_scanlines(&info_, cmyk, 1);
        InvertedCmykToRgb(cmyk[0], image->width, rgb);
      }
    }
    jpeg_finish_decompress(&info_);  // reads up to the end-of-image marker
    return true;
  }

  absl::Status Error() const {
    if (!created_) {
      return absl::InternalError(absl::StrCat("libjpeg does not start: ", errors_.message));
    }
    if (errors_.cut_short) {
      return absl::DataLossError(
          "cut short: the JPEG file ends before its end-of-image marker; fetch it again");
    }
    return absl::DataLossError(absl::StrCat("damaged JPEG: ", errors_.message));
  }

  JpegErrorManager errors_{};
  jpeg_source_mgr source_{};
  jpeg_decompress_struct info_{};
  bool created_ = false;
};

JpegDecoder& ThreadDecoder() {
  thread_local JpegDecoder decoder;
  return decoder;
}

}  // namespace

absl::Status DecodeJpeg(absl::string_view bytes, Image* image) {
  return ThreadDecoder().Decode(bytes, image);
}

absl::StatusOr<ImageInfo> ReadJpegInfo(absl::string_view bytes) {
  return ThreadDecoder().ReadInfo(bytes);
}

}  // namespace tessera
