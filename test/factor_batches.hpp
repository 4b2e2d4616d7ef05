// Batches of factorizations and solutions, with matrices of every kind in one batch, and the calls one by one that they
// are compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "accublas.h"
#include "test/typed_routines.hpp"

namespace factor_batches {

using Index = std::int64_t;
enum class Kind { getrf, potrf, getrs, potrs, gesv, posv, geqrf };
inline constexpr Kind kinds[] = {Kind::getrf, Kind::potrf, Kind::getrs, Kind::potrs,
                                 Kind::gesv,  Kind::posv,  Kind::geqrf};
inline const char* name_of(Kind kind) {
  constexpr const char* names[] = {"getrf", "potrf", "getrs", "potrs", "gesv", "posv", "geqrf"};
  return names[static_cast<int>(kind)];
}
constexpr bool is_cholesky(Kind kind) { return kind == Kind::potrf || kind == Kind::potrs || kind == Kind::posv; }
constexpr bool solves(Kind kind) { return kind != Kind::getrf && kind != Kind::potrf && kind != Kind::geqrf; }
constexpr bool factors(Kind kind) { return kind != Kind::getrs && kind != Kind::potrs; }
constexpr bool has_m(Kind kind) { return kind == Kind::getrf || kind == Kind::geqrf; }

/// The arrays of a batch, which a call overwrites.
template <class E>
struct Arrays {
  std::vector<E> a, b, tau;
  std::vector<Index> pivots, info;

  bool operator==(const Arrays& other) const {
    return same(a, other.a) && same(b, other.b) && same(tau, other.tau) && pivots == other.pivots && info == other.info;
  }
  /// Describes the first difference.
  std::string difference(const Arrays& other) const {
    return differs("a", a, other.a) + differs("b", b, other.b) + differs("tau", tau, other.tau) +
           differs("ipiv", pivots, other.pivots) + differs("info", info, other.info);
  }

 private:
  template <class X>
  static bool same(const std::vector<X>& x, const std::vector<X>& y) {
    return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(X)) == 0);
  }
  template <class X>
  static std::string differs(const char* name, const std::vector<X>& x, const std::vector<X>& y) {
    if (x.size() != y.size()) return std::string(name) + " has another size; ";
    for (std::size_t i = 0; i < x.size(); ++i)
      if (std::memcmp(&x[i], &y[i], sizeof(X)) != 0)
        return std::string(name) + " differs at " + std::to_string(i) + "; ";
    return "";
  }
};

template <class E>
class Batch {
  using T = typed::Real<E>;

 public:
  Kind kind;
  accublas_layout layout;
  accublas_uplo uplo = ACCUBLAS_UPPER;
  accublas_transpose trans = ACCUBLAS_NO_TRANS;
  Index m, n, nrhs, count, lda, ldb, stride_a, stride_b;
  Arrays<E> given;

  /// Leading dimensions are `extra` above the least, and matrices `gap` apart. Matrix i is of kind i modulo 8.
  Batch(Kind of, bool rows, Index m_, Index n_, Index nrhs_, Index matrices, Index extra, Index gap, unsigned seed)
      : kind(of),
        layout(rows ? ACCUBLAS_ROW_MAJOR : ACCUBLAS_COL_MAJOR),
        m(has_m(of) ? m_ : n_),
        n(n_),
        nrhs(solves(of) ? nrhs_ : 0),
        count(matrices),
        lda(std::max<Index>(1, rows ? n : m) + extra),
        ldb(std::max<Index>(1, rows ? nrhs : n) + extra),
        stride_a(lda * (rows ? m : n) + gap),
        stride_b(ldb * (rows ? n : nrhs) + gap),
        random_(seed) {
    const auto size = [](Index numbers) { return static_cast<std::size_t>(numbers); };
    given.a.resize(size(stride_a * count + 1));
    given.b.resize(solves(kind) ? size(stride_b * count + 1) : 0);
    given.pivots.assign(size(is_cholesky(kind) || kind == Kind::geqrf ? 0 : order() * count), 1);
    given.tau.resize(kind == Kind::geqrf ? size(order() * count) : 0);
    given.info.assign(size(factors(kind) && kind != Kind::geqrf ? count : 0), -1);
    for (E& x : given.a) x = number(2);
    for (E& x : given.b) x = number(2);
    for (Index i = 0; i < count; ++i) is_cholesky(kind) ? make_definite(i) : make_general(i);
  }

