// The certificate of dp and sp where no bits are promised: the promise of docs/modes.md, but its rungs are numbers of
// moduli. Lines are scaled to equal norms, as cr does, and all that the moduli hold is used: at n = 8192 and phi 0.5,
// 13 moduli do where T* = 50 takes 14.
//
// Row i is scaled to integers of norm 2^(r - g) in units of 2^E, g = norm_exponent, and column j to 2^(c - h). The
// derivation of docs/modes.md with T_i = r - g and T_j = c - h in place of T gives
//   2^(T_i-23) lambda_i + 2^(T_j-23) mu_j + k <= (k + 1) 2^(T_i+T_j-12-v) X_ij,
// which is tested divided by 2^(T_i+T_j), the left side rounded up.
#pragma once

#ifdef __CUDACC__
#include "cuda/core/arithmetic.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/int8/convert.hpp"
#endif
#include "cuda/int8/certificate_ladder.hpp"
#include "cuda/int8/even_moduli.hpp"
#include "cuda/scaling/scaling.hpp"
#include "lib/numerics/capacity.hpp"
#include "lib/numerics/certificate.hpp"

namespace accublas::cuda {

/// (k + 1) 2^(-12-v); a quarter of it where all terms are in X, so that what is asked for is about (k + 1) u / 4 or
/// less in every case: errors in practice, at most some 3 / sqrt(k) of the bound on even data, then stay below sqrt(k)
/// u.
template <class T>
constexpr double certificate_moduli_slope(Index k) {
  const double all = certificate_moduli_stride(k) == 1 ? 0.25 : 1;
  return all * static_cast<double>(k + 1) * (sizeof(T) == sizeof(double) ? 0x1p-65 : 0x1p-36);
}

struct ModuliRungs {
  int count;
  Capacity capacity[6];
  double slope, inverse_slope;  ///< (k + 1) 2^(-12-v); not less than its inverse
  Index k;
};
template <class T>
ModuliRungs make_moduli_rungs(Index k, int most, ResidueKind residues = ResidueKind::real) {
  const CertificateModuli list = certificate_moduli<T>(k, residues);
  const double slope = certificate_moduli_slope<T>(k);
  ModuliRungs rungs{list.count < most ? list.count : most, {}, slope, (1 + 0x1p-50) / slope, k};
  for (int i = 0; i < rungs.count; ++i) rungs.capacity[i] = capacity_of(int8_capacity(list.moduli[i], residues));
  return rungs;
}

/// Numbers of moduli for certify_lines: the second only where a sampled X finds no less. Lines whose terms all count
/// 0.56 times (level)^2 at best keep errors in practice below sqrt(k) u with three quarters of the bound.
struct LineRungs {
  int count;
  int moduli[2];
  Capacity capacity[2];
  double slope;  ///< 3 / 4 k (k + 1) 2^(2-v)
  Index k;
  bool same_lines = false;  ///< of both sides, which the same bits let share residues
};
template <class T>
LineRungs make_line_rungs(Index k, ResidueKind residues = ResidueKind::real, bool same_lines = false) {
  const EvenModuli even = even_moduli(sizeof(T) == sizeof(float), k, residues);
  const double unit = sizeof(T) == sizeof(double) ? 0x1p-51 : 0x1p-22;
  LineRungs rungs{even.most - even.least + 1,
                  {},
                  {},
                  0.75 * static_cast<double>(k) * static_cast<double>(k + 1) * unit,
                  k,
                  same_lines};
  for (int i = 0; i < rungs.count; ++i) {
    rungs.moduli[i] = even.least + i;
    rungs.capacity[i] = capacity_of(int8_capacity(even.least + i, residues));
  }
  return rungs;
}

#ifdef __CUDACC__

/// Where both sides have the same lines: bits that let them share residues.
__device__ inline void share_bits(int& row_bits, int& col_bits) { row_bits = col_bits = min(row_bits, col_bits); }

/// Bits of a rung for the lines of a call, and the test's constants.
struct ModuliRung {
  int row_bits, col_bits;
  double row_unit, col_unit;  ///< 2^(-23-bits)
  double both_unit;           ///< k 2^(-row_bits-col_bits)

  __device__ ModuliRung(int bits_of_rows, int bits_of_cols, Index k) { take(bits_of_rows, bits_of_cols, k); }
  __device__ ModuliRung(const Capacity& capacity, const SideSummary& rows, const SideSummary& cols, Index k) {
    int bits_of_rows, bits_of_cols;
    split_bits(capacity, __longlong_as_double(static_cast<long long>(rows.largest_relative_norm)),
               __longlong_as_double(static_cast<long long>(cols.largest_relative_norm)), k, bits_of_rows, bits_of_cols);
    take(bits_of_rows, bits_of_cols, k);
  }

