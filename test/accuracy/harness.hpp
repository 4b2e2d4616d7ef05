// Code that the accuracy suites share: exact references in MPFR, seeded data of every kind, and the calls through the C
// API.
#pragma once

#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "../both_types.hpp"
#include "../context.hpp"
#include "accublas.h"

namespace accuracy {

using Random = std::mt19937_64;

/// Number of cases: `count` times ACCUBLAS_TEST_SCALE (default 1).
inline int scaled(int count) {
  const char* word = std::getenv("ACCUBLAS_TEST_SCALE");
  const double factor = word ? std::atof(word) : 1.0;
  return std::max(1, static_cast<int>(count * factor));
}

/// Whether the GPU computes what it can.
inline bool on_gpu() {
  const char* word = std::getenv("ACCUBLAS_BACKEND");
  return word && std::string(word) == "cuda";
}

/// A real number wide enough that sums of products of three doubles are exact: exponents from 3 * -1074 to 3 * 1024 and
/// carries.
class Real {
 public:
  static constexpr mpfr_prec_t precision = 6500;

  Real() {
    mpfr_init2(x_, precision);
    mpfr_set_zero(x_, 1);
  }
  explicit Real(double value) : Real() { mpfr_set_d(x_, value, MPFR_RNDN); }
  Real(const Real& other) : Real() { mpfr_set(x_, other.x_, MPFR_RNDN); }
  Real& operator=(const Real& other) {
    mpfr_set(x_, other.x_, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(x_); }

  void add(const Real& other) { exact_ &= mpfr_add(x_, x_, other.x_, MPFR_RNDN) == 0; }
  void subtract(const Real& other) { exact_ &= mpfr_sub(x_, x_, other.x_, MPFR_RNDN) == 0; }
  void multiply(double value) { exact_ &= mpfr_mul_d(x_, x_, value, MPFR_RNDN) == 0; }
  void absolute() { mpfr_abs(x_, x_, MPFR_RNDN); }
  bool exact() const { return exact_; }
  bool zero() const { return mpfr_zero_p(x_) != 0; }
  /// A double at least as large (for bounds and errors).
  double up() const { return mpfr_get_d(x_, MPFR_RNDU); }
  double down() const { return mpfr_get_d(x_, MPFR_RNDD); }
  /// Rounded once; an exact zero is +0.
  template <class T>
  T round() const {
    if (zero()) return 0;
    if constexpr (std::is_same_v<T, double>) {
      return mpfr_get_d(x_, MPFR_RNDN);
    } else {
      return mpfr_get_flt(x_, MPFR_RNDN);
    }
  }
  friend bool operator<=(const Real& a, const Real& b) { return mpfr_lessequal_p(a.x_, b.x_) != 0; }

  mpfr_t x_;

 private:
  bool exact_ = true;
};

/// alpha a^T b + beta c, and the same with absolute values.
struct Reference {
  Real value, magnitude;
};

/// Terms (x_p, y_p), p < k, with strides.
template <class T>
Reference reference(std::int64_t k, double alpha, const T* x, std::int64_t incx, const T* y, std::int64_t incy,
                    double beta, double c) {
  Reference r;
  mpfr_t product, two;
  mpfr_init2(product, 106);
  mpfr_init2(two, 53);
  for (std::int64_t p = 0; p < k; ++p) {
    mpfr_set_d(two, y[p * incy], MPFR_RNDN);
    mpfr_mul_d(product, two, x[p * incx], MPFR_RNDN);  // exact: 106 bits
    mpfr_add(r.value.x_, r.value.x_, product, MPFR_RNDN);
    mpfr_abs(product, product, MPFR_RNDN);
    mpfr_add(r.magnitude.x_, r.magnitude.x_, product, MPFR_RNDN);
  }
  r.value.multiply(alpha);
  r.magnitude.multiply(std::fabs(alpha));
  if (beta != 0) {
    Real term(c);
    term.multiply(beta);
    r.value.add(term);
    term.absolute();
    r.magnitude.add(term);
  }
  mpfr_clear(product);
  mpfr_clear(two);
  return r;
}

/// abs(computed - exact)
inline Real error_of(double computed, const Real& exact) {
  Real e(computed);
  e.subtract(exact);
  e.absolute();
  return e;
}

template <class T>
constexpr double unit = std::is_same_v<T, double> ? 0x1p-53 : 0x1p-24;
template <class T>
constexpr double least = std::is_same_v<T, double> ? 0x1p-1074 : 0x1p-149;
template <class T>
constexpr int precision_of = std::numeric_limits<T>::digits;

template <class T>
auto bits(T x) {
  if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<std::uint64_t>(x);
  } else {
    return std::bit_cast<std::uint32_t>(x);
  }
}

/// A column-major problem: op() and strides are the oracle suite's business.
template <class T>
struct Gemm {
  std::int64_t m = 0, n = 0, k = 0;
  T alpha = 1, beta = 0;
  std::vector<T> a, b, c;

