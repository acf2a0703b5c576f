#ifndef TESSERA_DATA_LOADER_BATCH_POOL_H_
#define TESSERA_DATA_LOADER_BATCH_POOL_H_

#include <cstdint>
#include <memory>

#include "data/datasets/dataset.h"
#include "data/loader/batch.h"

namespace tessera {

// Memory of batches, used again once nobody holds a batch any more. A batch that is kept keeps its
// memory, also after the pool is gone. May be used from several threads.
class BatchPool {
 public:
  BatchPool();

  // A batch of `size` samples of height x width; pixels and labels are not initialised.
  Batch Make(int64_t size, int height, int width, LabelKind kind) const;

 private:
  struct FreeList;
  std::shared_ptr<FreeList> free_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_LOADER_BATCH_POOL_H_