 private:
  __device__ void take(int bits_of_rows, int bits_of_cols, Index k) {
    row_bits = bits_of_rows;
    col_bits = bits_of_cols;
    row_unit = power_of_two(-23 - row_bits);
    col_unit = power_of_two(-23 - col_bits);
    both_unit = static_cast<double>(k) * power_of_two(-row_bits - col_bits);
  }
};

/// The facts about a vector that the test needs.
struct ModuliLine {
  double lambda;
  double power;  ///< 2^norm_exponent; of a line of zeros some number above 0, which keeps its sums from passing
};
/// For a norm of 0 or 1/2 and more.
__device__ inline double power_above(double norm) {
  return __hiloint2double(static_cast<int>((high_word(norm * (1 + 0x1p-10)) & 0x7FF00000u) + 0x100000u), 0);
}
__device__ inline ModuliLine moduli_line(const Lines& lines, Index i) {
  return {lines.lambda[i], power_above(lines.norm[i])};
}

/// The left side of the test, from above.
__device__ inline double error_of(const ModuliRung& rung, const ModuliLine& row, const ModuliLine& col) {
  const double own = fma_up(row.lambda, rung.col_unit, multiply_up(row.power, rung.both_unit));
  return fma_up(col.power, own, multiply_up(col.lambda, row.power * rung.row_unit));
}
/// The right side is exact: sums are below 2^31, and k below 2^22 (a chunk of k holds all terms of X).
__device__ inline bool suffices(const ModuliRung& rung, double slope, const ModuliLine& row, const ModuliLine& col,
                                std::uint32_t sum) {
  return error_of(rung, row, col) <= slope * (__hiloint2double(0x43300000, static_cast<int>(sum)) - 0x1p52);
}

/// The test in FP32, rounded to the safe side, in a third of the instructions. A column's words become those of FP32:
/// lambda rounded up, the norm's power of two from 1 - 2^-9 of it on. Of a line of zeros both are next to 0, and the
/// test fails.
struct QuickColumn {
  float lambda = 0, power = 0;

  QuickColumn() = default;
  __device__ QuickColumn(double mu, double norm) {
    constexpr int rebias = (1023 - 127) << 20;
    const int word = max(static_cast<int>(high_word(mu)) - rebias, 0);
    lambda = __uint_as_float(__funnelshift_l(low_word(mu), static_cast<std::uint32_t>(word), 3) + 1);
    const int above = static_cast<int>((high_word(norm) + 0x800u) & 0x7FF00000u) + 0x100000 - rebias;
    power = __int_as_float(max(above, 0) << 3);
  }
};
struct QuickRow {
  float own = 0, cross = 0;

  QuickRow() = default;
  __device__ QuickRow(const ModuliRung& rung, const ModuliRungs& rungs, const ModuliLine& row) {
    const double error = fma_up(row.lambda, rung.col_unit, multiply_up(row.power, rung.both_unit));
    own = __double2float_ru(multiply_up(error, rungs.inverse_slope));
    cross = __double2float_ru(multiply_up(row.power * rung.row_unit, rungs.inverse_slope));
  }
  __device__ bool pass(float mu, float power, std::uint32_t sum) const {
    return __uint2float_rd(sum) >= __fmaf_ru(power, own, __fmul_ru(mu, cross));
  }
};

/// Moduli, 0: none, and whether both sides have the bits of the one that has fewer (share_bits).
struct LinesVerdict {
  int moduli;
  bool shares_bits;
};
/// The first number of moduli that suffices for every element, by a lower bound of sum abs(a b) that follows from the
/// lines; 0: none does. A line has a level s, any number, and a share: the sum of min(abs(a), s) over k s. Both (s -
/// min(a, s)) and (t - min(b, t)) being no less than 0, a term is at least s min(b, t) + t min(a, s) - s t, and the sum
/// at least k s t (both shares - 1). The test is divided by s t.
__device__ inline LinesVerdict certify_lines(const LineRungs& rungs, const CallState& state) {
  const auto value = [](unsigned long long bits) { return __longlong_as_double(static_cast<long long>(bits)); };
  const SideSummary &rows = state.rows, &cols = state.cols;
  if (rows.largest_lack == 0 || cols.largest_lack == 0) return {0, false};
  const double common = 3 - value(rows.largest_lack) - value(cols.largest_lack);
  if (!(common > 0)) return {0, false};
  const ModuliLine row{value(rows.largest_lambda_share), value(rows.largest_power_share)};
  const ModuliLine col{value(cols.largest_lambda_share), value(cols.largest_power_share)};
  for (int i = 0; i < rungs.count; ++i) {
    const ModuliRung rung(rungs.capacity[i], rows, cols, rungs.k);
    const auto passes = [&](const ModuliRung& tried) {
      return error_of(tried, row, col) <= rungs.slope * common * (1 - 0x1p-40);
    };
    if (!passes(rung)) continue;
    int row_bits = rung.row_bits, col_bits = rung.col_bits;
    share_bits(row_bits, col_bits);
    return {rungs.moduli[i], rungs.same_lines && passes(ModuliRung(row_bits, col_bits, rungs.k))};
  }
  return {0, false};
}

/// Whether a line has all of its bits within `bits`; never true of a special one.
__device__ inline bool drops_nothing(const Lines& lines, Index i, int bits) {
  return lines.special[i] == 0 && needed_bits(lines, i) + norm_exponent(lines.norm[i]) <= bits;
}

#endif

}  // namespace accublas::cuda
