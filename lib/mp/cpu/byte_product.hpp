// Residue products on INT8 units. lib/mp/byte_basis.hpp has the moduli; docs/internals/multiple-precision.md counts
// when they are faster than residues of 31 bits.
#pragma once

#include <cstdint>

#include "lib/mp/backend.hpp"
#include "lib/mp/byte_basis.hpp"
#include "lib/mp/cpu/align.hpp"
#include "lib/mp/memory.hpp"

namespace accublas::mp {

/// Returns whether a product of the bits of `basis` and more than one column takes INT8 units: the engine says so, or
/// they are faster. `moduli` are those of 31 bits; `aligned`: the planes of A exist.
bool takes_bytes(const MpProduct& product, int moduli, bool aligned, const ByteBasis& basis,
                 const MpExecution& execution);

/// The digits d_k of the sums of all outputs, for the Chinese remainder theorem: output (i, w) of modulus k is at
/// plane(k)[w ld + i].
class ByteSums {
 public:
  ByteSums(const ByteBasis& basis, std::int64_t rows, std::int64_t columns);

  const ByteBasis& basis() const { return basis_; }
  std::int64_t ld() const { return ld_; }
  std::uint16_t* plane(int k) { return digit_.data() + k * plane_stride_; }
  /// Computes the digits of groups of outputs (i .. i + rows - 1, w), rows <= chunk, and q: digit[g stride + e].
  void digits(std::int64_t i, std::int64_t w, std::int64_t rows, const cpu::MpByteKernels& kernels,
              std::uint32_t* digit, std::int64_t stride) const;

 private:
  const ByteBasis& basis_;
  std::int64_t ld_, plane_stride_;
  Buffer<std::uint16_t> digit_;
};

/// Computes the sums of X'_iq Z_qw for all outputs of the triangle, where w is a column of b. A and B have no bands, or
/// B's are split into columns; there are at most most_byte_terms() terms.
void byte_products(const MpProduct& product, const HostAligned& a, const AlignedVectors& b, ByteSums& sums,
                   MpExecution& execution);

}  // namespace accublas::mp
