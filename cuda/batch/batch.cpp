#include "cuda/batch/batch.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>

#include "cuda/batch/batch_cost.hpp"
#include "cuda/batch/batch_kernels.hpp"
#include "cuda/complex/gemm_complex.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/carver.hpp"
#include "cuda/core/cublas.hpp"
#include "cuda/core/inner_calls.hpp"
#include "cuda/core/matrices.hpp"
#include "cuda/core/memory.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/scalar_argument.hpp"
#include "cuda/int8/gemm_int8.hpp"
#include "cuda/native/native_call.hpp"
#include "lib/base/error.hpp"
#include "lib/base/integers.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/call/one_by_one.hpp"
#include "lib/numerics/bounds.hpp"

namespace accublas::cuda {

namespace {

/// Returns the batch with contiguous columns of C: `x` itself if it has those, or the transposed products C^T = B^T
/// A^T.
template <class T>
GemmBatch<T> column_major(const GemmBatch<T>& x) {
  const Gemm<T>& g = x.shape;
  if (g.c.row_stride == 1) return x;
  return {g.transposed(), x.count, x.b, x.a, x.c};
}

template <class T>
BatchProblem<T> batch_problem(const Call<GemmBatch<T>, T>& call) {
  const GemmBatch<T> x = column_major(call.problem);
  const Gemm<T>& g = x.shape;
  return {g.m,
          g.n,
          g.k,
          x.count,
          {x.a.base, x.a.stride, x.a.pointers},
          {x.b.base, x.b.stride, x.b.pointers},
          {x.c.base, x.c.stride, x.c.pointers},
          g.a.row_stride,
          g.a.col_stride,
          g.b.col_stride,
          g.b.row_stride,
          g.c.row_stride,
          g.c.col_stride,
          device_scalar(call.alpha),
          device_scalar(call.beta)};
}

/// Calls serve(call) for every matrix of `batch`, which is all of the call's batch or a part of it. `written` says that
/// other parts were written before, so that a failure leaves C undefined. A matrix that misses the accuracy target does
/// not stop the others; the first such error is thrown at the end.
template <class T, class Serve>
void each_matrix(const Call<GemmBatch<T>, T>& call, const GemmBatch<T>& batch, bool written, Serve&& serve) {
  std::optional<Error> missed;
  const auto serve_matrix = [&](Index i) {
    const Gemm<T> matrix = batch[i];
    try {
      serve(Call<Gemm<T>, T>{matrix, call.alpha, call.beta, call.operands_on_device, call.result_on_device, call.mode,
                             call.engine});
    } catch (const Error& error) {
      if (error.status() != ACCUBLAS_ERROR_ACCURACY) throw;
      if (!missed) missed = error;
    }
  };
  one_by_one(batch.count, serve_matrix, written);
  if (missed) throw *missed;
}

/// Computes a batch by cuBLAS's batched routines. cuBLAS reads A and B even if an alpha in device memory turns out to
/// be zero. So C is kept, a part of the batch at a time, and put back in that case.
template <class T>
void native_batch(State& state, const Call<GemmBatch<T>, T>& call, Execution& execution) {
  const GemmBatch<T> x = column_major(call.problem);
  const Gemm<T>& g = x.shape;
  const cudaStream_t stream = state.cuda_stream();
  const std::size_t own = state.blas_bytes(), kept_bytes = static_cast<std::size_t>(g.m * g.n) * sizeof(T);
  const bool keeps = call.alpha.on_device;
  const Index part = keeps ? in_a_quarter(execution.workspace.cap(), own, kept_bytes, x.count) : x.count;
  const std::size_t kept = keeps ? static_cast<std::size_t>(part) * kept_bytes : 0;
  Cublas& blas = state.cublas();
  std::optional<CallMemory> memory;
  if (own + kept > 0) memory.emplace(state, execution.workspace, own + kept);
  state.begin_call(execution.report.level);
  state.phase(&accublas_report_t::ms_product);
  blas.begin(stream, own ? memory->data() : nullptr, own);
  blas.scalars_on_device(call.alpha.on_device);
  // A stride along a dimension of 1 is not a leading dimension.
  const auto view = [](auto* data, const Matrix<const T>& m, Index rows, Index cols) {
    const bool plain = m.row_stride == 1;
    const Index ld = plain ? (cols > 1 ? m.col_stride : rows) : (rows > 1 ? m.row_stride : cols);
    return BlasMatrix<std::remove_pointer_t<decltype(data)>>{data, plain ? CUBLAS_OP_N : CUBLAS_OP_T, ld};
  };
  const Index ldc = g.n > 1 ? g.c.col_stride : g.m;
  const KeptResult<T> result({x.c.base, x.c.stride, x.c.pointers}, g.c,
                             keeps ? reinterpret_cast<T*>(memory->data() + own) : nullptr, call.alpha.pointer, stream);
  for (Index first = 0; first < x.count; first += part) {
    const Index count = std::min(part, x.count - first);
    if (keeps) result.keep(g.m, g.n, first, count);
    if (x.c.pointers) {
      const Cublas::PointerBatch<T> batch{view(x.a.pointers + first, g.a, g.m, g.k),
                                          view(x.b.pointers + first, g.b, g.k, g.n), x.c.pointers + first, ldc, count};
      blas.gemm_batched(g.m, g.n, g.k, call.alpha.pointer, batch, call.beta.pointer);
    } else {
      const Cublas::Batch<T> batch{view(x.a.base + first * x.a.stride, g.a, g.m, g.k),
                                   view(x.b.base + first * x.b.stride, g.b, g.k, g.n),
                                   x.c.base + first * x.c.stride,
                                   ldc,
                                   x.a.stride,
                                   x.b.stride,
                                   x.c.stride,
                                   count};
      blas.gemm_batched(g.m, g.n, g.k, call.alpha.pointer, batch, call.beta.pointer);
    }
    if (keeps) result.put_back(g.m, g.n, first, count);
  }
  if (keeps)
    scale_matrices<T>({x.c.base, x.c.stride, x.c.pointers}, g.c, g.m, g.n, x.count, device_scalar(call.alpha),
                      device_scalar(call.beta), false, stream);
  state.end_call();
  execution.report.workspace_bytes = static_cast<std::int64_t>(own + kept);
}

/// Returns whether the kernels for small matrices serve a call. In dp and sp they return cr's values. fixed:T with a
/// target must know the data before it writes.
template <class T>
bool serves_small(const State& state, const Call<GemmBatch<T>, T>& call, const Execution& execution) {
  // A launch must have fewer than 2^31 thread blocks. If sums are long, a thread block computes 32 x 32 elements.
  constexpr Index most_blocks = Index{1} << 30;
  const Gemm<T>& g = call.problem.shape;
  if (call.engine != ACCUBLAS_ENGINE_INT8 || !batch_serves(state.model(), call.mode, g.m, g.n, g.k)) return false;
  if (call.problem.count > most_blocks / (ceil_div(g.m, 32) * ceil_div(g.n, 32))) return false;
  return call.mode.kind != ACCUBLAS_MODE_FIXED || execution.target == 0;
}

/// Returns the tiles of the kernels for small matrices.
template <class T>
BatchTiles small_tiles(const State& state, const Call<GemmBatch<T>, T>& call) {
  const Gemm<T> g = column_major(call.problem).shape;
  return call.mode.kind == ACCUBLAS_MODE_FIXED ? batch_fixed_tiles(state.model(), g.m, g.n, g.k, call.problem.count)
                                               : batch_tiles(state.model(), g.m, g.n, g.k, call.problem.count);
}

/// Returns whether a call is faster by groups than by the kernels for small matrices. Batches in single precision, of
/// which no times are known, take these kernels.
template <class T>
bool groups_are_faster(const State& state, const Call<GemmBatch<T>, T>& call) {
  if (sizeof(T) == sizeof(float)) return false;
  const Gemm<T>& g = call.problem.shape;
  const BatchSize size{g.m, g.n, g.k, call.problem.count};
  const int bits = call.mode.kind == ACCUBLAS_MODE_FIXED ? call.mode.parameter : 0;
  return BatchTimes{}.margin * group_time(state.model(), size, usual_batch_moduli(bits)) <
         small_batch_time(state.model(), size, small_tiles(state, call), bits);
}

/// Returns whether a call has values that int8_batch computes. Larger products fill the device by themselves.
template <class T>
bool may_be_grouped(const Call<GemmBatch<T>, T>& call, const Execution& execution) {
  constexpr Index most_order = 1024;
  const Gemm<T>& g = call.problem.shape;
  const Mode& mode = call.mode;
  const bool of_mode =
      mode.kind == ACCUBLAS_MODE_CR || mode.kind == ACCUBLAS_MODE_FIXED || (is_grade(mode) && mode.reproducible);
  return call.engine == ACCUBLAS_ENGINE_INT8 && of_mode && execution.target == 0 && g.m <= most_order &&
         g.n <= most_order && g.k <= most_order;
}

/// Returns the arrays of a batch for kernels. `Part` is the type of its numbers, or of their real and imaginary parts.
template <class Part, class T>
BatchOperands<Part> batch_operands(const GemmBatch<T>& x) {
  constexpr Index parts = sizeof(T) / sizeof(Part);
  const auto of = [](const auto& from, auto* part) {
    using Pointer = decltype(part);
    return BatchArray<std::remove_pointer_t<Pointer>>{reinterpret_cast<Pointer>(from.base), parts * from.stride,
                                                      reinterpret_cast<const Pointer*>(from.pointers)};
  };
  constexpr const Part* read = nullptr;
  constexpr Part* written = nullptr;
  return {of(x.a, read), of(x.b, read), of(x.c, written)};
}

/// Computes a batch of real matrices in groups (int8_batch). Returns false, with nothing written, if it cannot.
template <class T>
bool grouped_batch(State& state, const Call<GemmBatch<T>, T>& call, Execution& execution) {
  if (!may_be_grouped(call, execution)) return false;
  const Gemm<T> shape = call.problem.with(nullptr, nullptr, nullptr);
  return int8_batch(state, Call<Gemm<T>, T>{shape, call.alpha, call.beta, true, true, call.mode, call.engine},
                    call.problem.count, batch_operands<T>(call.problem), execution);
}

/// Counterpart of grouped_batch for complex matrices. alpha and beta must be real numbers in host memory.
template <class T>
bool grouped_batch(State& state, const Call<GemmBatch<Complex<T>>, Complex<T>>& call, Execution& execution) {
  const GemmBatch<Complex<T>> x = column_major(call.problem);
  const Gemm<Complex<T>>& g = x.shape;
  if (!may_be_grouped(call, execution) || g.c.row_stride != 1 || g.k == 0 || call.alpha.on_device) return false;
  const Complex<T> alpha = *call.alpha.pointer, beta = *call.beta.pointer;
  if (alpha.im != 0 || beta.im != 0 || alpha.re == 0) return false;
  const Gemm<T> shape = product_as_stored<T>(x.with(nullptr, nullptr, nullptr), alpha.re, beta.re);
  return int8_batch(state,
                    Call<Gemm<T>, T>{shape, {&alpha.re, false}, {&beta.re, false}, true, true, call.mode, call.engine},
                    x.count, batch_operands<T>(x), execution);
}

/// Computes all matrices by the kernels for small matrices. Sums with bounds and exact accumulators compute the
/// elements that these kernels leave pending.
template <class T>
void small_batch(State& state, const Call<GemmBatch<T>, T>& call, Execution& execution) {
  const BatchProblem<T> p = batch_problem(call);
  const bool fixed = call.mode.kind == ACCUBLAS_MODE_FIXED;
  const BatchTiles tiles = small_tiles(state, call);
  const cudaStream_t stream = state.cuda_stream();
  std::uint32_t* open = nullptr;
  const auto lay_out = [&](Carver& carver) { open = carver.take<std::uint32_t>(tiles.open_words(p.count)); };
  const ArrayMemory<CallMemory> memory(lay_out, state, execution.workspace);
  CallState* const device = state.begin_call(execution.report.level);
  state.phase(&accublas_report_t::ms_product);
  if (fixed)
    batch_fixed(state.model(), p, tiles, call.mode.parameter, open, device, stream);
  else
    batch_cr(state.model(), p, tiles, open, false, device, stream);
  state.phase(&accublas_report_t::ms_exact);
  if (!fixed && tiles.long_sums) batch_squares(state.model(), p, tiles, open, device, stream);
  batch_exact(state.model(), p, tiles, open, device, stream);
  state.end_call();
  execution.report.workspace_bytes = static_cast<std::int64_t>(memory.bytes());
  put_bound(execution.report, rounded_once<T>());  // the device reports whether fixed:T dropped bits
}

/// Computes a strided batch by single calls of the engine.
template <class T>
void strided_batch(State& state, const Call<GemmBatch<T>, T>& call, Execution& execution, DeviceGemmFunction<T> serve) {
  BatchScope scope(state, execution.report.level);
  each_matrix(call, call.problem, false, [&](const Call<Gemm<T>, T>& one) { serve(state, one, execution); });
  scope.end();
}

/// Computes a batch whose matrices are given by pointers in device memory. Only kernels can follow these, so kernels
/// copy the matrices to packed ones and the results back, a part of the batch at a time.
template <class T>
void gathered_batch(State& state, const Call<GemmBatch<T>, T>& call, Execution& execution,
                    DeviceGemmFunction<T> serve) {
  const GemmBatch<T>& x = call.problem;
  const Gemm<T>& g = x.shape;
  const cudaStream_t stream = state.cuda_stream();
  const auto packed = [](const auto& strides, Index rows, Index cols) {
    auto m = strides;
    m.row_stride = strides.row_stride == 1 ? 1 : cols;
    m.col_stride = strides.row_stride == 1 ? rows : 1;
    return m;
  };
  const std::size_t a_words = static_cast<std::size_t>(g.m * g.k), b_words = static_cast<std::size_t>(g.k * g.n),
                    c_words = static_cast<std::size_t>(g.m * g.n), words = a_words + b_words + c_words;
  const Index part = in_a_quarter(execution.workspace.cap(), 0, words * sizeof(T), x.count);
  T* a = nullptr;
  InnerCalls inside(state, execution, [&](Carver& carver) { a = carver.take<T>(part * static_cast<Index>(words)); });
  T* const b = a + static_cast<std::size_t>(part) * a_words;
  T* const c = b + static_cast<std::size_t>(part) * b_words;

  BatchScope scope(state, execution.report.level);
  const BatchArray<const T> from_a{nullptr, 0, x.a.pointers}, from_b{nullptr, 0, x.b.pointers};
  const BatchArray<const T> from_c{nullptr, 0, const_cast<const T* const*>(x.c.pointers)};
  const BatchArray<T> to_c{nullptr, 0, x.c.pointers};
  const Matrix<const T> c_strides{nullptr, g.c.row_stride, g.c.col_stride};
  constexpr const T* no_condition = nullptr;
  const bool product = !no_product(g.k, call.alpha);
  for (Index first = 0; first < x.count; first += part) {
    const Index count = std::min(part, x.count - first);
    state.phase(&accublas_report_t::ms_convert);
    if (product) {
      gather_matrices(from_a, g.a, g.m, g.k, first, count, a, no_condition, stream);
      gather_matrices(from_b, g.b, g.k, g.n, first, count, b, no_condition, stream);
    }
    gather_matrices(from_c, c_strides, g.m, g.n, first, count, c, no_condition, stream);
    Gemm<T> shape = g;
    shape.a = packed(g.a, g.m, g.k);
    shape.b = packed(g.b, g.k, g.n);
    shape.c = packed(g.c, g.m, g.n);
    const GemmBatch<T> copies{shape,
                              count,
                              {a, static_cast<Index>(a_words), nullptr},
                              {b, static_cast<Index>(b_words), nullptr},
                              {c, static_cast<Index>(c_words), nullptr}};
    each_matrix(call, copies, first > 0, [&](const Call<Gemm<T>, T>& one) { serve(state, one, inside.execution()); });
    scatter_matrices<T>(c, to_c, g.c, g.m, g.n, first, count, no_condition, stream);
    execution.report.copied_bytes += static_cast<std::int64_t>((words + c_words) * sizeof(T)) * count;
  }
  scope.end();
  inside.end();
}

/// Computes a batch of real matrices in device memory.
template <class T>
void real_batch(State& state, const Call<GemmBatch<T>, T>& call, Execution& execution, DeviceGemmFunction<T> serve) {
  const GemmBatch<T>& x = call.problem;
  if (no_product(x.shape.k, call.alpha)) {
    state.begin_call(0);
    // The kernel scales only if alpha is zero, and k = 0 counts as alpha = 0.
    scale_matrices<T>({x.c.base, x.c.stride, x.c.pointers}, x.shape.c, x.shape.m, x.shape.n, x.count,
                      Scalar<T>{T(0), nullptr}, device_scalar(call.beta), bit_defined(call.mode), state.cuda_stream());
    return state.end_call();
  }
  if (call.engine == ACCUBLAS_ENGINE_NATIVE) return native_batch(state, call, execution);
  const bool small = serves_small(state, call, execution);
  if ((!small || groups_are_faster(state, call)) && grouped_batch(state, call, execution)) return;
  if (small) return small_batch(state, call, execution);
  if (x.c.pointers) return gathered_batch(state, call, execution, serve);
  strided_batch(state, call, execution, serve);
}

}  // namespace

template <class T>
void gemm_batched(State& state, const Call<GemmBatch<T>, T>& call, Execution& execution, DeviceGemmFunction<T> serve) {
  const GemmBatch<T>& x = call.problem;
  if (!call.operands_on_device)
    return each_matrix(call, x, false, [&](const Call<Gemm<T>, T>& one) { staged_gemm(state, one, execution, serve); });
  if constexpr (is_complex<T>) {
    if (grouped_batch(state, call, execution)) return;
    x.c.pointers ? gathered_batch(state, call, execution, serve) : strided_batch(state, call, execution, serve);
  } else {
    real_batch(state, call, execution, serve);
  }
}

#define ACCUBLAS_INSTANTIATE(E) \
  template void gemm_batched(State&, const Call<GemmBatch<E>, E>&, Execution&, DeviceGemmFunction<E>);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
