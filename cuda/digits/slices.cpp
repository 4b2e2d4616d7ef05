// The host's part of slices:D: sizes, and the order of the products.
#include "cuda/digits/slices.hpp"

#include <algorithm>

#include "cuda/residues/blocking.hpp"

namespace accublas::cuda {
namespace {

constexpr Index term_step = 64, line_step = 32;

}  // namespace

SliceScheme slice_scheme(int slices, bool fast, Index k) {
  int rho = 27;
  while (rho < 53 && (Index{1} << (2 * rho - 53)) < k) ++rho;
  return {slices, fast, rho};
}

SliceBlocks slice_blocks(const SliceScheme& scheme, Index m, Index n, Index k, std::size_t available) {
  constexpr Index long_edge = 512, longest_chunk = 4096;
  SliceBlocks b{
      round_up(m, line_step), round_up(n, line_step), std::min(round_up(k, term_step), longest_chunk), 0, 0, 0, 0};
  const auto size = [&] {
    const auto bytes = [](Index x) { return round_up(x, 256); };
    const auto total = [&](Index x) { return static_cast<std::size_t>(bytes(x)); };
    b.line_bytes = total(4 * m) + total(4 * n) + total(4 * m * scheme.slices) + total(4 * n * scheme.slices);
    b.rows_bytes = total(8 * b.rows * scheme.slices * b.terms);
    b.cols_bytes = total(8 * b.cols * scheme.slices * b.terms);
    b.plane_bytes = total(8 * b.rows * b.cols * scheme.pairs());
  };
  size();
  while (b.bytes() > available) {
    Index& longer = b.rows >= b.cols ? b.rows : b.cols;
    if (longer > long_edge || (longer > line_step && b.terms <= long_edge)) {
      longer = std::max(line_step, longer > long_edge ? round_up(longer / 2, line_step) : longer - line_step);
    } else if (b.terms > term_step) {
      b.terms = round_up(b.terms / 2, term_step);
    } else {
      break;
    }
    size();
  }
  return b;
}

template <class T>
void slice_pass(Cublas& cublas, const SliceScheme& scheme, const SliceBlocks& blocks, const SlicePass<T>& pass,
                void* workspace, cudaStream_t stream) {
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
  for (Index row = 0; row < m; row += blocks.rows) {
    const Index rows = std::min(blocks.rows, m - row);
    for (Index col = 0; col < n; col += blocks.cols) {
      const Index cols = std::min(blocks.cols, n - col);
      for (Index p0 = 0; p0 < k; p0 += blocks.terms) {
        const Index terms = std::min(blocks.terms, k - p0), padded = round_up(terms, term_step);
        if (col == 0 || blocks.terms < k)  // else the slices of these rows are in place
          cut_slices(scheme, SliceArguments<T>{{pass.rows, row, rows, p0, terms, padded}, row_slices, rows_digits},
                     stream);
        cut_slices(scheme, SliceArguments<T>{{pass.cols, col, cols, p0, terms, padded}, col_slices, cols_digits},
                   stream);
        // Row-major products are cuBLAS's transposed ones: its rows are our columns, those of all slices side by side.
        for (int p = 0; p < scheme.slices; ++p) {
          const Index wide = scheme.partners(p) * cols;
          cublas.gemm(wide, rows, padded, &one, {cols_digits, CUBLAS_OP_T, padded},
                      {rows_digits + p * rows * padded, CUBLAS_OP_N, padded}, p0 > 0 ? &one : &zero,
                      planes + rows * cols * scheme.pairs_before(p), wide);
        }
      }
      finish_slices(scheme, pass, row_slices, col_slices, planes, row, rows, col, cols, stream);
    }
  }
}

template void slice_pass(Cublas&, const SliceScheme&, const SliceBlocks&, const SlicePass<double>&, void*,
                         cudaStream_t);
template void slice_pass(Cublas&, const SliceScheme&, const SliceBlocks&, const SlicePass<float>&, void*, cudaStream_t);

}  // namespace accublas::cuda
