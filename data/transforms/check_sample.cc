#include "data/transforms/check_sample.h"

#include "absl/strings/str_cat.h"

namespace tessera {

absl::Status CheckImage(const Image& image) {
  if (image.channels != 3 || image.height < 1 || image.width < 1) {
    return absl::InvalidArgumentError(absl::StrCat("image is ", image.width, "x", image.height,
                                                   " with ", image.channels,
                                                   " channels: expected pixels of 3"));
  }
  return absl::OkStatus();
}

absl::Status CheckSample(const Image& image, const Image& mask) {
  if (absl::Status status = CheckImage(image); !status.ok()) return status;
  if (mask.channels != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("mask has ", mask.channels, " channels: expected 1, class indices"));
  }
  if (mask.height != image.height || mask.width != image.width) {
    return absl::InvalidArgumentError(absl::StrCat(
        "image is ", image.width, "x", image.height, " but its mask is ", mask.width, "x",
        mask.height, " (width x height, pixels as stored): the two must have the same size"));
  }
  return absl::OkStatus();
}

}  // namespace tessera
