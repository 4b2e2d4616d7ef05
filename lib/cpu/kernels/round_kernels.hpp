// This is the interface of the kernels that add up triple sums of many results and round the results. There is one
// table for each instruction set. Tables may differ in the results that they leave pending, but never in the bits of
// the others.
#pragma once

#include <cstdint>

#include "lib/call/problem.hpp"
#include "lib/cpu/kernels/kernel_tables.hpp"
#include "lib/numerics/quotient.hpp"

namespace accublas::cpu {

/// The terms alpha S + beta c for one part of S and c. S lies within `error` of a1 + a2 + a3, as in TripleSum; an array
/// of zeros may be null. A factor that is zero makes no term, and its arrays are not read.
template <class T>
struct RoundTerms {
  double alpha = 0, beta = 0;
  const double *a1 = nullptr, *a2 = nullptr, *a3 = nullptr, *error = nullptr;
  const T* c = nullptr;
};

/// Results that are rounded together: real ones, or one part of complex ones, which may also have terms with the other
/// part of S and c. Arrays are read and written up to a whole vector, whose length divides `round_step`.
template <class T>
struct RoundRun {
  Index count;  ///< at most round_most
  RoundTerms<T> own, other;
  T* out;
};
constexpr Index round_most = 64, round_step = 8;

template <class T>
struct RoundKernel {
  /// Writes the results that the error bounds decide, which are finite. Returns the pending results, a bit each.
  std::uint64_t (*round)(const RoundRun<T>&);
  /// Same contract as `round`, for quotients by a divisor whose reciprocal is given and is in range. Complex quotients
  /// have a run for each part, and are pending if one of their parts is.
  std::uint64_t (*divide)(const RoundRun<T>&, const Approximation& reciprocal);
  std::uint64_t (*divide_complex)(const RoundRun<T> (&)[2], const Approximation (&reciprocal)[2]);
  /// Adds high + low +- error to each of `count` sums, as triple_add does. `sums` has arrays of a1, a2, a3 and error,
  /// `stride` apart. Arrays are read and written up to a whole vector.
  void (*add)(Index count, const double* high, const double* low, const double* error, double* sums, Index stride);
};
ACCUBLAS_DECLARE_KERNELS(RoundKernel<double>)
ACCUBLAS_DECLARE_KERNELS(RoundKernel<float>)

}  // namespace accublas::cpu
