// Launchers of the kernels of multiple-precision arrays. Shared contract: work is put on the stream and the call
// returns; nothing is allocated, nothing waits. All pointers are device pointers. Launch errors are thrown as Error by
// check().
#pragma once

#include "cuda/core/device_model.hpp"
#include "lib/call/problem.hpp"
#include "lib/mp/format.hpp"
#include "lib/numerics/mp_eval.hpp"
#include "lib/numerics/rns.hpp"
#include "lib/numerics/rns_moduli.hpp"

namespace accublas::cuda {

/// Columns of B that a product takes in one reading of the matrix.
inline constexpr int mp_columns = 4;

// ---- tables -------------------------------------------------------------------------------------------------------
/// The first `moduli` moduli as a basis (lib/mp/basis.hpp), in 32-bit limbs modulo 2^(32 limbs) > M.
struct MpBasis {
  int moduli, limbs;
  const RnsModulus* modulus;
  const RnsFactor* inverse;  ///< 1 / M_k mod m_k
  const uint4* cofactor;     ///< limb l of M_k .. M_(k+3) at [k / 4 limbs + l], mp_quads(moduli) rows, zero beyond
  const std::uint32_t* minus_product;  ///< -M
};

/// Elements of a precision.
struct MpFormat {
  int precision, limbs;  ///< of X
  MpBasis basis;
  int line;                    ///< basis.moduli rounded up to 4
  const std::uint32_t* power;  ///< 2^(32 l) mod m_k at [l line + k], zero beyond the moduli
  const uint4* byte_power;     ///< the same for tensor cores (cuda/mp/byte_product.hpp)
  const uint4* powers_of;      ///< the same for l .. l + 3 at [l / 4 moduli + k], mp_quads(limbs) rows, zero beyond
  EvalFactor eval;
};

/// From the residues of elements to those modulo `to` moduli.
struct MpExtension {
  int from, to;
  int line;  ///< to - from, rounded up to 4
  const RnsModulus* modulus;
  const RnsFactor* inverse;  ///< of the basis of the first `from`
  const mp::RnsPowers* power;
  const std::uint32_t* weight;  ///< [k line + j - from] M_k mod m_j, k < from; k = from: -M mod m_j; zero beyond `to`
  const uint4* byte_weight;     ///< the same for tensor cores (cuda/mp/byte_product.hpp)
};

// ---- transfer.cu --------------------------------------------------------------------------------------------------
/// `count` numbers from number `first` of a block on, as limbs in device memory: number first + t has X at limb[t
/// limbs].
struct MpLimbs {
  std::uint32_t* limb;
  std::int32_t* exponent;
  std::uint8_t* sign;
  Index first, count;
};
void mp_encode(const MpFormat&, const mp::Elements& to, const mp::Block&, const MpLimbs& from, cudaStream_t);
void mp_decode(const MpFormat&, const mp::Elements& from, const mp::Block&, const MpLimbs& to, cudaStream_t);
/// The same from doubles: number first + t at value[t].
void mp_encode_doubles(const MpFormat&, const mp::Elements& to, const mp::Block&, const double* value, Index first,
                       Index count, cudaStream_t);
void mp_copy(const mp::Elements& to, const mp::Block& to_block, const mp::Elements& from, const mp::Block& from_block,
             cudaStream_t);
/// The same between precisions, rounded to nearest even.
void mp_convert(const MpFormat& to_format, const mp::Elements& to, const mp::Block& to_block,
                const MpFormat& from_format, const mp::Elements& from, const mp::Block& from_block, cudaStream_t);
/// All elements +0.
void mp_clear(const mp::Elements&, cudaStream_t);

// ---- measure.cu ---------------------------------------------------------------------------------------------------
/// What the host must know of a matrix before it makes the planes.
struct MpMatrixState {
  std::int32_t largest_rest;
  std::int32_t largest_band;
  std::int32_t special;  ///< an infinity or a NaN is there
  std::int32_t not_used;
};

/// Exponents of rows and columns by the rules of lib/mp/backend.hpp. band: the largest b_ij of every row, then of every
/// column.
struct MpScaling {
  std::int32_t* row;     ///< m
  std::int32_t* column;  ///< n
  std::int32_t* row_band;
  std::int32_t* column_band;
  MpMatrixState* state;
};
/// `told`: null, or memory that the host sees and that gets a copy of the state.
void mp_measure(const DeviceModel&, const mp::Elements&, const mp::Block&, const MpScaling&, MpMatrixState* told,
                cudaStream_t);

// ---- align.cu -----------------------------------------------------------------------------------------------------
/// The planes of a matrix: a[k plane + j ld + i]; zeros in rows m .. ld - 1. Where some b_ij is not zero, b_ij stands
/// at [j ld + i]: up to most_small_band in small_band (mp_no_term for what is no term of a sum), else in band; the
/// other is null.
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
  std::int32_t limbs;  ///< of the odd integer
  std::int32_t not_used;
  std::int64_t exponent;  ///< of the power
  std::uint32_t limb[mp::max_precision / 32 + 2];
};

