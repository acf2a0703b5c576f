#ifndef TESSERA_DATA_IMAGE_IMAGE_H_
#define TESSERA_DATA_IMAGE_IMAGE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

// 8-bit pixels in rows without padding, channels interleaved: [height, width, channels].
// The buffer keeps its capacity when an image is decoded into it again.
struct Image {
  int height = 0;
  int width = 0;
  int channels = 0;
  std::vector<uint8_t> pixels;

  void Resize(int new_height, int new_width, int new_channels) {
    height = new_height;
    width = new_width;
    channels = new_channels;
    pixels.resize(static_cast<size_t>(height) * width * channels);
  }
  const uint8_t* row(int y) const {
    return pixels.data() + static_cast<size_t>(y) * width * channels;
  }
  uint8_t* row(int y) { return pixels.data() + static_cast<size_t>(y) * width * channels; }
};

}  // namespace tessera

#endif  // TESSERA_DATA_IMAGE_IMAGE_H_
