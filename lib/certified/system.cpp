#include "lib/certified/system.hpp"

#include "lib/numerics/powers_of_two.hpp"

namespace accublas::certified {

namespace {

/// Finds the scales from the diagonal. Returns false if a diagonal element is not positive or an element shows that A
/// is not definite.
bool scale_symmetric(System& s, const Calls& calls) {
  const Mirrored diagonal = calls.diagonal(s.n, s.a.data());
  for (std::size_t i = 0; i < s.row.size(); ++i) {
    const double x = diagonal[static_cast<Index>(i)];
    if (!(x > 0)) return false;
    const int e = exponent_of(x);
    s.row[i] = s.column[i] = -(e >= 0 ? (e + 1) / 2 : e / 2);
  }
  std::vector<int> largest(s.row.size());
  calls.place().exponents(s.n, s.n, {s.a.data(), 1, s.n}, s.column.data(), largest.data());
  for (std::size_t i = 0; i < s.row.size(); ++i)
    if (largest[i] + s.row[i] > 1) return false;
  return true;
}

/// `row` holds the largest exponents of the rows.
void scale_general(System& s, const Calls& calls) {
  const auto turn = [](std::vector<int>& exponents) {
    for (int& e : exponents) e = e == no_exponent ? 0 : -e;
  };
  turn(s.row);
  calls.place().exponents(s.n, s.n, {s.a.data(), s.n, 1}, s.row.data(), s.column.data());
  turn(s.column);
}

}  // namespace

bool System::measure(const Calls& calls) {
  row.resize(static_cast<std::size_t>(n));
  column.resize(static_cast<std::size_t>(n));
  calls.place().exponents(n, n, {a.data(), 1, n}, nullptr, row.data());
  return std::all_of(row.begin(), row.end(), [](int e) { return e <= greatest_exponent; });
}

bool System::scale(const Calls& calls) {
  const std::vector<int> measured = row;
  const bool same = symmetric && scale_symmetric(*this, calls);
  if (!same) {
    row = measured;
    scale_general(*this, calls);
  }
  inexact = calls.place().scale(n, a.data(), row.data(), column.data());
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
