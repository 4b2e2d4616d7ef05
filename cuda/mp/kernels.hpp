// Launchers of the kernels of multiple-precision arrays. They share a contract: a launcher puts work on the stream and
// returns; it neither allocates nor waits. All pointers are device pointers. A failed launch is thrown as Error by
// check().
#pragma once

#include "cuda/core/device_model.hpp"
#include "lib/call/problem.hpp"
#include "lib/mp/format.hpp"
#include "lib/numerics/mp_eval.hpp"
#include "lib/numerics/rns.hpp"
#include "lib/numerics/rns_moduli.hpp"

namespace accublas::cuda {

/// A product in 32-bit arithmetic takes this many columns of B in one reading of the matrix.
inline constexpr int mp_columns = 4;
/// The most columns of B that a call aligns, multiplies on tensor cores and finishes at a time.
inline constexpr int mp_most_columns = 128;

// ---- tables -------------------------------------------------------------------------------------------------------
/// The first `moduli` moduli as a basis (lib/mp/basis.hpp), in 32-bit limbs modulo 2^(32 limbs) > M.
struct MpBasis {
  int moduli, limbs;
  const RnsModulus* modulus;
  const RnsFactor* inverse;  ///< 1 / M_k mod m_k
  const uint4* cofactor;     ///< limb l of M_k .. M_(k+3) at [k / 4 limbs + l], mp_quads(moduli) rows, zero beyond
  const std::uint32_t* minus_product;  ///< -M
};

/// The format of elements of a precision.
struct MpFormat {
  int precision, limbs;  ///< limbs of X
  MpBasis basis;
  int line;                    ///< basis.moduli rounded up to 4
  const std::uint32_t* power;  ///< 2^(32 l) mod m_k at [l line + k], zero beyond the moduli
  const uint4* byte_power;     ///< the powers of `power` in the layout for tensor cores (cuda/mp/byte_product.hpp)
  /// the powers of `power` for l .. l + 3 at [l / 4 moduli + k], mp_quads(limbs) rows, zero beyond
  const uint4* powers_of;
  EvalFactor eval;
};

/// Extends the residues of elements to those modulo `to` moduli.
struct MpExtension {
  int from, to;
  int line;  ///< to - from, rounded up to 4
  const RnsModulus* modulus;
  const RnsFactor* inverse;  ///< inverses of the basis of the first `from` moduli
  const mp::RnsPowers* power;
  const std::uint32_t* weight;  ///< [k line + j - from] M_k mod m_j, k < from; k = from: -M mod m_j; zero beyond `to`
  const uint4* byte_weight;     ///< the weights of `weight` in the layout for tensor cores (cuda/mp/byte_product.hpp)
};

// ---- transfer.cu --------------------------------------------------------------------------------------------------
/// Holds `count` numbers of a block, from number `first` on, as limbs in device memory: number first + t has its X at
/// limb[t limbs].
struct MpLimbs {
  std::uint32_t* limb;
  std::int32_t* exponent;
  std::uint8_t* sign;
  Index first, count;
};
void mp_encode(const MpFormat&, const mp::Elements& to, const mp::Block&, const MpLimbs& from, cudaStream_t);
void mp_decode(const MpFormat&, const mp::Elements& from, const mp::Block&, const MpLimbs& to, cudaStream_t);
/// Encodes doubles: number first + t is value[t].
void mp_encode_doubles(const MpFormat&, const mp::Elements& to, const mp::Block&, const double* value, Index first,
                       Index count, cudaStream_t);
void mp_copy(const mp::Elements& to, const mp::Block& to_block, const mp::Elements& from, const mp::Block& from_block,
             cudaStream_t);
/// Converts between precisions, rounded to nearest even.
void mp_convert(const MpFormat& to_format, const mp::Elements& to, const mp::Block& to_block,
                const MpFormat& from_format, const mp::Elements& from, const mp::Block& from_block, cudaStream_t);
/// Sets all elements to +0.
void mp_clear(const mp::Elements&, cudaStream_t);

// ---- measure.cu ---------------------------------------------------------------------------------------------------
/// The measurements of a matrix that the host needs before it makes the planes.
struct MpMatrixState {
  std::int32_t largest_rest;
  std::int32_t largest_band;
  std::int32_t special;  ///< the matrix holds an infinity or a NaN
  std::int32_t not_used;
};

/// Exponents of rows and columns by the rules of lib/mp/backend.hpp. row_band (column_band) holds the largest b_ij of
/// every row (column).
struct MpScaling {
  std::int32_t* row;     ///< m entries
  std::int32_t* column;  ///< n entries
  std::int32_t* row_band;
  std::int32_t* column_band;
  MpMatrixState* state;
};
/// `readback`: null, or host-visible memory that gets a copy of the state.
void mp_measure(const DeviceModel&, const mp::Elements&, const mp::Block&, const MpScaling&, MpMatrixState* readback,
                cudaStream_t);

// ---- align.cu -----------------------------------------------------------------------------------------------------
/// The planes of a matrix: a[k plane + j ld + i], with zeros in rows m .. ld - 1. If some b_ij is not zero, b_ij is at
/// [j ld + i] of small_band or band, and the other is null. small_band holds bands up to most_small_band (mp_no_term
/// for an element that is not a term of a sum); band serves larger ones.
struct MpAligned {
  std::uint32_t* a;
  Index ld, plane;
  std::int32_t* band;
  std::uint8_t* small_band;
};
inline constexpr int most_small_band = 200, mp_no_term = 255;
void mp_align(const mp::Elements&, const mp::Block&, const MpScaling&, const MpExtension&, const MpAligned&,
              cudaStream_t);

// ---- vector.cu ----------------------------------------------------------------------------------------------------
/// alpha or beta as an odd integer times a power of two.
struct MpOddScalar {
  std::int32_t code;  ///< mp::exponent_zero, _infinity, _nan; 0: finite and not zero
  std::int32_t negative;
  std::int32_t limbs;  ///< limbs of the odd integer
  std::int32_t not_used;
  std::int64_t exponent;  ///< exponent of the power of two
  std::uint32_t limb[mp::max_precision / 32 + 2];
};

/// A vector in units of 2^t: z_q = Z_q 2^(t + width b_q), abs(Z_q) < 2^(p + width - 1).
struct MpVector {
  long long least, greatest;  ///< exponents of the finite nonzero z_q; least: t (0 if there is none)
  std::int32_t special;       ///< the vector holds an infinity or a NaN
  std::int32_t not_used;
};
/// Returns whether some b_q is not zero.
ACCUBLAS_HD inline bool mp_banded(const MpVector& v, int width) { return v.greatest - v.least >= width; }

/// Data that the kernels of a product pass to each other; one per call, in scratch memory.
struct MpCall {
  MpOddScalar alpha, beta;
  unsigned long long in_bands;  ///< outputs summed in more than one group of equal exponents, over all columns so far
  std::int32_t bands;           ///< largest number of groups
  std::int32_t not_used;
  MpVector vector[mp_most_columns];
};

/// Aligns `columns` columns of B, from column `first` of the block on, with the exponents of the matrix's columns (N)
/// or rows (T), and prepares alpha and beta. Also zeroes the tickets and, with the first column, the counts of `call`.
struct MpAlignVectors {
  mp::Elements b;
  mp::Block block;
  Index first;
  int columns;
  const std::int32_t* scale;  ///< c_q (N) or r_q (T)
  int width;                  ///< bits of a band, 1 .. 64
  MpExtension extension;
  std::uint32_t* z;  ///< as in MpResidueProduct; zeros up to z_stride
  Index z_stride;
  std::int32_t* band;  ///< b_q at [r z_stride + q]; -1 for zeros, infinities, NaN and up to z_stride
  std::uint32_t* tickets;
  Index ticket_count;
  MpFormat format;
  mp::Elements alpha, beta;
  std::int64_t alpha_at, beta_at;
  bool plain;  ///< alpha is 1 and beta is 0: they are not prepared
  MpCall* call;
  std::int32_t* wanted;  ///< null, or host memory that gets the spread of a vector that exceeds the width, at most 63
};
void mp_align_vectors(const DeviceModel&, const MpAlignVectors&, cudaStream_t);

// ---- product.cu ---------------------------------------------------------------------------------------------------
/// How a product is divided among thread blocks of 256 threads. The plan affects the speed, but no bit of the result.
struct MpProductPlan {
  int lanes;     ///< N: threads across rows, four rows each; T: warps that share two columns
  int segments;  ///< segments of the inner dimension
  Index terms;   ///< terms of a segment; a multiple of 4 (T)
  Index tiles;   ///< tiles of the outputs
  bool early;    ///< thread blocks may start while the previous kernel runs
  int ahead;     ///< loads of a thread that are prefetched into L2 meanwhile
};
/// Plans the product of m x n elements of `moduli` residues with up to mp_columns vectors.
MpProductPlan plan_mp_product(const DeviceModel&, Index m, Index n, int moduli, bool transposed, int columns);

/// Computes y = A z (N: m outputs, n terms) or A^T z (T: n outputs, m terms) modulo every modulus, exactly. The layout
/// is a[k plane + j ld + i], z[(r moduli + k) z_stride + q], y[(r moduli + k) y_stride + o], for column r of `columns`
/// and modulus k.
struct MpResidueProduct {
  const std::uint32_t* a;
  Index ld, plane;  ///< multiples of 16; the contents of rows m .. ld - 1 do not matter
  Index m, n;
  const RnsModulus* modulus;
  int moduli;
  int columns;  ///< 1 .. mp_columns; mp_byte_gemm: any number
  const std::uint32_t* z;
  Index z_stride;  ///< a multiple of 16; T: zeros follow the terms up to a multiple of 4
  std::uint32_t* y;
  Index y_stride;          ///< a multiple of 16, at least the number of outputs rounded up to 16
  std::uint32_t* partial;  ///< mp_product_partials words
  std::uint32_t* tickets;  ///< mp_product_tickets words, zero before and after
  Triangle triangle;       ///< the outputs (o, first + r) that are needed
  Index first;             ///< column of C
};
inline Index mp_product_partials(const MpProductPlan& plan, int moduli, int columns, Index y_stride) {
  return plan.segments == 1 ? 0 : Index{plan.segments} * moduli * columns * y_stride;
}
inline Index mp_product_tickets(const MpProductPlan& plan, int moduli) {
  return plan.segments == 1 ? 0 : plan.tiles * moduli;
}
/// Launches a product, which may start while the previous kernel on the stream runs. A must have been written before
/// that kernel began.
void mp_product(const DeviceModel&, const MpResidueProduct&, const MpProductPlan&, bool transposed, cudaStream_t);

// ---- byte_gemm.cu -------------------------------------------------------------------------------------------------
/// Computes what mp_product does by products of bytes on tensor cores, for any number of columns; takes no memory for
/// partial sums and tickets.
void mp_byte_gemm(const DeviceModel&, const MpResidueProduct&, bool transposed, cudaStream_t);

// ---- bands.cu -----------------------------------------------------------------------------------------------------
/// Sums of groups of terms. The terms with band b of the matrix and b' of the vector form group b v + b', where v is
/// the number of bands of the vector. The sums are made if all groups are below `groups`. Segment s has the terms from
/// s `terms` on.
inline constexpr int mp_band_window = 8;  ///< number of groups for which the matrix is read once
struct MpBandSums {
  int groups;          ///< 0: no sums are made
  int windows;         ///< groups / mp_band_window, rounded up
  int segments;        ///< segments of the inner dimension
  Index terms;         ///< terms of a segment, a multiple of 4
  std::uint32_t* sum;  ///< sum of output o: [mp_band_sum_at + o]
  std::uint8_t* mask;  ///< bit g % mp_band_window of [mp_band_mask_at + o]: group g has a term
};
ACCUBLAS_HD inline Index mp_band_sum_at(const MpBandSums& s, int columns, int moduli, Index y_stride, Index segment,
                                        int group, int column, int modulus) {
  return (((segment * s.groups + group) * columns + column) * moduli + modulus) * y_stride;
}
ACCUBLAS_HD inline Index mp_band_mask_at(const MpBandSums& s, int columns, Index y_stride, Index segment, int window,
                                         int column) {
  return ((segment * s.windows + window) * columns + column) * y_stride;
}
/// Returns the number of groups of a product, or 0 if there is no room for them.
ACCUBLAS_HD inline long long mp_band_groups(const MpVector& v, int width, int largest_band, int room) {
  const long long groups = ((v.greatest - v.least) / width + 1) * (largest_band + 1);
  return groups <= room ? groups : 0;
}
/// Plans the sums for m x n elements; sets all members but sum and mask.
MpBandSums plan_mp_band_sums(const DeviceModel&, Index m, Index n, int moduli, bool transposed, int columns,
                             int groups);

struct MpBandProduct {
  MpBandSums sums;
  const std::uint8_t* a_band;  ///< small_band of MpAligned
  const std::int32_t* z_band;
  const MpCall* call;
  const MpMatrixState* matrix;
  int width;  ///< width in bits of a band of the vectors
};
/// Replaces mp_product for a matrix in bands. It takes mp_product's arguments, but not y and the members after it.
void mp_band_products(const DeviceModel&, const MpResidueProduct&, const MpBandProduct&, bool transposed, cudaStream_t);

// ---- finish.cu ----------------------------------------------------------------------------------------------------
/// Computes c = alpha Y 2^(scale_o + t) + beta c for every output o of `columns` columns, rounded once. Outputs with
/// bands are summed from their terms.
struct MpFinish {
  MpFormat format;
  MpBasis basis;  ///< basis of Y
  Index outputs, terms;
  int columns;
  bool transposed;
  bool plain;              ///< alpha is 1 and beta is 0
  const std::uint32_t* y;  ///< as in MpResidueProduct
  Index y_stride;
  const std::int32_t* scale;   ///< r_o (N) or c_o (T)
  const std::int32_t* a_band;  ///< largest band of row (N) or column (T) o
  mp::Elements c;
  mp::Block block;  ///< block of C
  Index first;      ///< first column of the block in this launch
  MpCall* call;
  // The following operands, as they are stored, serve special values and bands.
  mp::Elements a, b;
  mp::Block block_a, block_b;
  const MpMatrixState* matrix;
  MpAligned aligned;
  const std::uint32_t* z;
  Index z_stride;
  const std::int32_t* z_band;
  int width;
  MpBandSums band_sums;  ///< if it has groups, there is no y
  Triangle triangle;     ///< the elements (o, first + r) of C that are written
};
void mp_finish(const DeviceModel&, const MpFinish&, cudaStream_t);

}  // namespace accublas::cuda
