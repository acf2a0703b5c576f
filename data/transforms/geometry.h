#ifndef TESSERA_DATA_TRANSFORMS_GEOMETRY_H_
#define TESSERA_DATA_TRANSFORMS_GEOMETRY_H_

namespace tessera {

struct ImageSize {
  int height = 0;
  int width = 0;

  friend bool operator==(const ImageSize&, const ImageSize&) = default;
};

// `size` scaled so that its short side becomes `short_side`, the long side rounded down, as
// torchvision's Resize(short_side) does: 500 x 33 and 256 give 3878 x 256.
ImageSize ScaleShortSide(ImageSize size, int short_side);

// `size` scaled, up or down, to the largest size whose long side is at most `long_side` and whose
// short side is at most `short_side`, rounded to the nearest, as mmsegmentation's keep_ratio does:
// 500 x 33 into 2048 and 512 gives 2048 x 135. No side is less than 1.
ImageSize ScaleInside(ImageSize size, int long_side, int short_side);

}  // namespace tessera

#endif  // TESSERA_DATA_TRANSFORMS_GEOMETRY_H_
