// Converts the arguments of BLAS to the library's problems: layout, transposition and sign of increments become
// strides.
#pragma once

#include <string_view>

#include "c_api/boundary.hpp"
#include "lib/call/product.hpp"

namespace accublas {

/// Throws the error of a bad argument, which says what an argument of this kind must be.
inline void require(const BadArgument& bad) {
  if (!bad) return;
  if (bad.allowed) bad_argument(bad.name, bad.allowed);
  const std::string_view name = bad.name;
  if (name.starts_with("ld"))
    bad_argument(bad.name,
                 "at least 1 and the rows (row-major: columns) of the stored matrix, which must fit an address space");
  if (name.starts_with("inc")) bad_argument(bad.name, "other than 0");
  if (name.ends_with("_c") || name.ends_with("sc")) bad_argument(bad.name, "such that no elements of C coincide");
  const bool is_size = name.size() == 1 || name == "nrhs" || name == "batch_count";
  bad_argument(bad.name, is_size ? "at least 0" : "one of its values in accublas.h");
}

/// The type of numbers E in the C interface, which passes complex ones as pointers to void.
template <class E>
const E* as(const void* numbers) {
  return static_cast<const E*>(numbers);
}
template <class E>
E* as(void* numbers) {
  return static_cast<E*>(numbers);
}

/// Returns a stride along `size` elements. If there is at most one element, the caller may pass any number. Engines may
/// look at the magnitude of a stride and compute addresses that they do not use, so they get one that is small enough
/// and not negative.
constexpr std::int64_t stride_along(std::int64_t size, std::int64_t stride) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  if (size > 1) return stride;
  return stride > most || stride < -most ? most : stride < 0 ? -stride : stride;
}

/// An m x n matrix with any strides.
template <class T>
Matrix<T> view(std::int64_t m, std::int64_t n, T* data, std::int64_t row_stride, std::int64_t col_stride) {
  return {data, stride_along(m, row_stride), stride_along(n, col_stride)};
}

/// op(X), m x n, of a stored matrix with a leading dimension.
template <class T>
Matrix<T> view(accublas_layout layout, accublas_transpose trans, std::int64_t m, std::int64_t n, T* data,
               std::int64_t ld) {
  const bool rows_adjacent = (layout == ACCUBLAS_COL_MAJOR) == (trans == ACCUBLAS_NO_TRANS);
  return rows_adjacent ? view(m, n, data, 1, ld) : view(m, n, data, ld, 1);
}

/// Returns C = op(A) op(B) without its factors, which are filled in later.
template <class T>
Gemm<T> gemm_view(accublas_layout layout, accublas_transpose transa, accublas_transpose transb, std::int64_t m,
                  std::int64_t n, std::int64_t k, const T* a, std::int64_t lda, const T* b, std::int64_t ldb, T* c,
                  std::int64_t ldc) {
  return {m,
          n,
          k,
          T{},
          view(layout, transa, m, k, a, lda),
          view(layout, transb, k, n, b, ldb),
          T{},
          view(layout, ACCUBLAS_NO_TRANS, m, n, c, ldc),
          transa == ACCUBLAS_CONJ_TRANS,
          transb == ACCUBLAS_CONJ_TRANS};
}

/// Returns BLAS's vector.
template <class T>
Vector<T> view(std::int64_t n, T* data, std::int64_t increment) {
  return blas_vector(n, data, stride_along(n, increment));
}

/// Returns the norm of a vector; a complex vector is the real one of its components.
template <class E>
Reduction<RealOf<E>> norm_view(Norm norm, std::int64_t n, const E* x, std::int64_t increment, RealOf<E>* result) {
  const Vector<const E> elements = view(n, x, increment);
  if (n < 0) n = 0;
  if constexpr (is_complex<E>)
    return {2 * n, component_entries(elements), result, norm};
  else
    return {n, elements, result, norm};
}

}  // namespace accublas
