#include "data/loader/batch_pool.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"

namespace tessera {
namespace {

constexpr std::align_val_t kAlignment{64};

struct AlignedDelete {
  void operator()(std::byte* bytes) const { ::operator delete[](bytes, kAlignment); }
};

struct Block {
  std::unique_ptr<std::byte[], AlignedDelete> bytes;
  size_t size = 0;
};

}  // namespace

struct BatchPool::FreeList {
  // A few blocks are kept: as many as a loader has under way.
  static constexpr size_t kMostBlocks = 16;

  Block Take(size_t size) {
    {
      absl::MutexLock lock(&mutex);
      const auto fits = std::find_if(blocks.begin(), blocks.end(),
                                     [&](const Block& block) { return block.size == size; });
      if (fits != blocks.end()) {
        Block block = std::move(*fits);
        blocks.erase(fits);
        return block;
      }
    }
    void* const bytes = ::operator new[](size, kAlignment);
    return {std::unique_ptr<std::byte[], AlignedDelete>(static_cast<std::byte*>(bytes)), size};
  }

  void Return(Block block) {
    absl::MutexLock lock(&mutex);
    if (blocks.size() >= kMostBlocks) blocks.erase(blocks.begin());
    blocks.push_back(std::move(block));
  }

  absl::Mutex mutex;
  std::vector<Block> blocks;
};

BatchPool::BatchPool() : free_(std::make_shared<FreeList>()) {}

Batch BatchPool::Make(int64_t size, int height, int width, LabelKind kind) const {
  const size_t pixels = static_cast<size_t>(size) * height * width;
  const auto array = [this]<typename T>(size_t count, T) {
    Block block = free_->Take(std::max<size_t>(count * sizeof(T), 1));
    T* const data = reinterpret_cast<T*>(block.bytes.get());
    auto give_back = [free = free_, held = std::make_shared<Block>(std::move(block))](T*) {
      free->Return(std::move(*held));
    };
    return std::shared_ptr<T[]>(data, std::move(give_back));
  };
  Batch batch;
  batch.size = size;
  batch.height = height;
  batch.width = width;
  batch.images = array(pixels * 3, float{});
  switch (kind) {
    case LabelKind::kMask:
      batch.labels = array(pixels, uint8_t{});
      break;
    case LabelKind::kClass:
      batch.classes.resize(size);
      break;
  }
  batch.sample_ids.resize(size);
  return batch;
}

}  // namespace tessera
