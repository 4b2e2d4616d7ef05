// The modes of engine fp64 as docs/modes.md defines them, in GMP integers.
#pragma once

#include <gmpxx.h>
#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <vector>

#include "lib/cpu/engines.hpp"

namespace accublas::cpu {
namespace {

// Entries are integers in units of 2^-unit; unit is a multiple of no grid, only finer than all of them.
constexpr int unit = 1400;
mpz_class power(int e) { return mpz_class(1) << e; }

mpz_class integer(double x) {
  int e;
  const double f = std::frexp(x, &e);
  const mpz_class m(static_cast<long>(std::ldexp(f, 53)));
  return e - 53 + unit >= 0 ? mpz_class(m << (e - 53 + unit)) : mpz_class(m >> (53 - e - unit));
}

/// The integer nearest to x 2^-e, ties to even.
mpz_class nearest(const mpz_class& x, int e) {
  if (e <= 0) return x << -e;
  mpz_class q, r;
  mpz_fdiv_q_2exp(q.get_mpz_t(), x.get_mpz_t(), static_cast<mp_bitcnt_t>(e));
  r = x - (q << e);
  const int side = cmp(r, power(e - 1));
  if (side > 0 || (side == 0 && mpz_odd_p(q.get_mpz_t()))) ++q;
  return q;
}

mpz_class largest(const std::vector<mpz_class>& x) {
  mpz_class top = 0;
  for (const mpz_class& v : x) top = std::max(top, mpz_class(abs(v)));
  return top;
}

using Line = std::vector<mpz_class>;

/// x^(1), ..., until the line is zero or D is reached.
std::vector<Line> slices(Line x, int rho, int d) {
  std::vector<Line> out;
  for (int p = 0; p < d; ++p) {
    const mpz_class top = largest(x);
    if (top == 0) break;
    int tau = 0;  // in units
    while (power(tau) < top) ++tau;
    const int grid = rho + tau - 53;
    Line s;
    for (mpz_class& v : x) {
      s.push_back(grid >= 0 ? mpz_class(nearest(v, grid) << grid) : v);
      v -= s.back();
    }
    out.push_back(s);
  }
  return out;
}

/// a' 2^(E - T).
Line fixed(const Line& x, int t) {
  const mpz_class top = largest(x);
  const int e = static_cast<int>(mpz_sizeinbase(top.get_mpz_t(), 2));
  if (top == 0) return x;
  Line out;
  for (const mpz_class& v : x) out.push_back(e - t >= 0 ? mpz_class(nearest(v, e - t) << (e - t)) : v);
  return out;
}

mpz_class dot(const Line& x, const Line& y) {
  mpz_class s = 0;
  for (std::size_t p = 0; p < x.size(); ++p) s += x[p] * y[p];
  return s;
}

/// RN(alpha s + beta c), s in units of 2^(-2 unit).
template <class T>
T finished(T alpha, const mpz_class& s, T beta, T c) {
  mpz_class sum = integer(alpha) * s;
  if (beta != T{0}) sum += (integer(beta) * integer(c)) << unit;
  if (sum == 0) return T{0};
  mpfr_t r;
  mpfr_init2(r, static_cast<mpfr_prec_t>(mpz_sizeinbase(sum.get_mpz_t(), 2) + 2));
  mpfr_set_z_2exp(r, sum.get_mpz_t(), -3 * unit, MPFR_RNDN);
  T out;
  if constexpr (sizeof(T) == 8) {
    out = mpfr_get_d(r, MPFR_RNDN);
  } else {
    out = mpfr_get_flt(r, MPFR_RNDN);
  }
  mpfr_clear(r);
  return out;
}

/// Whether T suffices for row x and column y (docs/modes.md, dp).
struct Certificate {
  int e = 0;
  mpz_class lambda = 0;
  std::vector<long> factor;
  Line line;

  explicit Certificate(const Line& x) : line(x) {
    const mpz_class top = largest(x);
    e = static_cast<int>(mpz_sizeinbase(top.get_mpz_t(), 2));
    if (top == 0) e = 0;
    for (const mpz_class& v : x) {
      const mpz_class a = abs(v);
      mpz_class up;
      const mpz_class scaled = a << 24;
      mpz_cdiv_q_2exp(up.get_mpz_t(), scaled.get_mpz_t(), static_cast<mp_bitcnt_t>(e));
      lambda += up;
      factor.push_back(std::min<long>(127, mpz_class((a << 7) >> e).get_si()));
    }
  }
  bool whole(int t) const {
    for (const mpz_class& v : line) {
      if (e > t && v != 0 && mpz_scan1(v.get_mpz_t(), 0) < static_cast<mp_bitcnt_t>(e - t)) return false;
    }
    return true;
  }
};

bool suffices(const Certificate& x, const Certificate& y, int t, int v) {
  if (x.whole(t) && y.whole(t)) return true;
  const long k = static_cast<long>(x.line.size());
  mpz_class sum = 0;
  for (long p = 0; p < k; ++p) {
    if (k <= 1024 || p / 128 % 8 == 0)
      sum += x.factor[static_cast<std::size_t>(p)] * y.factor[static_cast<std::size_t>(p)];
  }
  // Both sides times 2^23.
  const mpz_class left = power(t) * (x.lambda + y.lambda) + power(23) * k;
  const mpz_class right = (k + 1) * sum * power(2 * t + 23 - 12 - v);
  return left <= right;
}

template <class T>
struct Problem {
  Index m, n, k;
  T alpha, beta;
  std::vector<T> a, b, c;  // column-major, tight

