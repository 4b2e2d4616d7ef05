#include "cuda/native/native_call.hpp"

#include "cuda/core/operand.hpp"
#include "cuda/core/scalar_argument.hpp"
#include "cuda/core/scale.hpp"
#include "cuda/native/native.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

template <class T>
void native_gemm_call(State& state, const Call<Gemm<T>, T>& call, Execution& execution) {
  const Workspace& workspace = execution.workspace;
  const Gemm<T>& g = call.problem;
  const cudaStream_t stream = state.cuda_stream();
  const std::size_t cap = workspace.cap(), own = state.blas_bytes();
  const std::size_t column_bytes = static_cast<std::size_t>(g.m) * sizeof(T);
  const bool keeps = call.alpha.on_device;
  const Index cols = keeps ? in_a_quarter(cap, own, column_bytes, g.n) : g.n;
  const std::size_t kept = keeps ? round_up(static_cast<std::size_t>(cols) * column_bytes, 256) : 0;
  const std::size_t scratch = native_scratch_bytes(g, cap > own + kept ? cap - own - kept : 0);
  state.begin_native_call(execution.report.level);
  const Scalar<T> alpha = device_scalar(call.alpha), beta = device_scalar(call.beta);
  state.phase(&accublas_report_t::ms_product);
  const auto run = [&](std::byte* memory) {
    Cublas& blas = state.cublas();
    const Scratch space{memory + own + kept, scratch};
    blas.begin(stream, own ? memory : nullptr, own);
    if (!keeps) return native_gemm(blas, g, alpha, beta, space, stream);
    for (Index col = 0; col < g.n; col += cols) {
      const Index n = std::min(cols, g.n - col);
      const Gemm<T> panel{g.m, n, g.k, g.alpha, g.a, g.b.block(0, col), g.beta, g.c.block(0, col)};
      const KeptResult<T> result({panel.c.data, 0, nullptr}, g.c, reinterpret_cast<T*>(memory + own), alpha.pointer,
                                 stream);
      result.keep(g.m, n, 0, 1);
      native_gemm(blas, panel, alpha, beta, space, stream);
      result.put_back(g.m, n, 0, 1);
    }
    scale_if_alpha_is_zero(state.model(), g.m, g.n, g.c, alpha, beta, false, stream);
  };
  if (kept + scratch + own == 0) {
    run(nullptr);
  } else {
    const CallMemory memory(state, workspace, own + kept + scratch);
    run(memory.data());
  }
  state.end_call();
  execution.report.workspace_bytes = static_cast<std::int64_t>(own + kept + scratch);
}

template void native_gemm_call(State&, const Call<Gemm<double>, double>&, Execution&);
template void native_gemm_call(State&, const Call<Gemm<float>, float>&, Execution&);

}  // namespace accublas::cuda
