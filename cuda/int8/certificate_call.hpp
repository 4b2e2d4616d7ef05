// The certificate of dp and sp over all of C (docs/modes.md, dp), which every engine of integer products runs before it
// plans a pass: T*, and the bits of the rejected elements.
#pragma once

#include <algorithm>

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/state.hpp"
#include "cuda/exact/engine_call.hpp"
#include "cuda/int8/certificate_ladder.hpp"
#include "cuda/int8/certify.hpp"
#include "cuda/int8/certify_moduli.hpp"
#include "cuda/int8/convert.hpp"
#include "cuda/int8/product.hpp"
#include "lib/numerics/certificate.hpp"

namespace accublas::cuda {

/// Memory of a block: its lines as bytes, and 32-bit sums, which a single chunk does not need.
struct CertificateMemory {
  std::uint8_t *rows, *cols;
  std::size_t rows_bytes, cols_bytes;  ///< at least the block's
  std::int32_t* sums;
};

/// Rungs of moduli, and fewer than all rungs, want all terms of X in one chunk. For moduli the lines, which
/// measure_bounds measured, may do without X. elements: certified_elements, or INT64_MAX for calls that promise no
/// bits: then any number of elements may be rejected. group_terms: of the call. In a group the certificate is one
/// block of one chunk.
template <class T>
void certify_all(State& state, const EngineCall<T>& call, const Lines& row_lines, const Lines& col_lines,
                 CertificateLadder ladder, const CertificateBlocks& block, const CertificateMemory& memory,
                 Index elements, std::uint32_t* open, CallState* device, const GroupTerms& group_terms = {},
                 int exact_bits = 0, const CallGroup<T>& group = {}) {
  const DeviceModel& model = state.model();
  const cudaStream_t stream = state.cuda_stream();
  const int stride = certificate_stride_of(call.rows.k, ladder.kind);
  const Index terms = certificate_terms(call.rows.k, stride), chunk = block.chunk;
  const bool whole = terms <= chunk;
  // Both sides have the same lines, and these are one block: their bytes are written once.
  const bool once = row_lines.norm == col_lines.norm && block.rows >= call.rows.count && block.cols >= call.cols.count;
  std::uint8_t* const col_bytes = once ? memory.rows : memory.cols;
  const LineRungs by_lines = ladder.kind == CertificateRungKind::moduli
                                 ? make_line_rungs<T>(call.rows.k, ladder.residues, call.same_lines(ladder.residues))
                                 : LineRungs{};
  // They count all terms.
  const GroupTerms known = stride == 1 ? group_terms : GroupTerms{};
  for (Index row = 0; row < call.rows.count; row += block.rows) {
    const Index rows = std::min(call.rows.count - row, block.rows);
    for (Index col = 0; col < call.cols.count; col += block.cols) {
      const Index cols = std::min(call.cols.count - col, block.cols);
      const Wanted wanted = call.wanted.from(row, col);
      if (!wanted.any(0, rows, 0, cols)) continue;
      for (Index p = 0; p < terms; p += chunk) {
        const Index count = std::min(terms - p, chunk);
        state.phase(&accublas_report_t::ms_convert);
        const GroupTerms nonzero = known.from(row, col);
        convert_certificate(model, CertificateSide<T>{call.rows, row_lines, row, rows, memory.rows, col == 0 || !whole},
                            CertificateSide<T>{call.cols, col_lines, col, cols, col_bytes, !once}, nonzero, stride, p,
                            count, chunk, by_lines, exact_bits, device, stream, group);
        state.phase(&accublas_report_t::ms_product);
        const SumsArguments sums{memory.rows,
                                 col_bytes,
                                 memory.rows_bytes,
                                 once ? memory.rows_bytes : memory.cols_bytes,
                                 memory.sums,
                                 chunk,
                                 rows,
                                 cols,
                                 block.rows,
                                 block.cols,
                                 p > 0,
                                 device,
                                 wanted,
                                 nonzero,
                                 p,
                                 group};
        if (whole) {
          certify_product<T>(model, ladder, sums, row_lines, col_lines, row, col, elements, open, stream);
        } else {
          certificate_sums(model, sums, stream);
        }
      }
      if (whole) continue;
      state.phase(&accublas_report_t::ms_reconstruct);
      certify<T>(model, memory.sums, block.cols, row_lines, col_lines, row, rows, col, cols, wanted, elements, open,
                 device, stream);
    }
  }
}

}  // namespace accublas::cuda
