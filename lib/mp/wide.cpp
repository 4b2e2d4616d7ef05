#include "lib/mp/wide.hpp"

#include <algorithm>
#include <functional>

namespace accublas::mp {

Sum classify(const MpProduct& p, std::int64_t i, std::int64_t v) {
  bool plus = false, minus = false;
  for (std::int64_t q = 0; q < p.k; ++q) {
    const std::int64_t at_a = p.transposed ? p.block_a.at(q, i) : p.block_a.at(i, q);
    const std::int64_t at_b = p.b ? p.block_b.at(q, v) : 0;
    const std::int32_t ea = p.a->exponent[at_a], eb = p.b ? p.b->exponent[at_b] : 1;
    if (ea == exponent_nan || eb == exponent_nan) return {Kind::nan, false, nullptr};
    if (ea != exponent_infinity && eb != exponent_infinity) continue;
    if (ea == exponent_zero || eb == exponent_zero) {
      if (mutant(MpMutant::inf_times_zero)) continue;
      return {Kind::nan, false, nullptr};
    }
    const bool negative = (p.a->sign[at_a] != 0) != (p.b && p.b->sign[at_b] != 0);
    (negative ? minus : plus) = true;
  }
  if (plus && minus) return {Kind::nan, false, nullptr};
  if (plus || minus) return {Kind::infinite, minus, nullptr};
  return {};
}

WideSum::WideSum(const MpProduct& product, const HostAligned& a, const AlignedVectors& b, const Basis& basis,
                 const cpu::MpKernels& kernels)
    : product_(product),
      a_(a),
      b_(b),
      basis_(basis),
      kernels_(kernels),
      terms_(product.k),
      term_band_(terms_),
      band_(terms_),
      group_(terms_),
      low_(terms_),
      high_(terms_),
      residue_(terms_ * basis.count),
      digit_(basis.count + 1) {}

Pieces& WideSum::add_up(std::int64_t i, std::int64_t v) {
  const MpProduct& p = product_;
  unit_ = (p.transposed ? a_.column_exponent()[i] : a_.row_exponent()[i]) + b_.unit(v);
  // The bands that occur, from the top.
  count_ = 0;
  for (std::int64_t q = 0; q < terms_; ++q) {
    const std::int64_t at_a = p.transposed ? p.block_a.at(q, i) : p.block_a.at(i, q);
    const bool zero = is_special(p.a->exponent[at_a]) || (p.b && is_special(p.b->exponent[p.block_b.at(q, v)]));
    term_band_[q] = zero ? -1 : (p.transposed ? a_.band(q, i) : a_.band(i, q)) + b_.band(q, v);
    if (!zero) band_[count_++] = term_band_[q];
  }
  std::sort(band_.data(), band_.data() + count_, std::greater<>());
  count_ = static_cast<int>(std::unique(band_.data(), band_.data() + count_) - band_.data());
  for (std::int64_t q = 0; q < terms_; ++q)
    group_[q] = term_band_[q] < 0 ? -1
                                  : static_cast<std::int32_t>(std::lower_bound(band_.data(), band_.data() + count_,
                                                                               term_band_[q], std::greater<>()) -
                                                              band_.data());
  const RnsModulus* modulus = moduli(basis_.count);
  for (int k = 0; k < basis_.count; ++k) {
    const std::uint32_t* a = a_.plane(k) + (p.transposed ? i * a_.ld() : i);
    const std::uint32_t* x = b_.plane(k) + v * b_.ld();
    const std::int64_t step = p.transposed ? 1 : a_.ld();
    std::fill_n(low_.data(), count_, 0);
    std::fill_n(high_.data(), count_, 0);
    for (std::int64_t q = 0; q < terms_; ++q) {
      const std::int32_t g = group_[q];
      if (g < 0) continue;
      const std::uint64_t t = low_[g] + static_cast<std::uint64_t>(a[q * step]) * x[q];
      high_[g] += t >> 32;
      low_[g] = t & 0xFFFFFFFFu;
    }
    for (int g = 0; g < count_; ++g)
      residue_[k * terms_ + g] = rns_reduce96(static_cast<std::uint32_t>(low_[g]), static_cast<std::uint32_t>(high_[g]),
                                              static_cast<std::uint32_t>(high_[g] >> 32), modulus[k]);
  }
  return *this;
}

void WideSum::integer(int g, std::uint64_t* limb) {
  kernels_.crt_digits({residue_.data() + g, terms_, moduli(basis_.count), basis_.inverse.data(),
                       basis_.reciprocal.data(), basis_.count, 1, digit_.data(), 1});
  reconstruct(basis_, digit_.data(), 1, limb);
}

}  // namespace accublas::mp
