// The products of bytes: of residues, and of the certificate. By the kernels of product_hopper.cu or
// product_portable.cu; product.cpp chooses.
#pragma once

#include "cuda/core/call_group.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/group_terms.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/reduction.hpp"
#include "cuda/core/wanted.hpp"
#include "cuda/int8/blocking.hpp"
#include "cuda/int8/certify.hpp"
#include "cuda/int8/slab_shape.hpp"

namespace accublas::cuda {

/// Residue products of a block of rows and one of columns: for every plane l, result[(l block_rows + r) block_cols +
/// c] = sum over p of rows(r, p) cols(c, p), modulo p_l, as a signed byte (any representative in -128 .. 127), for the
/// block's lines that exist. `accumulate` adds to the bytes already there. block_rows, block_cols and planes are the
/// plan's; `residues` is what it can have.
struct ProductArguments {
  const std::uint8_t* rows;
  const std::uint8_t* cols;
  std::size_t rows_bytes, cols_bytes;  ///< of the buffers, for the tensor maps
  std::int8_t* result;
  Index k_padded;  ///< at most product_most_terms
  Index m, n;      ///< lines in all
  Index row_block, col_block;
  bool accumulate;
  const PassPlan* plan;
  CallState* state;
  ResidueKind residues = ResidueKind::real;
  Wanted wanted{};          ///< of C's columns, or where residues are complex of its numbers; others are not computed
  bool same_lines = false;  ///< both sides have the same lines, and may share residues (shares_residues)
  bool conjugates = false;  ///< where they do: one side has the conjugates
  KnownZeros zeros{};       ///< of the rows (A) or the columns: their residues have no part in the sums
  GroupTerms nonzero{};     ///< other zeros, of all lines
  Index first_term = 0;     ///< of all terms
  Index line_bytes = 0;     ///< distance of the lines of a modulus in the buffers; 0: k_padded
  GroupStride group{};      ///< the buffers then hold the lines of the products that follow, too

  int first_reduction() const { return residues == ResidueKind::complex ? complex_reductions : 0; }
};
void residue_product(const DeviceModel&, const ProductArguments&, cudaStream_t);

/// The arguments of slab_product, which multiplies the residues that convert_slabs wrote for a chunk of C. For
/// every slab that is not left out and every modulus, the result is the sum over the slab's terms as residue_product
/// stores it, in the layout of slab_tile_offset. The kernel does nothing unless state->slabs.active.
struct SlabProduct {
  const std::uint8_t* rows;
  const std::uint8_t* cols;
  std::size_t rows_bytes, cols_bytes;
  std::int8_t* result;
  SlabShape shape;
  const std::uint8_t* balance;
  Index m, n;      ///< rows and columns of all of C
  Index row, col;  ///< first element of the chunk
  CallState* state;
};
void slab_product(const DeviceModel&, const SlabProduct&, cudaStream_t);

/// The certificate's sums: sums[r block_cols + c] (+)= sum over p of rows(r, p) cols(c, p), one plane of 7-bit
/// magnitudes. Nothing where the call is refused or lines alone suffice, as in certify.
struct SumsArguments {
  const std::uint8_t* rows;
  const std::uint8_t* cols;
  std::size_t rows_bytes, cols_bytes;
  std::int32_t* sums;  ///< not used by certify_product
  Index k_padded;
  Index rows_count, cols_count;  ///< lines of the block that exist
  Index block_rows, block_cols;
  bool accumulate;
  CallState* state;
  Wanted wanted{};  ///< of the block
  GroupTerms nonzero{};
  Index first_term = 0;  ///< of all terms
  GroupStride group{};   ///< certify_product: as in ProductArguments
};
void certificate_sums(const DeviceModel&, const SumsArguments&, cudaStream_t);

/// certificate_sums and certify in one launch, without storing the sums: where all of the sampled terms are one chunk,
/// so that nothing accumulates.
template <class T>
void certify_product(const DeviceModel&, CertificateLadder, const SumsArguments&, const Lines& rows, const Lines& cols,
                     Index first_row, Index first_col, Index elements, std::uint32_t* open, cudaStream_t);

}  // namespace accublas::cuda