  Index order() const { return std::min(m, n); }
  E& a(std::vector<E>& array, Index i, Index row, Index col) const {
    const bool rows = layout == ACCUBLAS_ROW_MAJOR;
    return array[static_cast<std::size_t>(i * stride_a + (rows ? row * lda + col : row + col * lda))];
  }
  std::string text() const {
    return std::string(name_of(kind)) + " layout " + std::to_string(layout) + " uplo " + std::to_string(uplo) +
           " trans " + std::to_string(trans) + " m " + std::to_string(m) + " n " + std::to_string(n) + " nrhs " +
           std::to_string(nrhs) + " x " + std::to_string(count) + " lda " + std::to_string(lda);
  }

  accublas_status one_by_one(accublas_context* context, Arrays<E>& out) const {
    accublas_status status = ACCUBLAS_SUCCESS;
    for (Index i = 0; i < count && status == ACCUBLAS_SUCCESS; ++i) {
      E *const a = out.a.data() + i * stride_a, *const b = out.b.data() + i * stride_b;
      Index *const p = out.pivots.data() + i * order(), *const info = out.info.data() + i;
      switch (kind) {
        case Kind::getrf:
          status = typed::getrf(E{}, context, layout, m, n, a, lda, p, info);
          break;
        case Kind::potrf:
          status = typed::potrf(E{}, context, layout, uplo, n, a, lda, info);
          break;
        case Kind::getrs:
          status = typed::getrs(E{}, context, layout, trans, n, nrhs, a, lda, p, b, ldb);
          break;
        case Kind::potrs:
          status = typed::potrs(E{}, context, layout, uplo, n, nrhs, a, lda, b, ldb);
          break;
        case Kind::gesv:
          status = typed::gesv(E{}, context, layout, n, nrhs, a, lda, p, b, ldb, info);
          break;
        case Kind::posv:
          status = typed::posv(E{}, context, layout, uplo, n, nrhs, a, lda, b, ldb, info);
          break;
        case Kind::geqrf:
          status = typed::geqrf(E{}, context, layout, m, n, a, lda, out.tau.data() + i * order());
      }
    }
    return status;
  }

  /// A call on arrays anywhere: `a` and `b` are the first matrices.
  accublas_status strided(accublas_context* context, E* a, E* b, E* tau, Index* p, Index* info) const {
    switch (kind) {
      case Kind::getrf:
        return typed::getrf_strided_batched(E{}, context, layout, m, n, a, lda, stride_a, p, info, count);
      case Kind::potrf:
        return typed::potrf_strided_batched(E{}, context, layout, uplo, n, a, lda, stride_a, info, count);
      case Kind::getrs:
        return typed::getrs_strided_batched(E{}, context, layout, trans, n, nrhs, a, lda, stride_a, p, b, ldb, stride_b,
                                            count);
      case Kind::potrs:
        return typed::potrs_strided_batched(E{}, context, layout, uplo, n, nrhs, a, lda, stride_a, b, ldb, stride_b,
                                            count);
      case Kind::gesv:
        return typed::gesv_strided_batched(E{}, context, layout, n, nrhs, a, lda, stride_a, p, b, ldb, stride_b, info,
                                           count);
      case Kind::posv:
        return typed::posv_strided_batched(E{}, context, layout, uplo, n, nrhs, a, lda, stride_a, b, ldb, stride_b,
                                           info, count);
      default:
        return typed::geqrf_strided_batched(E{}, context, layout, m, n, a, lda, stride_a, tau, count);
    }
  }
  accublas_status strided(accublas_context* context, Arrays<E>& out) const {
    return strided(context, out.a.data(), out.b.data(), out.tau.data(), out.pivots.data(), out.info.data());
  }
  /// `a` and `b` are arrays of pointers, in host or device memory.
  template <class Pointers>
  accublas_status by_pointers(accublas_context* context, Pointers a, Pointers b, E* tau, Index* p, Index* info) const {
    const auto read = [](auto pointers) { return reinterpret_cast<const E* const*>(pointers); };
    switch (kind) {
      case Kind::getrf:
        return typed::getrf_batched(E{}, context, layout, m, n, as_void(a), lda, p, info, count);
      case Kind::potrf:
        return typed::potrf_batched(E{}, context, layout, uplo, n, as_void(a), lda, info, count);
      case Kind::getrs:
        return typed::getrs_batched(E{}, context, layout, trans, n, nrhs, as_void(read(a)), lda, p, as_void(b), ldb,
                                    count);
      case Kind::potrs:
        return typed::potrs_batched(E{}, context, layout, uplo, n, nrhs, as_void(read(a)), lda, as_void(b), ldb, count);
      case Kind::gesv:
        return typed::gesv_batched(E{}, context, layout, n, nrhs, as_void(a), lda, p, as_void(b), ldb, info, count);
      case Kind::posv:
        return typed::posv_batched(E{}, context, layout, uplo, n, nrhs, as_void(a), lda, as_void(b), ldb, info, count);
      default:
        return typed::geqrf_batched(E{}, context, layout, m, n, as_void(a), lda, tau, count);
    }
  }
  /// The pointers to the matrices of arrays that begin at `a` and `b`, in another order than that of memory.
  std::vector<E*> pointers(E* first, Index stride) const {
    std::vector<E*> at;
    for (Index i = 0; i < count; ++i) at.push_back(first + i * stride);
    return at;
  }
  accublas_status by_pointers(accublas_context* context, Arrays<E>& out) const {
    const std::vector<E*> at_a = pointers(out.a.data(), stride_a), at_b = pointers(out.b.data(), stride_b);
    return by_pointers(context, at_a.data(), at_b.data(), out.tau.data(), out.pivots.data(), out.info.data());
  }

