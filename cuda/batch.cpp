#include "cuda/batch.hpp"

#include <optional>

#include "lib/error.hpp"

namespace accublas::cuda {

namespace {

/// Calls `serve(call of matrix i)` for every matrix.
template <class T, class Serve>
void one_by_one(const Call<GemmBatch<T>, T>& call, Serve&& serve) {
  std::optional<Error> missed;
  bool begun = false;
  for (Index i = 0; i < call.problem.count; ++i) {
    const Gemm<T> matrix = call.problem[i];
    try {
      serve(Call<Gemm<T>, T>{matrix, call.alpha, call.beta, call.operands_on_device, call.result_on_device, call.mode,
                             call.engine});
      begun = true;
    } catch (const Error& error) {
      if (error.status() != ACCUBLAS_ERROR_ACCURACY) {
        if (begun) throw Error(ACCUBLAS_ERROR_C_UNDEFINED, error.what());
        throw;
      }
      if (!missed) missed = error;
    }
  }
  if (missed) throw *missed;
}

}  // namespace

template <class T>
void gemm_batched(State& state, const Call<GemmBatch<T>, T>& call, Execution& execution, DeviceGemmFunction<T> serve) {
  if (!call.operands_on_device)
    return one_by_one(call, [&](const Call<Gemm<T>, T>& one) { staged_gemm(state, one, execution, serve); });
  if (call.problem.c.pointers)
    throw Error(ACCUBLAS_ERROR_UNAVAILABLE, "batches by pointers in device memory are not available in this build");
  one_by_one(call, [&](const Call<Gemm<T>, T>& one) { serve(state, one, execution); });
}

template void gemm_batched(State&, const Call<GemmBatch<double>, double>&, Execution&, DeviceGemmFunction<double>);
template void gemm_batched(State&, const Call<GemmBatch<float>, float>&, Execution&, DeviceGemmFunction<float>);

}  // namespace accublas::cuda
