#ifndef TESSERA_TRAIN_BATCH_TENSORS_H_
#define TESSERA_TRAIN_BATCH_TENSORS_H_

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>

#include "data/loader/batch.h"

namespace tessera {

// Views of a batch's memory, which must outlive them.

// [size, 3, height, width] float32 in channels_last memory.
inline at::Tensor ImagesTensor(const Batch& batch) {
  const int64_t height = batch.height, width = batch.width;
  return at::from_blob(batch.images.get(), {batch.size, 3, height, width},
                       {height * width * 3, 1, width * 3, 3}, at::kFloat);
}

// [size, height, width] uint8.
inline at::Tensor LabelsTensor(const Batch& batch) {
  return at::from_blob(batch.labels.get(), {batch.size, batch.height, batch.width}, at::kByte);
}

}  // namespace tessera

#endif  // TESSERA_TRAIN_BATCH_TENSORS_H_
