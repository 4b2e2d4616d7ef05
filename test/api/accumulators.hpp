// Products by accumulators and by one call, on the same operands, through accublas.h.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "accublas.h"

namespace accumulators_test {

using Index = std::int64_t;
using Random = std::mt19937_64;

inline Index below(Random& random, Index n) { return static_cast<Index>(random() % static_cast<std::uint64_t>(n)); }

template <class E>
struct Numbers;
template <>
struct Numbers<double> {
  using Real = double;
  static constexpr accublas_type type = ACCUBLAS_TYPE_D;
  static constexpr auto gemm = accublas_dgemm_ex;
};
template <>
struct Numbers<float> {
  using Real = float;
  static constexpr accublas_type type = ACCUBLAS_TYPE_S;
  static constexpr auto gemm = accublas_sgemm_ex;
};
template <>
struct Numbers<std::complex<double>> {
  using Real = double;
  static constexpr accublas_type type = ACCUBLAS_TYPE_Z;
  static constexpr auto gemm = accublas_zgemm_ex;
};
template <>
struct Numbers<std::complex<float>> {
  using Real = float;
  static constexpr accublas_type type = ACCUBLAS_TYPE_C;
  static constexpr auto gemm = accublas_cgemm_ex;
};
template <class E>
using Real = typename Numbers<E>::Real;
template <class E>
constexpr bool is_complex = sizeof(E) > sizeof(Real<E>);

/// Returns the floating-point exceptions that a call raises.
template <class Call>
int raised_in(Call&& call) {
  std::feclearexcept(FE_ALL_EXCEPT);
  call();
  const int raised = std::fetestexcept(FE_INVALID | FE_OVERFLOW | FE_DIVBYZERO);
  std::feclearexcept(FE_ALL_EXCEPT);
  return raised;
}

/// Kinds of operands.
enum class Kind {
  integers,    ///< small integers, which are not rounded
  normal,      ///< normally distributed
  wide,        ///< exponents over most of the range
  cancelling,  ///< the last half of the terms cancels the first but for one small term
  ties,        ///< sums at or near the midpoint of two numbers
  subnormal,   ///< products and entries near underflow
  huge,        ///< sums that overflow, and some that do not
  zeros,       ///< rows and columns of zeros, and scattered zeros
  special,     ///< a few Inf and NaN
  count
};

template <class E>
E make_number(Random& random, Kind kind) {
  using T = Real<E>;
  constexpr int digits = std::numeric_limits<T>::digits, least = std::numeric_limits<T>::min_exponent,
                most = std::numeric_limits<T>::max_exponent;
  const auto part = [&]() -> T {
    std::normal_distribution<double> normal;
    const T integer = static_cast<T>(below(random, 9) - 4);
    switch (kind) {
      case Kind::normal:
      case Kind::cancelling:
        return static_cast<T>(normal(random));
      case Kind::wide:
        return std::ldexp(static_cast<T>(normal(random)), static_cast<int>(below(random, most)) - most / 2);
      case Kind::ties:
        return std::ldexp(T(1), static_cast<int>(below(random, digits)) - digits / 2);
      case Kind::subnormal:
        return std::ldexp(static_cast<T>(normal(random)), least + 2 - static_cast<int>(below(random, digits)));
      case Kind::huge:
        return std::ldexp(static_cast<T>(normal(random)), most / 2 + 1 - static_cast<int>(below(random, 4)));
      case Kind::zeros:
        return below(random, 3) != 0 ? T(0) : static_cast<T>(normal(random));
      default:
        return integer;
    }
  };
  if constexpr (is_complex<E>) {
    const T re = part();
    return {re, part()};
  } else {
    return part();
  }
}

template <class E>
E make_special(Random& random) {
  using T = Real<E>;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  const T numbers[] = {infinity, -infinity, std::numeric_limits<T>::quiet_NaN()};
  const T x = numbers[below(random, 3)];
  if constexpr (is_complex<E>)
    return below(random, 2) != 0 ? E{x, T(1)} : E{T(0), x};
  else
    return x;
}

template <class E>
struct Product {
  Index m, n, k;
  accublas_layout layout = ACCUBLAS_COL_MAJOR;
  accublas_transpose transa = ACCUBLAS_NO_TRANS, transb = ACCUBLAS_NO_TRANS;
  Index lda, ldb, ldc;
  std::vector<E> a, b, c;
  E alpha{1}, beta{0};