/// A vector in units of 2^t: z_q = Z_q 2^(t + width b_q), abs(Z_q) < 2^(p + width - 1).
struct MpVector {
  long long least, greatest;  ///< exponents of the z_q that are finite and not zero; least: t (0 where there is none)
  std::int32_t special;       ///< an infinity or a NaN is there
  std::int32_t not_used;
};
/// Whether some b_q is not zero.
ACCUBLAS_HD inline bool mp_banded(const MpVector& v, int width) { return v.greatest - v.least >= width; }

/// What the kernels of a product leave for each other; one per call, in scratch.
struct MpCall {
  MpOddScalar alpha, beta;
  unsigned long long in_bands;  ///< outputs summed in more than one group of equal exponents, of all columns so far
  std::int32_t bands;           ///< the most groups
  std::int32_t not_used;
  MpVector vector[mp_columns];
};

/// Aligns `columns` columns of B, from block_b column `first`, with the matrix's exponents of its columns (N) or rows
/// (T), and prepares alpha and beta. Zeroes the tickets and, with the first column, the counts of call.
struct MpAlignVectors {
  mp::Elements b;
  mp::Block block;
  Index first;
  int columns;
  const std::int32_t* scale;  ///< c_q (N) or r_q (T)
  int width;                  ///< of a band in bits, 1 .. 64
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
  std::int32_t* wanted;  ///< or null: host memory that gets the spread of a vector that passes the width, 63 at most
};
void mp_align_vectors(const DeviceModel&, const MpAlignVectors&, cudaStream_t);

// ---- product.cu ---------------------------------------------------------------------------------------------------
/// How the thread blocks of 256 divide a product; part of every tuning decision, of no bit.
struct MpProductPlan {
  int lanes;     ///< N: threads across rows, four rows each; T: warps that share two columns
  int segments;  ///< of the inner dimension
  Index terms;   ///< of a segment; a multiple of 4 (T)
  Index tiles;   ///< of the outputs
  bool early;    ///< thread blocks may start while the kernel before runs
  int ahead;     ///< loads of a thread that are asked into L2 meanwhile
};
/// For m x n elements of `moduli` residues and up to mp_columns vectors.
MpProductPlan plan_mp_product(const DeviceModel&, Index m, Index n, int moduli, bool transposed, int columns);

