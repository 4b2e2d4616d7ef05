// The inner loop of updates (GER, SYR, SYR2 and their kind), one table per instruction set. Tables may differ in the
// elements that they leave open, never in the bits of the other elements.
#pragma once

#include <cstdint>

#include "lib/base/isa.hpp"
#include "lib/call/problem.hpp"

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

/// Each c[i], i < n <= update_block, plus its terms, rounded once, but for those named in `open`, in ascending order,
/// which stay as they were. Returns their number.
template <class T>
using UpdateKernel = Index(Index n, T* c, const UpdateTerms& terms, std::uint16_t* open);

#define ACCUBLAS_DECLARE_UPDATE_KERNELS(name)                                        \
  namespace name {                                                                   \
  Index update_d(Index n, double* c, const UpdateTerms& terms, std::uint16_t* open); \
  Index update_s(Index n, float* c, const UpdateTerms& terms, std::uint16_t* open);  \
  }
ACCUBLAS_DECLARE_UPDATE_KERNELS(isa_baseline)
ACCUBLAS_DECLARE_UPDATE_KERNELS(isa_avx2)
ACCUBLAS_DECLARE_UPDATE_KERNELS(isa_avx512)
#undef ACCUBLAS_DECLARE_UPDATE_KERNELS

}  // namespace accublas::cpu
