// The call of mode dot2.
#include "cuda/dot2/gemm_dot2.hpp"

#include "cuda/core/call_state.hpp"
#include "cuda/core/carver.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/scale.hpp"
#include "cuda/dot2/dot2_gemm.hpp"
#include "cuda/exact/combined_parts.hpp"
#include "cuda/exact/engine_call.hpp"
#include "cuda/exact/exact.hpp"
#include "cuda/exact/exact_call.hpp"
#include "cuda/scaling/measure.hpp"
#include "cuda/vector/vector_call.hpp"

namespace accublas::cuda {

namespace {

/// The arrays of a call in its workspace.
struct Layout {
  Lines rows, cols;
  std::uint32_t* open;
};
template <class T>
Layout lines_of(Carver& carver, const EngineCall<T>& engine) {
  return {take_lines(carver, engine.rows, false), take_lines(carver, engine.cols, false), take_open(carver, engine)};
}

/// Combines the pairs of both components of complex results, which earlier calls have stored, and rounds the results.
template <class T>
void combine_call(State& state, const Call<Gemm<T>, T>& call, Execution& execution) {
  const EngineCall<T> engine(call);
  const cudaStream_t stream = state.cuda_stream();
  const DeviceModel& model = state.model();
  Layout at{};
  const auto lay_out = [&](Carver& carver) { at = lines_of(carver, engine); };
  const ArrayMemory<CallMemory> memory(lay_out, state, execution.workspace);
  CallState* const device = state.begin_call(execution.report.level);
  state.phase(&accublas_report_t::ms_convert);
  measure(model, engine.rows, at.rows, engine.cols, at.cols, false, device, stream);
  const ExactArguments<T> arguments = exact_arguments(engine, at.rows, at.cols, at.open, device);
  state.phase(&accublas_report_t::ms_exact);
  combine_pairs(model, arguments, *call.problem.combined, engine.wanted, stream);
  exact_combined(model, arguments, *call.problem.combined, stream);
  state.end_call();
}

}  // namespace

template <class T>
void dot2_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution) {
  const Gemm<T>& g = call.problem;
  if (g.row_pairs != RowPairs::none) return combine_call(state, call, execution);
  // A GEMM with one column or one row is a GEMV: both have one chain for each output, in equal blocks.
  const auto vector_call = [&](const Gemv<T>& gemv) {
    gemv_call(state, Call<Gemv<T>, T>{gemv, call.alpha, call.beta, true, true, call.mode, call.engine}, execution);
  };
  if (g.n == 1 && !g.combined) return vector_call({g.m, g.k, g.alpha, g.a, g.b.col(0), g.beta, g.c.col(0)});
  if (g.m == 1 && !g.combined)
    return vector_call({g.n, g.k, g.alpha, g.b.transposed(), g.a.row(0), g.beta, g.c.row(0)});

  const EngineCall<T> engine(call);
  const cudaStream_t stream = state.cuda_stream();
  const DeviceModel& model = state.model();
  Carver measuring(nullptr);
  lines_of(measuring, engine);
  const std::size_t cap = execution.workspace.cap(), fixed = measuring.used() + 256;
  const Dot2Division division =
      dot2_division<T>(model, engine.rows.count, engine.cols.count, engine.rows.k, cap > fixed ? cap - fixed : 0);
  Layout at{};
  std::byte* scratch = nullptr;
  const auto lay_out = [&](Carver& carver) {
    at = lines_of(carver, engine);
    scratch = carver.take<std::byte>(division.scratch_bytes);
  };
  const ArrayMemory<CallMemory> memory(lay_out, state, execution.workspace);
  execution.report.workspace_bytes = static_cast<std::int64_t>(memory.bytes());

  CallState* const device = state.begin_call(execution.report.level);
  state.phase(&accublas_report_t::ms_convert);
  measure(model, engine.rows, at.rows, engine.cols, at.cols, false, device, stream);
  ExactArguments<T> arguments = exact_arguments(engine, at.rows, at.cols, at.open, device);
  if (g.combined) arguments.pairs = g.combined->imaginary ? g.combined->imaginary : g.combined->real;
  state.phase(&accublas_report_t::ms_product);
  dot2_tiles(model, arguments, division, scratch, stream);
  if (g.combined) return state.end_call();
  state.phase(&accublas_report_t::ms_exact);
  exact(model, arguments, stream);
  if (engine.alpha.pointer)
    scale_if_alpha_is_zero(model, engine.rows.count, engine.cols.count, engine.at, engine.alpha, engine.beta, true,
                           stream);
  state.end_call();
}

template void dot2_gemm(State&, const Call<Gemm<double>, double>&, Execution&);
template void dot2_gemm(State&, const Call<Gemm<float>, float>&, Execution&);

}  // namespace accublas::cuda
