// Hard operands: wide exponents, cancellation, ties, zeros, subnormal numbers, NaN and Inf, and rows that the
// certificate of dp:repro rejects with some columns.
#pragma once

#include <cmath>
#include <complex>
#include <limits>

#include "test/pblas/distributed.hpp"

namespace accublas::test {

enum class Data { moderate, wide, integers, cancelling, tiny, special, conflict };
constexpr int data_kinds = 7;

template <class T>
T real_number(Random& random, Data kind) {
  constexpr bool is_single = sizeof(T) == 4;
  const T mantissa = static_cast<T>(static_cast<double>(static_cast<std::int64_t>(random()) >> 11) * 0x1p-52);
  const auto scaled = [&](int range) { return std::ldexp(mantissa, number(random, -range, range)); };
  switch (kind) {
    case Data::wide:
      return scaled(is_single ? 50 : 400);
    case Data::integers:
      return static_cast<T>(number(random, -3, 3));
    case Data::cancelling:
      return (random() % 2 ? 1 : -1) * (1 + static_cast<T>(number(random, 0, 3)) * std::numeric_limits<T>::epsilon());
    case Data::tiny:
      return std::ldexp(mantissa, is_single ? number(random, -148, -60) : number(random, -1073, -500));
    case Data::special: {
      const int which = number(random, 0, 400);
      if (which == 0) return std::numeric_limits<T>::quiet_NaN();
      if (which <= 2) return (which == 1 ? 1 : -1) * std::numeric_limits<T>::infinity();
      if (which == 3) return static_cast<T>(-0.0);
      return scaled(4);
    }
    default:
      return scaled(4);
  }
}
template <class E>
E random_number(Random& random, Data kind) {
  if constexpr (std::is_floating_point_v<E>) {
    return real_number<E>(random, kind);
  } else {
    const auto re = real_number<typename E::value_type>(random, kind);
    return {re, real_number<typename E::value_type>(random, kind)};
  }
}

/// Fills a matrix. In a conflict the first row (or column) of the sub-matrix has its large entries where `odd` says, so
/// that their products with those of another such line are small.
template <class E>
void fill(Distributed<E>& matrix, Random& random, Data kind, bool odd, bool trans) {
  for (E& element : matrix.whole) element = random_number<E>(random, kind);
  if (kind != Data::conflict || matrix.i > matrix.rows || matrix.j > matrix.cols) return;
  const int count = trans ? matrix.rows - matrix.i + 1 : matrix.cols - matrix.j + 1;
  for (int p = 0; p < count; ++p)
    if ((p % 2 == 1) != odd) (trans ? matrix.sub(p, 0) : matrix.sub(0, p)) *= std::ldexp(1.0f, -45);
}

}  // namespace accublas::test
