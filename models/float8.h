#ifndef TESSERA_MODELS_FLOAT8_H_
#define TESSERA_MODELS_FLOAT8_H_

#include <cstdint>
#include <cstring>

namespace tessera {

// Eight floats in one register, through the compiler's vector types: + - * / and comparisons work
// lane by lane.
using Float8 = float __attribute__((vector_size(32)));
using Int32x8 = int32_t __attribute__((vector_size(32)));

inline constexpr int64_t kLanes = 8;

inline Float8 Broadcast(float x) { return Float8{x, x, x, x, x, x, x, x}; }

inline Float8 Load(const float* from) {
  Float8 x;
  std::memcpy(&x, from, sizeof(x));
  return x;
}

inline void Store(Float8 x, float* to) { std::memcpy(to, &x, sizeof(x)); }

inline Float8 Min(Float8 a, Float8 b) { return a < b ? a : b; }
inline Float8 Max(Float8 a, Float8 b) { return a > b ? a : b; }

inline float Sum(Float8 x) {
  x += __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3);
  x += __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5);
  return x[0] + x[1];
}

inline float Max(Float8 x) {
  x = Max(x, __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3));
  x = Max(x, __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5));
  return x[0] > x[1] ? x[0] : x[1];
}

// e^x for x <= 0, relative error below 2e-7; below -87 it is e^-87, the smallest normal floats.
// Keeps nan. x = n ln 2 + r: 2^n is put together from bits, e^r from its Taylor polynomial.
inline Float8 Exp(Float8 x) {
  x = x < Broadcast(-87.0f) ? Broadcast(-87.0f) : x;
  // Adding 1.5 x 2^23 leaves the rounded sum in the low bits of the mantissa.
  const Float8 shifter = Broadcast(12582912.0f);
  const Float8 shifted = x * 1.44269504f + shifter;
  const Float8 n = shifted - shifter;
  const Float8 r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  Float8 p = Broadcast(1.0f / 720);
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const Int32x8 exponent = reinterpret_cast<Int32x8>(shifted) << 23;
  return reinterpret_cast<Float8>(reinterpret_cast<Int32x8>(p) + exponent);
}

}  // namespace tessera

#endif  // TESSERA_MODELS_FLOAT8_H_
