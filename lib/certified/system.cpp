#include "lib/certified/system.hpp"

#include "lib/certified/wide.hpp"
#include "lib/numerics/powers_of_two.hpp"

namespace accublas::certified {

namespace {

/// Finds the scales from the diagonal. Returns false if a diagonal element is not positive or an element shows that A
/// is not definite.
bool scale_symmetric(System& s, const LargestExponents& largest_exponents, const std::vector<int>& diagonal) {
  for (std::size_t i = 0; i < s.row.size(); ++i) {
    const int e = diagonal[i];
    if (e == no_exponent) return false;
    s.row[i] = s.column[i] = -(e >= 0 ? (e + 1) / 2 : e / 2);
  }
  std::vector<int> largest(s.row.size());
  largest_exponents(true, s.column.data(), largest.data());
  for (std::size_t i = 0; i < s.row.size(); ++i)
    if (largest[i] + s.row[i] > 1) return false;
  return true;
}

/// `row` holds the largest exponents of the rows.
void scale_general(System& s, const LargestExponents& largest_exponents) {
  const auto turn = [](std::vector<int>& exponents) {
    for (int& e : exponents) e = e == no_exponent ? 0 : -e;
  };
  turn(s.row);
  largest_exponents(false, s.row.data(), s.column.data());
  turn(s.column);
}

}  // namespace

bool choose_scales(System& s, const LargestExponents& largest_exponents, const std::vector<int>& diagonal) {
  const std::vector<int> measured = s.row;
  if (s.symmetric && scale_symmetric(s, largest_exponents, diagonal)) return true;
  s.row = measured;
  scale_general(s, largest_exponents);
  return false;
}

bool System::measure(const Calls& calls) {
  row.resize(static_cast<std::size_t>(n));
  column.resize(static_cast<std::size_t>(n));
  if (wide) return measure_wide(*this);
  calls.place().exponents(n, n, {a.data(), 1, n}, nullptr, row.data());
  return std::all_of(row.begin(), row.end(), [](int e) { return e <= greatest_exponent; });
}

bool System::scale(const Calls& calls) {
  if (wide) return scale_wide(*this);
  const auto largest_exponents = [&](bool of_rows, const int* offsets, int* to) {
    calls.place().exponents(n, n, {a.data(), of_rows ? 1 : n, of_rows ? n : 1}, offsets, to);
  };
  std::vector<int> diagonal;
  if (symmetric) {
    const Mirrored numbers = calls.diagonal(n, a.data());
    for (Index i = 0; i < n; ++i) diagonal.push_back(numbers[i] > 0 ? exponent_of(numbers[i]) : no_exponent);
  }
  const bool same = choose_scales(*this, largest_exponents, diagonal);
  inexact = calls.place().scale(n, n, a.data(), row.data(), column.data());
  return same;
}

int scale_side(const System& system, Index side, double* to) {
  const double* const b = system.b.data() + side * system.n;
  int scale = no_exponent;
  for (Index i = 0; i < system.n; ++i)
    if (b[i] != 0) scale = std::max(scale, exponent_of(b[i]) + system.row[i]);
  for (Index i = 0; i < system.n; ++i) to[i] = b[i] == 0 ? 0 : std::ldexp(b[i], system.row[i] - scale);
  return scale == no_exponent ? 0 : scale;
}

}  // namespace accublas::certified
