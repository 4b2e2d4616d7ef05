// The work of flows (lib/lapack) between the library's own calls: steps and questions on single elements, each
// described once, and the objects that carry them out in the memory of the arrays.
#pragma once

#include <variant>

#include "lib/base/error.hpp"
#include "lib/call/factorization.hpp"
#include "lib/call/matmul_steps.hpp"
#include "lib/call/problem.hpp"
#include "lib/call/product.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas {

// ---- steps: operator()(i, j) is the work of element (i, j) of rows x cols; elements do not depend on each other ----

/// Writes `diagonal` where i + shift = j, and zero elsewhere.
template <class E>
struct FillStep {
  Matrix<E> to;
  E diagonal{};
  Index shift = 0;
  ACCUBLAS_HD void operator()(Index i, Index j) const { to(i, j) = i + shift == j ? diagonal : E{}; }
};

/// Copies a part of `from`, whose diagonal is i = j + shift; with `diagonal` the part includes the diagonal. Elements
/// outside of the part become zero, or stay. Imaginary parts of the diagonal may become zero.
template <class E>
struct CopyStep {
  Matrix<E> to;
  Matrix<const E> from;
  Triangle part = Triangle::all;
  Index shift = 0;
  bool diagonal = true, zeros = false, real_diagonal = false;
  ACCUBLAS_HD void operator()(Index i, Index j) const {
    const bool on_diagonal = i == j + shift;
    if (holds(part, i, j + shift) && (diagonal || !on_diagonal)) {
      E x = from(i, j);
      if constexpr (is_complex<E>)
        if (real_diagonal && on_diagonal) x.im = 0;
      to(i, j) = x;
    } else if (zeros) {
      to(i, j) = E{};
    }
  }
};

/// Makes zeros positive.
template <class E>
struct PositiveZerosStep {
  Matrix<E> to;
  ACCUBLAS_HD void operator()(Index i, Index j) const {
    E& x = to(i, j);
    if constexpr (is_complex<E>) {
      if (x.re == 0) x.re = 0;
      if (x.im == 0) x.im = 0;
    } else if (x == 0) {
      x = 0;
    }
  }
};

/// Conjugates elements; a NaN stays as it is.
template <class E>
struct ConjugateStep {
  Matrix<E> to;
  ACCUBLAS_HD void operator()(Index i, Index j) const {
    if constexpr (is_complex<E>)
      if (E& x = to(i, j); x.im == x.im) x.im = -x.im;
  }
};

template <class E>
struct ScaleStep {
  Matrix<E> to;
  RealOf<E> factor;
  ACCUBLAS_HD void operator()(Index i, Index j) const {
    E& x = to(i, j);
    if constexpr (is_complex<E>) {
      x.re *= factor;
      x.im *= factor;
    } else {
      x *= factor;
    }
  }
};

/// Writes a column of reflectors: the vector v with its 1 in row `count` and `below` after it, or zeros if *tau is
/// zero. Sets *one = 1, and *divisor to tau, or to 1 if tau is zero.
template <class E>
struct ReflectorStep {
  E* v;
  Index count;
  Vector<const E> below;
  const E* tau;
  bool conjugated;
  E *one, *divisor;
  ACCUBLAS_HD void operator()(Index i, Index) const {
    const E t = *tau;
    const bool identity = t == 0;
    v[i] = identity || i < count ? E{}
           : i == count          ? E{1}
                                 : conjugate_if(conjugated, below.data[(i - count - 1) * below.stride]);
    if (i != count) return;
    *one = E{1};
    *divisor = identity ? E{1} : conjugate_if(conjugated, t);
  }
};

/// Whether no part of a number is an infinity or a NaN.
template <class E>
ACCUBLAS_HD constexpr bool finite_number(const E& x) {
  if constexpr (is_complex<E>)
    return is_finite(x.re) && is_finite(x.im);
  else
    return is_finite(x);
}
/// Whether a part of a number is 2^960 or more in magnitude (single precision: 2^64), as in docs/factorizations.md,
/// "Large columns".
template <class E>
ACCUBLAS_HD constexpr bool large_number(const E& x) {
  using T = RealOf<E>;
  constexpr T least = sizeof(T) == 8 ? T(0x1p960) : T(0x1p64);
  if constexpr (is_complex<E>)
    return x.re >= least || x.re <= -least || x.im >= least || x.im <= -least;
  else
    return x >= least || x <= -least;
}

