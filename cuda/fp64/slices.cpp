// The host's part of slices:D: sizes, and the order of the products.
#include "cuda/fp64/slices.hpp"

#include "cuda/core/product_blocks.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

SliceScheme slice_scheme(int slices, bool fast, Index k) {
  int rho = 27;
  while (rho < 53 && (Index{1} << (2 * rho - 53)) < k) ++rho;
  return {slices, fast, rho};
}

SliceBlocks slice_blocks(const PartsTuning& tuning, const SliceScheme& scheme, Index m, Index n, Index k,
                         std::size_t available) {
  return fitting_blocks<SliceBlocks>(tuning, m, n, k, tuning.slices_terms, available, [&](SliceBlocks& b) {
    const auto total = [](Index x) { return static_cast<std::size_t>(round_up(x, 256)); };
    b.line_bytes = total(4 * m) + total(4 * n) + total(4 * m * scheme.slices) + total(4 * n * scheme.slices);
    b.rows_bytes = total(8 * b.rows * scheme.slices * b.terms);
    b.cols_bytes = total(8 * b.cols * scheme.slices * b.terms);
    b.plane_bytes = total(8 * b.rows * b.cols * scheme.pairs());
  });
}

template <class T>
void slice_pass(Cublas& cublas, const SliceScheme& scheme, const SliceBlocks& blocks, const ExactArguments<T>& pass,
                const CombinedParts<T>* combined, void* workspace, cudaStream_t stream) {
  char* next = static_cast<char*>(workspace);
  const auto take = [&](std::size_t bytes) {
    char* const here = next;
    next += round_up(static_cast<Index>(bytes), 256);
    return here;
  };
  const Index m = pass.rows.count, n = pass.cols.count, k = pass.rows.k;
  const auto take_lines = [&](Index lines) {
    const auto count = static_cast<std::size_t>(lines);
    auto* const counts = reinterpret_cast<std::int32_t*>(take(4 * count));
    return LineSlices{
        counts, reinterpret_cast<std::int32_t*>(take(4 * count * static_cast<std::size_t>(scheme.slices))), lines};
  };
  const LineSlices row_slices = take_lines(m), col_slices = take_lines(n);
  auto* const rows_digits = reinterpret_cast<double*>(take(blocks.rows_bytes));
  auto* const cols_digits = reinterpret_cast<double*>(take(blocks.cols_bytes));
  auto* const planes = reinterpret_cast<double*>(take(blocks.plane_bytes));
  const double zero = 0, one = 1;
  cublas.scalars_on_device(false);

  slice_grids(scheme, pass.rows, pass.row_lines, row_slices, pass.state, stream);
  slice_grids(scheme, pass.cols, pass.col_lines, col_slices, pass.state, stream);
  for_product_parts(
      m, n, k, blocks,
      [&](const ProductPart& part) {
        cut_slices(scheme, SliceArguments<T>{part.of_rows(pass.rows), row_slices, rows_digits}, stream);
      },
      [&](const ProductPart& part) {
        cut_slices(scheme, SliceArguments<T>{part.of_cols(pass.cols), col_slices, cols_digits}, stream);
      },
      [&](const ProductPart& part) {
        // A row-major product is the transposed product for cuBLAS: its rows are our columns, those of all slices side
        // by side.
        const Index padded = part.padded();
        for (int p = 0; p < scheme.slices; ++p) {
          const Index wide = scheme.partners(p) * part.cols;
          cublas.gemm(wide, part.rows, padded, &one, {cols_digits, CUBLAS_OP_T, padded},
                      {rows_digits + p * part.rows * padded, CUBLAS_OP_N, padded}, part.p0 > 0 ? &one : &zero,
                      planes + part.rows * part.cols * scheme.pairs_before(p), wide);
        }
      },
      [&](const ProductPart& part) {
        finish_slices(scheme, pass, row_slices, col_slices, planes, part.row, part.rows, part.col, part.cols, combined,
                      stream);
      });
}

template void slice_pass(Cublas&, const SliceScheme&, const SliceBlocks&, const ExactArguments<double>&,
                         const CombinedParts<double>*, void*, cudaStream_t);
template void slice_pass(Cublas&, const SliceScheme&, const SliceBlocks&, const ExactArguments<float>&,
                         const CombinedParts<float>*, void*, cudaStream_t);

}  // namespace accublas::cuda
