// cr's escalation: how lines are scaled, with how many moduli a first pass begins, how the bits that they hold are
// split over the sides, and when more are asked for. No bit of a result depends on these choices, because Ziv's test
// decides what is final; speed does, and the report. CPU and GPU choose here, and alike but where a constant is named
// for each.
#pragma once

#include <cmath>
#include <cstdint>

#include "lib/base/host_device.hpp"
#include "lib/numerics/float_bits.hpp"
#include "lib/numerics/moduli.hpp"
#include "lib/numerics/scaling.hpp"

namespace accublas {

// ---- Scaling of lines ------------------------------------------------------------------------------------

/// The exponent g for which a line's norm is at most 2^(E + g), a little below: lines are scaled to equal norms, not to
/// equal maxima, because it is norms that bound the sums.
ACCUBLAS_HD inline int norm_exponent(double norm) { return norm > 0 ? exponent_above(norm * (1 + 0x1p-10)) : 0; }

/// Not less than norm 2^-norm_exponent(norm), whatever the norm.
inline constexpr double most_relative_norm = 1 / (1 + 0x1p-11);

/// a' = the integer nearest to a 2^scale, where a line's entries are below 2^exponent: of `bits` bits, or with
/// `to_norm` of a norm of at most 2^bits. The product of two lines is in units of 2^-(row scale + col scale).
ACCUBLAS_HD inline int line_scale(double norm, int exponent, int bits, bool to_norm) {
  if (!(norm > 0)) return 0;
  return bits - (to_norm ? norm_exponent(norm) : 0) - exponent;
}

/// What rounding a line to integers can move a sum by: at most half of the sum of abs(entries 2^scale) of the *other*
/// line where this one drops bits, and k / 4 where both do. element_error, in units of the product, is right where the
/// rows' error already holds the k / 4.
struct LineError {
  double drop;   ///< 1 if a bit of the line is dropped, else 0
  double error;  ///< half the sum of abs(x) 2^scale, from above (rows: + k / 4 where bits are dropped)
};
/// lambda: sum of ceil(abs(x) 2^(24 - exponent)), from above; `last_bit`: every entry is a multiple of 2^last_bit.
ACCUBLAS_HD inline LineError line_error(double norm, double lambda, int exponent, int last_bit, int scale,
                                        std::int64_t k, bool row) {
  const bool exact = !(norm > 0) || last_bit >= -scale;
  const double drop = exact ? 0 : 1;
  const double half = scalbn(lambda, exponent + scale - 25);
  return {drop, half + (row ? drop * static_cast<double>(k) / 4 : 0)};
}
ACCUBLAS_HD inline double element_error(const LineError& row, const LineError& col) {
  // Three roundings of the error's own are covered by its enlargement.
  return (col.drop * row.error + row.drop * col.error) * (1 + 0x1p-50);
}

// ---- The bits that moduli hold ---------------------------------------------------------------------------

/// What sums may reach with some moduli, 2^whole part, from below; 1 <= part < 2 but for rounding.
struct Capacity {
  int whole;
  double part;
};
ACCUBLAS_HD inline Capacity capacity_of(double log2_capacity) {
  const double whole = floor(log2_capacity);
  return {static_cast<int>(whole), exp2(log2_capacity - whole) * (1 - 0x1p-40)};
}

/// The most bits of the two sides, evenly split, so that sums of lines of these norms (at most 1, times 2^bits,
/// rounded) stay within the capacity: rounding moves a line by at most half of sqrt(k).
ACCUBLAS_HD inline void split_bits(const Capacity& capacity, double row_norm, double col_norm, std::int64_t k,
                                   int& row_bits, int& col_bits) {
  const double moved = 0.5 * sqrt(static_cast<double>(k));
  // Largest norms relative to the power of two above them are 1/2 or more: at most two bits beyond the capacity.
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

/// The least that a first pass takes.
template <class T>
ACCUBLAS_HD constexpr int first_moduli() {
  return sizeof(T) == 8 ? 10 : 5;
}
/// The least of the pass after one with so many: 5 more are 18 bits a side or so, and the sample, now of what is left,
/// may ask for more.
ACCUBLAS_HD constexpr int next_moduli(int moduli) { return moduli + 5 < max_moduli ? moduli + 5 : max_moduli; }

/// Part of the elements that the choice of the moduli may leave undecided: then recomputing them costs less than one
/// more modulus would. The CPU's exact accumulator goes along rows and columns and reads operands of so many bytes,
/// which its caches hold, much faster; the GPU's has the whole device wait for a few warps.
inline constexpr std::int64_t cached_bytes_cpu = std::int64_t{1} << 18;
inline constexpr double accepted_cached_cpu = 1e-3, accepted_cpu = 1e-4, accepted_gpu = 3e-5;

/// So many undecided elements of a tile or a block of C, or fewer, cost the CPU less one by one than all of it again.
constexpr std::int64_t few_elements_cpu(std::int64_t elements) { return elements / 64; }
/// So many open elements of C, or fewer, the GPU computes by exact accumulators: at k = 4096 one takes 20 ns where it
/// is one of many (46 where a line is strided), and a pass with 28 moduli 0.18 ns an element of C. 4096 are a single
/// wave of warps.
ACCUBLAS_HD constexpr unsigned long long few_elements_gpu(std::int64_t m, std::int64_t n) {
  const std::int64_t part = m * n / 250;
  return static_cast<unsigned long long>(part > 4096 ? part : 4096);
}

// ---- Sampled elements ------------------------------------------------------------------------------------

/// At most so many elements are looked at before the moduli are chosen.
inline constexpr int most_samples = 64;

/// Which ones, a fixed sequence: the constants of Knuth's MMIX generator.
struct SampleSequence {
  static constexpr std::uint64_t seed = 0x9E3779B97F4A7C15u;
  std::uint64_t state = seed;

  ACCUBLAS_HD std::int64_t next(std::int64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(below));
  }
};

/// x 2^-exponent for abs(x) < 2^exponent, in two steps, since 2^-exponent may be no double.
struct ScaleDown {
  double first, second;

