// Kernels of the int8 engine: what they compute, and the layout of their operands.
//
// One side of the product, the *rows*, has unsigned residues 0 .. 255; byte p of row r lies at r row_stride + p. The
// other side, the *columns*, has signed residues -128 .. 127 in panels of 32: byte (p, c) of a panel lies at (p / 4)
// 128 + 4 c + p % 4, which a register of 16 columns by 4 terms reads at once. Both are zero beyond k up to a multiple
// of 64, and every row group of 32 and every panel is complete (its padding is never looked at).
#pragma once

#include <cstdint>

#include "lib/numerics/moduli.hpp"

namespace accublas::cpu {

inline constexpr int int8_panel = 32;   ///< columns of a panel, rows of a group
inline constexpr int int8_k_step = 64;  ///< terms are padded to a multiple of this
/// The largest multiple of int8_k_step with 255 128 k <= 2^31 - 1.
inline constexpr std::int64_t int8_most_terms = 65792;

/// One modulus as the kernels want it.
struct Int8Modulus {
  std::int32_t p;
  // Conversion of integers: 1/p rounded, and 2^(int8_limb_bits i) mod p for the limbs of a'.
  double inverse;
  double limb[4];
  std::int16_t limb16[4];
  // Reduction of an int32 sum s: with the bytes b of s + 2^31, f = start + sum b_i weight_i is s plus a multiple of 256
  // p, as the bits of a float in [2^23, 2^24); f inverse_float + magic rounds to 1.5 2^23 + quotient.
  // lib/cpu/int8/int8_tables.cpp has the proof.
  std::int8_t weight[4];
  std::int32_t start;
  float inverse_float, magic;
};

/// All of them, in order. lib/cpu/int8/int8_tables.cpp.
extern const Int8Modulus* const int8_moduli;
/// The table of the first `count` moduli, 1 <= count <= max_moduli.
const CrtTable& int8_crt_table(int count);

/// A tile of an INT8 product: rows x cols sums over k terms, k a multiple of 64 and at most int8_most_terms. Kernels
/// may compute up to 32 rows and 32 columns more than asked for; their operands and results have room for that.
struct Int8Product {
  const std::uint8_t* rows_data;
  std::int64_t row_stride;
  const std::int8_t* columns_data;
  std::int64_t panel_stride;
  std::int64_t rows, cols, k;
  /// Operands of the same shape that the next call will read, for prefetching: its rows and its first panel. May be the
  /// same.
  const std::uint8_t* next_rows;
  const std::int8_t* next_columns;
};

struct Int8ProductKernels {
  /// out[r out_stride + c] = a residue of the sum (plus the residue there, if `accumulate`) modulo p, in -128 .. 127.
  void (*residues)(const Int8Product&, const Int8Modulus&, bool accumulate, std::int8_t* out, std::int64_t out_stride);
  /// out[r out_stride + c] = the sum.
  void (*sums)(const Int8Product&, std::int32_t* out, std::int64_t out_stride);
};

/// Results of one pass over (part of) a row. A pass starts from the initial values.
struct Int8Scan {
  std::uint64_t largest = 0;   ///< largest abs(x) as bits
  double last_bit = 0x1p1023;  ///< least power of two that divides an entry (finite rows)
};

struct Int8Sums {
  double lambda = 0;   ///< sum of ceil(abs(x) scale), exact while below 2^53
  double squares = 0;  ///< sum of their squares, with n roundings
};

/// 32 rows of doubles to bytes: entry (r, p) at x[r ld + p], p < k, k a multiple of 64. Row r is scaled by
/// scale[2r] scale[2r+1], both powers of two.
struct Int8Conversion {
  const double* x;
  std::int64_t ld, k;
  const double* scale;
  bool panel;  ///< signed bytes in the columns' layout, else unsigned in the rows'
  std::uint8_t* out;
  std::int64_t row_stride;    ///< of the rows' layout
  std::int64_t plane_stride;  ///< between moduli
  int moduli;
  /// a' is taken apart as sum_i limb_i 2^(42 i), i < limbs, the lower ones below 2^41 in magnitude, the top one at
  /// most 2^53 (limbs = 1) or 2^45. The scale gives the top limb: 2^(T - E - 42 (limbs - 1)).
  int limbs;
  /// Not 0: the entries are limbs already, the lower ones at most 2^42, and there is no scale. limb_i of entry (r, p) is
  /// x[i limb_stride + r ld + p].
  std::int64_t limb_stride = 0;
};

struct Int8ConvertKernels {
  /// dst[r ld + p] = src[r + p stride], 32 rows, k a multiple of 8.
  void (*transpose)(const double* src, std::int64_t stride, std::int64_t k, double* dst, std::int64_t ld);
  /// n a multiple of 64. Bit p of `nonzero` (n / 64 words, or null) says whether entry p is not zero.
  void (*scan)(const double* x, std::int64_t n, Int8Scan&, std::uint64_t* nonzero);
  void (*sums)(const double* x, std::int64_t n, const double* scale, Int8Sums&);
  /// floor(abs(x) scale), below 128, in place of residues; moduli, plane_stride, limbs unused.
  void (*certificate)(const Int8Conversion&);
  void (*residues)(const Int8Conversion&);
};

/// A tile of residues to rounded results. S of element (r, c), in units of 2^(row_exponent[r] + col_exponent[c]), has
/// the residues planes[l plane_stride + r row_stride + c]; result RN(S 2^...), negated with `negative`; or, with
/// `combine`, RN(alpha S 2^... + beta out), where abs(alpha), and abs(beta) if it is not 0, are within 2^+-200.
struct Int8Reconstruction {
  const CrtTable* crt;
  const std::int8_t* planes;
  std::int64_t plane_stride, row_stride, rows, cols;
  const std::int32_t *row_exponent, *col_exponent;
  bool negative;
  bool combine;
  double alpha, beta;
  /// The exact sum is known to be in [S - error, S + error], error = col_drop[c] row_error[r] + row_drop[r]
  /// col_error[c], with row_error including what both sides together drop; drops are 0 or 1. Null: S is exact.
  /// `decide_ties`: some element has no error.
  const double *row_error, *row_drop, *col_error, *col_drop;
  bool decide_ties;
  std::int64_t out_stride;
  /// 1 where the kernel leaves the element to the glue: the interval does not decide, or the result may not be a normal
  /// number, or S is so small that its leading digits do not decide. row_stride between rows.
  std::uint8_t* open;
};

/// A row of elements as integers, S = sum over l of out[l out_stride + c] 2^(64 l) modulo 2^(64 limbs), in two's
/// complement. The table has at least 14 planes (seven digits), and limbs <= crt_limbs.
struct Int8Integers {
  const CrtTable* crt;
  const std::int8_t* planes;  ///< residues of the row, plane after plane
  std::int64_t plane_stride, cols;
  int limbs;
  std::uint64_t* out;
  std::int64_t out_stride;  ///< at least `cols`, rounded up to 32
};

/// A row of the certificate's sums x: for which of n columns (rounded up to 8) factor x - (lambda + mu) >= least. All
/// integers, exact in doubles: abs(factor x), lambda and mu are below 2^53 or multiples of powers of two that are,
/// least is below 2^53.
struct Int8Certificate {
  const std::int32_t* sums;
  std::int64_t n;
  double lambda;
  const double* mu;
  double factor, least;
};

struct Int8ReconstructKernels {
  /// Returns how many; sets a bit of `accepted` (may be null) for each.
  std::int64_t (*certify)(const Int8Certificate&, std::uint8_t* accepted);
  /// Returns the number of elements left open. Room for 32 columns more than asked for, as above.
  std::int64_t (*to_double)(const Int8Reconstruction&, double* out);
  std::int64_t (*to_float)(const Int8Reconstruction&, float* out);
  /// Exact integers in place of rounded results.
  void (*to_integers)(const Int8Integers&);
};

}  // namespace accublas::cpu
