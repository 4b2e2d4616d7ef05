// Host operands on the device: copied through pinned memory in column panels, while the panel before is computed.
#pragma once

#include "cuda/core/state.hpp"
#include "lib/call/execution.hpp"

namespace accublas::cuda {

/// How a call with device operands is served.
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

/// C = alpha A B + beta C with all operands in host memory, by `serve` on copies. Returns when C is final. Panels only
/// where elements do not depend on each other (not in dp:repro, whose T* belongs to the call).
/// Error(ACCUBLAS_ERROR_MEMORY) before C is written where even small blocks do not fit; ACCUBLAS_ERROR_C_UNDEFINED for
/// a failure after that.
template <class T>
void staged_gemm(State& state, const Call<Gemm<T>, T>& call, Execution& execution, DeviceGemmFunction<T> serve);

/// The same for level 2, DOT and the norms, in one copy: the copies cost more than the work, so that nothing would be
/// gained by panels.
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
