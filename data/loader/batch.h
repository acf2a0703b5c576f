#ifndef TESSERA_DATA_LOADER_BATCH_H_
#define TESSERA_DATA_LOADER_BATCH_H_

#include <cstdint>
#include <memory>
#include <vector>

namespace tessera {

// A batch of images with their labels, ready for the model. A batch owns its memory: it never
// changes after it was handed out, however long it is kept.
struct Batch {
  int64_t size = 0;  // samples
  int height = 0;
  int width = 0;

  // Normalised pixels [size, height, width, 3], float32: an NCHW tensor in channels_last memory.
  std::shared_ptr<float[]> images;
  // Segmentation: class labels [size, height, width]; `ignore_index` where a pixel does not count.
  // Null for classification.
  std::shared_ptr<uint8_t[]> labels;
  // Classification: the class of each image [size], -1 where it does not count. Empty for
  // segmentation.
  std::vector<int64_t> classes;

  std::vector<int64_t> sample_ids;  // [size]
};

}  // namespace tessera

#endif  // TESSERA_DATA_LOADER_BATCH_H_
