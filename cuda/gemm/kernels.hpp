// Launchers of the kernels of the GEMM engines: each puts work on a stream and returns; none allocates or waits. Launch
// errors are thrown as Error by check().
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/gemm/blocking.hpp"
#include "cuda/gemm/operand.hpp"

namespace accublas::cuda {

/// What a launcher must know of the device; read once per device.
struct DeviceModel {
  int device;
  int major, minor;
  int processors;       ///< multiprocessors
  bool hopper_kernels;  ///< compute capability 9.0 and this build has sm_90a code
};

/// dp and sp may take whichever is faster: cuBLAS waits behind the emulation (cuda/native_behind.hpp), which hands
/// the call over where the data make it slower. No offer: null.
struct NativeOffer {
  int most_moduli;  ///< with more the emulation is slower
  double bound;     ///< componentwise, of cuBLAS's answer
};

// ---- first_look.cu ------------------------------------------------------------------------------------------------
/// Hands the call over where the certificate would reject too many of some sampled elements with the offer's moduli,
/// estimated from the terms of X (one block of 128 in `stride`) alone; special values are rejected, too.
template <class T>
void first_look(const DeviceModel&, const Operand<T>& rows, const Operand<T>& cols, Scalar<T> alpha, int stride,
                const NativeOffer&, CallState*, cudaStream_t);

// ---- measure.cu ---------------------------------------------------------------------------------------------------
/// Fills both sides' Lines (padding included) and summaries in at most two reads of each operand. `with_lambda`: also
/// lambda (always wanted but for fixed:T). nonzero may be null. Nothing where the call is refused.
template <class T>
void measure(const DeviceModel&, const Operand<T>& rows, const Lines& row_lines, const Operand<T>& cols,
             const Lines& col_lines, bool with_lambda, CallState* state, cudaStream_t);
/// The same in less time, where no bits follow from the lines: lambda (a sum of abs(x) 2^(24 - E), rounded up) and norm
/// are upper bounds, close to some 2^-17 (with lines of thousands of entries a thread 2^-11), last_bit is a lower
/// bound. Also what the summaries tell certify_lines.
template <class T>
void measure_bounds(const DeviceModel&, const Operand<T>& rows, const Lines& row_lines, const Operand<T>& cols,
                    const Lines& col_lines, CallState* state, cudaStream_t);

// ---- convert.cu, convert_certificate.cu ---------------------------------------------------------------------------
/// Residues of a block of lines: byte ((i / 256 planes + l) 256 + i % 256) k_padded + p of `out` is a'(first + i, p0 +
/// p) modulo the l-th modulus, 0 .. p_l - 1, for i < block lines, l < planes = plan->moduli; zero for p in terms ..
/// k_padded - 1. Nothing is written where either side has no such block. Lines beyond the operand's count and special
/// ones are zero up to the end of their group. k_padded: a multiple of 128.
template <class T>
struct ConvertSide {
  Operand<T> operand;
  Lines lines;
  Index block;  ///< number of the block: its first line is block plan->block_rows (rows) or block plan->block_cols
  std::uint8_t* out;
  bool wanted;
};
template <class T>
void convert(const DeviceModel&, const ConvertSide<T>& rows, const ConvertSide<T>& cols, const PassPlan* plan, Index p0,
             Index terms, Index k_padded, cudaStream_t);

struct LineRungs;
/// The certificate's factors (docs/modes.md, dp): one plane in the layout above, byte min(127, floor(abs(a) 2^(7-E)))
/// of the sampled terms (certificate_terms, one block in `stride`), special lines zero.
/// Nothing where the call is refused, and where one of the rungs `by_lines`, which may be none, suffices for all
/// elements by what is known of the lines (cuda/gemm/certify_moduli.hpp): then state->common_moduli is set, and the
/// kernels of the certificate that follow return at once.
template <class T>
struct CertificateSide {
  Operand<T> operand;
  Lines lines;
  Index first, count;  ///< lines
  std::uint8_t* out;
  bool wanted;
};
template <class T>
void convert_certificate(const DeviceModel&, const CertificateSide<T>& rows, const CertificateSide<T>& cols, int stride,
                         Index first_term, Index terms, Index k_padded, const LineRungs& by_lines, CallState*,
                         cudaStream_t);

// ---- product.cpp, by product_hopper.cu or product_portable.cu -----------------------------------------------------
/// Residue products of a block of rows and one of columns: for every modulus l, result[(l block_rows + r) block_cols +
/// c] = sum over p of rows(r, p) cols(c, p), modulo p_l, as a signed byte (any representative in -128 .. 127), for the
/// block's lines that exist. `accumulate` adds to the bytes already there. block_rows, block_cols and moduli are the
/// plan's.
struct ProductArguments {
  const std::uint8_t* rows;
  const std::uint8_t* cols;
  std::size_t rows_bytes, cols_bytes;  ///< of the buffers, for the tensor maps
  std::int8_t* result;
  Index k_padded;  ///< at most product_piece
  Index m, n;      ///< lines in all
  Index row_block, col_block;
  bool accumulate;
  const PassPlan* plan;
  CallState* state;
};
/// The longest sum of products of two bytes below 256 that 32 bits hold (66,051), rounded down to the kernels' step.
inline constexpr Index product_piece = 65920;
void residue_product(const DeviceModel&, const ProductArguments&, cudaStream_t);

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
};
void certificate_sums(const DeviceModel&, const SumsArguments&, cudaStream_t);

