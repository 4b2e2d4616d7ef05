// The rules by which `cr` takes more and more moduli: how lines are scaled, how many moduli a first pass begins with,
// how the bits that they hold are split over the sides, and when a further pass with more moduli follows. No bit of a
// result depends on these choices, because Ziv's test decides what is final; speed and the report do. CPU and GPU share
// these rules, except where a constant is named for each of them.
#pragma once

#include <cmath>
#include <cstdint>

#include "lib/base/host_device.hpp"
#include "lib/numerics/float_bits.hpp"
#include "lib/numerics/moduli.hpp"
#include "lib/numerics/scaling.hpp"

namespace accublas {

// ---- Scaling of lines ------------------------------------------------------------------------------------

/// The exponent g for which a line's norm is at most 2^(E + g), with a little room. Lines are scaled to equal norms,
/// not to equal maxima, because norms bound the sums.
ACCUBLAS_HD inline int norm_exponent(double norm) { return norm > 0 ? exponent_above(norm * (1 + 0x1p-10)) : 0; }

/// Not less than norm 2^-norm_exponent(norm), whatever the norm.
inline constexpr double most_relative_norm = 1 / (1 + 0x1p-11);

/// The scale of a line whose entries are below 2^exponent, where a' = the integer nearest to a 2^scale. a' has `bits`
/// bits, or with `to_norm` the line of a' has a norm of at most 2^bits. The product of two lines is in units of 2^-(row
/// scale + col scale).
ACCUBLAS_HD inline int line_scale(double norm, int exponent, int bits, bool to_norm) {
  if (!(norm > 0)) return 0;
  return bits - (to_norm ? norm_exponent(norm) : 0) - exponent;
}

/// Bounds how far rounding a line to integers can move a sum. The sum moves by at most half of the sum of abs(entries
/// 2^scale) of the *other* line if this line drops bits, and by k / 4 more if both do. `element_error`, in units of the
/// product, expects the k / 4 in the error of the row.
struct LineError {
  double drop;   ///< 1 if a bit of the line is dropped, else 0
  double error;  ///< half the sum of abs(x) 2^scale, from above (rows: + k / 4 where bits are dropped)
};
/// Computes the error of one line. lambda is an upper bound of the sum of ceil(abs(x) 2^(24 - exponent)). Every entry
/// is a multiple of 2^last_bit.
ACCUBLAS_HD inline LineError line_error(double norm, double lambda, int exponent, int last_bit, int scale,
                                        std::int64_t k, bool row) {
  const bool exact = !(norm > 0) || last_bit >= -scale;
  const double drop = exact ? 0 : 1;
  const double half = scalbn(lambda, exponent + scale - 25);
  return {drop, half + (row ? drop * static_cast<double>(k) / 4 : 0)};
}
ACCUBLAS_HD inline double element_error(const LineError& row, const LineError& col) {
  // The enlargement covers the three roundings of this expression.
  return (col.drop * row.error + row.drop * col.error) * (1 + 0x1p-50);
}

// ---- The bits that moduli hold ---------------------------------------------------------------------------

/// The largest magnitude that sums may reach with some number of moduli, 2^whole part, rounded down; 1 <= part < 2
/// except for rounding.
struct Capacity {
  int whole;
  double part;
};
ACCUBLAS_HD inline Capacity capacity_of(double log2_capacity) {
  const double whole = floor(log2_capacity);
  return {static_cast<int>(whole), exp2(log2_capacity - whole) * (1 - 0x1p-40)};
}

/// Sets the largest numbers of bits of the two sides, evenly split, with which sums stay within the capacity. The lines
/// have the norms `row_norm` and `col_norm`, which are at most 1, times 2^bits, and are rounded. Rounding moves a line
/// by at most half of sqrt(k).
ACCUBLAS_HD inline void split_bits(const Capacity& capacity, double row_norm, double col_norm, std::int64_t k,
                                   int& row_bits, int& col_bits) {
  const double moved = 0.5 * sqrt(static_cast<double>(k));
  // The largest norms relative to the power of two above them are 1/2 or more, so the sides have at most two bits
  // beyond the capacity.
  int sum = capacity.whole + 3;
  double product, most;
  do {
    --sum;
    row_bits = sum / 2;
    col_bits = sum - row_bits;
    product = (row_norm + scalbn(moved, -row_bits)) * (col_norm + scalbn(moved, -col_bits)) * (1 + 0x1p-40);
    most = scalbn(capacity.part, capacity.whole - sum);
  } while (sum > 2 && product > most);
}

// ---- How many moduli -------------------------------------------------------------------------------------

/// The least number of moduli of a first pass.
template <class T>
ACCUBLAS_HD constexpr int first_moduli() {
  return sizeof(T) == 8 ? 10 : 5;
}
/// The least number of moduli of the pass after one with `moduli`. Five more moduli are about 18 bits a side. The
/// sample, which is then taken from the elements that remain undecided, may ask for more.
ACCUBLAS_HD constexpr int next_moduli(int moduli) { return moduli + 5 < max_moduli ? moduli + 5 : max_moduli; }

/// The fraction of the elements that the choice of the moduli may leave undecided on the GPU: the whole device would
/// wait for a few warps that recompute them.
inline constexpr double accepted_gpu = 3e-5;

/// If at most this many elements of C are pending, the GPU computes them one by one. At k = 4096 such an
/// element takes 20 ns if it is one of many (46 ns if a line is strided), and a pass with 28 moduli takes 0.18 ns an
/// element of C. 4096 elements are a single wave of warps.
ACCUBLAS_HD constexpr unsigned long long few_elements_gpu(std::int64_t m, std::int64_t n) {
  const std::int64_t part = m * n / 250;
  return static_cast<unsigned long long>(part > 4096 ? part : 4096);
}

// ---- Sampled elements ------------------------------------------------------------------------------------

/// The choice of the moduli looks at no more sampled elements than this.
inline constexpr int most_samples = 64;

/// The positions of the sampled elements, a fixed sequence with the constants of Knuth's MMIX generator.
struct SampleSequence {
  static constexpr std::uint64_t seed = 0x9E3779B97F4A7C15u;
  std::uint64_t state = seed;

