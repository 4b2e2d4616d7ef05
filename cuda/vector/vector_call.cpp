#include "cuda/vector/vector_call.hpp"

#include "cuda/core/call_state.hpp"
#include "cuda/core/component.hpp"
#include "cuda/core/inner_calls.hpp"
#include "cuda/core/matrices.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/core/scalar_argument.hpp"
#include "cuda/core/scale_call.hpp"
#include "cuda/fp64/digit_call.hpp"
#include "cuda/native/native.hpp"
#include "cuda/native/native_call.hpp"
#include "cuda/native/norm_class.hpp"
#include "cuda/vector/vector_kernels.hpp"
#include "lib/call/accuracy.hpp"

namespace accublas::cuda {

namespace {

/// Returns the mode of the kernels. dp and sp that only engine native could compute get cr's values.
VectorMode vector_mode(const Mode& mode) {
  if (mode.kind == ACCUBLAS_MODE_DOT2) return VectorMode::dot2;
  return mode.kind == ACCUBLAS_MODE_FIXED ? VectorMode::fixed : VectorMode::cr;
}

/// Reports the bound of a mode that is computed exactly and rounded once.
template <class T>
void report_rounded_once(const Mode& mode, accublas_report_t& report) {
  if (vector_mode(mode) != VectorMode::cr) return;
  put_bound(report, rounded_once<T>());
}

/// Begins a call and returns the environment of its kernels.
VectorCall begin_kernels(State& state, const Execution& execution, void* memory) {
  VectorState* const vectors = state.begin_vector_call(execution.report.level);
  state.phase(&accublas_report_t::ms_product);
  return {state.model(), vectors, memory, state.cuda_stream()};
}

/// Runs body(memory) with `bytes` of the call's memory; the caller counts cuBLAS's own workspace.
template <class Body>
void with_memory(State& state, Execution& execution, std::size_t bytes, Body&& body) {
  const Workspace& workspace = execution.workspace;
  const CallMemory memory(state, workspace, bytes);
  execution.report.workspace_bytes = static_cast<std::int64_t>(bytes);
  body(memory.data());
}

}  // namespace

template <class E>
void gemv_by_kernels(State& state, const Gemv<E>& g, Scalar<RealOf<E>> alpha, Scalar<RealOf<E>> beta,
                     const Mode& call_mode, Execution& execution) {
  report_rounded_once<RealOf<E>>(call_mode, execution.report);
  const VectorMode mode = vector_mode(call_mode);
  const std::size_t bytes = vector_scratch_bytes(state.model(), mode, g.m, g.k, component_count<E>);
  with_memory(state, execution, bytes, [&](std::byte* memory) {
    const VectorCall run = begin_kernels(state, execution, memory);
    switch (mode) {
      case VectorMode::dot2:
        dot2_gemv(run, g, alpha, beta);
        break;
      case VectorMode::fixed:
        execution.report.bits = call_mode.parameter;
        fixed_gemv(run, g, call_mode.parameter, alpha, beta);
        break;
      case VectorMode::cr:
        cr_gemv(run, g, alpha, beta);
        break;
    }
    state.end_call();
  });
}

template <class E>
void symv_by_kernels(State& state, const Symv<E>& s, Scalar<RealOf<E>> alpha, Scalar<RealOf<E>> beta,
                     const Mode& call_mode, Execution& execution) {
  report_rounded_once<RealOf<E>>(call_mode, execution.report);
  const VectorMode mode = vector_mode(call_mode);
  if (mode == VectorMode::fixed) execution.report.bits = call_mode.parameter;
  const std::size_t bytes = symv_scratch_bytes(state.model(), mode, s.n, component_count<E>);
  with_memory(state, execution, bytes, [&](std::byte* memory) {
    symv(begin_kernels(state, execution, memory), mode, s, call_mode.parameter, alpha, beta);
    state.end_call();
  });
}

template <class T>
void gemv_call(State& state, const Call<Gemv<T>, T>& call, Execution& execution) {
  const Gemv<T>& g = call.problem;
  if (!call.alpha.on_device && *call.alpha.pointer == 0) {
    const Gemm<T> scaling{g.m, 1, 0, T(0), {}, {}, T(0), {g.y.data, g.y.stride, 0}};
    return scale_gemm(state, Call<Gemm<T>, T>{scaling, call.alpha, call.beta, true, true, call.mode, call.engine});
  }
  require_no_target(call.mode, execution.target, sizeof(T) == 4);
  if (call.mode.kind == ACCUBLAS_MODE_SLICES) {
    const Gemm<T> column{g.m, 1, g.k, g.alpha, g.a, {g.x.data, g.x.stride, 0}, g.beta, {g.y.data, g.y.stride, 0}};
    return slices_gemm(state, Call<Gemm<T>, T>{column, call.alpha, call.beta, true, true, call.mode, call.engine},
                       execution);
  }
  const Scalar<T> alpha = device_scalar(call.alpha), beta = device_scalar(call.beta);
  if (call.engine == ACCUBLAS_ENGINE_NATIVE) {
    const std::size_t scratch = native_scratch_bytes(g, execution.workspace.cap());
    return with_cublas(state, execution, scratch, [&](Cublas& cublas, std::byte* memory) {
      native_gemv(cublas, g, alpha, beta, Scratch{memory, scratch}, state.cuda_stream());
    });
  }
  gemv_by_kernels(state, g, alpha, beta, call.mode, execution);
}

namespace {

constexpr std::size_t result_bytes = 256;

/// Serves DOT and the norms. serve(problem, memory) computes the result in device memory, with `bytes` of memory; the
/// result is then copied to the host if it belongs there.
template <class Problem, class T, class Serve>
void with_result(State& state, const Call<Problem, T>& call, Execution& execution, std::size_t bytes, Serve&& serve) {
  const cudaStream_t stream = state.cuda_stream();
  if (!call.result_on_device) state.require_not_captured("a result for the host");
  with_memory(state, execution, result_bytes + bytes, [&](std::byte* memory) {
    Problem problem = call.problem;
    if (!call.result_on_device) problem.result = reinterpret_cast<T*>(memory);
    serve(problem, memory + result_bytes);
    if (call.result_on_device) return;
    copy_on_stream(call.problem.result, problem.result, sizeof(T), cudaMemcpyDeviceToHost, stream, "reading a result");
    wait_on_host(stream, "waiting for a result");
  });
}

template <class T>
void slices_dot(State& state, const Call<Dot<T>, T>& call, Execution& execution, const Dot<T>& dot,
                const std::byte* result) {
  const T one = 1, zero = 0;
  Workspace rest = rest_of(execution.workspace, result, result_bytes);
  Execution inner = execution.within(rest);
  const Gemm<T> element{
      1, 1, dot.n, one, {dot.x.data, 0, dot.x.stride}, {dot.y.data, dot.y.stride, 0}, zero, {dot.result, 1, 1}};
  slices_gemm(state, Call<Gemm<T>, T>{element, {&one, false}, {&zero, false}, true, true, call.mode, call.engine},
              inner);
}

}  // namespace

template <class E>
void dot_by_kernels(State& state, const Call<Dot<E>, E>& call, Execution& execution) {
  const VectorMode mode = vector_mode(call.mode);
  report_rounded_once<RealOf<E>>(call.mode, execution.report);
  const std::size_t bytes = vector_scratch_bytes(state.model(), mode, 1, call.problem.n, component_count<E>);
  with_result(state, call, execution, bytes, [&](const Dot<E>& dot, std::byte* memory) {
    const VectorCall run = begin_kernels(state, execution, memory);
    switch (mode) {
      case VectorMode::dot2:
        dot2_dot(run, dot);
        break;
      case VectorMode::fixed:
        execution.report.bits = call.mode.parameter;
        fixed_dot(run, dot, call.mode.parameter);
        break;
      case VectorMode::cr:
        cr_dot(run, dot);
        break;
    }
    state.end_call();
  });
}

template <class T>
void dot_call(State& state, const Call<Dot<T>, T>& call, Execution& execution) {
  const cudaStream_t stream = state.cuda_stream();
  const Index n = call.problem.n;
  if (n == 0) return write_zero(state, call.problem.result, execution);
  require_no_target(call.mode, execution.target, sizeof(T) == 4);
  if (call.mode.kind == ACCUBLAS_MODE_SLICES)
    return with_result(state, call, execution, 0, [&](const Dot<T>& dot, std::byte* memory) {
      slices_dot(state, call, execution, dot, memory - result_bytes);
    });
  if (call.engine == ACCUBLAS_ENGINE_NATIVE) {
    const std::size_t own = state.blas_bytes(), scratch = native_scratch_bytes(call.problem, execution.workspace.cap());
    return with_result(state, call, execution, own + scratch, [&](const Dot<T>& dot, std::byte* memory) {
      state.begin_native_call(execution.report.level);
      state.phase(&accublas_report_t::ms_product);
      state.cublas().begin(stream, own ? memory : nullptr, own);
      native_dot(state.cublas(), dot, Scratch{memory + own, scratch}, stream);
      state.end_call();
    });
  }
  dot_by_kernels(state, call, execution);
}

template <class T, Terms terms>
void norm_call(State& state, const Call<Reduction<T>, T>& call, Execution& execution) {
  const cudaStream_t stream = state.cuda_stream();
  if (call.problem.n == 0) return write_zero(state, call.problem.result, execution);
  if (call.problem.x.pairs) {  // counts as a real vector twice as long
    const Entries<T>& x = call.problem.x;
    const Index n = call.problem.n;
    const auto as_real = [&](const T* data, Execution& inner) {
      const Reduction<T> real{n, Vector<const T>{data, 1}, call.problem.result};
      norm_call<T, terms>(state,
                          Call<Reduction<T>, T>{real, call.alpha, call.beta, call.operands_on_device,
                                                call.result_on_device, call.mode, call.engine},
                          inner);
    };
    if (x.contiguous()) return as_real(x.data, execution);
    T* copy = nullptr;
    InnerCalls inside(state, execution, [&](Carver& carver) { copy = carver.take<T>(n); });
    copy_matrix<T>({x.data, 1, x.stride}, {copy, 1, 2}, 2, n / 2, nullptr, stream);
    as_real(copy, inside.execution());
    return inside.end();
  }
  require_no_target(call.mode, execution.target, sizeof(T) == 4);
  // If cuBLAS cannot compute the norm, cr's value is used.
  if (call.engine == ACCUBLAS_ENGINE_NATIVE && native_has_norm(call.problem)) {
    const std::size_t own = state.blas_bytes();
    return with_result(state, call, execution, own, [&](const Reduction<T>& norm, std::byte* memory) {
      state.begin_native_call(execution.report.level);
      state.phase(&accublas_report_t::ms_product);
      state.cublas().begin(stream, own ? memory : nullptr, own);
      if constexpr (terms == Terms::squares) {
        native_nrm2(state.cublas(), norm);
        put_nan_before_infinity(state.model(), norm, stream);
      } else {
        native_asum(state.cublas(), norm);
      }
      state.end_call();
    });
  }
  const VectorMode mode = vector_mode(call.mode);
  report_rounded_once<T>(call.mode, execution.report);
  const std::size_t bytes = norm_scratch_bytes(state.model(), call.problem.n);
  with_result(state, call, execution, bytes, [&](const Reduction<T>& reduction, std::byte* memory) {
    norm(begin_kernels(state, execution, memory), mode, terms, reduction);
    state.end_call();
  });
}

#define ACCUBLAS_INSTANTIATE(T)                                                                 \
  template void gemv_call(State&, const Call<Gemv<T>, T>&, Execution&);                         \
  template void dot_call(State&, const Call<Dot<T>, T>&, Execution&);                           \
  template void norm_call<T, Terms::squares>(State&, const Call<Reduction<T>, T>&, Execution&); \
  template void norm_call<T, Terms::magnitudes>(State&, const Call<Reduction<T>, T>&, Execution&);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE
#define ACCUBLAS_INSTANTIATE(E)                                                                            \
  template void gemv_by_kernels(State&, const Gemv<E>&, Scalar<RealOf<E>>, Scalar<RealOf<E>>, const Mode&, \
                                Execution&);                                                               \
  template void symv_by_kernels(State&, const Symv<E>&, Scalar<RealOf<E>>, Scalar<RealOf<E>>, const Mode&, \
                                Execution&);                                                               \
  template void dot_by_kernels(State&, const Call<Dot<E>, E>&, Execution&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