  bool a_by_terms() const { return (transa == ACCUBLAS_NO_TRANS) == (layout == ACCUBLAS_COL_MAJOR); }
  bool b_by_terms() const { return (transb == ACCUBLAS_NO_TRANS) != (layout == ACCUBLAS_COL_MAJOR); }
  /// Entry (i, p) of op(A) and entry (p, j) of op(B), as stored.
  E& at_a(Index i, Index p) { return a[static_cast<std::size_t>(a_by_terms() ? i + p * lda : p + i * lda)]; }
  E& at_b(Index p, Index j) { return b[static_cast<std::size_t>(b_by_terms() ? j + p * ldb : p + j * ldb)]; }
  E& at_c(Index i, Index j) { return at_c(c, i, j); }
  E& at_c(std::vector<E>& of, Index i, Index j) const {
    return of[static_cast<std::size_t>(layout == ACCUBLAS_COL_MAJOR ? i + j * ldc : j + i * ldc)];
  }
  const E* panel_a(Index first) const { return a.data() + (a_by_terms() ? first * lda : first); }
  const E* panel_b(Index first) const { return b.data() + (b_by_terms() ? first * ldb : first); }

  Product(Random& random, Kind kind, Index rows, Index cols, Index terms) : m(rows), n(cols), k(terms) {
    const accublas_transpose transpositions[] = {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS, ACCUBLAS_CONJ_TRANS};
    transa = transpositions[below(random, 3)];
    transb = transpositions[below(random, 3)];
    if (below(random, 3) == 0) layout = ACCUBLAS_ROW_MAJOR;
    lda = std::max<Index>(1, a_by_terms() ? m : k) + below(random, 3);
    ldb = std::max<Index>(1, b_by_terms() ? n : k) + below(random, 3);
    ldc = std::max<Index>(1, layout == ACCUBLAS_COL_MAJOR ? m : n) + below(random, 3);
    const auto matrix = [&](std::vector<E>& x, Index size, Kind of) {
      for (Index i = 0; i < size; ++i) x.push_back(make_number<E>(random, of));
    };
    matrix(a, lda * (a_by_terms() ? k : m), kind);
    matrix(b, ldb * (b_by_terms() ? k : n), kind);
    matrix(c, ldc * (layout == ACCUBLAS_COL_MAJOR ? n : m), kind);
    shape(random, kind);
    factors(random, kind);
  }

