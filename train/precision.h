#ifndef TESSERA_TRAIN_PRECISION_H_
#define TESSERA_TRAIN_PRECISION_H_

#include "train/train.pb.h"

namespace tessera {

// Whether a run computes in bfloat16 where that is safe. AUTO: if the processor has instructions
// for it (AVX512-BF16 or AMX); elsewhere bfloat16 is slower than float32.
bool UseBf16(TrainConfig::Precision precision);

// While it lives, torch's functions on this thread choose their precision themselves (autocast): on
// the CPU, convolutions and matrix products in bfloat16. Does nothing where `enabled` is false.
class AutocastBf16 {
 public:
  explicit AutocastBf16(bool enabled);
  ~AutocastBf16();
  AutocastBf16(const AutocastBf16&) = delete;
  AutocastBf16& operator=(const AutocastBf16&) = delete;

 private:
  const bool enabled_;
};

}  // namespace tessera

#endif  // TESSERA_TRAIN_PRECISION_H_
