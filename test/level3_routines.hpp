// The routines of level 3 by one way of calling them.
#pragma once

#include <cstdint>
#include <vector>

#include "accublas.h"

namespace accublas::test {

struct Arguments {
  accublas_layout layout;
  accublas_side side;
  accublas_uplo uplo;
  accublas_transpose transa, transb;
  accublas_diag diag;
  std::int64_t m, n, k, lda, ldb, ldc;
};

/// alpha and beta are numbers of the routine, of which BLAS may read the real part alone.
using Run = accublas_status (*)(accublas_context*, const Arguments&, const void* alpha, const void* a, void* b,
                                const void* beta, void* c);
struct Level3Routine {
  const char* name;
  Run run;
  bool in_place;             ///< B is the result
  bool square;               ///< A is of order m or n, by the side
  accublas_transpose other;  ///< than NO_TRANS
};

#define ARGUMENTS                                                                                   \
  [](accublas_context * ctx, const Arguments& x, [[maybe_unused]] const void* alpha, const void* a, \
     [[maybe_unused]] void* b, [[maybe_unused]] const void* beta, [[maybe_unused]] void* c) -> accublas_status
#define SYMM(name, T, E)                                                                            \
  {                                                                                                 \
#name, ARGUMENTS {                                                                              \
      return accublas_##name(ctx, x.layout, x.side, x.uplo, x.m, x.n, static_cast<const E*>(alpha), \
                             static_cast<const E*>(a), x.lda, static_cast<const E*>(b), x.ldb,      \
                             static_cast<const E*>(beta), static_cast<E*>(c), x.ldc);               \
    }                                                                                               \
    , false, true, 0                                                                                \
  }
#define SYRK(name, F, E, other)                                                                                        \
  {                                                                                                                    \
#name, ARGUMENTS {                                                                                                 \
      return accublas_##name(ctx, x.layout, x.uplo, x.transa, x.n, x.k, static_cast<const F*>(alpha),                  \
                             static_cast<const E*>(a), x.lda, static_cast<const F*>(beta), static_cast<E*>(c), x.ldc); \
    }                                                                                                                  \
    , false, false, other                                                                                              \
  }
#define SYR2K(name, F, E, other)                                                                      \
  {                                                                                                   \
#name, ARGUMENTS {                                                                                \
      return accublas_##name(ctx, x.layout, x.uplo, x.transa, x.n, x.k, static_cast<const E*>(alpha), \
                             static_cast<const E*>(a), x.lda, static_cast<const E*>(b), x.ldb,        \
                             static_cast<const F*>(beta), static_cast<E*>(c), x.ldc);                 \
    }                                                                                                 \
    , false, false, other                                                                             \
  }
#define TRMM(name, E)                                                                                                 \
  {                                                                                                                   \
#name, ARGUMENTS {                                                                                                \
      return accublas_##name(ctx, x.layout, x.side, x.uplo, x.transa, x.diag, x.m, x.n, static_cast<const E*>(alpha), \
                             static_cast<const E*>(a), x.lda, static_cast<E*>(b), x.ldb);                             \
    }                                                                                                                 \
    , true, true, ACCUBLAS_TRANS                                                                                      \
  }
#define GEMMT(name, E)                                                                                          \
  {                                                                                                             \
#name, ARGUMENTS {                                                                                          \
      return accublas_##name(ctx, x.layout, x.uplo, x.transa, x.transb, x.n, x.k, static_cast<const E*>(alpha), \
                             static_cast<const E*>(a), x.lda, static_cast<const E*>(b), x.ldb,                  \
                             static_cast<const E*>(beta), static_cast<E*>(c), x.ldc);                           \
    }                                                                                                           \
    , false, false, ACCUBLAS_TRANS                                                                              \
  }
#define ALL(p, E)                                                                                                   \
  SYMM(p##symm, , E), SYRK(p##syrk, E, E, ACCUBLAS_TRANS), SYR2K(p##syr2k, E, E, ACCUBLAS_TRANS), TRMM(p##trmm, E), \
      GEMMT(p##gemmt, E)
#define HERMITIAN(p, T) \
  SYMM(p##hemm, , void), SYRK(p##herk, T, void, ACCUBLAS_CONJ_TRANS), SYR2K(p##her2k, T, void, ACCUBLAS_CONJ_TRANS)

/// The products by precision: real ones, then complex ones.
template <class T>
std::vector<Level3Routine> real_routines() {
  if constexpr (sizeof(T) == 8)
    return {ALL(d, double)};
  else
    return {ALL(s, float)};
}
template <class T>
std::vector<Level3Routine> complex_routines() {
  if constexpr (sizeof(T) == 8)
    return {ALL(z, void), HERMITIAN(z, double)};
  else
    return {ALL(c, void), HERMITIAN(c, float)};
}

/// TRSM, whose arguments are TRMM's.
template <class T>
Level3Routine solve_routine(bool of_complex) {
  if constexpr (sizeof(T) == 8)
    return of_complex ? Level3Routine TRMM(ztrsm, void) : Level3Routine TRMM(dtrsm, double);
  else
    return of_complex ? Level3Routine TRMM(ctrsm, void) : Level3Routine TRMM(strsm, float);
}

#undef ARGUMENTS
#undef SYMM
#undef SYRK
#undef SYR2K
#undef TRMM
#undef GEMMT
#undef ALL
#undef HERMITIAN

}  // namespace accublas::test
