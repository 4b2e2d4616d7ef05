// Checks of arrays of multiple precision.
#pragma once

#include "mp.hpp"

using namespace mp_test;

inline void expect_status(accublas_status got, accublas_status wanted) {
  EXPECT_EQ(got, wanted) << accublas_last_error(nullptr);
  if (got != ACCUBLAS_SUCCESS) {
    EXPECT_STRNE(accublas_last_error(nullptr), "");
  }
}

#define EXPECT_ARGUMENT(call) expect_status(call, ACCUBLAS_ERROR_ARGUMENT)
#define EXPECT_SUCCESS(call) expect_status(call, ACCUBLAS_SUCCESS)
