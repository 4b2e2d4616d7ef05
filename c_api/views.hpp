// From the arguments of BLAS to the library's problems: layout, transposition and sign of increments become strides.
#pragma once

#include "c_api/boundary.hpp"
#include "lib/problem.hpp"

namespace accublas {

inline void require(const BadArgument& bad) {
  if (bad) throw Error(ACCUBLAS_ERROR_ARGUMENT, std::string("argument ") + bad.name + " is invalid");
}

/// op(X) of a stored matrix with a leading dimension.
template <class T>
Matrix<T> view(accublas_layout layout, accublas_transpose trans, T* data, std::int64_t ld) {
  const bool rows_adjacent = (layout == ACCUBLAS_COL_MAJOR) == (trans == ACCUBLAS_NO_TRANS);
  return rows_adjacent ? Matrix<T>{data, 1, ld} : Matrix<T>{data, ld, 1};
}

/// BLAS's vector: with a negative increment element 0 is at the far end.
template <class T>
Vector<T> view(std::int64_t n, T* data, std::int64_t increment) {
  return {data && increment < 0 && n > 0 ? data - (n - 1) * increment : data, increment};
}

}  // namespace accublas
