#ifndef TESSERA_DATA_RANDOM_PHILOX_H_
#define TESSERA_DATA_RANDOM_PHILOX_H_

#include <array>
#include <cstdint>

namespace tessera {

// Philox4x32-10, the counter-based generator of Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3" (2011). A stream is named by (seed, epoch, sample): whoever asks, in whichever thread or
// order, gets the same numbers.
class Philox {
 public:
  using result_type = uint32_t;

  Philox(uint64_t seed, uint32_t epoch, uint64_t sample)
      : key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)},
        counter_{0, epoch, static_cast<uint32_t>(sample), static_cast<uint32_t>(sample >> 32)} {}

  static constexpr uint32_t min() { return 0; }
  static constexpr uint32_t max() { return UINT32_MAX; }

  // 32 uniform bits.
  uint32_t operator()() {
    if (used_ == 4) {
      block_ = Block(counter_, key_);
      ++counter_[0];
      used_ = 0;
    }
    return block_[used_++];
  }

  // Uniform in [0, 1), 53 bits.
  double Uniform() {
    const uint64_t high = (*this)();
    const uint64_t low = (*this)();
    return static_cast<double>((high << 32 | low) >> 11) * 0x1.0p-53;
  }
  // Uniform in [low, high).
  double Uniform(double low, double high) { return low + (high - low) * Uniform(); }

  // Uniform in [0, bound), without bias (Lemire 2019). `bound` is positive.
  uint32_t Below(uint32_t bound) {
    uint64_t product = static_cast<uint64_t>((*this)()) * bound;
    if (static_cast<uint32_t>(product) < bound) {
      const uint32_t threshold = -bound % bound;
      while (static_cast<uint32_t>(product) < threshold) {
        product = static_cast<uint64_t>((*this)()) * bound;
      }
    }
    return static_cast<uint32_t>(product >> 32);
  }

  // The ten rounds: four words out of counter and key.
  static std::array<uint32_t, 4> Block(std::array<uint32_t, 4> counter,
                                       std::array<uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
      const uint64_t p0 = uint64_t{0xD2511F53} * counter[0];
      const uint64_t p1 = uint64_t{0xCD9E8D57} * counter[2];
      counter = {static_cast<uint32_t>(p1 >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(p1),
                 static_cast<uint32_t>(p0 >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(p0)};
      key[0] += 0x9E3779B9;
      key[1] += 0xBB67AE85;
    }
    return counter;
  }

 private:
  std::array<uint32_t, 2> key_;
  std::array<uint32_t, 4> counter_;
  std::array<uint32_t, 4> block_{};
  int used_ = 4;
};

}  // namespace tessera

#endif  // TESSERA_DATA_RANDOM_PHILOX_H_