/// Sets marks[j] to 1 if column j of `from` has a large number and only finite ones, else to 0. It has one row of
/// elements.
template <class E>
struct MarkLargeStep {
  E* marks;
  Matrix<const E> from;
  Index rows;
  ACCUBLAS_HD void operator()(Index, Index j) const {
    bool large = false, finite = true;
    for (Index i = 0; i < rows; ++i) {
      large |= large_number(from(i, j));
      finite &= finite_number(from(i, j));
    }
    marks[j] = large && finite ? E{1} : E{};
  }
};

/// Sets overflowed[j] to 1 if large[j] is not zero and column j of `from` has an infinity or a NaN, else to 0. It has
/// one row of elements.
template <class E>
struct MarkOverflowStep {
  E* overflowed;
  const E* large;
  Matrix<const E> from;
  Index rows;
  ACCUBLAS_HD void operator()(Index, Index j) const {
    bool finite = true;
    for (Index i = 0; i < rows; ++i) finite &= finite_number(from(i, j));
    overflowed[j] = finite || large[j] == 0 ? E{} : E{1};
  }
};

template <class E>
using ElementStep =
    std::variant<FillStep<E>, CopyStep<E>, PositiveZerosStep<E>, ConjugateStep<E>, ScaleStep<E>, ReflectorStep<E>,
                 MarkLargeStep<E>, MarkOverflowStep<E>, AddendStep<E>, EpilogueStep<E>, ReluMaskStep<E>, SumStep<E>>;

/// A step and the elements that it works on.
template <class E>
struct SizedStep {
  ElementStep<E> step;
  Index rows, cols;
};

// ---- reflectors of orthonormal columns ----

/// Makes `count` reflectors of orthonormal columns (Ballard, Demmel, Grigori, Jacquelin, Nguyen and Solomonik, 2014;
/// LAPACK's ORHR). x - S = L U, where the diagonal matrix S has the sign that makes each diagonal element of U the
/// larger in magnitude: at least 1, so that no pivots are needed. L and U overwrite x, rows of r are multiplied by S,
/// and tau receives the factors of the reflectors. The steps of a column j follow one another; in each of them elements
/// do not depend on each other.
template <class E>
struct ReflectorsOfColumns {
  Matrix<E> x, r;
  Index count, columns;  ///< the columns of r
  E* tau;

  /// Finds the sign of row j, of x's element on the diagonal.
  ACCUBLAS_HD void pivot(Index j) const {
    E& u = x(j, j);
    if constexpr (is_complex<E>) {
      const RealOf<E> sign = u.re < 0 ? RealOf<E>(-1) : RealOf<E>(1);
      u.re += sign;
      tau[j] = {sign * u.re, sign * u.im};
    } else {
      const E sign = u < 0 ? E(-1) : E(1);
      u += sign;
      tau[j] = sign * u;
    }
  }
  /// Multiplies r's element in row j and column k by the sign.
  ACCUBLAS_HD void turn(Index j, Index k) const {
    E& to = r(j, k);
    if constexpr (is_complex<E>) {
      if (!(x(j, j).re < 0)) to = {-to.re, -to.im};
    } else {
      if (!(x(j, j) < 0)) to = -to;
    }
  }
  /// Computes L's element in row i > j.
  ACCUBLAS_HD void divide(Index i, Index j) const {
    const E p = x(j, j);
    E& l = x(i, j);
    if constexpr (is_complex<E>) {
      const RealOf<E> size = p.re * p.re + p.im * p.im;
      l = {(l.re * p.re + l.im * p.im) / size, (l.im * p.re - l.re * p.im) / size};
    } else {
      l /= p;
    }
  }
  /// Subtracts the contribution of column j from the element in row i > j and column k > j.
  ACCUBLAS_HD void subtract(Index i, Index k, Index j) const {
    const E l = x(i, j), u = x(j, k);
    E& to = x(i, k);
    if constexpr (is_complex<E>)
      to = {to.re - (l.re * u.re - l.im * u.im), to.im - (l.re * u.im + l.im * u.re)};
    else
      to -= l * u;
  }
};

// ---- questions ----

