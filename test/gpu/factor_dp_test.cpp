// LAPACK's factorizations and the solutions by them on the GPU in dp and sp: what one panel or block makes bit by bit
// as loops on the host make it, larger ones by residuals that are rounded once (GEMM in cr), element by element.
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>

#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {
namespace {

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

// ---- the panels' arithmetic, once more ----

template <class E>
Real<E> pivot_size(const E& x) {
  if constexpr (Numbers<E>::complex)
    return std::fabs(x.real()) + std::fabs(x.imag());
  else
    return std::fabs(x);
}
template <class E>
E less_product(const E& c, const E& x, const E& y) {
  if constexpr (Numbers<E>::complex)
    return {std::fma(x.imag(), y.imag(), std::fma(-x.real(), y.real(), c.real())),
            std::fma(-x.imag(), y.real(), std::fma(-x.real(), y.imag(), c.imag()))};
  else
    return std::fma(-x, y, c);
}
template <class E>
E quotient(const E& x, const E& y) {
  if constexpr (Numbers<E>::complex) {
    using T = Real<E>;
    constexpr int most = sizeof(T) == 8 ? 1020 : 124;
    const int exponent = std::clamp(std::ilogb(std::fmax(std::fabs(y.real()), std::fabs(y.imag()))), -most, most);
    const T scale = std::ldexp(T(1), -exponent), re = y.real() * scale, im = y.imag() * scale;
    const T norm = re * re + im * im, u = re / norm, v = -im / norm, a = x.real() * scale, b = x.imag() * scale;
    return {std::fma(-b, v, a * u), std::fma(b, u, a * v)};
  } else {
    return x / y;
  }
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

template <class E>
bool same_bits(const E& x, const E& y) {
  constexpr int parts = Numbers<E>::complex ? 2 : 1;
  Real<E> a[parts], b[parts];
  std::memcpy(a, &x, sizeof x), std::memcpy(b, &y, sizeof y);
  for (int i = 0; i < parts; ++i)
    if (!(std::isnan(a[i]) && std::isnan(b[i])) && std::memcmp(&a[i], &b[i], sizeof a[i]) != 0) return false;
  return true;
}

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
  /// Of so many terms, in some levels of products; a complex product errs in two terms, and sizes are added parts.
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
using Types = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(FactorDp, Types);

/// One panel: by one thread block, by clusters of 2 to 16 and by a grid.
TYPED_TEST(FactorDp, PanelsBitByBit) {
  using E = TypeParam;
  using T = Real<E>;
  Random& rng = this->rng;
  const Index heights[] = {1, 2, 7, 31, 32, 33, 200, 512, 513, 1024, 1025, 2049, 4100, 8192, 8193, 20000};
  for (const Index m : heights)
    for (int data = 0; data < 6; ++data) {
      if (m > 9000 && data > 1) continue;
      const Index most = std::min(m, this->panel), n = m < 40 ? most : std::max<Index>(1, most - below(rng, 3) * 5);
      Stored<E> a(rng, m, n);
      const Index bad = below(rng, m);
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < m; ++i) {
          E x = data == 1 || data == 2 ? this->integer() : this->number();
          if (data == 2 && (j == n / 2 || i > 5)) x = E(0);  // columns without pivots
          if (data == 3 && i == bad && j == n / 2)
            x = E(below(rng, 2) ? std::numeric_limits<T>::quiet_NaN() : std::numeric_limits<T>::infinity());
          if (data == 4) x *= static_cast<T>(sizeof(T) == 8 ? 0x1p-1060 : 0x1p-140);
          if (data == 5) x *= static_cast<T>(std::ldexp(1., static_cast<int>(below(rng, 60)) - 30));
          a(i, j) = x;
        }
      Stored<E> want = a, got = a;
      std::vector<std::int64_t> wanted_pivots, pivots;
      std::int64_t wanted_info = 0;
      for (Index j = 0; j < n; ++j) {
        Index best = j;
        for (Index i = j + 1; i < m; ++i) {
          const T size = pivot_size(want(i, j)), most_yet = pivot_size(want(best, j));
          if (!std::isnan(most_yet) && (std::isnan(size) || size > most_yet)) best = i;
        }
        wanted_pivots.push_back(best + 1);
        for (Index c = 0; c < n; ++c) std::swap(want(j, c), want(best, c));
        const E pivot = want(j, j);
        if (pivot == E(0) && wanted_info == 0) wanted_info = j + 1;
        for (Index i = j + 1; i < m; ++i) {
          if (pivot != E(0)) want(i, j) = quotient(want(i, j), pivot);
          for (Index c = j + 1; c < n; ++c) want(i, c) = less_product(want(i, c), want(i, j), want(j, c));
        }
      }
      const std::int64_t info = this->factor(got, pivots, below(rng, 4) == 0);
      ASSERT_EQ(pivots, wanted_pivots) << m << " x " << n << " data " << data;
      ASSERT_EQ(info, wanted_info) << m << " x " << n << " data " << data;
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < m; ++i)
          if (!same_bits(got(i, j), want(i, j)))
            FAIL() << m << " x " << n << " data " << data << " at " << i << ", " << j << ": " << got(i, j) << " for "
                   << want(i, j);
      this->expect_poison(a, got);
      if (testing::Test::HasFatalFailure()) return;
    }
}