 private:
  void shape(Random& random, Kind kind) {
    if (kind == Kind::cancelling)
      for (Index p = 0; p < k / 2; ++p) {
        const Index other = k - 1 - p;
        for (Index i = 0; i < m; ++i) at_a(i, other) = at_a(i, p);
        for (Index j = 0; j < n; ++j) at_b(other, j) = -at_b(p, j);
        if (p == 0) {
          for (Index i = 0; i < m; ++i) at_a(i, other) *= E(1 + std::numeric_limits<Real<E>>::epsilon());
          if (below(random, 2) != 0)
            for (Index i = 0; i < m; ++i)
              at_a(i, p) *= E(std::ldexp(Real<E>(1), -40)), at_a(i, other) *= E(std::ldexp(Real<E>(1), -40));
        }
      }
    if (kind == Kind::zeros && m > 1 && n > 1 && k > 1) {
      for (Index p = 0; p < k; ++p) at_a(m / 2, p) = at_b(p, n - 1) = E(0);
      for (Index i = 0; i < m; ++i) at_a(i, k / 2) = E(0);
    }
    if (kind == Kind::special && k > 0)
      for (Index t = below(random, 5); t >= 0; --t) {
        if (m > 0 && below(random, 2) != 0)
          at_a(below(random, m), below(random, k)) = make_special<E>(random);
        else if (n > 0)
          at_b(below(random, k), below(random, n)) = make_special<E>(random);
      }
  }
  void factors(Random& random, Kind kind) {
    using T = Real<E>;
    const T choices[] = {T(1), T(-1), T(0.5), T(1.1), T(-3), std::numeric_limits<T>::epsilon()};
    const auto factor = [&]() -> E {
      const T re = choices[below(random, 6)];
      if constexpr (is_complex<E>) {
        if (below(random, 2) != 0) return {re, choices[below(random, 6)]};
      }
      return E(re);
    };
    alpha = factor();
    if (below(random, 2) != 0) beta = factor();
    const Index rare = below(random, 24);
    const bool special = kind == Kind::special;
    if (rare == 0) alpha = E(0);
    if (rare == 1) beta = E(std::numeric_limits<T>::quiet_NaN());
    if (rare == 2 && special) alpha = make_special<E>(random);
    if (rare == 3) std::fill(c.begin(), c.end(), E(std::numeric_limits<T>::quiet_NaN()));
    if (rare == 4) beta = E(1);
    if (rare == 5) std::fill(c.begin(), c.end(), E(-T(0)));
  }
};

/// A result and the floating-point exceptions of the call that wrote it.
template <class E>
struct Answer {
  std::vector<E> c;
  int raised = 0;
};

template <class E>
Answer<E> by_one_call(const Product<E>& p, const char* mode) {
  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  options.mode_name = mode;
  options.backend = ACCUBLAS_BACKEND_CPU;
  Answer<E> answer{p.c};
  answer.raised = raised_in([&] {
    EXPECT_EQ(Numbers<E>::gemm(nullptr, p.layout, p.transa, p.transb, p.m, p.n, p.k,
                               reinterpret_cast<const Real<E>*>(&p.alpha), reinterpret_cast<const Real<E>*>(p.a.data()),
                               p.lda, reinterpret_cast<const Real<E>*>(p.b.data()), p.ldb,
                               reinterpret_cast<const Real<E>*>(&p.beta), reinterpret_cast<Real<E>*>(answer.c.data()),
                               p.ldc, &options),
              ACCUBLAS_SUCCESS)
        << accublas_last_error(nullptr);
  });
  return answer;
}

struct Panel {
  Index first, k;
};
/// Cuts k terms into panels, some of them empty, in random order.
inline std::vector<Panel> random_panels(Random& random, Index k) {
  std::vector<Index> cuts = {0, k};
  for (Index t = below(random, 6); t > 0; --t) cuts.push_back(below(random, k + 1));
  std::sort(cuts.begin(), cuts.end());
  std::vector<Panel> panels;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) panels.push_back({cuts[i], cuts[i + 1] - cuts[i]});
  std::shuffle(panels.begin(), panels.end(), random);
  return panels;
}

/// An accumulator of a product.
template <class E>
class Sums {
 public:
  Sums(const Product<E>& p, const char* mode, const std::vector<Panel>& panels, int bits = 0) : p_(p) {
    std::vector<std::int32_t> rows(static_cast<std::size_t>(2 * p.m), ACCUBLAS_EXPONENT_NONE),
        columns(static_cast<std::size_t>(2 * p.n), ACCUBLAS_EXPONENT_NONE);
    for (const Panel& panel : panels) {
      good(accublas_accumulator_measure(nullptr, Numbers<E>::type, ACCUBLAS_LEFT, p.layout, p.transa, p.m, panel.k,
                                        p.panel_a(panel.first), p.lda, rows.data()));
      good(accublas_accumulator_measure(nullptr, Numbers<E>::type, ACCUBLAS_RIGHT, p.layout, p.transb, p.n, panel.k,
                                        p.panel_b(panel.first), p.ldb, columns.data()));
    }
    good(accublas_accumulator_create(nullptr, Numbers<E>::type, mode, p.m, p.n, p.k, rows.data(), columns.data(), bits,
                                     &accumulator_));
  }
  /// Creates the accumulator from given exponents.
  Sums(const Product<E>& p, const char* mode, const std::vector<std::int32_t>& rows,
       const std::vector<std::int32_t>& columns)
      : p_(p) {
    good(accublas_accumulator_create(nullptr, Numbers<E>::type, mode, p.m, p.n, p.k, rows.data(), columns.data(), 0,
                                     &accumulator_));
  }
  Sums(const Product<E>& p, const std::vector<unsigned char>& bytes) : p_(p) {
    good(accublas_accumulator_import(nullptr, bytes.data(), bytes.size(), &accumulator_));
  }
  ~Sums() { accublas_accumulator_destroy(accumulator_); }
  Sums(const Sums&) = delete;