/// A question about an element: is it zero, not zero, not finite, or large (large_number)? Column j of rows x cols is
/// column first + j step of the matrix whose `part` counts; with `unit` the diagonal does not count.
template <class E>
struct ElementQuestion {
  enum class Kind { zero, nonzero, not_finite, large };
  Kind kind;
  Matrix<const E> x;
  Triangle part = Triangle::all;
  Index first = 0, step = 1;
  bool unit = false;

  ACCUBLAS_HD bool operator()(Index i, Index j) const {
    const Index column = first + j * step;
    if (!holds(part, i, column) || (unit && i == column)) return false;
    const E& element = x(i, j);
    if (kind == Kind::not_finite) return !finite_number(element);
    if (kind == Kind::large) return large_number(element);
    return (element == 0) == (kind == Kind::zero);
  }
};

/// Products of the columns of an m x n matrix: gram = A^H A, less the identity if that is wanted. All elements of
/// `gram` are written.
template <class E>
struct TallGram {
  Matrix<const E> a;
  Index m, n;
  Matrix<E> gram;
  bool less_one;
  E* memory;  ///< tall_gram_numbers(m, n) numbers
};
/// With less_one an element of TallGram::gram is off by at most so many roundoffs times the norms of its two columns,
/// and by its rounding, if the elements on the diagonal are below 1/2. Four products have four roundings; all else is
/// small.
inline constexpr double tall_gram_error = 4.1;

/// The memory and the steps of one call: arrays of its own, and the steps of its flow, in the memory of the operands.
/// On a device all work goes to the call's stream, after the calls before it. Only read() and first() wait; they throw
/// in the capture of a graph.
template <class E>
class ElementSteps {
 public:
  virtual ~ElementSteps() = default;

  /// Takes memory for the length of the call, which is not initialised. Throws Error(ACCUBLAS_ERROR_MEMORY).
  virtual std::byte* take_bytes(std::size_t bytes) = 0;
  template <class T = E>
  T* take(Index count) {
    return reinterpret_cast<T*>(take_bytes(static_cast<std::size_t>(count) * sizeof(T)));
  }

  /// Whether read() and first() can be called. They cannot in the capture of a graph.
  virtual bool can_wait() const { return true; }
  virtual void run(const ElementStep<E>&, Index rows, Index cols) = 0;
  /// Returns i + j rows for the first element whose answer is yes, or -1. A rehearsal (Backend::rehearse) knows nothing
  /// of the elements; it returns the answer after which a flow takes the most memory, that all numbers are ordinary.
  virtual Index first(const ElementQuestion<E>&, Index rows, Index cols) = 0;
  virtual E read(const E* from) = 0;
  /// Makes reflectors of a few columns.
  virtual void reflect(const ReflectorsOfColumns<E>&) = 0;
  virtual void put(std::int64_t* to, std::int64_t value) = 0;
  /// Exchanges rows of B with those that the pivots name (swap_rows).
  virtual void exchange(const Matrix<E>& b, Index columns, const Pivots& pivots, Index count, bool backwards) = 0;

  /// Marks the flow as complete; a flow without this call has failed. Returns the bytes that were taken in addition to
  /// the workspace.
  virtual std::int64_t finish() { return 0; }

  /// Returns how many numbers of memory tall_gram takes; 0: tall_gram and tall_divide do not serve m x n matrices.
  virtual Index tall_gram_numbers(Index, Index) const { return 0; }
  virtual void tall_gram(const TallGram<E>&) {}
  /// A = A R^-1 with the upper triangle of R, by operations whose errors are those of substitution.
  virtual void tall_divide(const Matrix<E>&, Index, Index, const Matrix<const E>&) {}

  void put(E* to, const E& value) { run(FillStep<E>{{to, 1, 1}, value}, 1, 1); }

  /// Runs a step that may be the first to write to a result of the flow.
  void overwrite(const ElementStep<E>& step, Index rows, Index cols) {
    wrote = wrote || (rows > 0 && cols > 0);
    run(step, rows, cols);
  }
  /// Makes a call that may be the first to write to a result of the flow.
  template <class Call>
  void overwrite(Call&& call) {
    try {
      call();
    } catch (const Error& error) {
      wrote = wrote || error.status() == ACCUBLAS_ERROR_C_UNDEFINED;
      throw;
    }
    wrote = true;
  }

  bool wrote = false;  ///< a result of the flow may have changed
};

}  // namespace accublas
