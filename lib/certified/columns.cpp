#include "lib/certified/columns.hpp"

#include "lib/numerics/powers_of_two.hpp"

namespace accublas::certified {

double norm_up(Index count, const double* x) {
  double largest = 0;
  for (Index i = 0; i < count; ++i) largest = std::max(largest, std::fabs(x[i]));
  if (largest == HUGE_VAL) return HUGE_VAL;
  // Scaled by 2^-e the largest number lies in [2^-75, 1), so what underflows below is covered by the terms of sum_up.
  const int e = largest == 0 ? 0 : std::max(exponent_of(largest), -1000);
  const double factor = std::ldexp(1.0, -(e / 2)), rest = std::ldexp(1.0, -(e - e / 2));
  double sum = 0;
  for (Index i = 0; i < count; ++i) {
    const double scaled = x[i] * factor * rest;
    sum += scaled * scaled;
  }
  if (largest == 0 && sum == 0) return 0;
  const double norm = scale_up(sqrt_up(sum_up(sum, count)), e);
  return norm < HUGE_VAL ? norm : HUGE_VAL;  // a NaN has passed the search for the largest number
}

void column_norms_up(Index rows, Index cols, const double* m, double* to, const Calls& calls) {
  for_columns(cols, calls, [&](Index j) { to[j] = norm_up(rows, m + j * rows); });
}

void write_left(const double* x, Index n, Index cols, double* to) {
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < n; ++i) {
      const double re = x[i + j * 2 * n], im = x[i + n + j * 2 * n];
      to[i + j * 2 * n] = to[i + n + (j + cols) * 2 * n] = re;
      to[i + n + j * 2 * n] = im;
      to[i + (j + cols) * 2 * n] = -im;
    }
}

std::vector<Complex<double>> joined_parts(Index rows, Index cols, const double* from, Index from_rows) {
  std::vector<Complex<double>> joined;
  joined.reserve(static_cast<std::size_t>(rows * cols));
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i)
      joined.push_back({from[i + j * from_rows], from[i + from_rows / 2 + j * from_rows]});
  return joined;
}

void split_parts(Index rows, Index cols, const Complex<double>* from, double* to) {
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) {
      to[i + j * 2 * rows] = from[i + j * rows].re;
      to[i + rows + j * 2 * rows] = from[i + j * rows].im;
    }
}

}  // namespace accublas::certified
