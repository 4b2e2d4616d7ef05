// Tables of the Chinese remainder theorem and of changes of basis. The process makes each table once per size and keeps
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lib/mp/kernels/mp_kernels.hpp"
#include "lib/numerics/mp_eval.hpp"
#include "lib/numerics/rns_moduli.hpp"

namespace accublas::mp {

/// The first `count` moduli as a basis: M their product, M_k = M / m_k. An integer S with residues r_k and
/// abs(S) < M / 2 (1 - 2^-17) is sum_k d_k M_k - q M with d_k = r_k / M_k mod m_k and q the integer nearest to sum_k
/// d_k / m_k (that sum is q + S / M, so a double with an error below 2^-34 decides). moduli_for_bits leaves that
/// margin.
struct Basis {
  int count;
  int limbs;                            ///< 64-bit limbs of M and of sums below count M: room for the carries included
  std::vector<std::uint64_t> product;   ///< M, little endian
  std::vector<std::uint64_t> cofactor;  ///< M_k at [k limbs]
  std::vector<RnsFactor> inverse;       ///< 1 / M_k mod m_k
  std::vector<double> reciprocal;       ///< 1 / m_k, correctly rounded
  std::vector<std::uint64_t> pair;      ///< limb i of M / (m_2h m_2h+1) at [i pairs + h]; of M_k for an odd last k
  int pairs;                            ///< count / 2, rounded up
  /// Column l of d_0 M_0 + ... - q M in digits of 31 bits, modulo 2^(31 count), at [l (count + 1) + k]: digit l of M_k,
  /// and for k = count of 2^(31 count) - M.
  std::vector<std::uint32_t> column;
};

const Basis& basis(int count);

/// Computes S as `limbs` two's complement limbs from its digits d_k at digit[k stride], the last (k = count) being q.
/// The function takes moduli in pairs, d_k M_k + d_l M_l = (d_k m_l + d_l m_k) M / (m_k m_l) with a factor below 2^63.
/// It computes limbs one by one, so that the sums over the pairs have no carries to wait for.
void reconstruct(const Basis& basis, const std::uint32_t* digit, std::int64_t stride, std::uint64_t* integer);

/// Returns the factors by which the interval evaluation of elements of `precision` bits multiplies.
EvalFactor eval_factor(int precision);

/// Weights that lead from the basis of the first `from` moduli directly to the residues modulo the moduli from .. to -
/// 1, without the integer between. weight[(j - from) (from + 1) + k] = M_k mod m_j for k < from, and -M mod m_j for k =
/// from, so that sum_k weight_jk d_k with d_from = q is S mod m_j.
struct Extension {
  int from, to;
  std::vector<std::uint32_t> weight;
};

/// Returns an extension to at least `to` moduli; a longer table has the same rows in front.
std::shared_ptr<const Extension> extension(int from, int to);

/// Weights of integers in digits of 31 bits: 2^(first + 31 l) mod m_k at [k digits + l], k < count, l < digits.
struct DigitWeights {
  int count, digits, first;
  std::vector<std::uint32_t> weight;
};
std::shared_ptr<const DigitWeights> digit_weights(int count, int digits, int first);

/// The tables of cpu::MpReciprocals for `count` moduli and integers of `digits` digits of 52 bits.
struct WideReciprocals {
  int stride;
  std::vector<std::uint64_t> single, triple, cofactor;

  cpu::MpReciprocals tables() const { return {single.data(), triple.data(), stride, cofactor.data()}; }
};
std::shared_ptr<const WideReciprocals> wide_reciprocals(int count, int digits);

}  // namespace accublas::mp
