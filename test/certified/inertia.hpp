// Sylvester's law of inertia in integers: how many eigenvalues of a symmetric matrix of doubles lie below a number.
#pragma once

#include <gmpxx.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

/// The numbers of eigenvalues that are smaller than a number, and that are equal to it.
struct Inertia {
  int below, equal;
};

/// A symmetric matrix, rows side by side.
class SymmetricMatrix {
 public:
  SymmetricMatrix(int n, std::vector<double> rows) : n_(n), rows_(std::move(rows)) {}

  /// Returns the inertia of A - (x + y) I, by Bareiss's elimination with pivots on the diagonal. If the rest of the
  /// diagonal is zero, a row and a column are added to others, which is a congruence.
  Inertia around(double x, double y) const {
    const int least = exponent_below({x, y}, exponent_below(rows_));
    std::vector<mpz_class> m = integers(rows_, least);
    for (int i = 0; i < n_; ++i) m[index(i, i)] -= integer(x, least) + integer(y, least);
    return inertia(std::move(m));
  }

  /// Returns the inertia of A - (x + y) B, for a B of the same order.
  Inertia around(double x, double y, const SymmetricMatrix& b) const {
    const int of_a = exponent_below(rows_), of_b = exponent_below(b.rows_), of_x = exponent_below({x, y});
    const int least = std::min(of_a, of_b + of_x);
    std::vector<mpz_class> m = integers(rows_, least);
    const std::vector<mpz_class> right = integers(b.rows_, of_b);
    const mpz_class factor = (integer(x, of_x) + integer(y, of_x)) << static_cast<unsigned>(of_b + of_x - least);
    for (std::size_t i = 0; i < m.size(); ++i) m[i] -= factor * right[i];
    return inertia(std::move(m));
  }

 private:
  /// Returns an exponent e with 2^-e z an integer for all numbers, at most `most`.
  static int exponent_below(const std::vector<double>& numbers, int most = 5000) {
    for (const double z : numbers)
      if (z != 0) most = std::min(most, std::ilogb(z) - 1100);
    return most;
  }
  static std::vector<mpz_class> integers(const std::vector<double>& numbers, int least) {
    std::vector<mpz_class> m;
    for (const double z : numbers) m.push_back(integer(z, least));
    return m;
  }

  Inertia inertia(std::vector<mpz_class> m) const {
    int below = 0;
    mpz_class before = 1;
    for (int k = 0; k < n_; ++k) {
      if (!find_pivot(m, k)) return {below, n_ - k};
      const mpz_class p = m[index(k, k)];
      below += sgn(p) != sgn(before);
      for (int i = k + 1; i < n_; ++i)
        for (int j = k + 1; j <= i; ++j) {
          mpz_class& z = m[index(i, j)];
          z = z * p - m[index(i, k)] * m[index(k, j)];
          mpz_divexact(z.get_mpz_t(), z.get_mpz_t(), before.get_mpz_t());
          m[index(j, i)] = z;
        }
      before = p;
    }
    return {below, 0};
  }

  /// Brings a number that is not zero to place (k, k). Returns false if all that is left is zero.
  bool find_pivot(std::vector<mpz_class>& m, int k) const {
    for (int i = k; i < n_; ++i)
      if (m[index(i, i)] != 0) return exchange(m, i, k);
    for (int i = k; i < n_; ++i)
      for (int j = k; j < i; ++j)
        if (m[index(i, j)] != 0) {
          for (int c = 0; c < n_; ++c) m[index(i, c)] += m[index(j, c)];
          for (int c = 0; c < n_; ++c) m[index(c, i)] += m[index(c, j)];
          return exchange(m, i, k);
        }
    return false;
  }
  bool exchange(std::vector<mpz_class>& m, int i, int k) const {
    for (int c = 0; c < n_ && i != k; ++c) swap(m[index(i, c)], m[index(k, c)]);
    for (int c = 0; c < n_ && i != k; ++c) swap(m[index(c, i)], m[index(c, k)]);
    return true;
  }
  static mpz_class integer(double z, int least) {
    if (z == 0) return 0;
    int e = 0;
    const double mantissa = std::ldexp(std::frexp(z, &e), 53);
    return mpz_class(mantissa) << static_cast<unsigned>(e - 53 - least);
  }
  std::size_t index(int i, int j) const { return static_cast<std::size_t>(i * n_ + j); }

  int n_;
  std::vector<double> rows_;
};
