// Code that tests of LAPACK's factorizations in dp and sp on the GPU share: matrices surrounded by poison, and
// residuals that are rounded once (GEMM in cr), element by element.
#pragma once

#include <cmath>
#include <complex>
#include <cstring>
#include <functional>

#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {

template <class E>
struct Numbers {
  using Real = E;
  static constexpr bool complex = false;
};
template <class T>
struct Numbers<std::complex<T>> {
  using Real = T;
  static constexpr bool complex = true;
};
template <class E>
using Real = typename Numbers<E>::Real;
template <class E>
constexpr double roundoff = sizeof(Real<E>) == 8 ? 0x1p-53 : 0x1p-24;

/// The routine of E's type.
template <class E>
auto pick(auto d, auto s, auto z, auto c) {
  if constexpr (std::is_same_v<E, double>)
    return d;
  else if constexpr (std::is_same_v<E, float>)
    return s;
  else if constexpr (std::is_same_v<E, std::complex<double>>)
    return z;
  else
    return c;
}
#define ACCUBLAS_OF(E, name) pick<E>(accublas_d##name, accublas_s##name, accublas_z##name, accublas_c##name)

template <class E>
double size_of(const E& x) {
  if constexpr (Numbers<E>::complex)
    return std::fabs(double(x.real())) + std::fabs(double(x.imag()));
  else
    return std::fabs(double(x));
}

/// A matrix with poison around, column- or row-major.
template <class E>
struct Stored {
  Index rows, cols;
  accublas_layout layout;
  Index ld;
  std::vector<E> data;

  Stored(Random& rng, Index m, Index n)
      : rows(m), cols(n), layout(below(rng, 2) ? ACCUBLAS_COL_MAJOR : ACCUBLAS_ROW_MAJOR) {
    ld = std::max<Index>(1, by_columns() ? rows : cols) + below(rng, 4);
    data.assign(static_cast<std::size_t>(ld * (by_columns() ? cols : rows)), poison());
  }
  static E poison() { return E(std::numeric_limits<Real<E>>::quiet_NaN()); }
  bool by_columns() const { return layout == ACCUBLAS_COL_MAJOR; }
  std::size_t at(Index i, Index j) const { return static_cast<std::size_t>(by_columns() ? i + j * ld : i * ld + j); }
  E& operator()(Index i, Index j) { return data[at(i, j)]; }
  const E& operator()(Index i, Index j) const { return data[at(i, j)]; }
};

/// Column-major m x n.
template <class E>
struct Dense {
  Index m, n;
  std::vector<E> data;
  Dense(Index m, Index n) : m(m), n(n), data(static_cast<std::size_t>(m * n)) {}
  E& operator()(Index i, Index j) { return data[static_cast<std::size_t>(i + j * m)]; }
  const E& operator()(Index i, Index j) const { return data[static_cast<std::size_t>(i + j * m)]; }
};
template <class E>
Dense<Real<E>> sizes(const Dense<E>& x) {
  Dense<Real<E>> out(x.m, x.n);
  for (std::size_t i = 0; i < x.data.size(); ++i) out.data[i] = static_cast<Real<E>>(size_of(x.data[i]));
  return out;
}

template <class E>
class FactorDp : public testing::Test {
 protected:
  using T = Real<E>;
  static constexpr bool complex = Numbers<E>::complex;
  static constexpr Index panel = sizeof(E) > 8 ? 16 : 32;
  static constexpr const char* grade = sizeof(T) == 8 ? "dp" : "sp";
  Context gpu{ACCUBLAS_BACKEND_CUDA}, judge{ACCUBLAS_BACKEND_CUDA};
  Random rng{31};

  void SetUp() override {
    gpu.set(grade);
    judge.set("cr");
  }
  E number() {
    if constexpr (complex)
      return {static_cast<T>(uniform(rng) - 0.5), static_cast<T>(uniform(rng) - 0.5)};
    else
      return static_cast<T>(uniform(rng) - 0.5);
  }
  E integer() {
    const auto some = [&] { return static_cast<T>(static_cast<int>(below(rng, 5)) - 2); };
    if constexpr (complex)
      return {some(), some()};
    else
      return some();
  }

