// Levels 1, 2 and 3 under their names of BLAS and CBLAS.
#include "c_api/blas/serve.hpp"

namespace accublas::blas {

#include "c_api/blas/level1_names.inc"
#include "c_api/blas/level2_names.inc"
#include "c_api/blas/level3_names.inc"

// ISAMAX alone of the routines that no mode changes: FlexiBLAS and libblastrampoline call it to learn how wide the
// integers of a library are, and FlexiBLAS uses no routine of a library that lacks it.
#define ACCUBLAS_ISAMAX(spelling, Int, prefix, f77_suffix, cblas_suffix)                                  \
  extern "C" ACCUBLAS_API Int prefix##isamax##f77_suffix(const Int* n, const float* x, const Int* incx) { \
    return static_cast<Int>(accublas_private_isamax(*n, x, *incx));                                       \
  }
ACCUBLAS_BLAS_SPELLINGS(ACCUBLAS_ISAMAX)

}  // namespace accublas::blas
