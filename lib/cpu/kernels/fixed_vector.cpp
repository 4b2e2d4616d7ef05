// Largest magnitude and rounding to T bits, in plain loops that the compiler vectorises.
#include "lib/cpu/kernels/fixed_kernels.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {

namespace {

[[gnu::always_inline]] inline std::uint64_t magnitude_bits(double x) {
  return __builtin_bit_cast(std::uint64_t, x) & 0x7FFFFFFFFFFFFFFFu;
}
[[gnu::always_inline]] inline std::uint32_t magnitude_bits(float x) {
  return __builtin_bit_cast(std::uint32_t, x) & 0x7FFFFFFFu;
}

/// The stride as a constant where it is one, so that the loop has contiguous loads.
template <class T>
[[gnu::always_inline]] inline std::uint64_t largest_strided(Index n, const T* x, Index stride) {
  auto most = magnitude_bits(T(0));
  for (Index i = 0; i < n; ++i) {
    const auto bits = magnitude_bits(x[i * stride]);
    most = bits > most ? bits : most;
  }
  return most;
}

template <class T>
std::uint64_t largest(Index n, const T* x, Index stride) {
  return stride == 1 ? largest_strided(n, x, 1) : largest_strided(n, x, stride);
}

template <class T>
[[gnu::always_inline]] inline void round_strided(Index n, const T* x, Index stride, const FixedScale& s, double* out) {
  const double factor1 = s.factor1, factor2 = s.factor2, magic = s.magic;
  for (Index i = 0; i < n; ++i) {
    const double y = static_cast<double>(x[i * stride]) * factor1 * factor2, size = __builtin_fabs(y);
    const double rounded = (size + magic) - magic;
    out[i] = __builtin_copysign(size < magic ? rounded : size, y);
  }
}

template <class T>
void round(Index n, const T* x, Index stride, const FixedScale& scale, double* out) {
  if (stride == 1) {
    round_strided(n, x, 1, scale, out);
  } else {
    round_strided(n, x, stride, scale, out);
  }
}

template <class T>
constexpr FixedKernels<T> table{largest<T>, round<T>};

}  // namespace

template <>
const FixedKernels<double>& kernels() {
  return table<double>;
}
template <>
const FixedKernels<float>& kernels() {
  return table<float>;
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
