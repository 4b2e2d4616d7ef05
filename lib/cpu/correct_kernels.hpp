// What the inner loops of cr's DOT and GEMV offer, one table per instruction set. Tables may differ in the sums and
// error bounds that they return, never in what holds of them: the exact inner product lies within `error` of the sum.
#pragma once

#include "lib/cpu/isa.hpp"
#include "lib/numerics/triple_sum.hpp"
#include "lib/problem.hpp"

namespace accublas::cpu {

/// The most rows of one panel of `columns`: long runs of each column keep the hardware's prefetching going.
constexpr Index correct_panel = 2048;
/// Doubles of scratch that `columns` needs for m rows.
constexpr Index correct_scratch(Index m) { return 8 * ((m + 7) / 8 * 8); }

/// How much a pass keeps of each product: all that cr can use, or what decides rows of condition numbers up to 1e6 or
/// so, in half the time. The errors of `swift` are at most Grid::swift_loss times those of `full`.
enum class Speed { full, swift };

template <class T>
struct CorrectKernels {
  /// sums[i] = sum_p a[i ld + p] x[p] for i < m, p < k: contiguous rows, `ld` apart.
  using Rows = void(Index m, Index k, const T* a, Index ld, const T* x, TripleSum* sums);
  /// sums[i] = sum_p a[i + p ld] x[p] for i < m <= correct_panel, p < k: contiguous columns, `ld` apart.
  using Columns = void(Index m, Index k, const T* a, Index ld, const double* x, double* scratch, TripleSum* sums);
  // By Speed.
  Rows* rows[2];
  Columns* columns[2];
};

/// The table for an instruction set.
template <class T>
const CorrectKernels<T>& correct_kernels(Isa isa);
template <>
const CorrectKernels<double>& correct_kernels(Isa isa);
template <>
const CorrectKernels<float>& correct_kernels(Isa isa);

#define ACCUBLAS_DECLARE_CORRECT_KERNELS(name) \
  namespace name {                             \
  const CorrectKernels<double>& correct_d();   \
  const CorrectKernels<float>& correct_s();    \
  }
ACCUBLAS_DECLARE_CORRECT_KERNELS(isa_baseline)
ACCUBLAS_DECLARE_CORRECT_KERNELS(isa_avx2)
ACCUBLAS_DECLARE_CORRECT_KERNELS(isa_avx512)
#undef ACCUBLAS_DECLARE_CORRECT_KERNELS

}  // namespace accublas::cpu
