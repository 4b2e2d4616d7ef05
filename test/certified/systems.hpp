// Linear systems of every type, their certified solutions, and the check of these against exact ones.
#pragma once

#include <accublas.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "test/certified/exact.hpp"

template <class E>
constexpr bool is_complex = !std::is_floating_point_v<E>;
template <class E>
using RealOf = decltype(std::abs(E{}));

template <class E>
E number(double re, double im = 0) {
  if constexpr (is_complex<E>)
    return {static_cast<RealOf<E>>(re), static_cast<RealOf<E>>(im)};
  else
    return static_cast<E>(re);
}
template <class E>
double part(const E& z, int which) {
  return which == 0 ? std::real(z) : std::imag(z);
}

/// A X = B with logical elements, stored as the layout and leading dimensions say.
template <class E>
struct System {
  int n, sides;
  std::vector<E> a, b;  // rows side by side
  bool symmetric = false;

  E& at(int i, int j) { return a[static_cast<std::size_t>(i * n + j)]; }
  E& right(int i, int c) { return b[static_cast<std::size_t>(i * sides + c)]; }
  const E& at(int i, int j) const { return a[static_cast<std::size_t>(i * n + j)]; }
  const E& right(int i, int c) const { return b[static_cast<std::size_t>(i * sides + c)]; }
};
template <class E>
System<E> system_of(int n, int sides) {
  return {n, sides, std::vector<E>(static_cast<std::size_t>(n * n)),
          std::vector<E>(static_cast<std::size_t>(n * sides))};
}

template <class E>
struct Answer {
  accublas_status status;
  accublas_certificate_t certificate;
  std::vector<E> x, radius;  // rows side by side
};

struct Form {
  accublas_layout layout = ACCUBLAS_COL_MAJOR;
  accublas_uplo uplo = ACCUBLAS_UPPER;
  int pad = 0;
};

#define CERTIFIED_NAMES(type, E, p)                                                                              \
  inline accublas_status gesv(accublas_layout l, int64_t n, int64_t m, const E* a, int64_t lda, const E* b,      \
                              int64_t ld, E* x, E* r, accublas_certificate_t* c, const accublas_options* o) {    \
    return accublas_##p##gesv_certified_ex(nullptr, l, n, m, a, lda, b, ld, x, ld, r, ld, c, o);                 \
  }                                                                                                              \
  inline accublas_status posv(accublas_layout l, accublas_uplo u, int64_t n, int64_t m, const E* a, int64_t lda, \
                              const E* b, int64_t ld, E* x, E* r, accublas_certificate_t* c,                     \
                              const accublas_options* o) {                                                       \
    return accublas_##p##posv_certified_ex(nullptr, l, u, n, m, a, lda, b, ld, x, ld, r, ld, c, o);              \
  }
CERTIFIED_NAMES(double, double, d)
CERTIFIED_NAMES(float, float, s)
CERTIFIED_NAMES(void, std::complex<double>, z)
CERTIFIED_NAMES(void, std::complex<float>, c)

template <class E>
Answer<E> solve(const System<E>& s, const Form& form = {}, const accublas_options* options = nullptr) {
  const bool columns = form.layout == ACCUBLAS_COL_MAJOR;
  const auto store = [&](const std::vector<E>& from, int rows, int cols, int ld) {
    std::vector<E> to(static_cast<std::size_t>(ld) * static_cast<std::size_t>(std::max(1, columns ? cols : rows)),
                      number<E>(std::numeric_limits<double>::quiet_NaN()));
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < cols; ++j)
        to[static_cast<std::size_t>(columns ? i + j * ld : i * ld + j)] = from[static_cast<std::size_t>(i * cols + j)];
    return to;
  };
  const int lda = std::max(1, s.n) + form.pad, ld = std::max(1, columns ? s.n : s.sides) + form.pad;
  std::vector<E> given = s.a;
  if (s.symmetric)  // the other triangle must not be read
    for (int i = 0; i < s.n; ++i)
      for (int j = 0; j < s.n; ++j)
        if (form.uplo == ACCUBLAS_UPPER ? i > j : i < j)
          given[static_cast<std::size_t>(i * s.n + j)] = number<E>(std::numeric_limits<double>::quiet_NaN());
  const std::vector<E> a = store(given, s.n, s.n, lda), b = store(s.b, s.n, s.sides, ld);
  std::vector<E> a_after = a, b_after = b, x(b.size(), number<E>(7)), radius(b.size(), number<E>(7));
  Answer<E> answer{};
  answer.certificate.struct_size = sizeof answer.certificate;
  answer.status = s.symmetric ? posv(form.layout, form.uplo, s.n, s.sides, a_after.data(), lda, b_after.data(), ld,
                                     x.data(), radius.data(), &answer.certificate, options)
                              : gesv(form.layout, s.n, s.sides, a_after.data(), lda, b_after.data(), ld, x.data(),
                                     radius.data(), &answer.certificate, options);
  EXPECT_EQ(std::memcmp(a.data(), a_after.data(), a.size() * sizeof(E)), 0) << "A was written to";
  EXPECT_EQ(std::memcmp(b.data(), b_after.data(), b.size() * sizeof(E)), 0) << "B was written to";
  for (int i = 0; i < s.n; ++i)
    for (int c = 0; c < s.sides; ++c) {
      const auto from = static_cast<std::size_t>(columns ? i + c * ld : i * ld + c);
      answer.x.push_back(x[from]);
      answer.radius.push_back(radius[from]);
    }
  return answer;
}