  /// C - A B, or A B where c is null, rounded once; with op(A) = A^H where asked for.
  template <class N>
  Dense<N> product(const Dense<N>& a, const Dense<N>& b, const Dense<N>* c, bool adjoint = false) {
    const Index m = adjoint ? a.n : a.m, k = adjoint ? a.m : a.n;
    Dense<N> out(m, b.n);
    if (c) out = *c;
    const DeviceArray<N> da(a.data), db(b.data), dc(out.data);
    const N alpha = c ? N(-1) : N(1), beta = c ? N(1) : N(0);
    const accublas_transpose trans = !adjoint              ? ACCUBLAS_NO_TRANS
                                     : Numbers<N>::complex ? ACCUBLAS_CONJ_TRANS
                                                           : ACCUBLAS_TRANS;
    using P = std::conditional_t<Numbers<N>::complex, void, N>;
    EXPECT_EQ(ACCUBLAS_OF(N, gemm)(judge, ACCUBLAS_COL_MAJOR, trans, ACCUBLAS_NO_TRANS, m, b.n, k,
                                   static_cast<const P*>(&alpha), static_cast<const P*>(da.data()), a.m,
                                   static_cast<const P*>(db.data()), b.m, static_cast<const P*>(&beta),
                                   static_cast<P*>(dc.data()), m),
              ACCUBLAS_SUCCESS)
        << judge.error();
    EXPECT_EQ(accublas_sync(judge), ACCUBLAS_SUCCESS) << judge.error();
    out.data = dc.values();
    return out;
  }

  /// abs(residual) <= factor u bound + some subnormals, element by element; NaN fails.
  void expect_within(const std::string& what, const Dense<E>& residual, const Dense<T>& bound, double factor,
                     const std::function<bool(Index, Index)>& counts = {}) {
    for (Index j = 0; j < residual.n; ++j)
      for (Index i = 0; i < residual.m; ++i) {
        if (counts && !counts(i, j)) continue;
        const double most =
            factor * roundoff<E> * double(bound(i, j)) + 64 * double(std::numeric_limits<T>::denorm_min());
        if (!(size_of(residual(i, j)) <= most))
          FAIL() << what << " at " << i << ", " << j << ": " << size_of(residual(i, j)) << " above " << most;
      }
  }
  /// Error factor of a sum of `terms` terms, in some levels of products; a complex product errs in two terms, and sizes
  /// are added parts.
  static double terms_factor(Index terms) { return (complex ? 4. : 1.) * (2. * double(terms) + 40); }

  accublas_status getrf(const Stored<E>& s, E* a, std::int64_t* pivots, std::int64_t* info) {
    return ACCUBLAS_OF(E, getrf)(gpu, s.layout, s.rows, s.cols, a, s.ld, pivots, info);
  }
  accublas_status potrf(const Stored<E>& s, accublas_uplo uplo, E* a, std::int64_t* info) {
    return ACCUBLAS_OF(E, potrf)(gpu, s.layout, uplo, s.cols, a, s.ld, info);
  }

  /// In place; info is the host's, the operands the host's where `staged`.
  std::int64_t factor(Stored<E>& s, std::vector<std::int64_t>& pivots, bool staged) {
    std::int64_t info = -1;
    pivots.assign(static_cast<std::size_t>(std::min(s.rows, s.cols)), -7);
    if (staged) {
      EXPECT_EQ(getrf(s, s.data.data(), pivots.data(), &info), ACCUBLAS_SUCCESS) << gpu.error();
    } else {
      const DeviceArray<E> a(s.data);
      const DeviceArray<std::int64_t> p(pivots);
      EXPECT_EQ(getrf(s, a.data(), p.data(), &info), ACCUBLAS_SUCCESS) << gpu.error();
      EXPECT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
      s.data = a.values(), pivots = p.values();
    }
    EXPECT_STREQ(gpu.report().backend, "cuda");
    return info;
  }
  std::int64_t factor(Stored<E>& s, accublas_uplo uplo, bool staged) {
    std::int64_t info = -1;
    if (staged) {
      EXPECT_EQ(potrf(s, uplo, s.data.data(), &info), ACCUBLAS_SUCCESS) << gpu.error();
    } else {
      const DeviceArray<E> a(s.data);
      EXPECT_EQ(potrf(s, uplo, a.data(), &info), ACCUBLAS_SUCCESS) << gpu.error();
      EXPECT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
      s.data = a.values();
    }
    return info;
  }

