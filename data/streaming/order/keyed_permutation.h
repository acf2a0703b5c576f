#ifndef TESSERA_DATA_STREAMING_ORDER_KEYED_PERMUTATION_H_
#define TESSERA_DATA_STREAMING_ORDER_KEYED_PERMUTATION_H_

#include <array>
#include <cstdint>

namespace tessera {

// A permutation of 0 to size - 1 that a key draws, in constant memory and time: a Feistel network
// over the next power of four, walked until it is inside (at most four steps on average; Black and
// Rogaway, "Ciphers with Arbitrary Finite Domains", 2002). Not for secrets.
class KeyedPermutation {
 public:
  KeyedPermutation(int64_t size, uint64_t key);

  int64_t size() const { return size_; }

  // Both for 0 to size - 1; one is the other's inverse.
  int64_t operator()(int64_t place) const;
  int64_t Inverse(int64_t place) const;

 private:
  static constexpr int kRounds = 6;

  uint64_t Forward(uint64_t place) const;
  uint64_t Backward(uint64_t place) const;
  uint64_t Round(int round, uint64_t half) const;

  int64_t size_;
  int half_bits_;
  uint64_t half_mask_;
  std::array<uint64_t, kRounds> keys_;
};

// Mixes the bits of two numbers into one (SplitMix64's finalizer; Steele et al., 2014).
uint64_t MixKey(uint64_t key, uint64_t tweak);

}  // namespace tessera

#endif  // TESSERA_DATA_STREAMING_ORDER_KEYED_PERMUTATION_H_
