#include "cuda/int8/int8_pass.hpp"

#include <algorithm>

#include "cuda/int8/convert.hpp"
#include "cuda/int8/product.hpp"
#include "cuda/int8/reconstruct.hpp"

namespace accublas::cuda {

namespace {

/// The launches of a pass.
template <class T>
class PassBlocks {
 public:
  PassBlocks(Int8Call<T>& call, int index)
      : call_(call),
        index_(index),
        launched_(call.plan.launch_of(index)),
        plan_(&call.device->pass[index]),
        complex_(launched_.residues == ResidueKind::complex),
        same_lines_(launched_.same_lines),
        backward_(call.group),
        cols_(complex_ ? call.in_engine.cols.numbers() : call.in_engine.cols) {
    const bool conjugated = call.in_engine.pairs_of_columns == RowPairs::conjugated;
    row_sign_ = conjugated ? -1 : 1;
    backward_.backward = true;
    const int stored_sign = call.as_made.problem.conjugate_a ? -1 : 1;
    col_sign_ = call.plan.as_stored ? stored_sign : -row_sign_;
  }

  /// Residues of a block of rows and one of columns, for the terms of a chunk. Rows whose residues are there already
  /// are left.
  void convert_lines(Index row, Index col, Index chunk) const {
    const Int8Arrays& arrays = call_.arrays;
    const bool rows_wanted = col == 0 || call_.plan.chunks > 1;
    const ConvertSide<T> rows{call_.in_engine.rows, arrays.rows, row, arrays.row_residues, rows_wanted, 1, row_sign_};
    const ConvertSide<T> cols{cols_, arrays.cols,      col,       arrays.col_residues,
                              true,  complex_ ? 2 : 1, col_sign_, same_lines_};
    const auto start = complex_ ? convert_complex<T> : convert<T>;
    call_.phase(&accublas_report_t::ms_convert);
    start(call_.model, rows, cols, arrays.nonzero, plan_, first_term(chunk), terms_of(chunk),
          launched_.buffers.k_padded, call_.stream, backward_);
  }

  /// Their products, added to those of the chunks before.
  void multiply(Index row, Index col, Index chunk) const {
    const Int8Arrays& arrays = call_.arrays;
    const Wanted& wanted = call_.in_engine.wanted;
    KnownZeros zeros = call_.in_engine.zeros;
    if (complex_) zeros.paired_lines = zeros.paired_terms = false;
    ProductArguments product{};
    product.rows = arrays.row_residues;
    product.cols = arrays.col_residues;
    product.rows_bytes = call_.plan.buffers.rows_bytes;
    product.cols_bytes = call_.plan.buffers.cols_bytes;
    product.result = reinterpret_cast<std::int8_t*>(arrays.result);
    product.k_padded = launched_.buffers.k_padded;
    product.m = call_.in_engine.rows.count;
    product.n = cols_.count;
    product.row_block = row;
    product.col_block = col;
    product.accumulate = chunk > 0;
    product.plan = plan_;
    product.state = call_.device;
    product.residues = launched_.residues;
    product.wanted = complex_ ? wanted.of_numbers() : wanted;
    product.same_lines = same_lines_;
    product.conjugates = call_.plan.as_stored && row_sign_ != col_sign_;
    product.zeros = zeros;
    product.nonzero = arrays.nonzero;
    product.first_term = complex_ ? first_term(chunk) / 2 : first_term(chunk);
    product.group = call_.group;
    call_.phase(&accublas_report_t::ms_product);
    residue_product(call_.model, product, call_.stream);
  }

  /// Results of a block, from the products of all chunks.
  void finish(Index row, Index col, const PairSums* sums) const {
    const EngineCall<T>& call = call_.in_engine;
    ReconstructArguments<T> block{};
    block.result = reinterpret_cast<const std::int8_t*>(call_.arrays.result);
    block.rows = call_.arrays.rows;
    block.cols = call_.arrays.cols;
    block.row_block = row;
    block.col_block = col;
    block.at = call.at;
    block.alpha = call.alpha;
    block.beta = call.beta;
    block.open = call_.arrays.open;
    block.index = index_;
    block.all_undecided = false;
    block.state = call_.device;
    block.wanted = call.wanted;
    block.nonzero = call_.arrays.nonzero;
    block.group = backward_;
    call_.phase(&accublas_report_t::ms_reconstruct);
    if (sums) return add_sums(call_.model, block, *sums, call_.stream);
    const auto start = complex_ ? reconstruct_complex<T> : reconstruct<T>;
    start(call_.model, block, call_.combined, call_.stream);
  }

 private:
  Index first_term(Index chunk) const { return chunk * call_.plan.chunk; }
  Index terms_of(Index chunk) const { return std::min(call_.in_engine.rows.k - first_term(chunk), call_.plan.chunk); }

  Int8Call<T>& call_;
  const int index_;
  const PassLaunch& launched_;
  const PassPlan* const plan_;
  const bool complex_, same_lines_;
  CallGroup<T> backward_;  ///< the call's group; products are multiplied forward between two kernels that go backward
  /// The columns' side. Of complex residues, the real lines of its pairs hold the numbers; the other lines are theirs
  /// in another order.
  const Operand<T> cols_;
  int row_sign_, col_sign_;  ///< of the imaginary parts
};

}  // namespace

template <class T>
void run_pass(Int8Call<T>& call, int index, const PairSums* sums) {
  const PassBlocks<T> pass(call, index);
  const PassLaunch& launched = call.plan.launch_of(index);
  for (Index row = 0; row < launched.row_blocks; ++row) {
    for (Index col = 0; col < launched.col_blocks; ++col) {
      for (Index chunk = 0; chunk < call.plan.chunks; ++chunk) {
        pass.convert_lines(row, col, chunk);
        pass.multiply(row, col, chunk);
      }
      pass.finish(row, col, sums);
    }
  }
}

template void run_pass(Int8Call<double>&, int, const PairSums*);
template void run_pass(Int8Call<float>&, int, const PairSums*);

}  // namespace accublas::cuda