  std::vector<Line> rows() const {
    std::vector<Line> r(static_cast<std::size_t>(m), Line(static_cast<std::size_t>(k)));
    for (Index i = 0; i < m; ++i)
      for (Index p = 0; p < k; ++p) r[i][p] = integer(a[i + p * m]);
    return r;
  }
  std::vector<Line> cols() const {
    std::vector<Line> r(static_cast<std::size_t>(n), Line(static_cast<std::size_t>(k)));
    for (Index j = 0; j < n; ++j)
      for (Index p = 0; p < k; ++p) r[j][p] = integer(b[p + j * k]);
    return r;
  }
};

template <class T>
std::vector<T> reference(const Problem<T>& g, const Mode& mode) {
  const auto rows = g.rows(), cols = g.cols();
  std::vector<T> c = g.c;
  const auto at = [&](Index i, Index j) -> T& { return c[i + j * g.m]; };
  const auto products = [&](const std::vector<Line>& x, const std::vector<Line>& y) {
    for (Index i = 0; i < g.m; ++i)
      for (Index j = 0; j < g.n; ++j) at(i, j) = finished(g.alpha, dot(x[i], y[j]), g.beta, g.c[i + j * g.m]);
  };
  if (mode.kind == ACCUBLAS_MODE_CR) {
    products(rows, cols);
  } else if (mode.kind == ACCUBLAS_MODE_FIXED) {
    std::vector<Line> x, y;
    for (const Line& l : rows) x.push_back(fixed(l, mode.parameter));
    for (const Line& l : cols) y.push_back(fixed(l, mode.parameter));
    products(x, y);
  } else if (mode.kind == ACCUBLAS_MODE_SLICES) {
    int rho = 0;
    while (power(2 * rho) < power(53) * mpz_class(static_cast<long>(g.k))) ++rho;
    std::vector<std::vector<Line>> x, y;
    for (const Line& l : rows) x.push_back(slices(l, rho, mode.parameter));
    for (const Line& l : cols) y.push_back(slices(l, rho, mode.parameter));
    for (Index i = 0; i < g.m; ++i) {
      for (Index j = 0; j < g.n; ++j) {
        mpz_class s = 0;
        for (std::size_t p = 0; p < x[i].size(); ++p)
          for (std::size_t q = 0; q < y[j].size(); ++q)
            if (!mode.fast || static_cast<int>(p + q + 2) <= mode.parameter + 1) s += dot(x[i][p], y[j][q]);
        at(i, j) = finished(g.alpha, s, g.beta, g.c[i + j * g.m]);
      }
    }
  } else {
    const bool d = sizeof(T) == 8;
    const std::vector<int> rungs = d ? std::vector<int>{48, 50, 53, 56, 60, 64} : std::vector<int>{21, 24, 27, 32, 40};
    std::vector<Certificate> x, y;
    for (const Line& l : rows) x.emplace_back(l);
    for (const Line& l : cols) y.emplace_back(l);
    std::vector<int> rung(static_cast<std::size_t>(g.m * g.n), 0);
    int top = 0;
    for (Index i = 0; i < g.m; ++i) {
      for (Index j = 0; j < g.n; ++j) {
        for (const int t : rungs) {
          if (suffices(x[i], y[j], t, d ? 53 : 24)) {
            rung[i + j * g.m] = t;
            break;
          }
        }
        top = std::max(top, rung[i + j * g.m]);
      }
    }
    if (64 * std::count(rung.begin(), rung.end(), 0) > g.m * g.n) std::fill(rung.begin(), rung.end(), 0);
    for (Index i = 0; i < g.m; ++i) {
      for (Index j = 0; j < g.n; ++j) {
        const mpz_class s = rung[i + j * g.m] ? dot(fixed(rows[i], top), fixed(cols[j], top)) : dot(rows[i], cols[j]);
        at(i, j) = finished(g.alpha, s, g.beta, g.c[i + j * g.m]);
      }
    }
  }
  return c;
}

}  // namespace
}  // namespace accublas::cpu