  Gemm(std::int64_t m_, std::int64_t n_, std::int64_t k_)
      : m(m_),
        n(n_),
        k(k_),
        a(static_cast<std::size_t>(m_ * k_)),
        b(static_cast<std::size_t>(k_ * n_)),
        c(static_cast<std::size_t>(m_ * n_)) {}
  T& A(std::int64_t i, std::int64_t p) { return a[static_cast<std::size_t>(i + p * m)]; }
  T& B(std::int64_t p, std::int64_t j) { return b[static_cast<std::size_t>(p + j * k)]; }
  T& C(std::int64_t i, std::int64_t j) { return c[static_cast<std::size_t>(i + j * m)]; }
  Reference exact(std::int64_t i, std::int64_t j) const {
    return reference(k, alpha, a.data() + i, m, b.data() + j * k, std::int64_t{1}, beta,
                     c[static_cast<std::size_t>(i + j * m)]);
  }
};

/// Which routine computes the problem: GEMV needs n = 1, DOT m = n = 1, alpha = 1, beta = 0.
enum class Routine { gemm, gemv, dot };

inline const char* routine_name(Routine routine) {
  return routine == Routine::gemm ? "gemm" : routine == Routine::gemv ? "gemv" : "dot";
}

class Context : public accublas::test::Context {
 public:
  /// Runs the problem in the context's mode; the result is in `out` (a copy of C before).
  template <class T>
  accublas_status run(Routine routine, const Gemm<T>& g, std::vector<T>& out,
                      const accublas_options* options = nullptr) {
    out = g.c;
    accublas_context* const x = *this;
    const auto lda = std::max<std::int64_t>(1, g.m), ldb = std::max<std::int64_t>(1, g.k);
    switch (routine) {
      case Routine::gemm:
        return both_types::gemm_ex(T{}, x, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, g.m, g.n, g.k,
                                   &g.alpha, g.a.data(), lda, g.b.data(), ldb, &g.beta, out.data(), lda, options);
      case Routine::gemv:
        return both_types::gemv_ex(T{}, x, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, g.m, g.k, &g.alpha, g.a.data(), lda,
                                   g.b.data(), 1, &g.beta, out.data(), 1, options);
      case Routine::dot:
        return both_types::dot_ex(T{}, x, g.k, g.a.data(), 1, g.b.data(), 1, out.data(), options);
    }
    return ACCUBLAS_ERROR_INTERNAL;
  }
};

// --- data ----------------------------------------------------------------------------------------------------------

inline std::int64_t below(Random& rng, std::int64_t n) {
  return static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(n));
}
inline double uniform(Random& rng) { return static_cast<double>(rng() >> 11) * 0x1p-53; }
inline double normal(Random& rng) {
  double s = -6;
  for (int i = 0; i < 12; ++i) s += uniform(rng);
  return s;
}
/// (rand - 0.5) exp(phi randn), the seeds' generator.
template <class T>
T spread(Random& rng, double phi) {
  return static_cast<T>((uniform(rng) - 0.5) * std::exp(phi * normal(rng)));
}

enum class Data { phi, graded, halfway, cancel, subnormal, overflow, wild, generated, count };

inline const char* data_name(Data d) {
  static const char* const names[] = {"phi", "graded", "halfway", "cancel", "subnormal", "overflow", "wild", "GenDot"};
  return names[static_cast<int>(d)];
}

