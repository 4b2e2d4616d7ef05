// Serves calls on host operands. Those of GEMM are copied through pinned memory while products are computed.
#pragma once

#include "cuda/core/state.hpp"
#include "lib/call/execution.hpp"

namespace accublas::cuda {

/// The functions that serve calls with device operands.
template <class T>
using DeviceGemmFunction = void (*)(State&, const Call<Gemm<T>, T>&, Execution&);
template <class T>
using DeviceGemvFunction = void (*)(State&, const Call<Gemv<T>, T>&, Execution&);
template <class T>
using DeviceDotFunction = void (*)(State&, const Call<Dot<T>, T>&, Execution&);
template <class T>
using DeviceNormFunction = void (*)(State&, const Call<Reduction<T>, T>&, Execution&);

template <class T>
using DeviceMixedDotFunction = void (*)(State&, const Call<MixedDot<T>, T>&, Execution&);
template <class E>
using DeviceLevel2Function = void (*)(State&, const Call<Level2<E>, E>&, Execution&);

/// CUDA's libraries may need this much stack; a call has it, the caller's or the library's own.
inline constexpr std::size_t needed_stack = std::size_t{512} << 10;

/// Computes C = alpha A B + beta C with all operands in host memory, by `serve` on copies. Returns when C is final. The
/// devices of `execution` share a large product, each with a part of C (cuda/core/host_schedule.hpp). T* of dp:repro is
/// found over all parts before one is written. Throws Error(ACCUBLAS_ERROR_MEMORY) before C is written if even small
/// blocks do not fit, and ACCUBLAS_ERROR_C_UNDEFINED for a failure of any device after the first write.
template <class T>
void staged_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution, DeviceGemmFunction<T> serve);

/// These functions serve level 2, DOT and the norms with all operands in host memory, by `serve` on one copy. They do
/// not use panels: the copies cost more than the work, so nothing would be gained.
template <class T>
void staged_gemv(State& state, const Call<Gemv<T>, T>& call, Execution& execution, DeviceGemvFunction<T> serve);
template <class T>
void staged_dot(State& state, const Call<Dot<T>, T>& call, Execution& execution, DeviceDotFunction<T> serve);
template <class T>
void staged_norm(State& state, const Call<Reduction<T>, T>& call, Execution& execution, DeviceNormFunction<T> serve);
template <class T>
void staged_mixed_dot(State& state, const Call<MixedDot<T>, T>& call, Execution& execution,
                      DeviceMixedDotFunction<T> serve);
template <class E>
void staged_level2(State& state, const Call<Level2<E>, E>& call, Execution& execution, DeviceLevel2Function<E> serve);

}  // namespace accublas::cuda