  ACCUBLAS_HD explicit ScaleDown(int exponent)
      : first(power_of_two(-(exponent / 2))), second(power_of_two(exponent / 2 - exponent)) {}
  ACCUBLAS_HD double operator()(double x) const { return x * first * second; }
};

/// An element's chance to be undecided is about row_term 2^-row_bits where its row drops bits plus col_term 2^-col_bits
/// where its column does: dropping bits of the row moves the sum by half a unit 2^(g - bits) times the column's
/// entries, and the other way round.
struct UndecidedSample {
  double row_term, col_term;

  /// row_part, col_part: the part of the lines that drop bits, times 2^-bits.
  ACCUBLAS_HD double chance(double row_part, double col_part) const {
    return fmin(1.0, row_term * row_part + col_term * col_part);
  }
};
/// Of an element whose sum, in units of 2^(E + F), is about `sum`, not zero.
template <class T>
ACCUBLAS_HD UndecidedSample undecided_sample(double sum, double row_norm, double row_lambda, double col_norm,
                                             double col_lambda) {
  const int ulp = ilogb(sum) + 1 - FloatFormat<T>::digits;
  return {scalbn(col_lambda, norm_exponent(row_norm) - 24 - ulp),
          scalbn(row_lambda, norm_exponent(col_norm) - 24 - ulp)};
}

/// Lines are counted by the bits, in the units of norm_exponent, that they need so that none is dropped: at least 0, at
/// most this many. No pass has as many.
inline constexpr int most_needs = 192;
ACCUBLAS_HD inline int line_needs(std::int64_t needed_bits, double norm) {
  const std::int64_t bits = needed_bits + norm_exponent(norm);
  return static_cast<int>(bits < 0 ? 0 : bits < most_needs ? bits : most_needs);
}

}  // namespace accublas
