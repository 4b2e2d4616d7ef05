// QR and least squares of numbers at the ends of the range.
#include <algorithm>
#include <cstdlib>

#include "orthogonal.hpp"

namespace {

// ---- columns whose norms are near the largest number ----

/// The routines of a type, of which T is the real one and `parts` the number of them in a number.
template <class T, int parts_of_number>
struct Type {
  using Real = T;
  static constexpr int parts = parts_of_number;
  static constexpr accublas_transpose adjoint = parts == 2 ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_TRANS;
  template <class D, class S, class Z, class C>
  static auto pick(D d, S s, Z z, C c) {
    if constexpr (parts == 2 && sizeof(T) == 8)
      return z;
    else if constexpr (parts == 2)
      return c;
    else if constexpr (sizeof(T) == 8)
      return d;
    else
      return s;
  }
  static inline const auto geqrf = pick(accublas_dgeqrf, accublas_sgeqrf, accublas_zgeqrf, accublas_cgeqrf);
  static inline const auto ormqr = pick(accublas_dormqr, accublas_sormqr, accublas_zunmqr, accublas_cunmqr);
  static inline const auto gels = pick(accublas_dgels, accublas_sgels, accublas_zgels, accublas_cgels);
};

template <class Type>
class TopColumns : public ::testing::Test {
 protected:
  using T = typename Type::Real;
  static constexpr int parts = Type::parts;
  static constexpr int most = std::numeric_limits<T>::max_exponent;

  /// m x n in the layout of the round.
  struct Array {
    std::int64_t m, n;
    accublas_layout layout;
    std::vector<T> x;
    Array(std::int64_t rows, std::int64_t cols, accublas_layout of)
        : m(rows), n(cols), layout(of), x(static_cast<std::size_t>(rows * cols * parts)) {}
    std::int64_t ld() const { return layout == columns ? m : n; }
    T& at(std::int64_t i, std::int64_t j, int part) {
      return x[static_cast<std::size_t>((layout == columns ? i + j * m : i * n + j) * parts + part)];
    }
    T at(std::int64_t i, std::int64_t j, int part) const { return const_cast<Array&>(*this).at(i, j, part); }
  };
  using Exponents = std::vector<int>;

  std::mt19937_64 random{2026};
  accublas_layout layout = columns;

  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
  }
  Array some(std::int64_t m, std::int64_t n) {
    Array a(m, n, layout);
    for (T& x : a.x) x = static_cast<T>(below((1 << 24) - 1) - (1 << 23)) / (1 << 23);
    return a;
  }
  /// Each row of A times a power of two, and each column; an empty list has none.
  static Array scaled(Array a, const Exponents& of_rows, const Exponents& of_columns) {
    for (std::int64_t j = 0; j < a.n; ++j)
      for (std::int64_t i = 0; i < a.m; ++i)
        for (int part = 0; part < parts; ++part)
          a.at(i, j, part) =
              std::ldexp(a.at(i, j, part), (of_rows.empty() ? 0 : of_rows[static_cast<std::size_t>(i)]) +
                                               (of_columns.empty() ? 0 : of_columns[static_cast<std::size_t>(j)]));
    return a;
  }
  static Array adjoint(const Array& a) {
    Array t(a.n, a.m, a.layout);
    for (std::int64_t j = 0; j < a.n; ++j)
      for (std::int64_t i = 0; i < a.m; ++i)
        for (int part = 0; part < parts; ++part) t.at(j, i, part) = part ? -a.at(i, j, part) : a.at(i, j, part);
    return t;
  }
  /// For each column what brings its norm into the last binade, or, for one of `others`, `other`.
  Exponents to_the_top(const Array& a, int other, int others) {
    Exponents exponents;
    for (std::int64_t j = 0; j < a.n; ++j) {
      double square = 0;
      for (std::int64_t i = 0; i < a.m; ++i)
        for (int part = 0; part < parts; ++part) square += std::pow(static_cast<double>(a.at(i, j, part)), 2);
      int exponent = 0;
      std::frexp(std::sqrt(square) * (1 + 1e-5), &exponent);
      exponents.push_back(others > 0 && below(others) == 0 ? other : most - exponent);
    }
    return exponents;
  }
  void expect_equal(const Array& got, const Array& want, const char* what) {
    for (std::size_t i = 0; i < want.x.size(); ++i) {
      ASSERT_TRUE(std::isfinite(got.x[i])) << what << " " << want.m << " x " << want.n << " at " << i;
      ASSERT_EQ(got.x[i], want.x[i]) << what << " " << want.m << " x " << want.n << " at " << i;
    }
  }
  static Exponents negative(Exponents e) {
    for (int& x : e) x = -x;
    return e;
  }

