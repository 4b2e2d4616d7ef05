#include "lib/mp/basis.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "lib/base/error.hpp"
#include "lib/base/fork_safe.hpp"
#include "lib/base/integers.hpp"
#include "lib/mp/format.hpp"
#include "lib/numerics/limbs.hpp"
#include "lib/numerics/wide.hpp"

namespace accublas::mp {

namespace {

/// Returns a mod m.
std::uint32_t residue_of(const std::uint64_t* a, int limbs, const RnsModulus& modulus) {
  std::uint32_t r = 0;
  for (int i = limbs - 1; i >= 0; --i)
    r = rns_reduce96(static_cast<std::uint32_t>(a[i]), static_cast<std::uint32_t>(a[i] >> 32), r, modulus);
  return r;
}

std::unique_ptr<const Basis> make_basis(int count) {
  auto b = std::make_unique<Basis>();
  const RnsModulus* modulus = moduli(count);
  b->count = count;
  b->limbs = (31 * count + 10) / 64 + 1;  // count M < 2^(31 count + 10)
  b->product.assign(b->limbs, 0);
  b->product[0] = 1;
  for (int k = 0; k < count; ++k) limbs_multiply_by(b->product.data(), b->limbs, modulus[k].m);
  b->cofactor.resize(static_cast<std::size_t>(count) * b->limbs);
  b->inverse.resize(count);
  b->reciprocal.resize(count);
  for (int k = 0; k < count; ++k) {
    std::uint64_t* cofactor = &b->cofactor[static_cast<std::size_t>(k) * b->limbs];
    limbs_divide(cofactor, b->product.data(), b->limbs, modulus[k].m);
    const std::uint32_t r = residue_of(cofactor, b->limbs, modulus[k]);
    const std::uint32_t inverse = rns_inverse(r, modulus[k]);
    // The test succeeds for every k if and only if the moduli are pairwise coprime.
    if (rns_mul(r, inverse, modulus[k]) != 1)
      throw Error(ACCUBLAS_ERROR_INTERNAL, "the moduli are not pairwise coprime");
    b->inverse[k] = make_factor(inverse, modulus[k]);
    b->reciprocal[k] = 1.0 / modulus[k].m;
  }
  b->pairs = ceil_div(count, 2);
  b->pair.resize(static_cast<std::size_t>(b->pairs) * b->limbs);
  std::vector<std::uint64_t> cofactor(b->limbs);
  for (int h = 0; h < b->pairs; ++h) {
    const std::uint64_t* of_first = &b->cofactor[static_cast<std::size_t>(2 * h) * b->limbs];
    if (2 * h + 1 < count)
      limbs_divide(cofactor.data(), of_first, b->limbs, modulus[2 * h + 1].m);
    else
      cofactor.assign(of_first, of_first + b->limbs);
    for (int i = 0; i < b->limbs; ++i) b->pair[static_cast<std::size_t>(i) * b->pairs + h] = cofactor[i];
  }
  b->column.resize(static_cast<std::size_t>(count) * (count + 1));
  std::vector<std::uint64_t> negative = b->product;
  limbs_negate(negative.data(), b->limbs);
  for (int k = 0; k <= count; ++k) {
    const std::uint64_t* limb = k < count ? &b->cofactor[static_cast<std::size_t>(k) * b->limbs] : negative.data();
    for (int l = 0; l < count; ++l)
      b->column[static_cast<std::size_t>(l) * (count + 1) + k] =
          static_cast<std::uint32_t>(limbs_window(limb, b->limbs, 31 * l)) & 0x7FFFFFFFu;
  }
  return b;
}

/// Each M_k mod m_j is the product of the residues of the moduli before and after k.
std::shared_ptr<const Extension> make_extension(int from, int to) {
  auto e = std::make_shared<Extension>();
  const RnsModulus* modulus = moduli(to);
  e->from = from;
  e->to = to;
  e->weight.resize(static_cast<std::size_t>(to - from) * (from + 1));
  for (int j = from; j < to; ++j) {
    std::uint32_t* row = &e->weight[static_cast<std::size_t>(j - from) * (from + 1)];
    std::uint32_t before = 1;
    for (int k = 0; k < from; ++k) {
      row[k] = before;
      before = rns_mul(before, rns_reduce(modulus[k].m, modulus[j]), modulus[j]);
    }
    row[from] = rns_negate(before, modulus[j]);
    std::uint32_t after = 1;
    for (int k = from - 1; k >= 0; --k) {
      row[k] = rns_mul(row[k], after, modulus[j]);
      after = rns_mul(after, rns_reduce(modulus[k].m, modulus[j]), modulus[j]);
    }
  }
  return e;
}

/// 2^(first + 31 l) mod m_k at [k digits + l].
std::vector<std::uint32_t> powers_of_two(int count, int digits, int first) {
  std::vector<std::uint32_t> weight(static_cast<std::size_t>(count) * digits);
  const RnsModulus* modulus = moduli(count);
  for (int k = 0; k < count; ++k) {
    std::uint32_t power = rns_power(2, first, modulus[k]);
    const std::uint32_t factor = rns_power(2, 31, modulus[k]);
    for (int l = 0; l < digits; ++l) {
      weight[static_cast<std::size_t>(k) * digits + l] = power;
      power = rns_mul(power, factor, modulus[k]);
    }
  }
  return weight;
}

/// Computes 1 / p for p < 2^93 as `digits` digits of 52 bits after the binary point. It produces half a digit at a
/// time, so that the remainders fit into 128 bits.
void expand_reciprocal(Uint128 p, int digits, std::uint64_t* digit) {
  Uint128 rest = 1;
  for (int j = 0; j < digits; ++j) {
    digit[j] = 0;
    for (int half = 0; half < 2; ++half) {
      rest <<= 26;
      digit[j] = digit[j] << 26 | static_cast<std::uint64_t>(rest / p);
      rest %= p;
    }
  }
}

std::shared_ptr<const WideReciprocals> make_reciprocals(int count, int digits) {
  const int stride = digits + 2, groups = ceil_div(count, 3);
  auto r = std::make_shared<WideReciprocals>();
  const RnsModulus* modulus = moduli(count);
  r->stride = stride;
  r->single.resize(static_cast<std::size_t>(count) * stride);
  r->triple.resize(static_cast<std::size_t>(groups) * stride);
  r->cofactor.resize(count);
  for (int k = 0; k < count; ++k)
    expand_reciprocal(modulus[k].m, stride, &r->single[static_cast<std::size_t>(k) * stride]);
  for (int h = 0; h < groups; ++h) {
    Uint128 product = 1;
    const int end = std::min(count, 3 * h + 3);
    for (int k = 3 * h; k < end; ++k) product *= modulus[k].m;
    for (int k = 3 * h; k < end; ++k) r->cofactor[k] = static_cast<std::uint64_t>(product / modulus[k].m);
    expand_reciprocal(product, stride, &r->triple[static_cast<std::size_t>(h) * stride]);
  }
  return r;
}

/// The tables that the process keeps once they have been requested. The lock mp_basis protects them.
struct Known {
  std::map<int, std::unique_ptr<const Basis>> basis;
  std::map<int, std::shared_ptr<const Extension>> extension;
  std::map<std::tuple<int, int, int>, std::shared_ptr<const DigitWeights>> weights;
  std::map<std::pair<int, int>, std::shared_ptr<const WideReciprocals>> reciprocals;
};
Known& known() {
  static constinit Lazy<Known> instance;
  return instance.get();
}

}  // namespace

const Basis& basis(int count) {
  Known& all = known();
  const ForkSafeLock lock(ForkSafe::mp_basis);
  std::unique_ptr<const Basis>& entry = all.basis[count];
  if (!entry) entry = make_basis(count);
  return *entry;
}

void reconstruct(const Basis& basis, const std::uint32_t* digit, std::int64_t stride, std::uint64_t* integer) {
  const RnsModulus* modulus = moduli(basis.count);
  const int n = basis.limbs, pairs = basis.pairs;
  std::uint64_t factor[max_moduli / 2 + 1];
  for (int h = 0; 2 * h + 1 < basis.count; ++h)
    factor[h] = static_cast<std::uint64_t>(digit[2 * h * stride]) * modulus[2 * h + 1].m +
                static_cast<std::uint64_t>(digit[(2 * h + 1) * stride]) * modulus[2 * h].m;
  if (basis.count % 2 != 0) factor[pairs - 1] = digit[(basis.count - 1) * stride];
  Uint128 carry = 0;
  for (int i = 0; i < n; ++i) {
    const std::uint64_t* limb = &basis.pair[static_cast<std::size_t>(i) * pairs];
    // Two products below 2^127 fit into 128 bits; their halves are added up apart.
    Uint128 low = carry, high = 0;
    int h = 0;
    for (; h + 1 < pairs; h += 2) {
      const Uint128 two = static_cast<Uint128>(factor[h]) * limb[h] + static_cast<Uint128>(factor[h + 1]) * limb[h + 1];
      low += static_cast<std::uint64_t>(two);
      high += static_cast<std::uint64_t>(two >> 64);
    }
    if (h < pairs) {
      const Uint128 product = static_cast<Uint128>(factor[h]) * limb[h];
      low += static_cast<std::uint64_t>(product);
      high += static_cast<std::uint64_t>(product >> 64);
    }
    integer[i] = static_cast<std::uint64_t>(low);
    carry = (low >> 64) + high;
  }
  limbs_subtract_product(integer, basis.product.data(), n, std::uint64_t{digit[basis.count * stride]});
}

/// 2^(p - 53) / M from the leading 64 bits t of M = (t + r) 2^s, 0 <= r < 1. The bounds are quotients of the doubles
/// below and above t, one division each, moved outward to the neighbouring double.
EvalFactor eval_factor(int precision) {
  const Basis& b = basis(make_format(precision).moduli);
  const int length = limbs_bit_length(b.product.data(), b.limbs);
  const std::uint64_t top = limbs_window(b.product.data(), b.limbs, length - 64);
  const int exponent = precision - 53 - (length - 64);
  const double below = static_cast<double>(top >> 11) * 0x1p11, above = static_cast<double>((top >> 11) + 1) * 0x1p11;
  const double lower = std::ldexp(1.0, exponent) / above, upper = std::ldexp(1.0, exponent) / below;
  return {from_bits<double>(to_bits(lower) - 1), from_bits<double>(to_bits(upper) + 1)};
}

std::shared_ptr<const Extension> extension(int from, int to) {
  Known& all = known();
  const ForkSafeLock lock(ForkSafe::mp_basis);
  std::shared_ptr<const Extension>& entry = all.extension[from];
  if (!entry || entry->to < to) entry = make_extension(from, to);
  return entry;
}

std::shared_ptr<const DigitWeights> digit_weights(int count, int digits, int first) {
  Known& all = known();
  const ForkSafeLock lock(ForkSafe::mp_basis);
  std::shared_ptr<const DigitWeights>& entry = all.weights[{count, digits, first}];
  if (!entry)
    entry = std::make_shared<DigitWeights>(DigitWeights{count, digits, first, powers_of_two(count, digits, first)});
  return entry;
}

std::shared_ptr<const WideReciprocals> wide_reciprocals(int count, int digits) {
  Known& all = known();
  const ForkSafeLock lock(ForkSafe::mp_basis);
  std::shared_ptr<const WideReciprocals>& entry = all.reciprocals[{count, digits}];
  if (!entry) entry = make_reciprocals(count, digits);
  return entry;
}

}  // namespace accublas::mp
