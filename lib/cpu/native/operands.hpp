// Operands of the engine native, in which a call becomes one call of the real BLAS if BLAS can take the operands as
// they are (lib/cpu/blas_sizes.hpp). Operands that it cannot describe (both strides beyond 1, zero strides, huge
// leading dimensions and increments) are copied. GEMM, GEMV, DOT and the norms copy them block by block, and also cut
// sizes beyond 32 bits; the other routines copy whole operands (Compact), and their sizes beyond 32 bits are
// ACCUBLAS_ERROR_UNAVAILABLE.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>

#include "lib/base/error.hpp"
#include "lib/base/integers.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/call/blas_increment.hpp"
#include "lib/cpu/blas_sizes.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/real_blas.hpp"

namespace accublas::cpu {

constexpr Index size_limit = int_max - 63;  // largest block edge: a multiple of 64, so that blocks stay aligned

/// A matrix as BLAS names it: op ('N', 'T' or 'C') of a column-major array.
template <class T>
struct BlasMatrix {
  T* data;
  char op;
  Index ld;
};

/// Returns the leading dimension of a rows x cols matrix, or 0 if its strides have none: elements of a column must be
/// adjacent, and columns at least a column apart. A stride along a dimension of 1 is never used and thus free.
template <class T>
Index column_major_ld(const Matrix<T>& x, Index rows, Index cols) {
  if (x.row_stride != 1 && rows > 1) return 0;
  const Index least = std::max<Index>(rows, 1);
  const Index ld = cols > 1 ? x.col_stride : least;
  return ld >= least && ld <= int_max ? ld : 0;
}

/// Returns a matrix in BLAS's terms, with ld = 0 if it must be copied. BLAS has no op for the conjugate of an array
/// that is not transposed.
template <class T>
BlasMatrix<T> blas_matrix(const Matrix<T>& x, Index rows, Index cols, bool conjugate = false) {
  if (const Index ld = column_major_ld(x, rows, cols); ld && !conjugate) return {x.data, 'N', ld};
  return {x.data, conjugate ? 'C' : 'T', column_major_ld(x.transposed(), cols, rows)};
}

/// Returns whether BLAS can read a vector of n elements in place, in parts of at most size_limit.
template <class T>
bool blas_increment(const Vector<T>& x, Index n) {
  return n <= 1 ||
         (x.stride != 0 && fits_vector(std::min(n, size_limit), x.stride, is_complex<std::remove_const_t<T>>));
}

/// Part of a matrix, with its diagonal or without.
struct Part {
  Triangle triangle = Triangle::all;
  bool diagonal = true;
};

/// Copies a part of `from`, or of its conjugate, to `to`.
template <class From, class To>
void copy_matrix(const Matrix<From>& from, const Matrix<To>& to, Index rows, Index cols, Execution& execution,
                 bool conjugate = false, const Part& part = {}) {
  constexpr Index strip = 64;
  parallel_for(ceil_div(cols, strip), execution.threads, [&](Index task, int) {
    const Index j1 = std::min(cols, (task + 1) * strip);
    // Tiles are square, because one of the two matrices may be accessed across its columns.
    for (Index i0 = 0; i0 < rows; i0 += strip) {
      const Index i1 = std::min(rows, i0 + strip);
      for (Index j = task * strip; j < j1; ++j) {
        const Index first = part.triangle == Triangle::lower ? std::max(i0, part.diagonal ? j : j + 1) : i0;
        const Index end = part.triangle == Triangle::upper ? std::min(i1, part.diagonal ? j + 1 : j) : i1;
        for (Index i = first; i < end; ++i) to(i, j) = conjugate_if<To>(conjugate, from(i, j));
      }
    }
  });
  execution.report.copied_bytes += rows * cols * static_cast<Index>(sizeof(To));
}

template <class T>
Matrix<T> as_column(const Vector<T>& x) {
  return {x.data, x.stride, 0};
}

/// How a routine uses an operand that may be copied.
struct Use {
  Part part{};
  bool read = true, written = false;
  bool padded = false;  ///< copied in any case, with an extra column that may be read
};
constexpr Use result_of(Triangle triangle, bool read) { return {{triangle}, read, true}; }

/// The operands of one call as the real BLAS takes them: in place, or as compact copies in the workspace. All operands
/// are replaced before the call of BLAS, and put_back() copies results back after it.
template <class E>
class Compact {
 public:
  explicit Compact(Execution& execution) : execution_(execution) {}

