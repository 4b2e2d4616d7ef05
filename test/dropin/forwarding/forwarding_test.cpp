// A BLAS that forwards to the drop-in is not taken for the real BLAS: calls would go round until the stack ends.
#include <gtest/gtest.h>

#include <string>

#include "accublas.h"
#include "test/dropin/blas_names.hpp"

extern "C" int isamax_(const int* n, const float* x, const int* incx);

namespace {

TEST(Forwarding, IsNamedInTheError) {
  ASSERT_EQ(accublas_set_mode_name(nullptr, "native"), ACCUBLAS_SUCCESS);
  const double one = 1, a = 2;
  double c = 7;
  EXPECT_EQ(accublas_dgemm(nullptr, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, 1, 1, 1, &one, &a, 1, &a,
                           1, &one, &c, 1),
            ACCUBLAS_ERROR_NO_BLAS);
  EXPECT_EQ(c, 7);
  const std::string message = accublas_last_error(nullptr);
  EXPECT_NE(message.find("libopenblas.so.0 (forwards to accublas); libblas.so.3 (forwards to accublas)"),
            std::string::npos)
      << message;
}

TEST(Forwarding, LeavesTheDropInToItself) {
  ASSERT_EQ(accublas_set_mode_name(nullptr, "cr"), ACCUBLAS_SUCCESS);
  const int n = 3, one = 1;
  const float x[] = {1, -2, 2};
  EXPECT_EQ(isamax_(&n, x, &one), 2);
  const double alpha = 1, beta = 0, a = 3, b = 5;
  double c = 7;
  dgemm_("N", "N", &one, &one, &one, &alpha, &a, &one, &b, &one, &beta, &c, &one);
  EXPECT_EQ(c, 15);
}

}  // namespace
