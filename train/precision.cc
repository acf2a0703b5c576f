#include "train/precision.h"

#include <ATen/autocast_mode.h>
#include <cpuid.h>

namespace tessera {
namespace {

// CPUID leaf 7: AMX-BF16 is bit 22 of EDX. GCC 12 has no name for it in __builtin_cpu_supports.
bool HasAmxBf16() {
  unsigned int eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (edx >> 22 & 1) != 0;
}

}  // namespace

bool UseBf16(TrainConfig::Precision precision) {
  switch (precision) {
    case TrainConfig::FP32:
      return false;
    case TrainConfig::AMP_BF16:
      return true;
    case TrainConfig::AUTO:
      break;
  }
  // AMX needs the operating system's consent too, which its AVX-512 companion implies.
  return __builtin_cpu_supports("avx512bf16") ||
         (HasAmxBf16() && __builtin_cpu_supports("avx512f"));
}

AutocastBf16::AutocastBf16(bool enabled) : enabled_(enabled) {
  if (!enabled_) return;
  at::autocast::set_autocast_enabled(at::kCPU, true);
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  at::autocast::increment_nesting();
}

AutocastBf16::~AutocastBf16() {
  if (!enabled_) return;
  // Weights are cast once a forward pass; the next one casts the stepped weights.
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(at::kCPU, false);
}

}  // namespace tessera
