// The spellings of BLAS names: one table for the entry points of the drop-in, their error handlers, and the search for
// the real BLAS.
#pragma once

#include <cstdint>

/// ROW(spelling, integer type, prefix, suffix of the F77 name, suffix of the cblas_ name, ...) for every spelling; the
/// arguments after ROW are passed on.
///   lp64              dgemm_, cblas_dgemm: Debian, conda, vendors
///   suffix_64_netlib  dgemm_64_, cblas_dgemm_64: netlib's ILP64; OpenBLAS, Julia and NumPy 1's wheels have dgemm_64_
///   suffix_64         dgemm64_, cblas_dgemm64_: OpenBLAS has the latter together with dgemm_64_
///   scipy             scipy_dgemm_, scipy_cblas_dgemm: the OpenBLAS in SciPy's wheels
///   scipy_64          scipy_dgemm_64_, scipy_cblas_dgemm64_: the OpenBLAS in NumPy's wheels, from 2 on
#define ACCUBLAS_BLAS_SPELLINGS(ROW, ...)                                     \
  ROW(lp64, std::int32_t, , _, __VA_OPT__(, ) __VA_ARGS__)                    \
  ROW(suffix_64_netlib, std::int64_t, , _64_, _64 __VA_OPT__(, ) __VA_ARGS__) \
  ROW(suffix_64, std::int64_t, , 64_, 64_ __VA_OPT__(, ) __VA_ARGS__)         \
  ROW(scipy, std::int32_t, scipy_, _, __VA_OPT__(, ) __VA_ARGS__)             \
  ROW(scipy_64, std::int64_t, scipy_, _64_, 64_ __VA_OPT__(, ) __VA_ARGS__)
