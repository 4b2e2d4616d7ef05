// Powers of two that scale the rows of L in a panel of LU (panel.hpp), so that sums over rows whose entries are near an
// end of the range stay in the range.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "lib/call/problem.hpp"
#include "lib/numerics/parts.hpp"
#include "lib/numerics/powers_of_two.hpp"

namespace accublas::cpu {

/// Writes the parts of a number side by side.
template <class E>
void keep_parts(const E& x, RealOf<E>* to) {
  for (int part = 0; part < parts_of<E>; ++part) to[part] = part_of(x, part);
}

template <class E>
class RowScales {
  using T = RealOf<E>;

 public:
  RowScales() = default;
  /// Keeps the exponents in memory for one of each row.
  explicit RowScales(int* exponents) : exponent_(exponents) {}

  /// Chooses the powers for the rows of a panel.
  void choose(const Matrix<E>& panel, Index rows, Index columns) {
    std::fill_n(exponent_, rows, 0);
    if (sizeof(T) != sizeof(double)) return;
    // The largest high word of a row has its largest exponent.
    for (Index column = 0; column < columns; ++column)
      for (Index r = 0; r < rows; ++r)
        for (int part = 0; part < parts_of<E>; ++part) {
          const double size = std::fabs(part_of(panel(r, column), part));
          exponent_[r] = std::max(exponent_[r], static_cast<int>(to_bits(size) >> 32));
        }
    for (Index r = 0; r < rows; ++r) {
      const int exponent = (exponent_[r] >> 20) - 1022;
      const bool usual = std::abs(exponent) < 850 || exponent_[r] == 0 || exponent > greatest_exponent;
      exponent_[r] = usual ? 0 : std::clamp(-exponent, -600, 1000);
    }
  }
  int operator[](Index r) const { return exponent_[r]; }
  void exchange(Index r, Index other) { std::swap(exponent_[r], exponent_[other]); }

  /// Writes an entry of row r, scaled, to the numbers that sums read. An entry that would lose bits becomes a NaN, so
  /// that no sum decides.
  void keep(const E& x, Index r, T* to) const {
    keep_parts(x, to);
    for (int part = 0; exponent_[r] != 0 && part < parts_of<E>; ++part) {
      double number = to[part];
      if (!is_finite(number) || scale_loses(number, exponent_[r])) number = canonical_nan<double>();
      to[part] = static_cast<T>(number);
    }
  }

 private:
  int* exponent_ = nullptr;
};

}  // namespace accublas::cpu
