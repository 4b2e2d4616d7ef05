// Error bounds of floating-point algorithms as functions: the code that promises them and the tests that check them
// call the same ones. Every function returns an upper bound: the few roundings of its own evaluation are covered by
// `slack`.
#pragma once

#include <limits>

#include "lib/base/host_device.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/dot2_block.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas {

constexpr double unit_roundoff_double = 0x1p-53;
constexpr double unit_roundoff_float = 0x1p-24;

template <class T>
ACCUBLAS_HD constexpr double unit_roundoff() {
  return sizeof(T) == 8 ? unit_roundoff_double : unit_roundoff_float;
}

template <class T>
ACCUBLAS_HD constexpr double least_subnormal() {
  return sizeof(T) == 8 ? 0x1p-1074 : 0x1p-149;
}

constexpr double infinite_bound = std::numeric_limits<double>::infinity();

namespace detail {
/// This factor exceeds the relative error of 32 roundings.
constexpr double slack = 1 + 0x1p-48;
}  // namespace detail

/// gamma_n = n u / (1 - n u), n u < 1 (Higham 2002, lemma 3.1): n successive roundings are a factor 1 + theta,
/// abs(theta) <= gamma_n. The function returns infinity if n u >= 1, where the lemma bounds nothing.
ACCUBLAS_HD constexpr double gamma_bound(double n, double u) {
  return n * u < 1 ? n * u / (1 - n * u) * detail::slack : infinite_bound;
}

ACCUBLAS_HD constexpr int ceil_log2(long long n) {
  int q = 0;
  while ((1LL << q) < n) ++q;
  return q;
}

/// Depth h of dot2's DOT: a term passes at most the steps of its lane in a block, then the levels of the tree over the
/// blocks, then those of the tree over the lanes.
ACCUBLAS_HD constexpr double dot2_depth_dot(long long n) {
  constexpr int steps = int{dot2_dot_block / dot2_lanes};
  const long long blocks = n <= 0 ? 0 : ceil_div(n, dot2_dot_block);
  return steps + (blocks > 0 ? ceil_log2(blocks) : 0) + ceil_log2(dot2_lanes);
}

/// Depth h of dot2's GEMV and GEMM: at most dot2_block steps in a block, then one combination per block.
ACCUBLAS_HD constexpr double dot2_depth_gemm(long long k) {
  return static_cast<double>(k < dot2_block ? k : dot2_block) + static_cast<double>(ceil_div(k, dot2_block));
}

/// dot2 for binary64: abs(result - exact) <= relative abs(exact) + componentwise sum abs(x) abs(y) + absolute.
/// Derivation (Ogita, Rump, Oishi 2005, proposition 5.5, for a tree; proofs/Dot2.v): every step and every combination
/// is error free but for the additions to c. The exact inner product is s + (sum of all q and e). A path of K steps and
/// m combinations, K + m <= h, rounds s K + m times, so that q and e of a node are at most u (1 + gamma_h) times the
/// sum of abs(x y) below it. It rounds c up to K + 1 + 2 m times, but late errors pass few of these roundings: errors
/// and the roundings that they pass make at most K (K + 3) / 2 - 1 + 2 K m + m^2 <= h^2 pairs, each of which costs u^2
/// of sum abs(x) abs(y). The pair is rounded once: u abs(exact), and u of the error, which the slack covers. A product
/// that underflows loses at most 2^-1074 / 2 in p and as much in e: 5 n 2^-1074 covers it. The proof holds
/// for h <= 2^26, and for binary32, whose sums are those of proofs/DotFloat.v, for h <= 2^24.
struct Dot2Bound {
  double relative, componentwise, absolute;
};

ACCUBLAS_HD constexpr Dot2Bound dot2_bound(double depth, long long n, double u_result) {
  const double g = gamma_bound(depth, unit_roundoff_double);
  // For binary32 operands products are exact and the sum is plain FP64, so gamma_h enters once.
  return u_result == unit_roundoff_double
             ? Dot2Bound{u_result, g * g * detail::slack, 5 * static_cast<double>(n) * 0x1p-1074}
             : Dot2Bound{u_result, g, 0x1p-150};
}

/// dp and sp: abs(C - exact) <= (k + 3) u (abs(alpha) abs(A) abs(B) + abs(beta) abs(C)) + least subnormal. A plain loop
/// makes k roundings per term of the sum, one by alpha, one by beta c, one in the last addition.
ACCUBLAS_HD constexpr double dp_bound(long long k, double u) {
  return (static_cast<double>(k) + 3) * u * detail::slack;
}

