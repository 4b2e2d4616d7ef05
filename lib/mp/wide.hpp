// Outputs whose exponents spread past one band, and outputs with infinities or NaN among their terms.
#pragma once

#include <cstdint>

#include "lib/mp/align.hpp"
#include "lib/mp/finish.hpp"
#include "lib/test_hooks_mp.hpp"

namespace accublas::mp {

/// What the classes of the terms of output (i, v) say: finite, or NaN, or an infinity with its sign.
Sum classify(const MpProduct& product, std::int64_t i, std::int64_t v);

/// S of one output as a sum over the bands that occur: Y_g = sum of X'_iq Z_qv over the terms with band_iq + band_qv =
/// g. One per thread; all memory is taken when it is made.
class WideSum final : public Pieces {
 public:
  WideSum(const MpProduct& product, const HostAligned& a, const AlignedVectors& b, const Basis& basis,
          const cpu::MpKernels& kernels);

  /// The sums of output (i, v); valid until the next call.
  Pieces& add_up(std::int64_t i, std::int64_t v);

  int count() const override { return count_ > 1 ? count_ - mutant(MpMutant::lost_band) : count_; }
  std::int64_t exponent(int g) const override { return unit_ + shifts * static_cast<std::int64_t>(band_[g]); }
  void integer(int g, std::uint64_t* limb) override;

 private:
  const MpProduct& product_;
  const HostAligned& a_;
  const AlignedVectors& b_;
  const Basis& basis_;
  const cpu::MpKernels& kernels_;
  std::int64_t terms_;
  Buffer<std::int32_t> term_band_, band_;
  Buffer<std::int32_t> group_;        ///< of a term; -1: its product is zero
  Buffer<std::uint64_t> low_, high_;  ///< sums of one modulus
  Buffer<std::uint32_t> residue_, digit_;
  std::int64_t unit_ = 0;
  int count_ = 0;
};

}  // namespace accublas::mp
