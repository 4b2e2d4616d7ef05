// Code that the tests of public reports share: every type under one name, matrices next to NaN, modes, small integers.
#pragma once

#include <complex>
#include <cstdlib>

#include "api.hpp"
#include "test/typed_routines.hpp"

namespace reports {

using namespace typed;

using C = std::complex<float>;
using Z = std::complex<double>;
using Modes = std::vector<std::string>;

inline constexpr accublas_layout columns = ACCUBLAS_COL_MAJOR, rows = ACCUBLAS_ROW_MAJOR;
inline constexpr accublas_transpose N = ACCUBLAS_NO_TRANS, T = ACCUBLAS_TRANS, H = ACCUBLAS_CONJ_TRANS;
inline constexpr accublas_uplo U = ACCUBLAS_UPPER, L = ACCUBLAS_LOWER;

/// Modes whose bits are defined, and with them `dp`, which is as exact where nothing has to be rounded.
inline const Modes products = {"dp", "dp:repro", "dot2", "fixed:60", "cr"};
inline const Modes defined = {"dp:repro", "dot2", "fixed:60", "cr"};
/// The modes of norms, updates and triangular solutions.
inline const Modes sums = {"dp", "dp:repro", "dot2", "cr"}, defined_sums = {"dp:repro", "dot2", "cr"};
/// The modes of factorizations.
inline const Modes factorizations = {"dp", "dp:repro", "cr"}, defined_factorizations = {"dp:repro", "cr"};

template <class E>
const E quiet_nan = std::numeric_limits<Real<E>>::quiet_NaN();
template <class E>
const E infinity = std::numeric_limits<Real<E>>::infinity();

template <class... E, class Check>
void for_types(Check check) {
  (check(E{}), ...);
}
template <class Check>
void for_all_types(Check check) {
  for_types<double, float, Z, C>(check);
}

/// Expects a call to succeed. A failure shows the message of the context.
#define SUCCEEDS(context, call) ASSERT_EQ(call, ACCUBLAS_SUCCESS) << (context).error()

inline double conjugate(double x) { return x; }
inline float conjugate(float x) { return x; }
inline Z conjugate(Z x) { return std::conj(x); }
inline C conjugate(C x) { return std::conj(x); }

/// An integer from -limit to limit, of complex types in both parts.
class Integers {
 public:
  explicit Integers(unsigned seed) : random_(seed) {}
  template <class E>
  E get(int limit) {
    const auto part = [&] { return static_cast<Real<E>>(static_cast<int>(random_() % (2 * limit + 1)) - limit); };
    if constexpr (is_complex<E>) {
      const Real<E> re = part();
      return E(re, part());
    } else {
      return part();
    }
  }

 private:
  std::mt19937 random_;
};

/// A matrix in memory with two elements more a line than it has; NaN stands in all places until they are set.
template <class E>
struct Matrix {
  Matrix(accublas_layout order, std::int64_t m, std::int64_t n)
      : layout(order), rows(m), cols(n), ld((order == columns ? m : n) + 2) {
    data.assign(static_cast<std::size_t>(ld * (order == columns ? n : m) + 1), quiet_nan<E>);
  }
  E& operator()(std::int64_t i, std::int64_t j) {
    return data[static_cast<std::size_t>(layout == columns ? i + j * ld : i * ld + j)];
  }
  const E& operator()(std::int64_t i, std::int64_t j) const { return const_cast<Matrix&>(*this)(i, j); }
  /// Element i, j of the matrix or of its (conjugate) transpose.
  E of(accublas_transpose op, std::int64_t i, std::int64_t j) const {
    return op == N ? (*this)(i, j) : op == T ? (*this)(j, i) : conjugate((*this)(j, i));
  }
  Matrix& fill(Integers& integers, int limit) {
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < cols; ++j) (*this)(i, j) = integers.get<E>(limit);
    return *this;
  }
  E* p() { return data.data(); }
  const E* p() const { return data.data(); }

  accublas_layout layout;
  std::int64_t rows, cols, ld;
  std::vector<E> data;
};

/// op(A) is m x n.
template <class E>
Matrix<E> stored(accublas_layout layout, accublas_transpose op, std::int64_t m, std::int64_t n) {
  return op == N ? Matrix<E>(layout, m, n) : Matrix<E>(layout, n, m);
}

/// Equal numbers, whatever the sign of a zero, in all places, and the bits that were there where a NaN is wanted.
template <class E>
bool equal(const std::vector<E>& got, const std::vector<E>& wanted) {
  if (got.size() != wanted.size()) return false;
  for (std::size_t i = 0; i < got.size(); ++i)
    if (!(got[i] == wanted[i]) && std::memcmp(&got[i], &wanted[i], sizeof(E)) != 0) return false;
  return true;
}

template <class E>
bool same_bits(const E& x, const E& y) {
  return std::memcmp(&x, &y, sizeof(E)) == 0;
}

template <class R>
bool is_nan(R x) {
  return std::isnan(x);
}
template <class R>
bool is_nan(std::complex<R> x) {
  return std::isnan(x.real()) || std::isnan(x.imag());
}

/// x = m 2^-shift for a number that has no bits below that.
inline std::int64_t scaled(double x, int shift) {
  const double m = std::ldexp(x, shift);
  EXPECT_EQ(m, std::floor(m)) << x << " has bits below 2^-" << shift;
  return static_cast<std::int64_t>(m);
}

/// alpha op(A) op(B) + beta C with small integers, in the elements that `wanted` names.
template <class E, class Wanted>
Matrix<E> product(E alpha, accublas_transpose ta, const Matrix<E>& a, accublas_transpose tb, const Matrix<E>& b, E beta,
                  const Matrix<E>& c, Wanted wanted) {
  Matrix<E> result = c;
  const std::int64_t k = ta == N ? a.cols : a.rows;
  for (std::int64_t i = 0; i < c.rows; ++i)
    for (std::int64_t j = 0; j < c.cols; ++j) {
      if (!wanted(i, j)) continue;
      E sum{};
      for (std::int64_t p = 0; p < k; ++p) sum += a.of(ta, i, p) * b.of(tb, p, j);
      result(i, j) = alpha * sum + (beta == E{} ? E{} : beta * c(i, j));
    }
  return result;
}
inline bool everywhere(std::int64_t, std::int64_t) { return true; }

/// A triangle of small integers with powers of two on its diagonal, so that a solution of integers is found exactly.
/// NaN stands in the other triangle, and on a unit diagonal.
template <class E>
Matrix<E> triangle(accublas_layout layout, accublas_uplo uplo, accublas_diag diag, std::int64_t n, Integers& integers) {
  Matrix<E> a(layout, n, n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      if (i == j ? diag == ACCUBLAS_UNIT : (i < j) != (uplo == U)) continue;
      a(i, j) = i != j ? integers.get<E>(1) : i % 3 == 0 ? E(2) : i % 3 == 1 ? E(-1) : E(1);
    }
  return a;
}
/// The whole matrix that a triangle stands for.
template <class E>
Matrix<E> whole(const Matrix<E>& a, accublas_uplo uplo, accublas_diag diag) {
  Matrix<E> result = a;
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.cols; ++j) {
      if (i == j && diag == ACCUBLAS_UNIT) result(i, j) = 1;
      if (i != j && (i < j) != (uplo == U)) result(i, j) = 0;
    }
  return result;
}

inline int scale() {
  const char* const word = std::getenv("ACCUBLAS_TEST_SCALE");
  return word ? std::max(1, std::atoi(word)) : 1;
}

}  // namespace reports