/// One block on the diagonal.
TYPED_TEST(FactorDp, BlocksBitByBit) {
  using E = TypeParam;
  using T = Real<E>;
  for (const Index n : {1, 2, 3, 17, 32, 33, 63, 64})
    for (int round = 0; round < 6; ++round) {
      const accublas_uplo uplo = round % 2 ? ACCUBLAS_UPPER : ACCUBLAS_LOWER;
      Stored<E> a = this->positive(n, uplo);
      const Index bad = below(this->rng, n);
      if (round >= 2) a(bad, bad) = E(round < 4 ? T(0) : round == 4 ? T(-1) : std::numeric_limits<T>::quiet_NaN());
      Stored<E> want = a, got = a;
      const auto x = [&](Index i, Index j) -> E& { return uplo == ACCUBLAS_UPPER ? want(i, j) : want(j, i); };
      std::int64_t wanted_info = 0;
      for (Index j = 0; j < n && wanted_info == 0; ++j) {
        const T pivot = std::real(x(j, j));
        if (!(pivot > 0)) {
          wanted_info = j + 1;
          break;
        }
        const T root = std::sqrt(pivot);
        x(j, j) = E(root);
        for (Index i = j + 1; i < n; ++i) x(j, i) = x(j, i) / root;
        for (Index p = j + 1; p < n; ++p) {
          E of_row = x(j, p);
          if constexpr (Numbers<E>::complex) of_row = std::conj(of_row);
          for (Index q = p; q < n; ++q) x(p, q) = less_product(x(p, q), of_row, x(j, q));
        }
      }
      ASSERT_EQ(this->factor(got, uplo, false), wanted_info) << n << " round " << round;
      const Index rows = wanted_info > 0 ? wanted_info - 1 : n;
      for (Index i = 0; i < rows; ++i)
        for (Index j = i; j < n; ++j) {
          const E of_got = uplo == ACCUBLAS_UPPER ? got(i, j) : got(j, i);
          ASSERT_TRUE(same_bits(of_got, x(i, j)))
              << n << " round " << round << " at " << i << ", " << j << ": " << of_got << " for " << x(i, j);
        }
      this->expect_poison(a, got);
      if (testing::Test::HasFatalFailure()) return;
    }
}

TYPED_TEST(FactorDp, LuResiduals) {
  using E = TypeParam;
  const Index shapes[][2] = {{1, 1},     {1, 40},   {40, 1},    {33, 65},    {100, 100}, {130, 70},
                             {257, 257}, {300, 90}, {90, 1300}, {1300, 200}, {777, 777}, {1301, 1301}};
  for (const auto& [m, n] : shapes)
    for (int data = 0; data < 2; ++data) {
      Stored<E> a(this->rng, m, n);
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < m; ++i) a(i, j) = data == 0 ? this->number() : this->integer();
      Stored<E> f = a;
      std::vector<std::int64_t> pivots;
      const std::int64_t info = this->factor(f, pivots, data == 1 && m < 800);
      if (data == 0) {
        ASSERT_EQ(info, 0);
      }
      this->expect_lu(a, f, pivots);
      ASSERT_FALSE(testing::Test::HasFailure()) << m << " x " << n << " data " << data;
    }
}

/// Columns of zeros stay that.
TYPED_TEST(FactorDp, ZeroPivots) {
  using E = TypeParam;
  const Index n = 200;
  Stored<E> a(this->rng, n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) a(i, j) = j == 70 || j == 150 ? E(0) : this->number();
  Stored<E> f = a;
  std::vector<std::int64_t> pivots;
  EXPECT_EQ(this->factor(f, pivots, false), 71);
  EXPECT_EQ(pivots[70], 71);
  this->expect_lu(a, f, pivots);
}

