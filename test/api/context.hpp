// A small call in a context.
#pragma once

#include "api.hpp"

inline double one = 1, zero = 0;

inline accublas_status small_gemm(accublas_context* ctx, double* c, const accublas_options* options = nullptr) {
  static const double a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8};
  return accublas_dgemm_ex(ctx, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, 2, 2, 2, &one, a, 2, b, 2,
                           &zero, c, 2, options);
}

inline std::string mode_name(accublas_context* ctx, accublas_family family) {
  char word[32];
  EXPECT_EQ(accublas_get_mode_name(ctx, family, word, sizeof word), ACCUBLAS_SUCCESS);
  return word;
}
