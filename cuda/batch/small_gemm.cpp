#include "cuda/batch/small_gemm.hpp"

#include "cuda/batch/batch_kernels.hpp"
#include "cuda/core/memory.hpp"
#include "cuda/exact/engine_call.hpp"
#include "cuda/exact/exact_call.hpp"
#include "cuda/scaling/measure.hpp"
#include "lib/call/accuracy.hpp"

namespace accublas::cuda {

namespace {

/// Returns whether an operand is a stored matrix of real numbers, rather than the components of a complex one.
template <class T>
bool is_plain(const Operand<T>& x) {
  return x.term_pairs == 0 && x.line_pairs == 0 && x.negative == 0;
}

/// Returns the product as a batch of one matrix with contiguous columns. The engine's columns are the batch's rows.
template <class T>
BatchProblem<T> one_matrix(const EngineCall<T>& call) {
  return {call.cols.count,
          call.rows.count,
          call.rows.k,
          1,
          {call.cols.data, 0, nullptr},
          {call.rows.data, 0, nullptr},
          {call.at.data, 0, nullptr},
          call.cols.stride,
          call.cols.k_stride,
          call.rows.stride,
          call.rows.k_stride,
          call.at.col_stride,
          call.at.row_stride,
          call.alpha,
          call.beta};
}

}  // namespace

template <class T>
bool small_gemm_serves(const State& state, const Call<Gemm<T>, T>& call) {
  const Gemm<T>& g = call.problem;
  if (call.mode.kind != ACCUBLAS_MODE_CR || g.combined || !batch_cr_serves(state.model(), g.m, g.n, g.k) ||
      g.m * g.n * g.k > most_small_work)
    return false;
  const EngineCall<T> engine(call);
  return engine.wanted.all() && engine.zeros.part == Triangle::all && engine.pairs_of_columns == RowPairs::none &&
         is_plain(engine.rows) && is_plain(engine.cols) && !engine.same_lines();
}

template <class T>
void small_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution) {
  const EngineCall<T> engine(call);
  const DeviceModel& model = state.model();
  const BatchProblem<T> p = one_matrix(engine);
  BatchTiles tiles = long_tiles(model, p.m, p.n, 1);
  tiles.open_pitch = OpenBits::words_per_row(engine.cols.count);
  Lines rows{}, cols{};
  std::uint32_t* open = nullptr;
  const auto lay_out = [&](Carver& carver) {
    rows = take_lines(carver, engine.rows, false);
    cols = take_lines(carver, engine.cols, false);
    open = take_open(carver, engine);
  };
  const ArrayMemory<CallMemory> memory(lay_out, state, execution.workspace);
  const cudaStream_t stream = state.cuda_stream();
  execution.report.workspace_bytes = static_cast<std::int64_t>(memory.bytes());
  put_bound(execution.report, rounded_once<T>());
  CallState* const device = state.begin_call(execution.report.level);
  state.phase(&accublas_report_t::ms_product);
  batch_cr(model, p, tiles, open, false, device, stream);
  state.phase(&accublas_report_t::ms_exact);
  measure_if_pending(model, engine.rows, rows, engine.cols, cols, &device->open[0], device, stream);
  exact_of_small(model, exact_arguments(engine, rows, cols, open, device), stream);
  state.end_call();
}

#define ACCUBLAS_INSTANTIATE(T)                                           \
  template bool small_gemm_serves(const State&, const Call<Gemm<T>, T>&); \
  template void small_gemm(State&, const Call<Gemm<T>, T>&, Execution&);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