  /// Replaces A by its factors, which `context` computes; where there are none, by the identity.
  accublas_status factor(accublas_context* context) {
    Batch factorization = *this;
    factorization.kind = is_cholesky(kind) ? Kind::potrf : Kind::getrf;
    Arrays<E> arrays = given;
    arrays.info.assign(static_cast<std::size_t>(count), 0);
    const accublas_status status = factorization.one_by_one(context, arrays);
    given.a = arrays.a, given.pivots = arrays.pivots;
    for (Index i = 0; i < count; ++i)
      for (Index j = 0; arrays.info[static_cast<std::size_t>(i)] > 0 && j < n; ++j)
        for (Index k = 0; k < n; ++k) a(given.a, i, j, k) = j == k ? E(1) : E(0);
    return status;
  }

  /// Returns the largest error of a factorization over u times the product of its factors' magnitudes, for the matrices
  /// in which nothing underflows, and checks that info names the first zero on U's diagonal. Negative: info is wrong.
  double backward_error(const Arrays<E>& before, const Arrays<E>& after) const {
    using Long = std::conditional_t<typed::is_complex<E>, std::complex<long double>, long double>;
    long double worst = 0;
    Arrays<E> x = before, y = after;
    for (Index i = 0; i < count; ++i) {
      const Index info = after.info[static_cast<std::size_t>(i)], which = i % 8;
      if (is_cholesky(kind) ? info != 0 || which == 7 : (which > 3 && which != 6)) continue;
      std::vector<Index> source(static_cast<std::size_t>(m));
      for (Index r = 0; r < m; ++r) source[static_cast<std::size_t>(r)] = r;
      for (Index r = 0; !is_cholesky(kind) && r < order(); ++r)
        std::swap(source[static_cast<std::size_t>(r)],
                  source[static_cast<std::size_t>(after.pivots[static_cast<std::size_t>(i * order() + r)] - 1)]);
      Index first_zero = 0;
      for (Index r = 0; !is_cholesky(kind) && r < order() && first_zero == 0; ++r)
        if (a(y.a, i, r, r) == E(0)) first_zero = r + 1;
      if (first_zero != info) return -1;
      for (Index r = 0; r < m; ++r)
        for (Index c = is_cholesky(kind) ? r : 0; c < n; ++c) {
          Long sum = 0;
          long double magnitude = 0;
          for (Index k = 0; k <= std::min({r, c, order() - 1}); ++k) {
            const bool lower = is_cholesky(kind) && uplo == ACCUBLAS_LOWER;
            E left = is_cholesky(kind) ? (lower ? a(y.a, i, r, k) : a(y.a, i, k, r))
                     : k == r          ? E(1)
                                       : a(y.a, i, r, k),
              right = lower ? a(y.a, i, c, k) : a(y.a, i, k, c);
            if constexpr (typed::is_complex<E>) {
              if (is_cholesky(kind)) (lower ? right : left) = std::conj(lower ? right : left);
            }
            sum += Long(left) * Long(right);
            magnitude += std::abs(Long(left)) * std::abs(Long(right));
          }
          const Index row = source[static_cast<std::size_t>(r)];
          const bool stored_below = is_cholesky(kind) && uplo == ACCUBLAS_LOWER;
          E element = stored_below ? a(x.a, i, c, r) : a(x.a, i, row, c);
          if constexpr (typed::is_complex<E>) {
            if (is_cholesky(kind) && r == c) element.imag(0);
            if (stored_below) element = std::conj(element);
          }
          const long double error = std::abs(Long(element) - sum);
          if (error > 0)
            worst = std::max(worst, error / (magnitude * (std::numeric_limits<T>::epsilon() / 2) +
                                             static_cast<long double>(std::numeric_limits<T>::min())));
        }
    }
    return static_cast<double>(worst);
  }

