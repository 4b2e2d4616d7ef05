// Calls under BLAS names in every way that a program reaches them: the short way, the engine, other modes.
#pragma once

#include <gtest/gtest.h>

#include <limits>

#include "accublas.h"
#include "c_api/private.hpp"
#include "test/dropin/blas_names.hpp"

extern "C" {
double dsdot_(const int*, const float*, const int*, const float*, const int*);
double cblas_dsdot(int, const float*, int, const float*, int);
void cblas_zdotc_sub(int, const void*, int, const void*, int, void*);
void cblas_zgemv(int, int, int, int, const void*, const void*, int, const void*, int, const void*, void*, int);
void cblas_dsyrk(int, int, int, int, int, double, const double*, int, double, double*, int);
void cblas_dgemmt(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*, int);
void cblas_zgemmt(int, int, int, int, int, int, const void*, const void*, int, const void*, int, const void*, void*,
                  int);
void cblas_cgemmt(int, int, int, int, int, int, const void*, const void*, int, const void*, int, const void*, void*,
                  int);
void cblas_zgemmtr(int, int, int, int, int, int, const void*, const void*, int, const void*, int, const void*, void*,
                   int);
void cblas_cgemmtr(int, int, int, int, int, int, const void*, const void*, int, const void*, int, const void*, void*,
                   int);
void cblas_zgemm(int, int, int, int, int, int, const void*, const void*, int, const void*, int, const void*, void*, int);
void cblas_zgemm_batch_strided(int, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int,
                               const void*, void*, int, int, int);
void cblas_zherk(int, int, int, int, int, double, const void*, int, double, void*, int);
void dgeqrf_(const int*, const int*, double*, const int*, double*, double*, const int*, int*);
void dgels_(const char*, const int*, const int*, const int*, double*, const int*, double*, const int*, double*,
            const int*, int*, std::size_t);
void dgeqrf_64_(const std::int64_t*, const std::int64_t*, double*, const std::int64_t*, double*, double*,
                const std::int64_t*, std::int64_t*);
void dormqr_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const std::int64_t*, const double*,
                const std::int64_t*, const double*, double*, const std::int64_t*, double*, const std::int64_t*,
                std::int64_t*);
void dsyrk_64_(const char*, const char*, const std::int64_t*, const std::int64_t*, const double*, const double*,
               const std::int64_t*, const double*, double*, const std::int64_t*);
void cblas_dger(int, int, int, double, const double*, int, const double*, int, double*, int);
double dznrm2_(const std::int32_t*, const void*, const std::int32_t*);
double dznrm2_64_(const std::int64_t*, const void*, const std::int64_t*);
float scnrm2_(const std::int32_t*, const void*, const std::int32_t*);
float cblas_scnrm2(std::int32_t, const void*, std::int32_t);
double dzasum_(const std::int32_t*, const void*, const std::int32_t*);
float cblas_scasum(std::int32_t, const void*, std::int32_t);
}

namespace {

int32_t serve_natively(accublas_status, const char*, void*) { return 1; }

/// Runs `check(message)` by each way that a call can take: the modes that the real BLAS serves, one that it does not,
/// and the real BLAS after a failure.
template <class Check>
void for_all_ways(Check check) {
  for (const char* mode : {"native", "dp", "cr"}) {
    ASSERT_EQ(accublas_set_mode_name(nullptr, mode), 0);
    check(mode);
  }
  ASSERT_EQ(accublas_set_mode_name(nullptr, "native"), 0);
  ASSERT_EQ(accublas_set_target(nullptr, 1e-40), 0);
  accublas_set_failure_handler(serve_natively, nullptr);
  check("native after a failure");
  accublas_set_failure_handler(nullptr, nullptr);
  accublas_set_target(nullptr, 0);
  accublas_set_mode_name(nullptr, nullptr);
}

template <class T>
constexpr T nan = std::numeric_limits<T>::quiet_NaN();

}  // namespace