  static void split(const Stored<E>& f, Dense<E>& l, Dense<E>& u) {
    for (Index j = 0; j < f.cols; ++j)
      for (Index i = 0; i < f.rows; ++i) {
        if (i > j && j < l.n) l(i, j) = f(i, j);
        if (i == j) l(i, j) = E(1);
        if (i <= j) u(i, j) = f(i, j);
      }
  }
  static Dense<E> exchanged(const Stored<E>& a, const std::vector<std::int64_t>& pivots) {
    std::vector<Index> row(static_cast<std::size_t>(a.rows));
    for (Index i = 0; i < a.rows; ++i) row[static_cast<std::size_t>(i)] = i;
    for (std::size_t i = 0; i < pivots.size(); ++i) std::swap(row[i], row[static_cast<std::size_t>(pivots[i] - 1)]);
    Dense<E> out(a.rows, a.cols);
    for (Index j = 0; j < a.cols; ++j)
      for (Index i = 0; i < a.rows; ++i) out(i, j) = a(row[static_cast<std::size_t>(i)], j);
    return out;
  }

  void expect_lu(const Stored<E>& a, const Stored<E>& f, const std::vector<std::int64_t>& pivots) {
    const Index order = std::min(a.rows, a.cols);
    for (Index i = 0; i < order; ++i) {
      ASSERT_GE(pivots[static_cast<std::size_t>(i)], i + 1);
      ASSERT_LE(pivots[static_cast<std::size_t>(i)], a.rows);
    }
    Dense<E> l(a.rows, order), u(order, a.cols);
    split(f, l, u);
    const bool small =
        std::all_of(l.data.begin(), l.data.end(), [](const E& x) { return size_of(x) <= (complex ? 2.0001 : 1.); });
    ASSERT_TRUE(small) << "an element of L is large";
    const Dense<E> pa = exchanged(a, pivots);
    expect_within("P A - L U", product(l, u, &pa), product(sizes(l), sizes(u), static_cast<Dense<T>*>(nullptr)),
                  terms_factor(order));
    expect_poison(a, f);
  }
  static void expect_poison(const Stored<E>& a, const Stored<E>& f) {
    std::vector<bool> inside(a.data.size());
    for (Index i = 0; i < a.rows; ++i)
      for (Index j = 0; j < a.cols; ++j) inside[a.at(i, j)] = true;
    for (std::size_t i = 0; i < inside.size(); ++i)
      if (!inside[i] && std::memcmp(&a.data[i], &f.data[i], sizeof(E)) != 0) FAIL() << "outside, at " << i;
  }

  Stored<E> positive(Index n, accublas_uplo uplo) {
    Stored<E> s(rng, n, n);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i)
        if (i == j)
          s(i, j) = E(static_cast<T>(std::sqrt(double(n)) * (1.5 + uniform(rng))));
        else if ((i < j) == (uplo == ACCUBLAS_UPPER))
          s(i, j) = number();
    return s;
  }
  /// X^H X of rows and columns before `order`.
  void expect_cholesky(const Stored<E>& a, const Stored<E>& f, accublas_uplo uplo, Index order) {
    Dense<E> x(order, order), wanted(order, order);
    for (Index j = 0; j < order; ++j)
      for (Index i = 0; i <= j; ++i) {
        const E of_a = uplo == ACCUBLAS_UPPER ? a(i, j) : a(j, i), of_f = uplo == ACCUBLAS_UPPER ? f(i, j) : f(j, i);
        wanted(i, j) = of_a;
        x(i, j) = of_f;
        if (i == j) {
          ASSERT_GT(std::real(of_f), 0) << i;
          ASSERT_EQ(std::imag(of_f), 0) << i;
        }
      }
    Dense<T> size = sizes(x), bound = product(size, size, static_cast<Dense<T>*>(nullptr), true);
    expect_within("A - X^H X", product(x, x, &wanted, true), bound, terms_factor(order),
                  [](Index i, Index j) { return i <= j; });
    // The other triangle is the caller's.
    for (Index j = 0; j < a.cols; ++j)
      for (Index i = 0; i < a.cols; ++i)
        if (((uplo == ACCUBLAS_UPPER) ? i > j : i < j) && std::memcmp(&a(i, j), &f(i, j), sizeof(E)) != 0)
          FAIL() << "the other triangle at " << i << ", " << j;
    expect_poison(a, f);
  }
};
using FactorTypes = testing::Types<double, float, std::complex<double>, std::complex<float>>;

}  // namespace accublas::test
