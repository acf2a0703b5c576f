#include "data/streaming/order/numpy_random.h"

#include <array>
#include <bit>
#include <limits>
#include <numeric>

#include "absl/container/flat_hash_set.h"

namespace tessera {
namespace {

using Uint128 = unsigned __int128;

constexpr uint64_t kMax32 = std::numeric_limits<uint32_t>::max();

// NumPy's SeedSequence with its pool of four words.
class SeedPool {
 public:
  explicit SeedPool(uint64_t seed)
      : pool_{Hash(static_cast<uint32_t>(seed)), Hash(static_cast<uint32_t>(seed >> 32)), Hash(0),
              Hash(0)} {
    for (int from = 0; from < 4; ++from) {
      for (int to = 0; to < 4; ++to) {
        if (from != to) pool_[to] = Mix(pool_[to], Hash(pool_[from]));
      }
    }
  }

  std::array<uint64_t, 4> Generate() const {
    std::array<uint32_t, 8> words;
    uint32_t constant = 0x8b51f9dd;
    for (int i = 0; i < 8; ++i) {
      uint32_t value = pool_[i % 4] ^ constant;
      constant *= 0x58f38ded;
      value *= constant;
      words[i] = value ^ (value >> 16);
    }
    std::array<uint64_t, 4> pairs;
    for (int i = 0; i < 4; ++i) pairs[i] = words[2 * i] | uint64_t{words[2 * i + 1]} << 32;
    return pairs;
  }

 private:
  uint32_t Hash(uint32_t value) {
    value ^= constant_;
    constant_ *= 0x931e8875;
    value *= constant_;
    return value ^ (value >> 16);
  }

  static uint32_t Mix(uint32_t a, uint32_t b) {
    const uint32_t mixed = 0xca01f9dd * a - 0x4973f715 * b;
    return mixed ^ (mixed >> 16);
  }

  uint32_t constant_ = 0x43b0d7e5;  // before pool_, whose making changes it
  std::array<uint32_t, 4> pool_;
};

// The product's high half is the number; a low half under (2^bits mod (max + 1)) is drawn again.
template <typename Product, typename Word, typename Next>
Word LemireDraw(Word max, const Next& next) {
  const Word excluded = max + 1;
  constexpr int kBits = std::numeric_limits<Word>::digits;
  Product product = static_cast<Product>(next()) * excluded;
  if (static_cast<Word>(product) < excluded) {
    const Word threshold = (std::numeric_limits<Word>::max() - max) % excluded;
    while (static_cast<Word>(product) < threshold) {
      product = static_cast<Product>(next()) * excluded;
    }
  }
  return static_cast<Word>(product >> kBits);
}

std::vector<int64_t> Iota(int64_t size) {
  std::vector<int64_t> items(size);
  std::iota(items.begin(), items.end(), int64_t{0});
  return items;
}

}  // namespace

NumpyRandom::NumpyRandom(uint64_t seed) {
  const std::array<uint64_t, 4> words = SeedPool(seed).Generate();
  increment_ = (Uint128{words[2]} << 64 | words[3]) << 1 | 1;
  Step();
  state_ += Uint128{words[0]} << 64 | words[1];
  Step();
}

uint64_t NumpyRandom::Next64() {
  Step();
  const uint64_t folded = static_cast<uint64_t>(state_ >> 64) ^ static_cast<uint64_t>(state_);
  return std::rotr(folded, static_cast<int>(state_ >> 122));
}

uint32_t NumpyRandom::Next32() {
  if (high_half_.has_value()) {
    const uint32_t value = *high_half_;
    high_half_.reset();
    return value;
  }
  const uint64_t value = Next64();
  high_half_ = static_cast<uint32_t>(value >> 32);
  return static_cast<uint32_t>(value);
}

double NumpyRandom::Random() { return static_cast<double>(Next64() >> 11) * 0x1p-53; }

uint64_t NumpyRandom::Masked(uint64_t max) {
  if (max == 0) return 0;
  const uint64_t mask = std::numeric_limits<uint64_t>::max() >> std::countl_zero(max);
  while (true) {
    const uint64_t value = (max <= kMax32 ? Next32() : Next64()) & mask;
    if (value <= max) return value;
  }
}

uint64_t NumpyRandom::Lemire(uint64_t max) {
  if (max == 0) return 0;  // takes no number
  if (max == kMax32) return Next32();
  if (max < kMax32) {
    return LemireDraw<uint64_t>(static_cast<uint32_t>(max), [this] { return Next32(); });
  }
  return LemireDraw<Uint128>(max, [this] { return Next64(); });
}

int64_t NumpyRandom::Integers(int64_t low, int64_t high) {
  return low + static_cast<int64_t>(Lemire(static_cast<uint64_t>(high - 1 - low)));
}

std::vector<int64_t> NumpyRandom::Permutation(int64_t size) {
  std::vector<int64_t> items = Iota(size);
  Shuffle(absl::MakeSpan(items));
  return items;
}

std::vector<int64_t> NumpyRandom::Choice(int64_t population, int64_t size) {
  if (population > 10000 && size > population / 50) {  // the end of a shuffle
    std::vector<int64_t> items = Iota(population);
    for (int64_t i = population - 1; i >= std::max<int64_t>(population - size, 1); --i) {
      std::swap(items[i], items[Lemire(i)]);
    }
    return {items.end() - size, items.end()};
  }
  std::vector<int64_t> items;  // Floyd's way, then a shuffle
  items.reserve(size);
  absl::flat_hash_set<int64_t> taken;
  for (int64_t i = population - size; i < population; ++i) {
    const auto drawn = static_cast<int64_t>(Lemire(i));
    items.push_back(taken.insert(drawn).second ? drawn : i);
    taken.insert(items.back());
  }
  for (int64_t i = size - 1; i > 0; --i) std::swap(items[i], items[Lemire(i)]);
  return items;
}

}  // namespace tessera
