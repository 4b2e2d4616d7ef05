// The bound of dp, which native keeps too, against exact sums; and what lies beside C.
#pragma once

#include <algorithm>
#include <cmath>

#include "lib/numerics/long_accumulator.hpp"
#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {

/// Empty if `got` is within (k + 3) u (abs(alpha) abs(A) abs(B) + abs(beta) abs(C)) and the least subnormal of the
/// exact C(i, j), else what is wrong. alpha and beta are powers of two.
template <class T>
std::string beyond_bound(const Problem<T>& p, Index i, Index j, T got) {
  const double c = p.c[static_cast<std::size_t>(p.at_c.at(i, j))];
  LongAccumulator error, size;
  for (Index l = 0; l < p.k; ++l) {
    const double a = p.alpha * p.a[static_cast<std::size_t>(p.at_a.at(i, l))],
                 b = p.b[static_cast<std::size_t>(p.at_b.at(l, j))];
    error.add_product(a, b);
    size.add_product(std::fabs(a), std::fabs(b));
  }
  error.add_product(p.beta, c);
  size.add_product(std::fabs(p.beta), std::fabs(c));
  std::ostringstream out;
  out << p.describe() << ": C(" << i << ", " << j << ") is " << got;
  if (!std::isfinite(got)) return out.str();
  error.add(-static_cast<double>(got));
  const double far = std::fabs(finish(1.0, error, 0.0, 0.0)), scale = finish(1.0, size, 0.0, 0.0);
  const double u = std::numeric_limits<T>::epsilon() / 2, least = std::numeric_limits<T>::denorm_min();
  // Rounded to double, both are within 2^-53 of themselves.
  const double allowed = static_cast<double>(p.k + 3) * u * scale + least;
  if (far * (1 - 0x1p-50) <= allowed) return "";
  out << ", off by " << far << " where " << allowed << " is allowed";
  return out.str();
}

/// Some elements of a result (all of C's buffer), of `most` rows and as many columns: empty if they keep that bound,
/// and are of the reference loop's class where that is NaN or infinite; else what is wrong with the first.
template <class T>
std::string beyond_bound(const Problem<T>& p, const std::vector<T>& got, Index most = 48) {
  const Index rows = std::min(p.m, most), cols = std::min(p.n, most);
  for (Index s = 0; s < rows; ++s)
    for (Index t = 0; t < cols; ++t) {
      const Index i = s * p.m / rows, j = t * p.n / cols;
      const T result = got[static_cast<std::size_t>(p.at_c.at(i, j))];
      long double sum = 0;
      for (Index l = 0; l < p.k; ++l)
        sum += static_cast<long double>(p.a[static_cast<std::size_t>(p.at_a.at(i, l))]) *
               p.b[static_cast<std::size_t>(p.at_b.at(l, j))];
      sum = p.alpha * sum + (p.beta != T(0) ? p.beta * p.c[static_cast<std::size_t>(p.at_c.at(i, j))] : 0);
      if (std::isfinite(sum)) {
        if (const std::string wrong = beyond_bound(p, i, j, result); !wrong.empty()) return wrong;
      } else if (std::isnan(sum) ? !std::isnan(result) : result != static_cast<T>(sum)) {
        std::ostringstream out;
        out << p.describe() << ": C(" << i << ", " << j << ") is " << result << " for " << sum;
        return out.str();
      }
    }
  return "";
}

/// The first element of C's buffer outside of C that is not as it was. Empty if there is none.
template <class T>
std::string written_outside(const Problem<T>& p, std::vector<T> got) {
  for (Index j = 0; j < p.n; ++j)
    for (Index i = 0; i < p.m; ++i)
      got[static_cast<std::size_t>(p.at_c.at(i, j))] = p.c[static_cast<std::size_t>(p.at_c.at(i, j))];
  return mismatch(p, p.c, got);
}

}  // namespace accublas::test
