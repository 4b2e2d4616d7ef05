// Plain loops that the compiler turns into vectors of each instruction set.
#include "lib/cpu/kernels/fp64_kernels.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {
namespace {

inline std::uint64_t magnitude_bits(double x) {
  std::uint64_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits & ~(std::uint64_t{1} << 63);
}

std::uint64_t take(double* __restrict__ x, double* __restrict__ digit, Index n, double sigma, double unit_a,
                   double unit_b) {
  std::uint64_t taken = 0;
  if (digit) {
    for (Index p = 0; p < n; ++p) {
      const double t = (x[p] + sigma) - sigma;
      taken |= magnitude_bits(t);
      digit[p] = t * unit_a * unit_b;
      x[p] -= t;
    }
  } else {
    for (Index p = 0; p < n; ++p) {
      const double t = (x[p] + sigma) - sigma;
      taken |= magnitude_bits(t);
      x[p] -= t;
    }
  }
  return taken;
}

std::uint64_t largest(const double* x, Index n) {
  std::int64_t top = 0;  // signed: of equal order here, and every instruction set compares it
  for (Index p = 0; p < n; ++p) {
    const std::int64_t m = static_cast<std::int64_t>(magnitude_bits(x[p]));
    top = m > top ? m : top;
  }
  return static_cast<std::uint64_t>(top);
}

}  // namespace

template <>
const DigitKernels& kernels() {
  static constexpr DigitKernels table{take, largest};
  return table;
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
