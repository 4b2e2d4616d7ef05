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

/// The strides of a rows x cols matrix as a leading dimension, 0 if BLAS has none for them: elements of a column must
/// be adjacent and columns at least a column apart. A stride along a dimension of 1 is never used and thus free.
template <class T>
Index column_major_ld(const Matrix<T>& x, Index rows, Index cols) {
  if (x.row_stride != 1 && rows > 1) return 0;
  const Index least = std::max<Index>(rows, 1);
  const Index ld = cols > 1 ? x.col_stride : least;
  return ld >= least && ld <= int_max ? ld : 0;
}

/// ld = 0 where the matrix must be copied: BLAS has no conjugate of an array as it lies.
template <class T>
BlasMatrix<T> blas_matrix(const Matrix<T>& x, Index rows, Index cols, bool conjugate = false) {
  if (const Index ld = column_major_ld(x, rows, cols); ld && !conjugate) return {x.data, 'N', ld};
  return {x.data, conjugate ? 'C' : 'T', column_major_ld(x.transposed(), cols, rows)};
}

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

/// to = from, or its conjugate, in that part.
template <class From, class To>
void copy_matrix(const Matrix<From>& from, const Matrix<To>& to, Index rows, Index cols, Execution& execution,
                 bool conjugate = false, const Part& part = {}) {
  constexpr Index strip = 64;
  parallel_for(ceil_div(cols, strip), execution.threads, [&](Index task, int) {
    const Index j1 = std::min(cols, (task + 1) * strip);
    for (Index i0 = 0; i0 < rows; i0 += strip) {  // square tiles: one of the two sides is read across
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
  bool padded = false;  ///< a copy in any case, with a column behind it that may be read
};
constexpr Use result_of(Triangle triangle, bool read) { return {{triangle}, read, true}; }

/// The operands of one call as the real BLAS takes them: as they lie, or copies without gaps in the workspace. The
/// caller takes all of them before the call, and puts back what the call wrote after it.
template <class E>
class Compact {
 public:
  explicit Compact(Execution& execution) : execution_(execution) {}

  /// The matrix with adjacent elements in its columns, which are ld apart; a matrix without data as it is.
  template <class X>
  void columns(Matrix<X>& x, Index& ld, Index rows, Index cols, const Use& use) {
    ld = !x.data ? std::max<Index>(rows, 1) : use.padded ? 0 : column_major_ld(x, rows, cols);
    if (ld == 0) ld = copy(x, rows, cols, use);
  }
  /// A matrix of which BLAS has the address and the leading dimension; null where the routine has none.
  template <class X>
  void columns(X*& data, Index& ld, Index rows, Index cols, const Use& use) {
    if (!data) return;
    Matrix<X> x{data, 1, ld};
    columns(x, ld, rows, cols, use);
    data = x.data;
  }
  /// BLAS's vector of n elements, which begins at its lowest address.
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

/// `what`: the routines, in the plural.
inline void require_sizes(const char* what, std::initializer_list<Index> sizes) {
  const Index largest = std::max(sizes);
  if (!fits_integers(largest))
    throw Error(ACCUBLAS_ERROR_UNAVAILABLE,
                "a size of " + std::to_string(largest) + " is larger than 2^31 - 1, the most " +
                    "that the real BLAS takes in its " + what + "; the other engines of mode dp and mode cr take it");
}

/// In any order of summation (Jeannerod and Rump 2013: no higher order terms), while nothing over- or underflows.
template <class T>
void set_bound(Index k, Execution& execution) {
  put_bound(execution.report, any_order<T>(k));
}

}  // namespace accublas::cpu
