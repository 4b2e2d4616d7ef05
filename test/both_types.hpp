// The routines of both types under one name: gemm(T{}, ctx, ...) is accublas_dgemm or accublas_sgemm.
#pragma once

#include "accublas.h"

namespace both_types {

#define ACCUBLAS_TEST_BOTH(name)                   \
  template <class... A>                            \
  accublas_status name(double, A&&... arguments) { \
    return accublas_d##name(arguments...);         \
  }                                                \
  template <class... A>                            \
  accublas_status name(float, A&&... arguments) {  \
    return accublas_s##name(arguments...);         \
  }
ACCUBLAS_TEST_BOTH(dot)
ACCUBLAS_TEST_BOTH(dot_ex)
ACCUBLAS_TEST_BOTH(nrm2)
ACCUBLAS_TEST_BOTH(nrm2_ex)
ACCUBLAS_TEST_BOTH(asum)
ACCUBLAS_TEST_BOTH(asum_ex)
ACCUBLAS_TEST_BOTH(gemv)
ACCUBLAS_TEST_BOTH(gemv_ex)
ACCUBLAS_TEST_BOTH(gemv_strided)
ACCUBLAS_TEST_BOTH(gemm)
ACCUBLAS_TEST_BOTH(gemm_ex)
ACCUBLAS_TEST_BOTH(gemm_strided)
ACCUBLAS_TEST_BOTH(gemm_strided_batched)
ACCUBLAS_TEST_BOTH(gemm_strided_batched_ex)
ACCUBLAS_TEST_BOTH(gemm_batched)
ACCUBLAS_TEST_BOTH(gemm_batched_ex)
#undef ACCUBLAS_TEST_BOTH

}  // namespace both_types
