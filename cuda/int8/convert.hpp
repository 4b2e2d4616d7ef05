// From operands to residues, and to the bytes that the certificate multiplies.
#pragma once

#include <cuda_runtime_api.h>

#include "cuda/core/call_group.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/group_terms.hpp"
#include "cuda/core/operand.hpp"
#include "lib/numerics/complex_moduli.hpp"

namespace accublas::cuda {

/// Residues of a block of lines: byte ((i / 256 planes + l) 256 + i % 256) k_padded + p of `out` is a'(first + i, p0 +
/// p) modulo the l-th modulus, 0 .. p_l - 1, for i < block lines, l < planes = plan->moduli; zero for p in terms ..
/// k_padded - 1. Nothing is written where either side has no such block. Lines beyond the operand's count and special
/// ones are zero up to the end of their group. k_padded: a multiple of 16; products take multiples of 128. Terms that
/// no product needs (nonzero, which counts the terms and lines of the call) are not written, except the first ones of
/// the chunk.
template <class T>
struct ConvertSide {
  Operand<T> operand;
  Lines lines;
  Index block;  ///< number of the block: its first line is block plan->block_rows (rows) or block plan->block_cols
  std::uint8_t* out;
  bool wanted;
  Index lines_apart = 1;    ///< line i of the operand is what `lines` knows as line i lines_apart
  int sign = 1;             ///< complex: of the imaginary parts
  bool same_lines = false;  ///< columns: they are the rows' lines, and may share their residues
  Index line_bytes = 0;     ///< distance of the lines of a modulus in `out`; 0: k_padded
};
/// Whether residues of the rows are those of the columns too, where both sides have the same `lines`, as in SYRK: if
/// all of them are one block and have the same bits. Then the columns' are not written, and products read the rows'
/// twice. Complex ones also where one side is the conjugate of the other, as in HERK: that exchanges both planes of a
/// modulus; but where no modulus has three.
ACCUBLAS_HD inline bool shares_residues(const PassPlan& plan, Index lines) {
  const bool pairs = plan.residues == ResidueKind::real || plan.moduli <= split_moduli;
  return plan.row_bits == plan.col_bits && plan.block_rows >= lines && plan.block_cols >= lines && pairs;
}

template <class T>
void convert(const DeviceModel&, const ConvertSide<T>& rows, const ConvertSide<T>& cols, const GroupTerms& nonzero,
             const PassPlan* plan, Index p0, Index terms, Index k_padded, cudaStream_t, const CallGroup<T>& group = {});

/// Converts to complex residues, with the contract of the function above: entries 2 p and 2 p + 1 of a line are the
/// parts of term p, whose residues in plane l are those of x real + sign y imag (lib/numerics/complex_moduli.hpp);
/// planes = plan->planes(); p0 and terms count entries, k_padded terms. For devices with room for its tiles.
bool converts_complex(const DeviceModel&);
template <class T>
void convert_complex(const DeviceModel&, const ConvertSide<T>& rows, const ConvertSide<T>& cols,
                     const GroupTerms& nonzero, const PassPlan* plan, Index p0, Index terms, Index k_padded,
                     cudaStream_t, const CallGroup<T>& group = {});

struct LineRungs;
/// The certificate's factors (docs/modes.md, dp): one plane in the layout above, byte min(127, floor(abs(a) 2^(7-E)))
/// of the sampled terms (certificate_terms, one block in `stride`), special lines zero.
/// Nothing where the call is refused, and where one of the rungs `by_lines`, which may be none, suffices for all
/// elements by what is known of the lines (cuda/int8/certify_moduli.hpp), or no line needs more than `exact_bits` bits,
/// 0 for none: then state->common_moduli is set, and the kernels of the certificate that follow return at once.
template <class T>
struct CertificateSide {
  Operand<T> operand;
  Lines lines;
  Index first, count;  ///< lines
  std::uint8_t* out;
  bool wanted;
};
template <class T>
void convert_certificate(const DeviceModel&, const CertificateSide<T>& rows, const CertificateSide<T>& cols,
                         const GroupTerms& nonzero, int stride, Index first_term, Index terms, Index k_padded,
                         const LineRungs& by_lines, int exact_bits, CallState*, cudaStream_t,
                         const CallGroup<T>& group = {});

}  // namespace accublas::cuda
