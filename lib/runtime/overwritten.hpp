// The operands of a call in host memory, and copies of those that its results overwrite, from which the host decides
// the exceptions of the results (lib/runtime/operand_exceptions.hpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "lib/base/integers.hpp"
#include "lib/base/thread_pool.hpp"
#include "lib/call/element_steps.hpp"
#include "lib/numerics/parts.hpp"
#include "lib/numerics/result_exceptions.hpp"

namespace accublas::exceptions {

/// Calls body(0, real part) and, for a complex x, body(1, imaginary part).
template <class E, class Body>
void for_parts(const E& x, Body&& body) {
  if constexpr (is_complex<E>)
    body(0, x.re), body(1, x.im);
  else
    body(0, x);
}
template <class E>
void add_parts(OperandKinds& kinds, const E& x) {
  for_parts(x, [&](int, auto part) { kinds.add(part); });
}

/// Adds to `kinds` the operands of the real products whose sum is a part of factor times x (for_products).
template <class E>
void add_product(OperandKinds& kinds, const E& factor, const E& x, int part) {
  for_products(factor, x, part, [&](auto of_factor, auto of_x) {
    kinds.add(of_factor);
    kinds.add(of_x);
  });
}

/// Returns whether the part of a matrix holds an infinity or a NaN.
template <class E>
bool holds_special(Matrix<const E> x, Index rows, Index cols, Triangle part, int threads) {
  if (std::abs(x.row_stride) > std::abs(x.col_stride) && cols > 1) {
    x = x.transposed();
    std::swap(rows, cols);
    part = transposed(part);
  }
  std::atomic<bool> found = false;
  const Index columns = std::max<Index>(1, (Index{1} << 16) / std::max<Index>(rows, 1));
  parallel_for(ceil_div(cols, columns), threads, [&](Index task, int) {
    bool finite = true;
    for (Index j = task * columns; j < std::min(cols, (task + 1) * columns); ++j) {
      const Index first = part == Triangle::lower ? j : 0, end = part == Triangle::upper ? std::min(j + 1, rows) : rows;
      const E* const column = &x(0, j);
      if (x.row_stride == 1)
        for (Index i = first; i < end; ++i) finite &= finite_number(column[i]);
      else
        for (Index i = first; i < end; ++i) finite &= finite_number(column[i * x.row_stride]);
    }
    if (!finite) found.store(true, std::memory_order_relaxed);
  });
  return found;
}
template <class E>
bool holds_special(const Matrix<E>& x, Index rows, Index cols, Triangle part, int threads) {
  return holds_special(read_only(x), rows, cols, part, threads);
}

/// The numbers that a result overwrites. Exceptions depend only on the infinities and NaN among them. If there are
/// none, the matrix here is zero.
template <class E>
class Overwritten {
 public:
  Overwritten(const Matrix<E>& x, Index rows, Index cols, Triangle part, bool read, int threads) : rows_(rows) {
    if (read && holds_special(x, rows, cols, part, threads)) copy(x, cols, part);
  }
  void copy(const Matrix<E>& x, Index cols, Triangle part) {
    copy_.resize(static_cast<std::size_t>(rows_ * cols));
    for (Index j = 0; j < cols; ++j)
      for (Index i = 0; i < rows_; ++i)
        if (holds(part, i, j)) matrix()(i, j) = x(i, j);
  }
  bool all_zero() const { return copy_.empty(); }
  Matrix<E> matrix() { return all_zero() ? Matrix<E>{&zero_, 0, 0} : Matrix<E>{copy_.data(), 1, rows_}; }

 private:
  Index rows_;
  std::vector<E> copy_;
  E zero_{};
};

}  // namespace accublas::exceptions
