#include "cuda/native_call.hpp"

#include "cuda/native.hpp"

namespace accublas::cuda {

template <class T>
void native_gemm_call(State& state, const Call<Gemm<T>, T>& call, Execution& execution) {
  const Workspace& workspace = execution.workspace;
  const std::size_t scratch = native_scratch_bytes(call.problem, workspace.cap());
  state.begin_native_call(execution.report.level);
  // In capture cuBLAS needs memory of its own that stays; else its handle has some.
  const std::size_t own = state.captured() ? Cublas::workspace_bytes(state.model().major) : 0;
  const auto scalar = [](const ScalarArgument<T>& s) {
    return s.on_device ? Scalar<T>{T(0), s.pointer} : Scalar<T>{*s.pointer, nullptr};
  };
  state.phase(&accublas_report_t::ms_product);
  const auto run = [&](std::byte* memory) {
    Cublas& blas = state.cublas();
    blas.begin(state.cuda_stream(), own ? memory : nullptr, own);
    native_gemm(blas, call.problem, scalar(call.alpha), scalar(call.beta), Scratch{memory + own, scratch},
                state.cuda_stream());
  };
  if (scratch + own == 0) {
    run(nullptr);
  } else {
    const CallMemory memory(state.device(), state.cuda_stream(), state.capture_memory(), workspace.buffer(),
                            workspace.buffer_bytes(), scratch + own);
    run(memory.data());
  }
  state.end_call();
  execution.report.workspace_bytes = static_cast<std::int64_t>(scratch + own);
}

template void native_gemm_call(State&, const Call<Gemm<double>, double>&, Execution&);
template void native_gemm_call(State&, const Call<Gemm<float>, float>&, Execution&);

}  // namespace accublas::cuda