/// Ogita, Rump, Oishi 2005, algorithm 6.1: x, y of length n whose dot product has condition number about `condition`.
template <class T>
void generate_dot(Random& rng, double condition, std::vector<T>& x, std::vector<T>& y) {
  const auto n = static_cast<std::int64_t>(x.size());
  const std::int64_t half = n / 2;
  const double b = std::log2(condition);
  Real sum;
  const auto add = [&](T u, T v) {
    Real product(static_cast<double>(u));
    product.multiply(static_cast<double>(v));
    sum.add(product);
  };
  for (std::int64_t i = 0; i < n; ++i) {
    int e;
    if (i < half) {
      e = i == 0          ? static_cast<int>(std::rint(b / 2)) + 1
          : i == half - 1 ? 0
                          : static_cast<int>(std::rint(uniform(rng) * b / 2));
      y[static_cast<std::size_t>(i)] = static_cast<T>(std::ldexp(2 * uniform(rng) - 1, e));
      x[static_cast<std::size_t>(i)] = static_cast<T>(std::ldexp(2 * uniform(rng) - 1, e));
    } else {
      e = static_cast<int>(std::rint(
          b / 2 * (1 - static_cast<double>(i - half) / static_cast<double>(std::max<std::int64_t>(1, n - half - 1)))));
      T u = static_cast<T>(std::ldexp(2 * uniform(rng) - 1, e));
      if (u == 0) u = 1;
      x[static_cast<std::size_t>(i)] = u;
      Real wanted(std::ldexp(2 * uniform(rng) - 1, e));
      wanted.subtract(sum);
      mpfr_div_d(wanted.x_, wanted.x_, u, MPFR_RNDN);
      y[static_cast<std::size_t>(i)] = wanted.round<T>();
    }
    add(x[static_cast<std::size_t>(i)], y[static_cast<std::size_t>(i)]);
  }
  for (std::int64_t i = n - 1; i > 0; --i) {
    const auto j = static_cast<std::size_t>(below(rng, i + 1));
    std::swap(x[static_cast<std::size_t>(i)], x[j]);
    std::swap(y[static_cast<std::size_t>(i)], y[j]);
  }
}

/// One row whose product with a column of ones is halfway between two numbers plus or minus 2^-e, e up to 900 (or
/// nothing).
template <class T>
void halfway_row(Random& rng, Gemm<T>& g, std::int64_t i) {
  constexpr int p = precision_of<T>;
  const int lowest = std::is_same_v<T, double> ? 900 : 120;
  for (std::int64_t q = 0; q < g.k; ++q) g.A(i, q) = 0;
  const auto mantissa = [&] {
    return static_cast<T>(1 + std::ldexp(std::floor(uniform(rng) * std::ldexp(1, p - 1)), 1 - p));
  };
  const double sign = rng() & 1 ? 1 : -1;
  g.A(i, 0) = static_cast<T>(sign * static_cast<double>(mantissa()));
  if (g.k > 1) g.A(i, 1) = static_cast<T>(std::ldexp(rng() & 1 ? 1.0 : -1.0, -p));
  if (g.k > 2 && below(rng, 4)) {
    g.A(i, 2) = static_cast<T>(std::ldexp(rng() & 1 ? 1.0 : -1.0, static_cast<int>(-p - 1 - below(rng, lowest - p))));
  }
  for (std::int64_t q = 3; q + 1 < g.k; q += 2) {
    const T x = static_cast<T>(std::ldexp(static_cast<double>(mantissa()), static_cast<int>(below(rng, 9)) - 4));
    g.A(i, q) = x;
    g.A(i, q + 1) = -x;
  }
}

