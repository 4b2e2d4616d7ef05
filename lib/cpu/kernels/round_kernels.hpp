// The interface of the last step of results whose sums are known up to an error, one table per instruction set. Tables
// may differ in the results that they leave open, never in the bits of the others.
#pragma once

#include <cstdint>

#include "lib/call/problem.hpp"
#include "lib/cpu/kernels/kernel_tables.hpp"

namespace accublas::cpu {

/// Terms of alpha S + beta c with one part of S and c. S lies within `error` of a1 + a2 + a3, as in TripleSum; an array
/// of zeros may be null. A factor that is zero makes no term, and its arrays are not read.
template <class T>
struct RoundTerms {
  double alpha = 0, beta = 0;
  const double *a1 = nullptr, *a2 = nullptr, *a3 = nullptr, *error = nullptr;
  const T* c = nullptr;
};

/// Results that are rounded together: real ones, or one part of complex ones, which may also have terms with the other
/// part of S and c. Arrays are read and written up to the next multiple of `round_step` results.
template <class T>
struct RoundRun {
  Index count;  ///< at most round_most
  RoundTerms<T> own, other;
  T* out;
};
constexpr Index round_most = 64, round_step = 8;

template <class T>
struct RoundKernel {
  /// Writes the results that the errors decide, all finite, and returns the others as bits.
  std::uint64_t (*round)(const RoundRun<T>&);
};
ACCUBLAS_DECLARE_KERNELS(RoundKernel<double>)
ACCUBLAS_DECLARE_KERNELS(RoundKernel<float>)

}  // namespace accublas::cpu