/// What the certificate's rungs are: T, by which dp:repro is defined, or numbers of moduli, where no bits are promised
/// (cuda/gemm/certify_moduli.hpp).
enum class CertificateRungKind : std::int32_t { bits, moduli };

/// The rungs of a call, and how many of them it takes.
struct CertificateLadder {
  CertificateRungKind kind;
  int most;  ///< elements that need a further one are rejected, as those beyond the last
};
inline constexpr int all_rungs = 6;

/// certificate_sums and certify in one launch, without storing the sums: where all of the sampled terms are one chunk,
/// so that nothing accumulates.
template <class T>
void certify_product(const DeviceModel&, CertificateLadder, const SumsArguments&, const Lines& rows, const Lines& cols,
                     Index first_row, Index first_col, std::uint32_t* open, cudaStream_t);

// ---- certify.cu ---------------------------------------------------------------------------------------------------
/// The certificate's test over a block's sums: raises state->largest_rung, counts in ->rejected and ->rejected_in_all,
/// sets the bits of rejected elements and of those of special lines in `open` (see OpenBits), clears the others.
template <class T>
void certify(const DeviceModel&, const std::int32_t* sums, Index block_cols, const Lines& rows, const Lines& cols,
             Index first_row, Index rows_count, Index first_col, Index cols_count, std::uint32_t* open, CallState*,
             cudaStream_t);

/// Bit (col % 32) of word [row words_per_row + col / 32] tells that element (row, col) is not final.
struct OpenBits {
  ACCUBLAS_HD static constexpr Index words_per_row(Index n) { return (n + 31) / 32; }
};

// ---- plan.cu ------------------------------------------------------------------------------------------------------
// Every plan chooses the block by fit_block (cuda/gemm/blocking.hpp) and keeps to what is launched for it; where it
// cannot, which would be a defect, the call is refused and state->not_covered set.

/// state->pass[index] for mode fixed:t (t > 0) or for the T* that the certificate found (t = 0; elements: those not
/// open). Inactive where T* is none, and where there is an offer that the data make worth taking. target: 0, or what
/// fixed:t must promise by exactness.
template <class T>
void plan_fixed(const DeviceModel&, int index, int t, const Lines& rows, const Lines& cols, const PassLaunch&,
                double target, Scalar<T> alpha, const NativeOffer*, CallState*, cudaStream_t);
/// state->pass[index] for the number of moduli that the certificate found, lines scaled to equal norms (elements: those
/// not open). Inactive where it found none.
template <class T>
void plan_moduli(const DeviceModel&, int index, const Lines& rows, const Lines& cols, const PassLaunch&,
                 Scalar<T> alpha, const NativeOffer*, CallState*, cudaStream_t);
/// state->pass[index] for cr, by the number of moduli that leaves few elements undecided, estimated from sampled
/// elements. `first`: all elements; else those open after pass index - 1 (of certificate or Ziv's test), inactive where
/// these are few enough for the exact kernel, and with at least 5 moduli more than pass index - 1 if that was a cr
/// pass.
template <class T>
void plan_correct(const DeviceModel&, int index, bool first, const Operand<T>& rows, const Lines& row_lines,
                  const Operand<T>& cols, const Lines& col_lines, const PassLaunch&, const std::uint32_t* open,
                  Scalar<T> alpha, CallState*, cudaStream_t);

// ---- reconstruct.cu -----------------------------------------------------------------------------------------------
/// From residues to results: S by the Chinese remainder theorem, alpha S + beta C rounded once (pass fixed) or tested
/// by Ziv (pass interval). Writes the elements of the pass that are decided, and sets or clears their bits in `open`;
/// elements of special lines stay open. state->open[index] counts the open ones of finite lines.
template <class T>
struct ReconstructArguments {
  const std::int8_t* result;
  Lines rows, cols;
  Index row_block, col_block;
  Matrix<T> at;
  Scalar<T> alpha, beta;
  std::uint32_t* open;
  int index;           ///< of the pass
  bool all_undecided;  ///< test hook: Ziv's test leaves everything open
  CallState* state;
};
template <class T>
void reconstruct(const DeviceModel&, const ReconstructArguments<T>&, cudaStream_t);

// ---- exact.cu -----------------------------------------------------------------------------------------------------
/// Every element that is open: zero by structure (no term other than zero), special values, or an exact accumulator.
/// Returns at once where there is none.
template <class T>
struct ExactArguments {
  Operand<T> rows, cols;
  Lines row_lines, col_lines;
  Matrix<T> at;
  Scalar<T> alpha, beta;
  std::uint32_t* open;
  CallState* state;
};
/// Before a further pass that many open elements would make: writes those without a term, and clears their bits.
template <class T>
void resolve_structural_zeros(const DeviceModel&, const ExactArguments<T>&, int index, cudaStream_t);
template <class T>
void exact(const DeviceModel&, const ExactArguments<T>&, cudaStream_t);

/// C = beta C where alpha (in device memory) is zero; else nothing.
template <class T>
void scale_if_alpha_is_zero(const DeviceModel&, Index m, Index n, Matrix<T> c, Scalar<T> alpha, Scalar<T> beta,
                            bool canonical, cudaStream_t);

}  // namespace accublas::cuda