  /// R has A's exponents, the reflectors are those of A.
  void factor(api::Context& context, std::int64_t m, std::int64_t n) {
    Array a = some(m, n);
    const Exponents top = to_the_top(a, 0, 4);
    Array high = scaled(a, {}, top), tau(std::min(m, n), 1, columns), high_tau = tau;
    ASSERT_EQ(Type::geqrf(context, layout, m, n, a.x.data(), a.ld(), tau.x.data()), 0) << context.error();
    ASSERT_EQ(Type::geqrf(context, layout, m, n, high.x.data(), high.ld(), high_tau.x.data()), 0);
    expect_equal(high_tau, tau, "tau");
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i <= std::min(j, m - 1); ++i)
        for (int part = 0; part < parts; ++part)
          a.at(i, j, part) = std::ldexp(a.at(i, j, part), top[static_cast<std::size_t>(j)]);
    expect_equal(high, a, "QR");
  }

  void apply(api::Context& context, std::int64_t m, std::int64_t k, std::int64_t count) {
    Array a = some(m, k), tau(k, 1, columns);
    ASSERT_EQ(Type::geqrf(context, layout, m, k, a.x.data(), a.ld(), tau.x.data()), 0) << context.error();
    for (const accublas_transpose trans : {accublas_transpose{ACCUBLAS_NO_TRANS}, Type::adjoint})
      for (const bool left : {true, false}) {
        const Array vectors = some(m, count);
        const Exponents top = to_the_top(vectors, 0, 3), none;
        Array c = left ? vectors : adjoint(vectors), high = left ? scaled(c, none, top) : scaled(c, top, none);
        for (Array* const of : {&c, &high})
          ASSERT_EQ(Type::ormqr(context, layout, left ? ACCUBLAS_LEFT : ACCUBLAS_RIGHT, trans, of->m, of->n, k,
                                a.x.data(), a.ld(), tau.x.data(), of->x.data(), of->ld()),
                    0)
              << context.error();
        expect_equal(high, left ? scaled(c, none, top) : scaled(c, top, none), left ? "Q C" : "C Q");
      }
  }

  /// op(A) = F, m x n with m >= n, or its adjoint; A is F or its adjoint.
  void solve(api::Context& context, std::int64_t m, std::int64_t n, std::int64_t sides) {
    const Exponents none;
    const auto solution = [&](const Array& f, bool wide, bool adjoint_system, Array b) {
      Array a = wide ? adjoint(f) : f;
      std::int64_t info = -1;
      EXPECT_EQ(Type::gels(context, layout, wide == adjoint_system ? ACCUBLAS_NO_TRANS : Type::adjoint, a.m, a.n, sides,
                           a.x.data(), a.ld(), b.x.data(), b.ld(), &info),
                0)
          << context.error();
      EXPECT_EQ(info, 0);
      return b;
    };
    const Array f = some(m, n), b = some(m, sides);
    for (const bool wide : {false, true}) {
      // Least squares, with B high, or A and B. What stands below X has B's exponents.
      const Exponents top_b = to_the_top(b, 0, 3);
      for (const bool high_a : {false, true}) {
        const Exponents of_a = high_a ? to_the_top(f, 40, 3) : Exponents(static_cast<std::size_t>(n), 40),
                        of_b = high_a ? to_the_top(b, 0, 0) : top_b;
        Exponents of_x = negative(of_a);
        of_x.resize(static_cast<std::size_t>(m));
        expect_equal(solution(scaled(f, none, of_a), wide, false, scaled(b, none, of_b)),
                     scaled(solution(f, wide, false, b), of_x, of_b), "least squares");
      }
      // Least norms: with A high, and with X.
      const Array x = solution(f, wide, true, b);
      Exponents of_f = to_the_top(f, 0, 3), of_rows = of_f;
      of_rows.resize(static_cast<std::size_t>(m));
      expect_equal(solution(scaled(f, none, of_f), wide, true, scaled(b, of_rows, none)), x, "least norms");
      const Exponents top_x = to_the_top(x, 0, 3);
      of_f.assign(static_cast<std::size_t>(n), -20);
      of_rows.assign(static_cast<std::size_t>(m), -20);
      expect_equal(solution(scaled(f, none, of_f), wide, true, scaled(b, of_rows, top_x)), scaled(x, none, top_x),
                   "least norms");
    }
  }
};

using AllTypes = ::testing::Types<Type<double, 1>, Type<float, 1>, Type<double, 2>, Type<float, 2>>;
TYPED_TEST_SUITE(TopColumns, AllTypes);

/// Powers of two as factors of columns change nothing else of what is computed, up to the last binade.
TYPED_TEST(TopColumns, ScaledResults) {
  const char* const scale = std::getenv("ACCUBLAS_TEST_SCALE");
  const int rounds = static_cast<int>(std::ceil(8 * (scale ? std::atof(scale) : 1)));
  for (int round = 0; round < rounds; ++round) {
    api::Context context(round % 4 == 3 ? "dp:repro" : "cr");
    this->layout = this->below(2) ? columns : rows;
    const std::int64_t most = round % 2 ? 12 : 75;
    this->factor(context, 1 + this->below(most), 1 + this->below(most));
    const std::int64_t m = 1 + this->below(most);
    this->apply(context, m, 1 + this->below(m), 1 + this->below(40));
    const std::int64_t n = 1 + this->below(most);
    this->solve(context, n + 5 + this->below(10), n, 1 + this->below(6));
    if (this->HasFatalFailure()) return;
  }
  // Norms of numbers that are far from the largest, and more columns than are updated at a time.
  api::Context context("cr");
  this->factor(context, 20000, 2);
  this->apply(context, 4, 3, 1100);
}

/// No scaling would keep these: the least numbers in a column of large ones, where nothing overflows on the way.
TEST(Orthogonal, LeastNumbersBesideLargeOnes) {
  constexpr double least = std::numeric_limits<double>::denorm_min();
  api::Context context("cr");
  // H = I - 2 e e^T of e = (1, 0, 0).
  const std::vector<double> v = {5, 0, 0}, tau = {2};
  std::vector<double> a = v, t = tau, c = {3 * least, 0x1p1021, 5 * least, -7 * least, 0x1.8p1023, -least};
  ASSERT_EQ(
      accublas_dormqr(context, columns, ACCUBLAS_LEFT, ACCUBLAS_TRANS, 3, 2, 1, a.data(), 3, t.data(), c.data(), 3),
      ACCUBLAS_SUCCESS)
      << context.error();
  EXPECT_EQ(c, (std::vector<double>{-3 * least, 0x1p1021, 5 * least, 7 * least, 0x1.8p1023, -least}));
}

}  // namespace