/// A problem of the kind of data; `phi` for Data::phi, the condition number for Data::generated.
template <class T>
Gemm<T> make(Random& rng, Data kind, std::int64_t m, std::int64_t n, std::int64_t k, double parameter) {
  Gemm<T> g(m, n, k);
  const int top = std::numeric_limits<T>::max_exponent, low = static_cast<int>(std::log2(least<T>));
  const auto fill = [&](std::vector<T>& x, auto&& value) {
    for (T& v : x) v = static_cast<T>(value());
  };
  switch (kind) {
    case Data::phi:
      fill(g.a, [&] { return spread<double>(rng, parameter); });
      fill(g.b, [&] { return spread<double>(rng, parameter); });
      break;
    case Data::graded:
      for (std::int64_t p = 0; p < k; ++p) {
        const int e = static_cast<int>(below(rng, top / 4)) - top / 8;
        for (std::int64_t i = 0; i < m; ++i) g.A(i, p) = static_cast<T>(std::ldexp(spread<double>(rng, 0.5), e));
        for (std::int64_t j = 0; j < n; ++j) g.B(p, j) = static_cast<T>(std::ldexp(spread<double>(rng, 0.5), -e));
      }
      break;
    case Data::halfway:
      for (std::int64_t i = 0; i < m; ++i) halfway_row(rng, g, i);
      for (std::int64_t j = 0; j < n; ++j) {
        const T scale = static_cast<T>(std::ldexp(1.0, static_cast<int>(below(rng, 9)) - 4));
        for (std::int64_t p = 0; p < k; ++p) g.B(p, j) = scale;
      }
      break;
    case Data::cancel:
      fill(g.a, [&] { return spread<double>(rng, 1); });
      fill(g.b, [&] { return spread<double>(rng, 1); });
      for (std::int64_t p = 0; p + 1 < k; p += 2) {
        for (std::int64_t i = 0; i < m; ++i) g.A(i, p + 1) = -g.A(i, p);
        for (std::int64_t j = 0; j < n; ++j) {
          g.B(p + 1, j) = below(rng, 8) ? g.B(p, j) : std::nextafter(g.B(p, j), static_cast<T>(2));
        }
      }
      break;
    case Data::subnormal:
      fill(g.a, [&] { return std::ldexp(spread<double>(rng, 1), low / 2 + 20); });
      fill(g.b, [&] { return std::ldexp(spread<double>(rng, 1), low - low / 2 - 15); });
      break;
    case Data::overflow:
      fill(g.a, [&] { return std::ldexp(spread<double>(rng, 0.3), top / 2 - 1); });
      fill(g.b, [&] { return std::ldexp(spread<double>(rng, 0.3), top / 2); });
      break;
    case Data::wild:
      fill(g.a, [&] { return std::ldexp(uniform(rng) - 0.5, low + static_cast<int>(below(rng, top - low))); });
      fill(g.b, [&] { return std::ldexp(uniform(rng) - 0.5, low + static_cast<int>(below(rng, top - low))); });
      break;
    default: {
      std::vector<T> x(static_cast<std::size_t>(k)), y(x);
      generate_dot(rng, parameter, x, y);
      for (std::int64_t p = 0; p < k; ++p) {
        for (std::int64_t i = 0; i < m; ++i) {  // every row the same problem but for its sign and scale
          g.A(i, p) =
              static_cast<T>(std::ldexp(x[static_cast<std::size_t>(p)] * (i % 2 ? -1 : 1), static_cast<int>(i % 3)));
        }
        for (std::int64_t j = 0; j < n; ++j) g.B(p, j) = y[static_cast<std::size_t>(p)];
      }
    }
  }
  fill(g.c,
       [&] { return kind == Data::subnormal ? std::ldexp(spread<double>(rng, 1), low + 8) : spread<double>(rng, 1); });
  return g;
}

/// Shape of a routine, at most `k` terms.
inline void shape(Random& rng, Routine routine, std::int64_t& m, std::int64_t& n, std::int64_t& k) {
  m = routine == Routine::dot ? 1 : 1 + below(rng, routine == Routine::gemv ? 40 : 9);
  n = routine == Routine::gemm ? 1 + below(rng, 7) : 1;
  k = 1 + below(rng, below(rng, 4) ? 40 : 400);
}

template <class T>
void generic_scalars(Random& rng, Routine routine, Gemm<T>& g) {
  if (routine == Routine::dot || below(rng, 2)) return;
  static const double values[] = {1, -1, 0.3, -1.7, 3, 0.5};
  g.alpha = static_cast<T>(values[below(rng, 6)]);
  g.beta = static_cast<T>(below(rng, 3) ? values[below(rng, 6)] : 0);
}

}  // namespace accuracy