  ACCUBLAS_HD std::int64_t next(std::int64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(below));
  }
};

/// x 2^-exponent for abs(x) < 2^exponent, in two steps, since a double may not represent 2^-exponent.
struct ScaleDown {
  double first, second;

  ACCUBLAS_HD explicit ScaleDown(int exponent)
      : first(power_of_two(-(exponent / 2))), second(power_of_two(exponent / 2 - exponent)) {}
  ACCUBLAS_HD double operator()(double x) const { return x * first * second; }
};

/// The chance that an element is undecided is about row_term 2^-row_bits if its row drops bits plus col_term
/// 2^-col_bits if its column does. Dropping bits of the row moves the sum by half a unit 2^(g - bits) times the
/// column's entries; the column's bits act on the row's entries in the same way.
struct UndecidedSample {
  double row_term, col_term;

  /// row_part and col_part are the fraction of the lines that drop bits, times 2^-bits.
  ACCUBLAS_HD double chance(double row_part, double col_part) const {
    return fmin(1.0, row_term * row_part + col_term * col_part);
  }
};
/// Returns the sample of an element whose sum, in units of 2^(E + F), is about `sum`, which is not zero.
template <class T>
ACCUBLAS_HD UndecidedSample undecided_sample(double sum, double row_norm, double row_lambda, double col_norm,
                                             double col_lambda) {
  const int ulp = ilogb(sum) + 1 - FloatFormat<T>::digits;
  return {scalbn(col_lambda, norm_exponent(row_norm) - 24 - ulp),
          scalbn(row_lambda, norm_exponent(col_norm) - 24 - ulp)};
}

/// The greatest number of bits by which lines are counted. A line is counted by the bits that it needs, in the units of
/// norm_exponent, so that no bit of it is dropped: at least 0, at most `most_needs`. No pass has that many bits.
inline constexpr int most_needs = 192;
ACCUBLAS_HD inline int line_needs(std::int64_t needed_bits, double norm) {
  const std::int64_t bits = needed_bits + norm_exponent(norm);
  return static_cast<int>(bits < 0 ? 0 : bits < most_needs ? bits : most_needs);
}

}  // namespace accublas