  /// Replaces x by a matrix with contiguous columns at distance `ld`, which is set. A matrix without data stays as it
  /// is.
  template <class X>
  void columns(Matrix<X>& x, Index& ld, Index rows, Index cols, const Use& use) {
    ld = !x.data ? std::max<Index>(rows, 1) : use.padded ? 0 : column_major_ld(x, rows, cols);
    if (ld == 0) ld = copy(x, rows, cols, use);
  }
  /// Contract of the other overload, for a matrix with contiguous columns that is given by its address and leading
  /// dimension. Null stays null.
  template <class X>
  void columns(X*& data, Index& ld, Index rows, Index cols, const Use& use) {
    if (!data) return;
    Matrix<X> x{data, 1, ld};
    columns(x, ld, rows, cols, use);
    data = x.data;
  }
  /// Replaces a vector of n elements, given by its lowest address, by one whose increment BLAS takes.
  template <class X>
  void vector(X*& data, Index& increment, Index n, const Use& use) {
    if (!data || fits_vector(n, increment, is_complex<E>)) return;
    const Vector<X> x = blas_vector(n, data, increment);
    Matrix<X> column{x.data, x.stride, 0};
    copy(column, n, 1, use);
    data = column.data;
    increment = 1;
  }

  void put_back() {
    for (int i = 0; i < count_; ++i) {
      const Written& w = written_[i];
      copy_matrix(w.copy, w.home, w.rows, w.cols, execution_, false, w.part);
    }
  }

 private:
  struct Written {
    Matrix<E> home, copy;
    Index rows, cols;
    Part part;
  };

  /// Replaces x by its copy, whose leading dimension it returns.
  template <class X>
  Index copy(Matrix<X>& x, Index rows, Index cols, const Use& use) {
    const Index ld = std::max<Index>(rows, 1);
    const Index columns_taken = cols + (use.padded ? 1 : 0);
    const Matrix<E> to{execution_.workspace.take<E>(static_cast<std::size_t>(ld * columns_taken)), 1, ld};
    const bool rehearses = execution_.workspace.rehearses();
    if (use.read && !rehearses) copy_matrix(x, to, rows, cols, execution_, false, use.part);
    if constexpr (!std::is_const_v<X>)
      if (use.written && !rehearses) written_[count_++] = {x, to, rows, cols, use.part};
    x = {to.data, 1, ld};
    return ld;
  }

  Execution& execution_;
  Written written_[2];
  int count_ = 0;
};

/// Throws Error(ACCUBLAS_ERROR_UNAVAILABLE) if a size exceeds BLAS's integers. `what` names the routines, in the
/// plural.
inline void require_sizes(const char* what, std::initializer_list<Index> sizes) {
  const Index largest = std::max(sizes);
  if (!fits_integers(largest))
    throw Error(ACCUBLAS_ERROR_UNAVAILABLE,
                "a size of " + std::to_string(largest) + " is larger than 2^31 - 1, the most " +
                    "that the real BLAS takes in its " + what + "; the other engines of mode dp and mode cr take it");
}

/// Reports the bound of sums of k terms in any order (Jeannerod and Rump 2013: no higher order terms). It holds if
/// nothing over- or underflows.
template <class T>
void set_bound(Index k, Execution& execution) {
  put_bound(execution.report, any_order<T>(k));
}

}  // namespace accublas::cpu