 private:
  static auto as_void(E* const* pointers) {
    if constexpr (typed::is_complex<E>)
      return reinterpret_cast<void* const*>(pointers);
    else
      return pointers;
  }
  static auto as_void(const E* const* pointers) {
    if constexpr (typed::is_complex<E>)
      return reinterpret_cast<const void* const*>(pointers);
    else
      return pointers;
  }

  T real(double width) {
    std::normal_distribution<double> normal(0, 1);
    return static_cast<T>(normal(random_) * std::exp(width * normal(random_)));
  }
  E number(double width) {
    if constexpr (typed::is_complex<E>)
      return {real(width), real(width)};
    else
      return real(width);
  }
  E small_integer() {
    const auto one = [this] { return static_cast<T>(static_cast<int>(random_() % 5) - 2); };
    if constexpr (typed::is_complex<E>)
      return {one(), one()};
    else
      return one();
  }

  /// Wide exponents, ties, a singular matrix, zeros, numbers near underflow and overflow, special values.
  void make_general(Index i) {
    constexpr T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    const auto each = [&](auto&& value) {
      for (Index r = 0; r < m; ++r)
        for (Index c = 0; c < n; ++c) a(given.a, i, r, c) = value(r, c);
    };
    const auto any = [&]() -> E& {
      return a(given.a, i, static_cast<Index>(random_() % static_cast<std::uint64_t>(m)),
               static_cast<Index>(random_() % static_cast<std::uint64_t>(n)));
    };
    const int which = static_cast<int>(i % 8);
    if (which == 0) each([&](Index, Index) { return number(which); });
    if (which == 1) each([&](Index, Index) { return small_integer(); });
    if (which == 2) each([&](Index r, Index c) { return E(static_cast<T>((r + 1) * (c % 3))); });
    if (which == 3) each([&](Index r, Index) { return r == 1 ? number(1) : E(0); });
    if (which == 4)
      each([&](Index r, Index c) {
        return number(1) * std::ldexp(T(1), static_cast<int>((r - c) % 5) * (sizeof(T) == 8 ? 200 : 25));
      });
    if (which == 5) each([&](Index, Index) { return number(0) * std::numeric_limits<T>::denorm_min() * T(1e4); });
    // The rows of a Vandermonde matrix nearly depend on each other.
    if (which == 6)
      each([&](Index r, Index c) {
        return E(static_cast<T>(std::pow(static_cast<double>(c + 1) / static_cast<double>(n), static_cast<double>(r))));
      });
    if (which == 7 && m > 0 && n > 0) any() = E(nan), any() = E(-inf), any() = E(std::numeric_limits<T>::max());
  }
  /// Gram matrices, exact ones, graded ones; indefinite ones, a zero one and some with special values.
  void make_definite(Index i) {
    const int which = static_cast<int>(i % 8);
    std::vector<E> g(static_cast<std::size_t>(n * n));
    for (E& x : g) x = which == 1 ? small_integer() : number(which == 2 ? 1 : 0);
    for (Index r = 0; r < n; ++r)
      for (Index c = 0; c < n; ++c) {
        E sum = which == 3 && r == c ? E(T(-1)) : E(static_cast<T>(r == c && which != 1 ? n : 0));
        for (Index k = 0; k < n; ++k) {
          const E x = g[static_cast<std::size_t>(k * n + r)], y = g[static_cast<std::size_t>(k * n + c)];
          if constexpr (typed::is_complex<E>)
            sum += std::conj(x) * y;
          else
            sum += x * y;
        }
        if (which == 4) sum *= std::ldexp(T(1), static_cast<int>((r + c) % 7) * (sizeof(T) == 8 ? 40 : 4));
        if (which == 5 && r == n / 2 && c == r) sum = -sum;
        if (which == 6) sum = E(0);
        a(given.a, i, r, c) = sum;
      }
    if (which == 7 && n > 0)
      a(given.a, i, n / 2, n - 1) = a(given.a, i, n - 1, n / 2) = E(std::numeric_limits<T>::quiet_NaN());
    // The imaginary parts of the diagonal are not read.
    if constexpr (typed::is_complex<E>)
      for (Index j = 0; j < n; ++j) a(given.a, i, j, j).imag(std::numeric_limits<T>::quiet_NaN());
  }

  std::mt19937_64 random_;
};

}  // namespace factor_batches
