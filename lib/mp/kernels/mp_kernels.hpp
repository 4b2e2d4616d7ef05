// CPU kernels of the multiple-precision arrays. Each processes one residue plane at a time, with residues 0 <= r < m,
// and all results are reduced. They take any sizes and any alignment unless a comment says otherwise, and write only
// the results. lib/mp/kernels/mp_portable.cpp has a readable twin of each; every instruction set returns the same
// numbers. The vector kernels rely on the range 2^31 - 2^14 < m < 2^31 of the moduli (lib/numerics/rns_moduli.hpp).
#pragma once

#include <cstdint>

#include "lib/base/integers.hpp"
#include "lib/base/isa.hpp"
#include "lib/numerics/rns.hpp"
#include "lib/numerics/rns_moduli.hpp"

namespace accublas::cpu {

/// The columns of planes begin at multiples of this many residues (64 bytes) and are padded with zeros.
inline constexpr int mp_padding = 16;

/// Part of a product in one plane: a[j ld + i], i < rows, j < columns, 64-byte aligned, ld a multiple of 16; `a` may be
/// read up to the next multiple of 16 rows. `vectors` right-hand sides x[v ldx + .], results y[v ldy + .]. Any number
/// of terms (below 2^34). With `add` the results are added to what y holds.
struct MpProduct {
  RnsModulus modulus;
  const std::uint32_t* a;
  std::int64_t ld, rows, columns;
  const std::uint32_t* x;
  std::int64_t ldx;
  std::uint32_t* y;
  std::int64_t ldy;
  std::int64_t vectors;
  bool add;
};

/// Sums by groups: y[g] = sum of a[q] x[q] over the terms q with group[q] = g, g < groups <= mp_most_groups. At most
/// mp_most_grouped terms; a, x and group are read up to the next multiple of 16 terms, where x is zero.
inline constexpr int mp_most_groups = 8;
inline constexpr std::int64_t mp_most_grouped = std::int64_t{1} << 20;
struct MpGroups {
  RnsModulus modulus;
  const std::uint32_t *a, *x;
  const std::uint8_t* group;
  std::int64_t terms;
  int groups;
  std::uint32_t* y;
};

/// Rows of a plane, a multiple of 16 of them: out[i out_stride + j] = a[j ld + i], i < rows, j < columns; out is
/// written up to the next multiple of 8 columns.
struct MpRows {
  const std::uint32_t* a;
  std::int64_t ld, rows, columns;
  std::uint32_t* out;
  std::int64_t out_stride;
};

/// The number of words of room, 64-byte aligned, in which kernels keep the digits of a block of elements. On the stack
/// they would take up to 280 KB.
constexpr std::int64_t mp_room(int digits) { return 64 * std::int64_t{digits}; }

/// Integers from digits to residues: out[k out_stride + e] = sum_l weight[k weight_stride + l] digit[l digit_stride +
/// e] mod moduli[k] for k < count, e < elements, l < digits. Digits are below 2^31, weights below m_k: four products
/// and a carry of 32 bits fit into 64 bits. Then, where `shift` is given, times 2^shift[e] (0 <= shift < 64), and,
/// where `negative` is given, negated for negative[e] != 0. room: mp_room(digits).
struct MpCombine {
  const std::uint32_t* digit;
  std::int64_t digit_stride;
  int digits;
  const std::uint32_t* weight;
  std::int64_t weight_stride;
  const RnsModulus* moduli;
  const mp::RnsPowers* powers;  ///< of the same moduli; read where `shift` is given
  int count;
  std::int64_t elements;
  const std::uint8_t *shift, *negative;  ///< or null
  std::uint32_t* out;
  std::int64_t out_stride;
  std::uint64_t* room;
};

/// The multipliers of combine_wide: 1 / P = sum_j digit_j 2^(-52 (j + 1)), with the digits of 52 bits at [h stride +
/// j], for the moduli P = m_h of `single` and for the products P = m_3h m_3h+1 m_3h+2 of `triple`; and cofactor[k] = P
/// / m_k for these products. The last product has fewer factors if the moduli end.
struct MpReciprocals {
  const std::uint64_t *single, *triple;
  std::int64_t stride;
  const std::uint64_t* cofactor;
};

/// Integers from their own digits to residues by digits of 52 bits: out[(k - from) out_stride + e] = +-sum_l 2^(31 l)
/// digit[(l - low) digit_stride + e] mod moduli[k], low <= l < low + digits, from <= k < to. Digits are below 2^31, low
/// + digits <= 272; the reciprocals have two digits more than the integers. room: mp_room(low + digits).
struct MpCombineWide {
  const std::uint32_t* digit;
  std::int64_t digit_stride;
  int low, digits;
  MpReciprocals reciprocals;
  const RnsModulus* moduli;
  int from, to;
  std::int64_t elements;
  const std::uint8_t* negative;  ///< or null
  std::uint32_t* out;
  std::int64_t out_stride;
  std::uint64_t* room;
};
/// Number of digits of 52 bits in `digits` digits of 31 bits.
constexpr int mp_wide_digits(int digits) { return ceil_div(31 * digits, 52); }
inline constexpr int mp_most_wide_digits = mp_wide_digits(272);

/// The scaling of MpCombine alone: out[k out_stride + e] = +-in[k in_stride + e] 2^shift[e] mod moduli[k]. in = out is
/// allowed.
struct MpScale {
  const std::uint32_t* in;
  std::int64_t in_stride;
  const RnsModulus* moduli;
  const mp::RnsPowers* powers;
  int count;
  std::int64_t elements;
  const std::uint8_t *shift, *negative;
  std::uint32_t* out;
  std::int64_t out_stride;
};

/// First step of the Chinese remainder theorem: digit_k = residue_k inverse_k mod m_k (k < count), the integer being
/// sum_k digit_k M / m_k - q M with q the integer nearest to sum_k digit_k / m_k. reciprocal[k] = 1 / m_k rounded; the
/// sum is taken in doubles in any order (count <= 544: its error is below 2^-34, and lib/mp/basis.hpp keeps it farther
/// than that from a half). digit[k digit_stride + e], e < elements; q goes to digit[count digit_stride + e] (0 <= q <=
/// count).
struct MpCrtDigits {
  const std::uint32_t* residue;
  std::int64_t residue_stride;
  const RnsModulus* moduli;
  const RnsFactor* inverse;
  const double* reciprocal;
  int count;
  std::int64_t elements;
  std::uint32_t* digit;
  std::int64_t digit_stride;
};

/// Second step: the integer modulo 2^(31 columns), in two's complement: integer[e limbs + .] are the 64-bit limbs of
/// sum_l 2^(31 l) sum_k weight[l weight_stride + k] digit[k digit_stride + e], l < columns, k < digits, reduced and its
/// sign extended; 64 limbs >= 31 columns. Digits and weights are below 2^31, digits <= 2^16. room: mp_room(digits).
struct MpIntegers {
  const std::uint32_t* digit;
  std::int64_t digit_stride;
  int digits;
  const std::uint32_t* weight;
  std::int64_t weight_stride;
  int columns;
  std::int64_t elements;
  std::uint64_t* integer;
  int limbs;
  std::uint64_t* room;
};

/// Limbs to digits of 31 bits in planes: digit[l digit_stride + e] = bits 31 l .. 31 l + 30 of the integer of `limbs`
/// 32-bit limbs limb[e limb_stride + half_position(.)], l < digits = ceil(32 limbs / 31) or fewer.
struct MpSplit {
  const std::uint32_t* limb;
  std::int64_t limb_stride;
  int limbs;
  std::int64_t elements;
  std::uint32_t* digit;
  std::int64_t digit_stride;
  int digits;
};

/// Digits of X 2^shift[e] (0 <= shift < 64) from those of X, both below 2^31: out[l out_stride + e], l < digits + 3, e
/// < elements. out overlaps none of them.
struct MpShift {
  const std::uint32_t* digit;
  std::int64_t digit_stride;
  int digits;
  const std::uint8_t* shift;
  std::int64_t elements;
  std::uint32_t* out;
  std::int64_t out_stride;
};

struct MpKernels {
  /// y[v ldy + i] = sum_j a[j ld + i] x[v ldx + j] mod m, i < rows.
  void (*product_n)(const MpProduct&);
  /// y[v ldy + j] = sum_i a[j ld + i] x[v ldx + i] mod m, j < columns.
  void (*product_t)(const MpProduct&);
  void (*product_groups)(const MpGroups&);
  void (*rows)(const MpRows&);
  void (*combine)(const MpCombine&);
  void (*scale)(const MpScale&);
  void (*crt_digits)(const MpCrtDigits&);
  void (*integers)(const MpIntegers&);
  void (*split)(const MpSplit&);
  void (*shift)(const MpShift&);
  void (*combine_wide)(const MpCombineWide&);  ///< null where there is nothing faster than `combine`
};

const MpKernels& mp_kernels(Isa isa);
/// Returns the table of the twins in plain C++, which has every kernel.
const MpKernels& mp_portable();

}  // namespace accublas::cpu
