// Aligned forms in host memory: lib/mp/backend.hpp defines them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lib/mp/backend.hpp"
#include "lib/mp/basis.hpp"
#include "lib/mp/kernels/mp_kernels.hpp"
#include "lib/mp/memory.hpp"

namespace accublas::mp {

/// Exponents of the last place of X are exponent - p; sums of two of them and bands need 64 bits.
using Exponent = std::int64_t;

/// Writes residues of +-X 2^shift for neighbours in a column. From digits, it makes the residues of all moduli by one
/// combination of those digits of X 2^shift that are not zero in all elements, which is little work for short numbers
/// (matrices of doubles). From residues, it makes those of the elements' own moduli by scaling, and the others by a
/// change of basis. Each thread has its own PlaneMaker, whose constructor takes all memory.
class PlaneMaker {
 public:
  PlaneMaker(const Elements& elements, const cpu::MpKernels& kernels, int moduli);

  /// Makes planes from .. to - 1 of elements block(i .. i + count - 1, j), count <= chunk; plane k is at out[(k - from)
  /// plane_stride]. `shift` has the shifts of these elements; a null pointer means that all are 0.
  void make(const Elements& elements, const Block& block, std::int64_t i, std::int64_t j, std::int64_t count,
            const std::uint8_t* shift, int from, int to, std::uint32_t* out, std::int64_t plane_stride);

 private:
  Format format_;
  const cpu::MpKernels& kernels_;
  std::shared_ptr<const DigitWeights> digit_weights_;   ///< of digits
  std::shared_ptr<const WideReciprocals> reciprocals_;  ///< in their place, where there is a kernel for them
  const Basis* basis_ = nullptr;                        ///< of residues
  std::shared_ptr<const Extension> extension_;          ///< of residues, where there are more moduli than theirs
  Buffer<std::uint32_t> gathered_, digits_;
  Buffer<std::uint64_t> room_;
};

/// The aligned form of a matrix.
class HostAligned final : public Aligned {
 public:
  /// Finds exponents, bands and flags, and makes no planes yet.
  HostAligned(const Elements& elements, const Block& block, int threads);

  /// Makes planes until there are at least `count`. On failure the object is unchanged.
  void ensure(const Elements& elements, int count, const cpu::MpKernels& kernels, int threads);

  std::int64_t bytes() const override;
  std::int64_t rows() const { return block_.rows; }
  std::int64_t columns() const { return block_.columns; }
  std::int64_t ld() const { return ld_; }
  int spread() const { return spread_; }
  int moduli() const { return count_; }
  bool banded() const { return band_.size() != 0; }
  bool nonfinite() const { return nonfinite_; }
  const Exponent* row_exponent() const { return row_exponent_.data(); }
  const Exponent* column_exponent() const { return column_exponent_.data(); }
  bool row_banded(std::int64_t i) const { return banded() && row_banded_[i] != 0; }
  bool column_banded(std::int64_t j) const { return banded() && column_banded_[j] != 0; }
  std::int32_t band(std::int64_t i, std::int64_t j) const { return banded() ? band_[i + j * block_.rows] : 0; }
  /// Returns rest of element (i, j), which is not special and has the given exponent.
  int rest(std::int32_t exponent, std::int64_t i, std::int64_t j) const {
    return (exponent - column_largest_[j] - row_least_[i]) & (shifts - 1);
  }
  const std::int32_t* bands() const { return band_.data(); }  ///< that of (i, j) at [i + j rows]; where banded()
  const std::uint32_t* plane(int k) const;

 private:
  struct Segment {
    int from, to;
    Buffer<std::uint32_t> planes;
  };

  void find_exponents(const Elements& elements, int threads);
  void find_bands(const Elements& elements, int threads);
  void fill_bands(const Elements& elements);
  const std::int32_t* neighbouring_exponents(const Elements& elements, std::int64_t j, std::int32_t* apart) const;
  void find_shifts(const Elements& elements, std::int64_t i, std::int64_t j, std::int64_t count,
                   std::uint8_t* shift) const;
  /// Returns E_ij - c_j - r_i; 0 for zeros, infinities and NaN.
  std::int32_t above(const Elements& elements, std::int64_t i, std::int64_t j) const;

  Block block_;
  std::int64_t ld_, plane_stride_;
  Buffer<Exponent> row_exponent_, column_exponent_;
  Buffer<std::int32_t> row_least_,
      column_largest_;         ///< r_i, and the largest exponent of a column (a code where there is none)
  Buffer<std::int32_t> band_;  ///< empty: all 0
  Buffer<std::uint8_t> row_banded_, column_banded_;
  int spread_ = 0;
  bool nonfinite_ = false;
  int count_ = 0;
  std::vector<Segment> segments_;
};

/// The columns of B, scaled by the matrix's exponents of the inner dimension: b_qv 2^scale_q = Z_qv 2^(unit_v + 64
/// band_qv), Z = +-X 2^rest.
class AlignedVectors {
 public:
  AlignedVectors(const Elements& elements, const Block& block, const Exponent* scale);
  /// The 1 x 1 matrix 1, times 2^scale.
  explicit AlignedVectors(const Exponent* scale);

  /// Splits every vector into one column for each band that occurs in it, from the top. Returns false and splits
  /// nothing if a vector has more than `most` bands. Call this before make_planes.
  bool split_bands(int most);
  void make_planes(int count, const cpu::MpKernels& kernels, int threads);

  /// Returns the number of columns of the planes. The columns of vector v are first_column(v) .. first_column(v + 1) -
  /// 1.
  std::int64_t columns() const { return first_column(block_.columns); }
  std::int64_t first_column(std::int64_t v) const { return first_.empty() ? v : first_[v]; }
  std::int32_t column_band(std::int64_t column) const { return first_.empty() ? 0 : column_band_[column]; }
  std::int64_t terms() const { return block_.rows; }
  std::int64_t ld() const { return ld_; }
  int spread() const { return spread_; }
  Exponent unit(std::int64_t v) const { return unit_[v]; }
  int rest(std::int64_t q, std::int64_t v) const { return rest_[q + v * block_.rows]; }
  bool banded(std::int64_t v) const { return banded_[v] != 0; }
  bool any_banded() const { return any_banded_; }
  bool nonfinite() const { return nonfinite_; }
  std::int32_t band(std::int64_t q, std::int64_t v) const { return band_[q + v * block_.rows]; }
  const std::uint32_t* plane(int k) const { return planes_.data() + k * plane_stride(); }

 private:
  std::int64_t plane_stride() const { return ld_ * columns(); }
  void separate(std::int64_t v, std::int64_t q, std::int64_t rows, int count);

  const Elements* elements_ = nullptr;  ///< null: the number 1
  Block block_;
  std::int64_t ld_;
  Buffer<Exponent> unit_;
  Buffer<std::int32_t> band_;
  Buffer<std::uint8_t> rest_, banded_;
  std::vector<std::int64_t> first_;        ///< empty: nothing is split
  std::vector<std::int32_t> column_band_;  ///< of a column, where split
  Buffer<std::uint32_t> planes_;
  int spread_ = 0;
  bool any_banded_ = false, nonfinite_ = false;
};

}  // namespace accublas::mp
