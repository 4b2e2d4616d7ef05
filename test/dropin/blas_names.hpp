// Every name that the drop-in exports, and a table of them per type and spelling.
#pragma once

#include <cstdint>

#define DECLARE_BLAS(p, T, f, c, Int)                                                                                  \
  T p##dot##f(const Int*, const T*, const Int*, const T*, const Int*);                                                 \
  T cblas_##p##dot##c(Int, const T*, Int, const T*, Int);                                                              \
  T p##nrm2##f(const Int*, const T*, const Int*);                                                                      \
  T cblas_##p##nrm2##c(Int, const T*, Int);                                                                            \
  T p##asum##f(const Int*, const T*, const Int*);                                                                      \
  T cblas_##p##asum##c(Int, const T*, Int);                                                                            \
  void p##gemv##f(const char*, const Int*, const Int*, const T*, const T*, const Int*, const T*, const Int*, const T*, \
                  T*, const Int*);                                                                                     \
  void cblas_##p##gemv##c(int, int, Int, Int, T, const T*, Int, const T*, Int, T, T*, Int);                            \
  void p##gemm##f(const char*, const char*, const Int*, const Int*, const Int*, const T*, const T*, const Int*,        \
                  const T*, const Int*, const T*, T*, const Int*);                                                     \
  void cblas_##p##gemm##c(int, int, int, Int, Int, Int, T, const T*, Int, const T*, Int, T, T*, Int);

extern "C" {
DECLARE_BLAS(d, double, _, , std::int32_t)
DECLARE_BLAS(s, float, _, , std::int32_t)
DECLARE_BLAS(d, double, _64_, _64, std::int64_t)
DECLARE_BLAS(s, float, _64_, _64, std::int64_t)
DECLARE_BLAS(d, double, 64_, 64_, std::int64_t)
DECLARE_BLAS(s, float, 64_, 64_, std::int64_t)
}

template <class T, class Int>
struct Blas {
  using Type = T;
  using Integer = Int;
  const char* spelling;
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
};

#define BLAS_TABLE(p, T, f, c, Int)                                                                            \
  Blas<T, Int> {                                                                                               \
#f, (#p)[0], p##dot##f, cblas_##p##dot##c, p##nrm2##f, cblas_##p##nrm2##c, p##asum##f, cblas_##p##asum##c, \
             p##gemv##f, cblas_##p##gemv##c, p##gemm##f, cblas_##p##gemm##c                                    \
  }

/// Calls test(table) for each type and spelling.
template <class Test>
void for_all_names(Test test) {
  test(BLAS_TABLE(d, double, _, , std::int32_t));
  test(BLAS_TABLE(s, float, _, , std::int32_t));
  test(BLAS_TABLE(d, double, _64_, _64, std::int64_t));
  test(BLAS_TABLE(s, float, _64_, _64, std::int64_t));
  test(BLAS_TABLE(d, double, 64_, 64_, std::int64_t));
  test(BLAS_TABLE(s, float, 64_, 64_, std::int64_t));
}
