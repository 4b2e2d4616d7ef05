// The inner loop of updates (GER, SYR, SYR2 and their kind), one table per instruction set. Tables may differ in the
// elements that they leave open, never in the bits of the other elements.
#pragma once

#include <cstdint>

#include "lib/call/problem.hpp"
#include "lib/cpu/kernels/kernel_tables.hpp"

namespace accublas::cpu {

/// Entries of a column that are computed at a time, and doubles that may be read past them.
constexpr Index update_block = 1024, update_slack = 8;

/// c[i] += x[i] (factor[i % 2] + rest[i % 2]), both repeated for vectors: abs(rest) is at most half a last place of the
/// factor's. Entries of x and factors are zero, not finite, or between update_least^2 and update_most^2.
struct UpdateTerm {
  const double* x;
  double factor[8], rest[8];
};

struct UpdateTerms {
  static constexpr int most = 8;
  int count;       ///< 1, 2, 4 or 8
  bool with_rest;  ///< else every rest is zero
  UpdateTerm term[most];
};

template <class T>
struct UpdateKernel {
  /// Each c[i], i < n <= update_block, plus its terms, rounded once, but for those named in `open`, in ascending order,
  /// which stay as they were. Returns their number.
  Index (*update)(Index n, T* c, const UpdateTerms& terms, std::uint16_t* open);
};
ACCUBLAS_DECLARE_KERNELS(UpdateKernel<double>)
ACCUBLAS_DECLARE_KERNELS(UpdateKernel<float>)

}  // namespace accublas::cpu
