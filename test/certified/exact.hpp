// Solutions of linear systems of floating-point numbers in integers: fraction-free elimination (Bareiss 1968).
#pragma once

#include <gmpxx.h>

#include <cmath>
#include <utility>
#include <vector>

/// A X = B, rows of A and B side by side, n x (n + sides), finite.
class Exact {
 public:
  Exact(int n, int sides, const std::vector<double>& rows)
      : n_(n), width_(n + sides), m_(static_cast<std::size_t>(n * width_)) {
    for (int i = 0; i < n; ++i) {
      int least = 5000;
      for (int j = 0; j < width_; ++j)
        if (const double x = rows[index(i, j)]; x != 0) least = std::min(least, std::ilogb(x) - 1100);
      for (int j = 0; j < width_; ++j) {
        const double x = rows[index(i, j)];
        if (x == 0) continue;
        int e = 0;
        const double mantissa = std::ldexp(std::frexp(x, &e), 53);
        m_[index(i, j)] = mpz_class(mantissa) << static_cast<unsigned>(e - 53 - least);
      }
    }
  }

  /// Every element of X becomes a quotient by one determinant; false where A is singular.
  bool solve() {
    mpz_class before = 1;
    for (int k = 0; k < n_; ++k) {
      int pivot = k;
      while (pivot < n_ && m_[index(pivot, k)] == 0) ++pivot;
      if (pivot == n_) return false;
      if (pivot != k)
        for (int j = 0; j < width_; ++j) {
          swap(m_[index(k, j)], m_[index(pivot, j)]);
          m_[index(k, j)] = -m_[index(k, j)];
        }
      const mpz_class p = m_[index(k, k)];
      for (int i = 0; i < n_; ++i) {
        if (i == k) continue;
        const mpz_class factor = m_[index(i, k)];
        for (int j = 0; j < width_; ++j) {
          mpz_class& x = m_[index(i, j)];
          x = x * p - factor * m_[index(k, j)];
          mpz_divexact(x.get_mpz_t(), x.get_mpz_t(), before.get_mpz_t());
        }
      }
      before = p;
    }
    return true;
  }
  /// Whether all leading minors are positive: of a symmetric A, that it is positive definite. In place of solve().
  bool definite() {
    mpz_class before = 1;
    for (int k = 0; k < n_; ++k) {
      const mpz_class p = m_[index(k, k)];
      if (p <= 0) return false;
      for (int i = k + 1; i < n_; ++i) {
        const mpz_class factor = m_[index(i, k)];
        for (int j = 0; j < n_; ++j) {
          mpz_class& x = m_[index(i, j)];
          x = x * p - factor * m_[index(k, j)];
          mpz_divexact(x.get_mpz_t(), x.get_mpz_t(), before.get_mpz_t());
        }
      }
      before = p;
    }
    return true;
  }

  mpq_class x(int i, int side) const {
    mpq_class value(m_[index(i, n_ + side)], m_[index(i, i)]);
    value.canonicalize();
    return value;
  }

 private:
  std::size_t index(int i, int j) const { return static_cast<std::size_t>(i * width_ + j); }
  int n_, width_;
  std::vector<mpz_class> m_;
};