TYPED_TEST(FactorDp, CholeskyResiduals) {
  using E = TypeParam;
  for (const Index n : {5, 64, 65, 128, 200, 300, 777, 1301})
    for (const accublas_uplo uplo : {ACCUBLAS_UPPER, ACCUBLAS_LOWER}) {
      const Stored<E> a = this->positive(n, uplo);
      Stored<E> f = a;
      ASSERT_EQ(this->factor(f, uplo, n < 300), 0) << n;
      this->expect_cholesky(a, f, uplo, n);
      ASSERT_FALSE(testing::Test::HasFailure()) << n << " uplo " << uplo;
    }
  for (int round = 0; round < 6; ++round) {
    const Index n = 300, bad = below(this->rng, n);
    const accublas_uplo uplo = round % 2 ? ACCUBLAS_UPPER : ACCUBLAS_LOWER;
    Stored<E> a = this->positive(n, uplo);
    a(bad, bad) = E(round < 2 ? Real<E>(-1) : round < 4 ? Real<E>(0) : std::numeric_limits<Real<E>>::quiet_NaN());
    Stored<E> f = a;
    ASSERT_EQ(this->factor(f, uplo, round == 0), bad + 1);
    if (bad > 0) this->expect_cholesky(a, f, uplo, bad);
    ASSERT_FALSE(testing::Test::HasFailure()) << "not positive at " << bad << " uplo " << uplo;
  }
}

TYPED_TEST(FactorDp, Solutions) {
  using E = TypeParam;
  using T = Real<E>;
  Random& rng = this->rng;
  const auto dense = [](const Stored<E>& s) {
    Dense<E> out(s.rows, s.cols);
    for (Index j = 0; j < s.cols; ++j)
      for (Index i = 0; i < s.rows; ++i) out(i, j) = s(i, j);
    return out;
  };
  for (const Index n : {1, 50, 129, 500})
    for (const Index nrhs : {1, 37})
      for (int round = 0; round < 5; ++round) {
        const bool cholesky = round == 4, posed = round >= 3;
        const accublas_transpose trans = round == 1   ? ACCUBLAS_TRANS
                                         : round == 2 ? ACCUBLAS_CONJ_TRANS
                                                      : ACCUBLAS_NO_TRANS;
        const accublas_uplo uplo = below(rng, 2) ? ACCUBLAS_UPPER : ACCUBLAS_LOWER;
        Stored<E> a = cholesky ? this->positive(n, uplo) : Stored<E>(rng, n, n), b(rng, n, nrhs);
        while (b.layout != a.layout) b = Stored<E>(rng, n, nrhs);
        if (!cholesky)
          for (Index j = 0; j < n; ++j)
            for (Index i = 0; i < n; ++i) a(i, j) = this->number();
        for (Index j = 0; j < nrhs; ++j)
          for (Index i = 0; i < n; ++i) b(i, j) = this->number();
        Stored<E> f = a, x = b;
        std::vector<std::int64_t> pivots(static_cast<std::size_t>(n), -7);
        std::int64_t info = 0;
        if (!posed) {
          ASSERT_EQ(this->factor(f, pivots, false), 0);
        }
        const DeviceArray<E> da(f.data), db(b.data);
        const DeviceArray<std::int64_t> dp(pivots);
        if (cholesky)
          ASSERT_EQ(ACCUBLAS_OF(E, posv)(this->gpu, a.layout, uplo, n, nrhs, da.data(), a.ld, db.data(), b.ld, &info),
                    ACCUBLAS_SUCCESS)
              << this->gpu.error();
        else if (posed)
          ASSERT_EQ(
              ACCUBLAS_OF(E, gesv)(this->gpu, a.layout, n, nrhs, da.data(), a.ld, dp.data(), db.data(), b.ld, &info),
              ACCUBLAS_SUCCESS)
              << this->gpu.error();
        else
          ASSERT_EQ(
              ACCUBLAS_OF(E, getrs)(this->gpu, a.layout, trans, n, nrhs, da.data(), a.ld, dp.data(), db.data(), b.ld),
              ACCUBLAS_SUCCESS)
              << this->gpu.error();
        ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->gpu.error();
        ASSERT_EQ(info, 0);
        f.data = da.values(), x.data = db.values(), pivots = dp.values();
        this->expect_poison(b, x);
        // abs(B - op(A) X) <= factor u op(P^T abs(L) abs(U)) abs(X)
        Dense<E> whole(n, n), l(n, n), u(n, n);
        if (cholesky) {
          for (Index j = 0; j < n; ++j)
            for (Index i = 0; i <= j; ++i) {
              const E of_a = uplo == ACCUBLAS_UPPER ? a(i, j) : a(j, i),
                      of_f = uplo == ACCUBLAS_UPPER ? f(i, j) : f(j, i);
              E other = of_a;
              if constexpr (Numbers<E>::complex) other = std::conj(other);
              whole(i, j) = uplo == ACCUBLAS_UPPER ? of_a : other;
              whole(j, i) = uplo == ACCUBLAS_UPPER ? other : of_a;
              if (i == j) whole(i, i) = E(std::real(of_a));
              u(i, j) = of_f;
              l(j, i) = of_f;
            }
        } else {
          this->split(f, l, u);
          whole = dense(a);
        }
        Dense<T> sizes_of_a = this->product(sizes(l), sizes(u), static_cast<Dense<T>*>(nullptr));
        if (!cholesky) {  // its rows back
          for (Index i = n; i-- > 0;)
            for (Index j = 0; j < n; ++j) std::swap(sizes_of_a(i, j), sizes_of_a(pivots[std::size_t(i)] - 1, j));
        }
        if (trans != ACCUBLAS_NO_TRANS) {
          const Dense<E> w = whole;
          const Dense<T> s = sizes_of_a;
          for (Index j = 0; j < n; ++j)
            for (Index i = 0; i < n; ++i) {
              whole(i, j) = w(j, i);
              if constexpr (Numbers<E>::complex)
                if (trans == ACCUBLAS_CONJ_TRANS) whole(i, j) = std::conj(w(j, i));
              sizes_of_a(i, j) = s(j, i);
            }
        }
        const Dense<E> solution = dense(x), right = dense(b);
        this->expect_within("B - A X", this->product(whole, solution, &right),
                            this->product(sizes_of_a, sizes(solution), static_cast<Dense<T>*>(nullptr)),
                            3 * this->terms_factor(n));
        ASSERT_FALSE(testing::Test::HasFailure())
            << "n " << n << " nrhs " << nrhs << " round " << round << " uplo " << uplo << " layout " << a.layout;
      }
}

