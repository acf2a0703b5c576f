#ifndef TESSERA_DATA_IMAGE_STORED_IMAGE_H_
#define TESSERA_DATA_IMAGE_STORED_IMAGE_H_

#include "absl/strings/string_view.h"

namespace tessera {

// An image or a mask as a set keeps it: a JPEG or PNG file, or the pixels themselves. A view of
// memory that somebody else owns.
struct StoredImage {
  StoredImage() = default;
  // The contents of a file, and its path where it has one of its own.
  explicit StoredImage(absl::string_view file, absl::string_view path = {})
      : bytes(file), path(path) {}

  // 8-bit pixels [height, width, channels] in rows without padding.
  static StoredImage Pixels(absl::string_view bytes, int height, int width, int channels) {
    StoredImage image(bytes);
    image.height = height;
    image.width = width;
    image.channels = channels;
    return image;
  }

  // Wherever they lie.
  friend bool operator==(const StoredImage& a, const StoredImage& b) {
    return a.bytes == b.bytes && a.height == b.height && a.width == b.width &&
           a.channels == b.channels;
  }

  bool empty() const { return bytes.empty(); }
  bool is_file() const { return channels == 0; }

  absl::string_view bytes;
  int height = 0;  // of pixels; 0 where `bytes` is a file
  int width = 0;
  int channels = 0;
  absl::string_view path;  // for messages
};

}  // namespace tessera

#endif  // TESSERA_DATA_IMAGE_STORED_IMAGE_H_