/// The componentwise promise of the certificate of dp and sp: abs(S - exact) <= (k + 1) u abs(A) abs(B) for the
/// elements that it accepts. The bound also covers the rounding of S.
ACCUBLAS_HD constexpr double certificate_bound(long long k, double u) { return (static_cast<double>(k) + 2) * u; }

/// The grid sum of cr (lib/cpu/kernels/cr_chain.hpp, cuda/sums/grid_chain.hpp; after Rump, Ogita, Oishi 2008,
/// with two grids). A chain adds up to 2^(H-1) products p + e = x y in
///   s1 = 1.5 L 2^(H+1) + sum of p rounded to multiples of g1 = L 2^(H-51), exact while the sum is below L 2^H, that is
///   while s1 stays in its binade;
///   s2 = 1.5 L 2^(2H-50) + sum of the rests of p (at most g1 / 2 each) and of e, rounded to multiples of
///        g2 = L 2^(2H-102), exact while the sum is below 2^H g1;
///   c  = floating-point sum of what is left: at most g2 a term.
/// Either every p is at most L = 2^l, or the code checks afterwards that s1 has stayed in its binade. Then abs(p) < L
/// 2^(H+1), hence abs(e) <= g1 / 2, and a term brings at most g1 to s2, the terms of a chain less than 2^H g1.
/// The rest r of p and e may enter s2 as one number: q = RN(r + e), d = RN(s2 + q) - s2, and (r - d) + e goes to c.
/// With U = ulp(p): where U >= g2, r and d are multiples of g2 that differ by at most 2 U, so r - d is exact; else e <=
/// g2 / 4, and r - d is below g2. This variant therefore errs by at most u g2: half of it in r - d, half in adding e.
/// Where L grows on the way, the old sums enter the new grids as one more term. That happens at most once in 8 terms,
/// or to at least 4 L, so all these terms together count less than two terms; the factor 9/8 counts them.
struct Grid {
  int headroom;  ///< H

  ACCUBLAS_HD constexpr double base1() const { return power_of_two(headroom + 1) * 1.5; }
  ACCUBLAS_HD constexpr double base2() const { return power_of_two(2 * headroom - 50) * 1.5; }
  ACCUBLAS_HD constexpr double quantum2() const { return power_of_two(2 * headroom - 102); }
  ACCUBLAS_HD constexpr double base3() const { return power_of_two(3 * headroom - 101) * 1.5; }
  ACCUBLAS_HD constexpr double quantum3() const { return power_of_two(3 * headroom - 153); }

  /// Bound of the error of a block's sum over L: `total` products (padding included) in chains of `chain` each. The
  /// rest of a term is rounded once, with error u g2. Adding the j-th rest to c errs by at most u j g2 (1 + 2^-40).
  /// Adding up the chains' c passes at most 16 additions of numbers whose magnitudes sum to total g2.
  ACCUBLAS_HD constexpr double error(double chain, double total) const { return error_of(quantum2(), chain, total); }
  /// Same contract as `error`, for chains whose rests go to a third grid:
  ///   s3 = 1.5 L 2^(3H-101) + sum of what p and e leave of s2 (at most g2 / 2 each), rounded to multiples of
  ///        g3 = L 2^(3H-153), exact while the sum is below 2^H g2;
  ///   c  = floating-point sum of what is left: at most g3 a term.
  /// Both rests of a term enter s2 by themselves, which is exact, and then s3.
  ACCUBLAS_HD constexpr double deep_error(double chain, double total) const {
    return error_of(quantum3(), chain, total);
  }

  /// Bound of the error of a block's sum over L for chains that add q = RN(x y - d) to s2, where d is the part that
  /// entered s1, and drop the rest of q. Dropping it costs g2 / 2, and rounding q costs at most u g1 / 2 = g2 2^-(H+3).
  /// The bound is at most `swift_loss` times `error`.
  ACCUBLAS_HD constexpr double swift_error(double total) const { return 0.52 * quantum2() * (total * 9 / 8); }
  static constexpr double swift_loss = 0x1p48;

 private:
  /// By the quantum of the finest grid.
  ACCUBLAS_HD static constexpr double error_of(double quantum, double chain, double total) {
    const double terms = total * 9 / 8, length = chain * 9 / 8 + 1;
    return unit_roundoff_double * quantum * terms * (1 + length / 2 + 16) * (1 + 0x1p-30);
  }
};

/// A product below 2^-968 may have bits below 2^-1074. In that case p and e together lose at most 2^-1074. The constant
/// is the least normal number instead, because arithmetic on subnormal numbers stalls some CPUs for a hundred cycles.
constexpr double product_underflow = 0x1p-1022;

}  // namespace accublas