/// Without factors B stays as it is.
TYPED_TEST(FactorDp, NoSolutions) {
  using E = TypeParam;
  const Index n = 90, nrhs = 7;
  Stored<E> a = this->positive(n, ACCUBLAS_UPPER), b(this->rng, n, nrhs);
  while (b.layout != a.layout) b = Stored<E>(this->rng, n, nrhs);
  for (Index j = 0; j < nrhs; ++j)
    for (Index i = 0; i < n; ++i) b(i, j) = this->number();
  a(70, 70) = E(-1);
  std::int64_t info = -1;
  const DeviceArray<E> da(a.data), db(b.data);
  ASSERT_EQ(ACCUBLAS_OF(E, posv)(this->gpu, a.layout, ACCUBLAS_UPPER, n, nrhs, da.data(), a.ld, db.data(), b.ld, &info),
            ACCUBLAS_SUCCESS)
      << this->gpu.error();
  EXPECT_EQ(info, 71);
  std::vector<E> got = db.values();
  EXPECT_EQ(std::memcmp(got.data(), b.data.data(), got.size() * sizeof(E)), 0);
  Stored<E> zeros(this->rng, n, n);
  while (zeros.layout != b.layout) zeros = Stored<E>(this->rng, n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) zeros(i, j) = j == 20 ? E(0) : this->number();
  const DeviceArray<E> dz(zeros.data);
  const DeviceArray<std::int64_t> pivots(static_cast<std::size_t>(n));
  ASSERT_EQ(ACCUBLAS_OF(E, gesv)(this->gpu, zeros.layout, n, nrhs, dz.data(), zeros.ld, pivots.data(), db.data(), b.ld,
                                 &info),
            ACCUBLAS_SUCCESS)
      << this->gpu.error();
  EXPECT_EQ(info, 21);
  got = db.values();
  EXPECT_EQ(std::memcmp(got.data(), b.data.data(), got.size() * sizeof(E)), 0);
}

/// Products by emulation between the halves.
TYPED_TEST(FactorDp, DeepProducts) {
  using E = TypeParam;
  const Index n = Numbers<E>::complex ? 4100 : sizeof(E) == 8 ? 6200 : 1500;
  Stored<E> a(this->rng, n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) a(i, j) = this->number();
  Stored<E> f = a;
  std::vector<std::int64_t> pivots;
  ASSERT_EQ(this->factor(f, pivots, false), 0);
  this->expect_lu(a, f, pivots);
  if (testing::Test::HasFailure()) return;
  const Stored<E> c = this->positive(n, ACCUBLAS_LOWER);
  f = c;
  ASSERT_EQ(this->factor(f, ACCUBLAS_LOWER, false), 0);
  this->expect_cholesky(c, f, ACCUBLAS_LOWER, n);
}

