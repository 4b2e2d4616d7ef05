// The call of mode slices:D.
#include <limits>

#include "cuda/core/call_state.hpp"
#include "cuda/core/carver.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/scale.hpp"
#include "cuda/exact/engine_call.hpp"
#include "cuda/exact/exact.hpp"
#include "cuda/exact/exact_call.hpp"
#include "cuda/fp64/digit_call.hpp"
#include "cuda/fp64/slices.hpp"
#include "cuda/scaling/measure.hpp"

namespace accublas::cuda {

template <class T>
void slices_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution) {
  const EngineCall<T> engine(call);
  const cudaStream_t stream = state.cuda_stream();
  const DeviceModel& model = state.model();
  const SliceScheme scheme = slice_scheme(call.mode.parameter, call.mode.fast, engine.rows.k);
  const std::size_t blas_bytes = state.blas_bytes();
  struct Layout {
    Lines rows, cols;
    std::uint32_t* open;
    std::byte *blas, *arena;
  };
  const auto lay_out = [&](Carver& carver, std::size_t arena_bytes) {
    return Layout{take_lines(carver, engine.rows, false), take_lines(carver, engine.cols, false),
                  take_open(carver, engine), carver.take<std::byte>(blas_bytes), carver.take<std::byte>(arena_bytes)};
  };
  Carver measuring(nullptr);
  lay_out(measuring, 0);
  const std::size_t cap = execution.workspace.cap();
  const SliceBlocks blocks = slice_blocks(model.tuning().parts, scheme, engine.rows.count, engine.cols.count,
                                          engine.rows.k, cap > measuring.used() ? cap - measuring.used() : 0);
  const std::size_t bytes = measuring.used() + blocks.bytes();
  Cublas& cublas = state.cublas();
  const CallMemory memory(state, execution.workspace, bytes);
  Carver carver(memory.data());
  const Layout at = lay_out(carver, blocks.bytes());
  cublas.begin(stream, blas_bytes ? at.blas : nullptr, blas_bytes);
  accublas_report_t& report = execution.report;
  report.workspace_bytes = static_cast<std::int64_t>(bytes);
  report.bound_relative = report.bound_componentwise = report.bound_absolute = std::numeric_limits<double>::infinity();

  CallState* const device = state.begin_call(report.level);
  state.phase(&accublas_report_t::ms_convert);
  measure(model, engine.rows, at.rows, engine.cols, at.cols, false, device, stream);
  state.phase(&accublas_report_t::ms_product);
  const ExactArguments<T> pass = exact_arguments(engine, at.rows, at.cols, at.open, device);
  const CombinedParts<T>* const combined = call.problem.combined;
  slice_pass(cublas, scheme, blocks, pass, combined, at.arena, stream);
  // Elements of special lines are computed as in every mode.
  state.phase(&accublas_report_t::ms_exact);
  combined ? exact_combined(model, pass, *combined, stream) : exact(model, pass, stream);
  if (engine.alpha.pointer)
    scale_if_alpha_is_zero(model, engine.rows.count, engine.cols.count, engine.at, engine.alpha, engine.beta, true,
                           stream);
  state.end_call();
}

template void slices_gemm(State&, const Call<Gemm<double>, double>&, Execution&);
template void slices_gemm(State&, const Call<Gemm<float>, float>&, Execution&);

}  // namespace accublas::cuda
