// dot2 as the table in docs/modes.md defines it: a transcription that shares nothing with the library, rounded by MPFR;
// and operands whose sums are hard to compute.
#pragma once

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

#include "lib/base/integers.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/numerics/bounds.hpp"

namespace accublas::cpu {
namespace {

// ---- The table of docs/modes.md -----------------------------------------------------------------------------------

struct Pair {
  double s = 0, c = 0;
};

/// The exact error of a + b, from MPFR: a third way beside the two that the library uses.
double sum_error_mpfr(double a, double b, double s) {
  static thread_local mpfr_t t;
  static thread_local const bool ready = (mpfr_init2(t, 2200), true);
  (void)ready;
  mpfr_set_d(t, a, MPFR_RNDN);
  mpfr_add_d(t, t, b, MPFR_RNDN);
  mpfr_sub_d(t, t, s, MPFR_RNDN);
  return mpfr_get_d(t, MPFR_RNDN);
}

/// Whether TwoSum below asks MPFR (slow) or uses the table's own sequence.
bool two_sum_by_mpfr = false;

Pair two_sum(double a, double b) {
  volatile double s = a + b;
  if (two_sum_by_mpfr) return {s, std::isfinite(s) ? sum_error_mpfr(a, b, s) : s - s};
  volatile double t = s - a, d = s - t;
  volatile double a_error = a - d, b_error = b - t;
  return {s, a_error + b_error};
}

template <class T>
void table_step(Pair& z, T x, T y) {
  volatile double p = static_cast<double>(x) * static_cast<double>(y);
  if (sizeof(T) == 4) {
    z.s = z.s + p;
    return;
  }
  const double e = std::fma(static_cast<double>(x), static_cast<double>(y), -p);
  const Pair sum = two_sum(z.s, p);
  volatile double both = sum.c + e;
  z.c = z.c + both;
  z.s = sum.s;
}

template <class T>
Pair table_combine(Pair left, Pair right) {
  if (sizeof(T) == 4) return {left.s + right.s, 0};
  const Pair sum = two_sum(left.s, right.s);
  volatile double c = left.c + right.c;
  return {sum.s, c + sum.c};
}

template <class T>
Pair table_chain(Index k, Vector<const T> x, Vector<const T> y) {
  Pair all;
  for (Index p = 0; p < k;) {
    Pair block;
    do table_step(block, x[p], y[p]);
    while (++p < k && p % 128 != 0);
    all = table_combine<T>(all, block);
  }
  return all;
}

template <class T>
std::vector<Pair> table_blocks(const std::vector<std::vector<Pair>>& blocks, std::size_t begin, std::size_t end) {
  if (end - begin == 1) return blocks[begin];
  std::size_t left = 1;
  while (2 * left < end - begin) left *= 2;
  std::vector<Pair> a = table_blocks<T>(blocks, begin, begin + left);
  const std::vector<Pair> b = table_blocks<T>(blocks, begin + left, end);
  for (int l = 0; l < 32; ++l) a[l] = table_combine<T>(a[l], b[l]);
  return a;
}

template <class T>
Pair table_dot(Index n, Vector<const T> x, Vector<const T> y) {
  std::vector<std::vector<Pair>> blocks;
  for (Index i = 0; i < n; ++i) {
    if (i % 1024 == 0) blocks.emplace_back(32);
    table_step(blocks.back()[i % 32], x[i], y[i]);
  }
  std::vector<Pair> lanes = table_blocks<T>(blocks, 0, blocks.size());
  for (int half : {16, 8, 4, 2, 1})
    for (int l = 0; l < half; ++l) lanes[l] = table_combine<T>(lanes[l], lanes[l + half]);
  return lanes[0];
}

/// RN(alpha (s + c) + beta y) for finite arguments, by MPFR.
template <class T>
T round_mpfr(T alpha, Pair z, T beta, T y) {
  mpfr_t sum, product;
  mpfr_inits2(9000, sum, product, nullptr);
  mpfr_set_d(sum, z.s, MPFR_RNDN);
  mpfr_add_d(sum, sum, z.c, MPFR_RNDN);
  mpfr_mul_d(sum, sum, alpha, MPFR_RNDN);
  mpfr_set_d(product, beta, MPFR_RNDN);
  mpfr_mul_d(product, product, y, MPFR_RNDN);
  if (beta != 0) mpfr_add(sum, sum, product, MPFR_RNDN);
  T out;
  if constexpr (sizeof(T) == 8) {
    out = mpfr_get_d(sum, MPFR_RNDN);
  } else {
    out = mpfr_get_flt(sum, MPFR_RNDN);
  }
  if (mpfr_zero_p(sum)) out = 0;
  mpfr_clears(sum, product, nullptr);
  return out;
}

template <class T>
T table_result(Pair z, Index k, T alpha, Vector<const T> x, Vector<const T> y, T beta, T c) {
  const bool plain = std::isfinite(alpha) && std::isfinite(beta) && (beta == 0 || std::isfinite(c));
  if (!std::isfinite(z.s) || !std::isfinite(z.c) || !plain) {
    // cr's value. Where only alpha, beta or c is special, the pair's sign decides alike.
    return exact_element<T>(k, alpha, x, y, beta, &c);
  }
  return round_mpfr(alpha, z, beta, c);
}

// ---- Data ---------------------------------------------------------------------------------------------------------

enum class Data { uniform, wide, cancelling, subnormal, overflowing, special, small_integers, extremes };

constexpr Data all_data[] = {Data::uniform,     Data::wide,    Data::cancelling,     Data::subnormal,
                             Data::overflowing, Data::special, Data::small_integers, Data::extremes};

template <class T>
T draw(Data data, std::mt19937_64& rng) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::normal_distribution<double> normal;
  const int top = std::numeric_limits<T>::max_exponent, bottom = std::numeric_limits<T>::min_exponent;
  const double u = uniform(rng);
  switch (data) {
    case Data::uniform:
      return static_cast<T>(u);
    case Data::wide:
      return static_cast<T>(u * std::exp(10 * normal(rng)));
    case Data::cancelling:
      return static_cast<T>(std::ldexp(u, static_cast<int>(rng() % 40)));
    case Data::subnormal:
      return static_cast<T>(std::ldexp(u, bottom / 2 - static_cast<int>(rng() % 30)));
    case Data::overflowing:
      return static_cast<T>(std::ldexp(u, top / 2 - static_cast<int>(rng() % 4)));
    case Data::special:
      switch (rng() % 400) {
        case 0:
          return std::numeric_limits<T>::infinity();
        case 1:
          return -std::numeric_limits<T>::infinity();
        case 2:
          return std::numeric_limits<T>::quiet_NaN();
        case 3:
          return 0;
        default:
          return static_cast<T>(u);
      }
    case Data::small_integers:
      return static_cast<T>(static_cast<int>(rng() % 5)) - 2;
    case Data::extremes: {
      // Powers of two and largest numbers whose products and sums touch the end of the range.
      const T largest = std::numeric_limits<T>::max();
      const T values[] = {largest, -largest, T(1), T(-1), std::ldexp(T(1), top - 54), std::ldexp(T(-3), top - 54),
                          T(0)};
      return values[rng() % 7];
    }
  }
  return 0;
}

/// A rows x cols matrix with any strides in a buffer of its own.
template <class T>
struct Stored {
  std::vector<T> buffer;
  Matrix<T> view;
  Matrix<const T> constant() const { return {view.data, view.row_stride, view.col_stride}; }
};

template <class T>
Stored<T> store(Index rows, Index cols, Index row_stride, Index col_stride, Data data, std::mt19937_64& rng) {
  const auto reach = [](Index n, Index stride) { return (n - 1) * std::abs(stride); };
  const Index offset = (row_stride < 0 ? reach(rows, row_stride) : 0) + (col_stride < 0 ? reach(cols, col_stride) : 0);
  Stored<T> s{std::vector<T>(static_cast<std::size_t>(reach(rows, row_stride) + reach(cols, col_stride) + 1)), {}};
  for (T& x : s.buffer) x = draw<T>(data, rng);
  s.view = {s.buffer.data() + offset, row_stride, col_stride};
  return s;
}

/// Inner products of condition 1e16 and far beyond: the second half takes back what the first one brought, but for the
/// last bit of a few entries. Only then do the last bits of c, and with them the order of operations, show in the
/// result.
template <class T>
void cancel(const Matrix<T>& a, Index m, const Matrix<T>& b, Index n, Index k, std::mt19937_64& rng) {
  const Index half = k / 2;
  for (Index p = half; p < 2 * half; ++p) {
    for (Index i = 0; i < m; ++i) a(i, p) = -a(i, p - half);
    for (Index j = 0; j < n; ++j) b(p, j) = b(p - half, j);
  }
  for (int times = 0; times < 3; ++times) {
    const Index p = static_cast<Index>(rng() % static_cast<std::uint64_t>(k));
    for (Index j = 0; j < n; ++j) b(p, j) = std::nextafter(b(p, j), T(0));
  }
}

}  // namespace
}  // namespace accublas::cpu
