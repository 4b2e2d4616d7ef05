// Names that the drop-in exports, and a table of them per type and spelling: DOT, NRM2, ASUM, GEMV, GEMM, GEMMTR and
// the batches of GEMM for real types, written by hand, so that they do not depend on the table that makes the names.
#pragma once

#include <cstdint>
#include <string>

#include "lib/call/blas_spellings.hpp"

// The routines of type letter p under one spelling.
#define DECLARE_BLAS(prefix, p, T, f, c, Int)                                                                          \
  T prefix##p##dot##f(const Int*, const T*, const Int*, const T*, const Int*);                                         \
  T prefix##cblas_##p##dot##c(Int, const T*, Int, const T*, Int);                                                      \
  T prefix##p##nrm2##f(const Int*, const T*, const Int*);                                                              \
  T prefix##cblas_##p##nrm2##c(Int, const T*, Int);                                                                    \
  T prefix##p##asum##f(const Int*, const T*, const Int*);                                                              \
  T prefix##cblas_##p##asum##c(Int, const T*, Int);                                                                    \
  void prefix##p##gemv##f(const char*, const Int*, const Int*, const T*, const T*, const Int*, const T*, const Int*,   \
                          const T*, T*, const Int*);                                                                   \
  void prefix##cblas_##p##gemv##c(int, int, Int, Int, T, const T*, Int, const T*, Int, T, T*, Int);                    \
  void prefix##p##gemm##f(const char*, const char*, const Int*, const Int*, const Int*, const T*, const T*,            \
                          const Int*, const T*, const Int*, const T*, T*, const Int*);                                 \
  void prefix##cblas_##p##gemm##c(int, int, int, Int, Int, Int, T, const T*, Int, const T*, Int, T, T*, Int);          \
  void prefix##p##gemmtr##f(const char*, const char*, const char*, const Int*, const Int*, const T*, const T*,         \
                            const Int*, const T*, const Int*, const T*, T*, const Int*);                               \
  void prefix##cblas_##p##gemmtr##c(int, int, int, int, Int, Int, T, const T*, Int, const T*, Int, T, T*, Int);        \
  void prefix##p##gemm_batch##f(const char*, const char*, const Int*, const Int*, const Int*, const T*, const T**,     \
                                const Int*, const T**, const Int*, const T*, T**, const Int*, const Int*, const Int*); \
  void prefix##cblas_##p##gemm_batch##c(int, const int*, const int*, const Int*, const Int*, const Int*, const T*,     \
                                        const T**, const Int*, const T**, const Int*, const T*, T**, const Int*, Int,  \
                                        const Int*);                                                                   \
  void prefix##p##gemm_batch_strided##f(const char*, const char*, const Int*, const Int*, const Int*, const T*,        \
                                        const T*, const Int*, const Int*, const T*, const Int*, const Int*, const T*,  \
                                        T*, const Int*, const Int*, const Int*);                                       \
  void prefix##cblas_##p##gemm_batch_strided##c(int, int, int, Int, Int, Int, T, const T*, Int, Int, const T*, Int,    \
                                                Int, T, T*, Int, Int, Int);

#define DECLARE_SPELLING(spelling, Int, prefix, f, c) \
  DECLARE_BLAS(prefix, d, double, f, c, Int)          \
  DECLARE_BLAS(prefix, s, float, f, c, Int)

extern "C" {
ACCUBLAS_BLAS_SPELLINGS(DECLARE_SPELLING)
}

template <class T, class Int>
struct Blas {
  using Type = T;
  using Integer = Int;
  /// The routine's F77 name in this spelling.
  std::string f77(const std::string& routine) const { return prefix + routine + f77_suffix; }
  std::string cblas(const std::string& routine) const {
    return std::string(prefix) + "cblas_" + routine + cblas_suffix;
  }

  const char *prefix, *f77_suffix, *cblas_suffix;
  char letter;
  T (*dot)(const Int*, const T*, const Int*, const T*, const Int*);
  T (*cblas_dot)(Int, const T*, Int, const T*, Int);
  T (*nrm2)(const Int*, const T*, const Int*);
  T (*cblas_nrm2)(Int, const T*, Int);
  T (*asum)(const Int*, const T*, const Int*);
  T (*cblas_asum)(Int, const T*, Int);
  void (*gemv)(const char*, const Int*, const Int*, const T*, const T*, const Int*, const T*, const Int*, const T*, T*,
               const Int*);
  void (*cblas_gemv)(int, int, Int, Int, T, const T*, Int, const T*, Int, T, T*, Int);
  void (*gemm)(const char*, const char*, const Int*, const Int*, const Int*, const T*, const T*, const Int*, const T*,
               const Int*, const T*, T*, const Int*);
  void (*cblas_gemm)(int, int, int, Int, Int, Int, T, const T*, Int, const T*, Int, T, T*, Int);
  void (*gemmtr)(const char*, const char*, const char*, const Int*, const Int*, const T*, const T*, const Int*,
                 const T*, const Int*, const T*, T*, const Int*);
  void (*cblas_gemmtr)(int, int, int, int, Int, Int, T, const T*, Int, const T*, Int, T, T*, Int);
  void (*gemm_batch)(const char*, const char*, const Int*, const Int*, const Int*, const T*, const T**, const Int*,
                     const T**, const Int*, const T*, T**, const Int*, const Int*, const Int*);
  void (*cblas_gemm_batch)(int, const int*, const int*, const Int*, const Int*, const Int*, const T*, const T**,
                           const Int*, const T**, const Int*, const T*, T**, const Int*, Int, const Int*);
  void (*gemm_batch_strided)(const char*, const char*, const Int*, const Int*, const Int*, const T*, const T*,
                             const Int*, const Int*, const T*, const Int*, const Int*, const T*, T*, const Int*,
                             const Int*, const Int*);
  void (*cblas_gemm_batch_strided)(int, int, int, Int, Int, Int, T, const T*, Int, Int, const T*, Int, Int, T, T*, Int,
                                   Int, Int);
};

#define BLAS_TABLE(prefix, p, T, f, c, Int)                                                                      \
  Blas<T, Int> {                                                                                                 \
#prefix, #f, #c,                                                                                             \
        (#p)[0], prefix##p##dot##f, prefix##cblas_##p##dot##c, prefix##p##nrm2##f, prefix##cblas_##p##nrm2##c,   \
             prefix##p##asum##f, prefix##cblas_##p##asum##c, prefix##p##gemv##f, prefix##cblas_##p##gemv##c,     \
             prefix##p##gemm##f, prefix##cblas_##p##gemm##c, prefix##p##gemmtr##f, prefix##cblas_##p##gemmtr##c, \
             prefix##p##gemm_batch##f, prefix##cblas_##p##gemm_batch##c, prefix##p##gemm_batch_strided##f,       \
             prefix##cblas_##p##gemm_batch_strided##c                                                            \
  }
#define TEST_SPELLING(spelling, Int, prefix, f, c) \
  test(BLAS_TABLE(prefix, d, double, f, c, Int));  \
  test(BLAS_TABLE(prefix, s, float, f, c, Int));

/// Calls test(table) for each type and spelling.
template <class Test>
void for_all_names(Test test) {
  ACCUBLAS_BLAS_SPELLINGS(TEST_SPELLING)
}
