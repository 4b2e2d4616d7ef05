#include "lib/certified/system.hpp"

#include <atomic>

namespace accublas::certified {

namespace {

/// The least e with abs(x) < 2^e.
int exponent_of(double x) {
  int e = 0;
  std::frexp(x, &e);
  return e;
}
constexpr int none = -1 << 20;  // the exponent of what is zero

/// Scales of the diagonal; false where not all of it is positive or an element shows that A is not definite.
bool scale_symmetric(System& s) {
  for (Index i = 0; i < s.n; ++i) {
    const double diagonal = s.a[i * (s.n + 1)];
    if (!(diagonal > 0)) return false;
    const int e = exponent_of(diagonal);
    s.row[i] = s.column[i] = -(e >= 0 ? (e + 1) / 2 : e / 2);
  }
  for (Index j = 0; j < s.n; ++j)
    for (Index i = 0; i < s.n; ++i) {
      const double x = s.a[i + j * s.n];
      if (x != 0 && exponent_of(x) + s.row[i] + s.column[j] > 1) return false;
    }
  return true;
}

void scale_general(System& s) {
  std::fill(s.row.begin(), s.row.end(), none);
  const auto each = [&](auto&& body) {
    for (Index j = 0; j < s.n; ++j)
      for (Index i = 0; i < s.n; ++i)
        if (const double x = s.a[i + j * s.n]; x != 0) body(i, j, exponent_of(x));
  };
  each([&](Index i, Index, int e) { s.row[i] = std::max(s.row[i], e); });
  for (int& e : s.row) e = e == none ? 0 : -e;
  std::fill(s.column.begin(), s.column.end(), none);
  each([&](Index i, Index j, int e) { s.column[j] = std::max(s.column[j], e + s.row[i]); });
  for (int& e : s.column) e = e == none ? 0 : -e;
}

}  // namespace

bool System::scale(const Calls& calls) {
  row.resize(static_cast<std::size_t>(n));
  column.resize(static_cast<std::size_t>(n));
  const bool same = symmetric && scale_symmetric(*this);
  if (!same) scale_general(*this);
  std::atomic<bool> lost = false;
  calls.for_rows(n, [&](Index first, Index end) {
    bool rounded = false;
    for (Index j = first; j < end; ++j)
      for (Index i = 0; i < n; ++i) {
        double& x = a[i + j * n];
        const int e = row[i] + column[j];
        const double scaled = std::ldexp(x, e);
        rounded |= std::ldexp(scaled, -e) != x;
        x = scaled;
      }
    if (rounded) lost = true;
  });
  inexact = lost;
  return same;
}

int scale_side(const System& system, Index side, double* to) {
  const double* const b = system.b.data() + side * system.n;
  int scale = none;
  for (Index i = 0; i < system.n; ++i)
    if (b[i] != 0) scale = std::max(scale, exponent_of(b[i]) + system.row[i]);
  for (Index i = 0; i < system.n; ++i) to[i] = b[i] == 0 ? 0 : std::ldexp(b[i], system.row[i] - scale);
  return scale == none ? 0 : scale;
}

}  // namespace accublas::certified
