// Sums of outputs whose exponents spread past one band, and of outputs with infinities or NaN among their terms.
#pragma once

#include <cstdint>

#include "lib/mp/cpu/align.hpp"
#include "lib/mp/cpu/finish.hpp"

namespace accublas::mp {

/// Classifies output (i, v) by the classes of its terms: finite, or NaN, or an infinity with its sign.
Sum classify(const MpProduct& product, std::int64_t i, std::int64_t v);

/// S of an output as a sum over the bands that occur: Y_g = sum of X'_iq Z_qv over the terms with band_iq + band_qv =
/// g. Up to cpu::mp_most_groups bands are vector sums over masked terms. They take 0.4 cycles a term, modulus and band,
/// and memory delivers one element of a GEMV in about one cycle. If there are more bands, the terms are sorted by band
/// once for all moduli, which takes some three cycles a term and modulus. The last group's sum is the sum of all terms
/// minus those of the other groups. The product provides the sum of all terms: `sums`, residue k of output (i, v) at [k
/// sums_plane + v sums_ld + i]. Each thread has its own WideSum, whose constructor takes all memory.
class WideSum final : public BandSums {
 public:
  WideSum(const MpProduct& product, const HostAligned& a, const AlignedVectors& b, const Basis& basis,
          const cpu::MpKernels& kernels, const std::uint32_t* sums, std::int64_t sums_ld, std::int64_t sums_plane);

  bool in_bands(std::int64_t i, std::int64_t v) const {
    return b_.banded(v) || (product_.transposed ? a_.column_banded(i) : a_.row_banded(i));
  }
  /// Returns the sums of output (i, v), which is in bands; they are valid until the next call. The caller may ask for
  /// outputs below `end` next.
  BandSums& add_up(std::int64_t i, std::int64_t v, std::int64_t end);

  int count() const override { return static_cast<int>(first_group_[row_ + 1] - first_group_[row_]); }
  std::int64_t exponent(int g) const override {
    return unit_ + shifts * static_cast<std::int64_t>(band_[first_group_[row_] + g]);
  }
  void integer(int g, std::uint64_t* limb) override;

 private:
  /// The number of outputs that are summed together; without transposition they share cache lines.
  static constexpr std::int64_t most_rows = cpu::mp_padding;

  void find_bands(std::int64_t i, std::int64_t v, int rows);
  int find_groups(int row, std::int32_t* band);
  void sort_terms(int row, int groups);
  void sum_rows(std::int64_t i, std::int64_t v, std::int64_t end);
  bool masked(std::int64_t row) const {
    return first_group_[row + 1] - first_group_[row] <= cpu::mp_most_groups && terms_ <= cpu::mp_most_grouped;
  }

  const MpProduct& product_;
  const HostAligned& a_;
  const AlignedVectors& b_;
  const Basis& basis_;
  const cpu::MpKernels& kernels_;
  const std::uint32_t* sums_;
  std::int64_t sums_ld_, sums_plane_;
  std::int64_t terms_, padded_;
  Buffer<std::int32_t> vector_band_;     ///< of term q of the vector; -1: no finite nonzero number
  Buffer<std::int32_t> term_band_;       ///< of term q of row r, at [r padded + q]; -1: the product is zero
  Buffer<std::int32_t> group_of_;        ///< of a low band
  Buffer<std::uint8_t> group_;           ///< of few groups, at [r padded + q]
  Buffer<std::int32_t> order_;           ///< of many, terms of row r by group, at [r padded]
  Buffer<std::int32_t> band_, end_;      ///< of group g of row r, at [first_group[r] + g]: its band, its end in order_
  Buffer<std::uint32_t> rows_of_plane_;  ///< of N, row r at [r padded]
  Buffer<std::uint32_t> residue_, digit_;  ///< residue k of such a group at [k (2 terms) + .]
  std::int64_t first_group_[most_rows + 1] = {};
  std::int64_t first_ = 0, rows_ = 0, vector_ = -1;  ///< rows first .. first + rows - 1 are summed
  std::int64_t row_ = 0, unit_ = 0;
};

}  // namespace accublas::mp