/// y = A z (N: m outputs, n terms) or A^T z (T: n outputs, m terms) modulo every modulus, exact:
/// a[k plane + j ld + i], z[(r moduli + k) z_stride + q], y[(r moduli + k) y_stride + o]; column r of `columns`,
/// modulus k.
struct MpResidueProduct {
  const std::uint32_t* a;
  Index ld, plane;  ///< multiples of 16; what stands in rows m .. ld - 1 does not matter
  Index m, n;
  const RnsModulus* modulus;
  int moduli;
  int columns;  ///< 1 .. mp_columns
  const std::uint32_t* z;
  Index z_stride;  ///< a multiple of 16; T: zeros follow the terms up to a multiple of 4
  std::uint32_t* y;
  Index y_stride;          ///< a multiple of 16, at least the number of outputs rounded up to 16
  std::uint32_t* partial;  ///< mp_product_partials words
  std::uint32_t* tickets;  ///< mp_product_tickets words, zero before and after
};
inline Index mp_product_partials(const MpProductPlan& plan, int moduli, int columns, Index y_stride) {
  return plan.segments == 1 ? 0 : Index{plan.segments} * moduli * columns * y_stride;
}
inline Index mp_product_tickets(const MpProductPlan& plan, int moduli) {
  return plan.segments == 1 ? 0 : plan.tiles * moduli;
}
/// May start while the kernel before on the stream runs: A must have been written before that one began.
void mp_product(const DeviceModel&, const MpResidueProduct&, const MpProductPlan&, bool transposed, cudaStream_t);

// ---- bands.cu -----------------------------------------------------------------------------------------------------
/// Sums of groups of terms: the terms with band b of the matrix and b' of the vector are group b v + b', v the bands of
/// the vector. Made where all groups are below `groups`. Segment s has the terms from s `terms` on.
inline constexpr int mp_band_window = 8;  ///< groups for which the matrix is read once
struct MpBandSums {
  int groups;          ///< 0: none are made
  int windows;         ///< groups / mp_band_window, rounded up
  int segments;        ///< of the inner dimension
  Index terms;         ///< of a segment, a multiple of 4
  std::uint32_t* sum;  ///< of output o: [mp_band_sum_at + o]
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
/// Groups of a product, or 0 where there is no room for them.
ACCUBLAS_HD inline long long mp_band_groups(const MpVector& v, int width, int largest_band, int room) {
  const long long groups = ((v.greatest - v.least) / width + 1) * (largest_band + 1);
  return groups <= room ? groups : 0;
}
/// For m x n elements, all but sum and mask.
MpBandSums plan_mp_band_sums(const DeviceModel&, Index m, Index n, int moduli, bool transposed, int columns,
                             int groups);

struct MpBandProduct {
  MpBandSums sums;
  const std::uint8_t* a_band;  ///< MpAligned's small_band
  const std::int32_t* z_band;
  const MpCall* call;
  const MpMatrixState* matrix;
  int width;  ///< of a band of the vectors
};
/// In place of mp_product, whose arguments it takes (not y and what follows), for a matrix in bands.
void mp_band_products(const DeviceModel&, const MpResidueProduct&, const MpBandProduct&, bool transposed, cudaStream_t);

// ---- finish.cu ----------------------------------------------------------------------------------------------------
/// c = alpha Y 2^(scale_o + t) + beta c for every output o of `columns` columns, rounded once; outputs with bands by
/// their terms.
struct MpFinish {
  MpFormat format;
  MpBasis basis;  ///< of Y
  Index outputs, terms;
  int columns;
  bool transposed;
  bool plain;              ///< alpha is 1 and beta is 0
  const std::uint32_t* y;  ///< as in MpResidueProduct
  Index y_stride;
  const std::int32_t* scale;   ///< r_o (N) or c_o (T)
  const std::int32_t* a_band;  ///< largest band of row (N) or column (T) o
  mp::Elements c;
  mp::Block block;  ///< of C
  Index first;      ///< its first column here
  MpCall* call;
  // For classes of special values and for bands: the operands, as they are stored.
  mp::Elements a, b;
  mp::Block block_a, block_b;
  const MpMatrixState* matrix;
  MpAligned aligned;
  const std::uint32_t* z;
  Index z_stride;
  const std::int32_t* z_band;
  int width;
  MpBandSums band_sums;  ///< with them there is no y
};
void mp_finish(const DeviceModel&, const MpFinish&, cudaStream_t);

}  // namespace accublas::cuda