  void add(const Panel& panel) {
    good(accublas_accumulator_add(nullptr, accumulator_, p_.layout, p_.transa, p_.transb, panel.k,
                                  p_.panel_a(panel.first), p_.lda, p_.panel_b(panel.first), p_.ldb));
  }
  void merge(const Sums& other) {
    const std::vector<unsigned char> bytes = other.bytes();
    good(accublas_accumulator_merge(nullptr, accumulator_, bytes.data(), bytes.size()));
  }
  std::vector<unsigned char> bytes() const {
    std::size_t size = 0;
    good(accublas_accumulator_export(nullptr, accumulator_, nullptr, 0, &size));
    std::vector<unsigned char> bytes(size);
    good(accublas_accumulator_export(nullptr, accumulator_, bytes.data(), size, &size));
    return bytes;
  }
  accublas_status finish(Answer<E>& answer) {
    accublas_status status = ACCUBLAS_SUCCESS;
    answer.c = p_.c;
    answer.raised = raised_in([&] {
      status =
          accublas_accumulator_finish(nullptr, accumulator_, p_.layout, &p_.alpha, &p_.beta, answer.c.data(), p_.ldc);
    });
    return status;
  }
  accublas_accumulator_report_t report() const {
    accublas_accumulator_report_t report;
    report.struct_size = sizeof report;
    good(accublas_accumulator_report(nullptr, accumulator_, &report));
    return report;
  }
  accublas_accumulator* get() const { return accumulator_; }

  static void good(accublas_status status) { ASSERT_EQ(status, ACCUBLAS_SUCCESS) << accublas_last_error(nullptr); }

 private:
  const Product<E>& p_;
  accublas_accumulator* accumulator_ = nullptr;
};

/// Finishes a product whose panels `add` adds. Returns the number of rounds that it took.
template <class E, class Add>
int finish_rounds(Sums<E>& sums, Answer<E>& answer, const Product<E>& p, Add&& add) {
  for (int round = 1;; ++round) {
    add(sums);
    const accublas_status status = sums.finish(answer);
    if (status == ACCUBLAS_SUCCESS) return round;
    EXPECT_EQ(status, ACCUBLAS_ERROR_UNDECIDED) << accublas_last_error(nullptr);
    EXPECT_EQ(std::memcmp(answer.c.data(), p.c.data(), p.c.size() * sizeof(E)), 0) << "C was written";
    EXPECT_EQ(answer.raised, 0);
    EXPECT_GT(sums.report().undecided, 0);
    if (status != ACCUBLAS_ERROR_UNDECIDED || round == 2) {
      ADD_FAILURE() << "round " << round << ": " << accublas_last_error(nullptr);
      return round;
    }
  }
}

template <class E>
void expect_same(const Answer<E>& got, const Answer<E>& expected, const std::string& what) {
  for (std::size_t i = 0; i < expected.c.size(); ++i)
    ASSERT_EQ(std::memcmp(&got.c[i], &expected.c[i], sizeof(E)), 0)
        << what << ": element " << i << " is " << got.c[i] << ", expected " << expected.c[i];
  EXPECT_EQ(got.raised, expected.raised) << what << ": floating-point exceptions";
}

}  // namespace accumulators_test