/// Two contexts at once, with panels of a grid; then both routines in a graph, twice.
TEST(FactorDpOnStreams, AtOnceAndInGraphs) {
  constexpr Index m = 9000, n = 100;
  Random rng{5};
  std::vector<double> matrix(std::size_t{m * n});
  for (double& x : matrix) x = uniform(rng);
  const DeviceArray<std::int64_t> pivots(std::size_t{2 * n}), info(std::vector<std::int64_t>{-1, -1});
  const DeviceArray<double> once(matrix), first(matrix), second(matrix);
  Context contexts[2];
  cudaStream_t streams[2] = {};
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking), cudaSuccess);
    contexts[i].set("dp");
    ASSERT_EQ(accublas_set_backend(contexts[i], ACCUBLAS_BACKEND_CUDA), ACCUBLAS_SUCCESS);
    ASSERT_EQ(accublas_set_stream(contexts[i], streams[i]), ACCUBLAS_SUCCESS);
  }
  const auto run = [&](int i, double* a) {
    return accublas_dgetrf(contexts[i], ACCUBLAS_COL_MAJOR, m, n, a, m, pivots.data() + i * n, info.data() + i);
  };
  ASSERT_EQ(run(0, once.data()), ACCUBLAS_SUCCESS) << contexts[0].error();
  ASSERT_EQ(accublas_sync(contexts[0]), ACCUBLAS_SUCCESS) << contexts[0].error();
  for (int round = 0; round < 5; ++round) {
    ASSERT_EQ(run(0, first.data()), ACCUBLAS_SUCCESS) << contexts[0].error();
    ASSERT_EQ(run(1, second.data()), ACCUBLAS_SUCCESS) << contexts[1].error();
    for (Context& context : contexts) ASSERT_EQ(accublas_sync(context), ACCUBLAS_SUCCESS) << context.error();
    const std::vector<double> want = once.values(), a = first.values(), b = second.values();
    ASSERT_EQ(std::memcmp(a.data(), want.data(), want.size() * sizeof(double)), 0) << round;
    ASSERT_EQ(std::memcmp(b.data(), want.data(), want.size() * sizeof(double)), 0) << round;
    ASSERT_EQ(info.values(), (std::vector<std::int64_t>{0, 0}));
    const std::vector<std::int64_t> p = pivots.values();
    ASSERT_TRUE(std::equal(p.begin(), p.begin() + n, p.begin() + n));
    ASSERT_EQ(cudaMemcpy(first.data(), matrix.data(), matrix.size() * sizeof(double), cudaMemcpyDefault), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(second.data(), matrix.data(), matrix.size() * sizeof(double), cudaMemcpyDefault), cudaSuccess);
  }
  constexpr Index order = 200;  // of what is positive definite
  std::vector<double> positive(std::size_t{order * order}, 0.25);
  for (Index i = 0; i < order; ++i) positive[static_cast<std::size_t>(i * (order + 1))] = 2;
  const DeviceArray<double> p(positive);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_EQ(run(0, first.data()), ACCUBLAS_SUCCESS) << contexts[0].error();
  EXPECT_EQ(accublas_dpotrf(contexts[0], ACCUBLAS_COL_MAJOR, ACCUBLAS_LOWER, order, p.data(), order, info.data() + 1),
            ACCUBLAS_SUCCESS)
      << contexts[0].error();
  ASSERT_EQ(cudaStreamEndCapture(streams[0], &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(cudaMemcpy(first.data(), matrix.data(), matrix.size() * sizeof(double), cudaMemcpyDefault), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(p.data(), positive.data(), positive.size() * sizeof(double), cudaMemcpyDefault), cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(replay, streams[0]), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(streams[0]), cudaSuccess);
    const std::vector<double> want = once.values(), a = first.values(), x = p.values();
    for (std::size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(a[i], want[i], 1e-9) << round << " at " << i;
    for (Index j = 0; j < order; ++j)
      for (Index i = j; i < order; ++i) {
        double sum = 0;
        for (Index k = 0; k <= j; ++k)
          sum += x[static_cast<std::size_t>(i + k * order)] * x[static_cast<std::size_t>(j + k * order)];
        ASSERT_NEAR(sum, i == j ? 2 : 0.25, 1e-13) << round << " at " << i << ", " << j;
      }
    ASSERT_EQ(info.values(), (std::vector<std::int64_t>{0, 0}));
  }
  cudaGraphExecDestroy(replay);
  cudaGraphDestroy(graph);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(accublas_set_stream(contexts[i], nullptr), ACCUBLAS_SUCCESS);
    cudaStreamDestroy(streams[i]);
  }
}

}  // namespace
}  // namespace accublas::test
