#ifndef TESSERA_DATA_STREAMING_ORDER_NUMPY_RANDOM_H_
#define TESSERA_DATA_STREAMING_ORDER_NUMPY_RANDOM_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace tessera {

// The numbers of numpy.random.default_rng(seed) (NumPy 2.1): SeedSequence, then PCG64 (XSL-RR
// 128/64), then the Generator's methods of these names.
class NumpyRandom {
 public:
  explicit NumpyRandom(uint64_t seed);

  // The generator's raw numbers. A call of Next32() that splits a raw number keeps its high half
  // for the next one, whatever is drawn between them.
  uint64_t Next64();
  uint32_t Next32();

  // random(): in [0, 1), 53 bits.
  double Random();

  // uniform(low, high)
  double Uniform(double low, double high) { return low + (high - low) * Random(); }

  // integers(low, high): in [low, high); low < high.
  int64_t Integers(int64_t low, int64_t high);

  // shuffle(items)
  template <typename T>
  void Shuffle(absl::Span<T> items) {
    for (size_t i = items.size(); i-- > 1;) std::swap(items[i], items[Masked(i)]);
  }

  // permutation(size): of 0 to size - 1.
  std::vector<int64_t> Permutation(int64_t size);

  // choice(population, size, replace=False): of 0 to population - 1; size <= population.
  std::vector<int64_t> Choice(int64_t population, int64_t size);

 private:
  void Step() { state_ = state_ * kMultiplier + increment_; }

  // In [0, max], by two ways that take different numbers: NumPy uses the first for shuffles, the
  // second for integers() and choice().
  uint64_t Masked(uint64_t max);
  uint64_t Lemire(uint64_t max);

  static constexpr unsigned __int128 kMultiplier =
      static_cast<unsigned __int128>(0x2360ed051fc65da4) << 64 | 0x4385df649fccf645;

  unsigned __int128 state_ = 0;
  unsigned __int128 increment_ = 0;
  std::optional<uint32_t> high_half_;
};

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_ORDER_NUMPY_RANDOM_H_
