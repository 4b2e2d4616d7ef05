// The bound of dp, which native keeps too, against exact sums.
#pragma once

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

}  // namespace accublas::test