/// The real system of the parts.
template <class E>
Exact exact_of(const System<E>& s) {
  constexpr int parts = is_complex<E> ? 2 : 1;
  const int n = parts * s.n, width = n + s.sides;
  std::vector<double> rows(static_cast<std::size_t>(n * width));
  const auto put = [&](int i, int j, double x) { rows[static_cast<std::size_t>(i * width + j)] = x; };
  for (int i = 0; i < s.n; ++i) {
    for (int j = 0; j < s.n; ++j) {
      put(i, j, part(s.at(i, j), 0));
      if (parts == 1) continue;
      put(i, j + s.n, -part(s.at(i, j), 1));
      put(i + s.n, j, part(s.at(i, j), 1));
      put(i + s.n, j + s.n, part(s.at(i, j), 0));
    }
    for (int c = 0; c < s.sides; ++c)
      for (int p = 0; p < parts; ++p) put(i + p * s.n, n + c, part(s.right(i, c), p));
  }
  return Exact(n, s.sides, rows);
}

template <class T>
double unit_in_last_place(double x) {
  const T magnitude = static_cast<T>(std::fabs(x));
  return static_cast<double>(std::nextafter(magnitude, std::numeric_limits<T>::infinity())) -
         static_cast<double>(magnitude);
}

/// No radius is false. Returns the largest one in units in the last place of x, of unknowns that are not zero.
template <class E>
double largest_radius(const System<E>& s, const Answer<E>& answer, bool singular, const Exact& exact) {
  double largest = 0;
  bool all = true;
  for (int i = 0; i < s.n; ++i)
    for (int c = 0; c < s.sides; ++c)
      for (int p = 0; p < (is_complex<E> ? 2 : 1); ++p) {
        const auto at = static_cast<std::size_t>(i * s.sides + c);
        const double x = part(answer.x[at], p), radius = part(answer.radius[at], p);
        EXPECT_GE(radius, 0);
        all &= std::isfinite(radius);
        if (!std::isfinite(radius)) {
          largest = HUGE_VAL;
          continue;
        }
        EXPECT_FALSE(singular) << "a radius for a singular matrix";
        if (singular || !std::isfinite(x)) {
          EXPECT_TRUE(std::isfinite(x));
          continue;
        }
        const mpq_class truth = exact.x(i + p * s.n, c);
        EXPECT_TRUE(abs(mpq_class(x) - truth) <= mpq_class(radius))
            << "false: x(" << i << ", " << c << ") = " << x << " +- " << radius << ", n = " << s.n;
        if (truth != 0) largest = std::max(largest, radius / unit_in_last_place<RealOf<E>>(x));
      }
  EXPECT_EQ(answer.status, all ? ACCUBLAS_SUCCESS : ACCUBLAS_ERROR_NOT_CERTIFIED);
  EXPECT_EQ(answer.certificate.reason == ACCUBLAS_REASON_NONE, all);
  return largest;
}
template <class E>
double check(const System<E>& s, const Form& form = {}) {
  const Answer<E> answer = solve(s, form);
  Exact exact = exact_of(s);
  const bool singular = !exact.solve();
  if (s.symmetric && answer.certificate.positive_definite) {
    EXPECT_TRUE(exact_of(s).definite()) << "definiteness that does not hold, n = " << s.n;
  }
  return largest_radius(s, answer, singular, exact);
}

using Random = std::mt19937_64;
inline double uniform(Random& random) { return std::uniform_real_distribution<double>(-1, 1)(random); }
inline int integer(Random& random, int least, int most) {
  return std::uniform_int_distribution<int>(least, most)(random);
}

/// Reflections on both sides of a diagonal from 1 to 1 / condition, rounded.
template <class E>
System<E> conditioned(Random& random, int n, int sides, double condition, bool symmetric = false) {
  using Number = std::conditional_t<is_complex<E>, std::complex<double>, double>;
  const auto size = static_cast<std::size_t>(n);
  std::vector<std::vector<Number>> m(size, std::vector<Number>(size));
  for (int i = 0; i < n; ++i)
    m[static_cast<std::size_t>(i)][static_cast<std::size_t>(i)] = std::pow(condition, n > 1 ? -i / (n - 1.0) : 0);
  const auto conjugate = [](const Number& z) {
    if constexpr (is_complex<E>)
      return std::conj(z);
    else
      return z;
  };
  const auto reflect = [&](const std::vector<Number>& v, bool left) {
    double norm = 0;
    for (const Number& z : v) norm += std::norm(z);
    for (std::size_t line = 0; line < size; ++line) {
      Number sum{};
      for (std::size_t k = 0; k < size; ++k) sum += left ? conjugate(v[k]) * m[k][line] : m[line][k] * v[k];
      sum *= 2 / norm;
      for (std::size_t k = 0; k < size; ++k)
        if (left)
          m[k][line] -= v[k] * sum;
        else
          m[line][k] -= sum * conjugate(v[k]);
    }
  };
  for (int round = 0; round < 2; ++round) {
    std::vector<Number> v(size), w(size);
    for (std::size_t k = 0; k < size; ++k) {
      v[k] = number<Number>(uniform(random), uniform(random));
      w[k] = number<Number>(uniform(random), uniform(random));
    }
    reflect(v, true);
    reflect(symmetric ? v : w, false);
  }
  System<E> s = system_of<E>(n, sides);
  s.symmetric = symmetric;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const Number z = symmetric && i > j ? conjugate(m[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)])
                                          : m[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
      s.at(i, j) = number<E>(part(z, 0), symmetric && i == j ? 0 : part(z, 1));
    }
  for (E& z : s.b) z = number<E>(uniform(random), uniform(random));
  return s;
}

inline Form any_form(Random& random) {
  return {integer(random, 0, 1) ? ACCUBLAS_COL_MAJOR : ACCUBLAS_ROW_MAJOR,
          integer(random, 0, 1) ? ACCUBLAS_UPPER : ACCUBLAS_LOWER, integer(random, 0, 3)};
}
