#include "data/streaming/order/keyed_permutation.h"

#include <algorithm>
#include <bit>

namespace tessera {

uint64_t MixKey(uint64_t key, uint64_t tweak) {
  uint64_t mixed = key + (tweak + 1) * 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

KeyedPermutation::KeyedPermutation(int64_t size, uint64_t key)
    : size_(size),
      half_bits_(
          std::max(static_cast<int>(std::bit_width(static_cast<uint64_t>(size) - 1) + 1) / 2, 1)),
      half_mask_((uint64_t{1} << half_bits_) - 1) {
  for (int round = 0; round < kRounds; ++round) keys_[round] = MixKey(key, round);
}

uint64_t KeyedPermutation::Round(int round, uint64_t half) const {
  return MixKey(keys_[round], half) & half_mask_;
}

uint64_t KeyedPermutation::Forward(uint64_t place) const {
  uint64_t left = place >> half_bits_;
  uint64_t right = place & half_mask_;
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t mixed = left ^ Round(round, right);
    left = right;
    right = mixed;
  }
  return left << half_bits_ | right;
}

uint64_t KeyedPermutation::Backward(uint64_t place) const {
  uint64_t left = place >> half_bits_;
  uint64_t right = place & half_mask_;
  for (int round = kRounds - 1; round >= 0; --round) {
    const uint64_t mixed = right ^ Round(round, left);
    right = left;
    left = mixed;
  }
  return left << half_bits_ | right;
}

int64_t KeyedPermutation::operator()(int64_t place) const {
  auto walked = static_cast<uint64_t>(place);
  do {
    walked = Forward(walked);
  } while (walked >= static_cast<uint64_t>(size_));
  return static_cast<int64_t>(walked);
}

int64_t KeyedPermutation::Inverse(int64_t place) const {
  auto walked = static_cast<uint64_t>(place);
  do {
    walked = Backward(walked);
  } while (walked >= static_cast<uint64_t>(size_));
  return static_cast<int64_t>(walked);
}

}  // namespace tessera
