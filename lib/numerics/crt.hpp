// The Chinese remainder theorem recovers an integer from its residues, in wrap-around arithmetic.
#pragma once

#include <cstdint>

#include "lib/base/host_device.hpp"
#include "lib/numerics/moduli.hpp"
#include "lib/numerics/wide.hpp"

namespace accublas {

/// Every reconstruction here requires abs(S) <= P / 2 / crt_margin. The margin exists because the fast reconstructions
/// estimate the quotient in single precision.
inline constexpr double crt_margin = 1 + 1.0 / 32;

/// Returns S from the residues r_l = residues[l stride] (any representatives in -255 .. 255) of the table's planes, for
/// abs(S) <= P / 2 / crt_margin. L limbs must hold S, but not the terms: everything is modulo 2^(64 L).
///
/// Y = sum r_l weight_l is S + q P with an integer q, and Y / P = sum r_l fraction_l. That sum of at most 64 terms
/// below 255 / 2 is computed in doubles with an error below 64 (64 255 / 2 + 255 / 2) 2^-53 < 2^-33, and S / P is
/// farther than 2^-7 from a half, so rounding to the nearest integer gives q.
template <int L>
ACCUBLAS_HD Wide<L> crt_reconstruct(const CrtTable& table, const std::int8_t* residues, std::int64_t stride) {
  Wide<L> y{};
  double quotient = 0;
  for (int l = 0; l < table.count; ++l) {
    const int r = residues[l * stride];
    const std::uint64_t magnitude = static_cast<std::uint64_t>(r < 0 ? -r : r);
    y = wide_add(y, wide_negate_if(wide_mul(wide_cast<L>(table.weight[l]), magnitude), r < 0));
    quotient += r * table.fraction[l];
  }
  const int q = static_cast<int>(quotient < 0 ? quotient - 0.5 : quotient + 0.5);
  const std::uint64_t magnitude = static_cast<std::uint64_t>(q < 0 ? -q : q);
  return wide_sub(y, wide_negate_if(wide_mul(wide_cast<L>(table.product), magnitude), q < 0));
}

/// mantissa 2^shift mod p, balanced, shift >= 0; power = power_of_two_residue(shift, p).
ACCUBLAS_HD inline int scaled_residue(std::int64_t mantissa, int power, int p) {
  return balanced_residue(balanced_residue(mantissa, p) * power, p);
}

}  // namespace accublas
