// The exponents of a panel in device memory.
#include "cuda/accumulator/steps.hpp"
#include "cuda/core/memory.hpp"
#include "cuda/core/staging.hpp"
#include "cuda/exact/engine_call.hpp"
#include "cuda/scaling/measure.hpp"
#include "lib/accumulator/calls.hpp"
#include "lib/base/stack.hpp"

namespace accublas {

template <class E>
void measure_on_device(BackendState& users, Index count, Index k, Matrix<const E> x, LineExponents* exponents) {
  using T = RealOf<E>;
  constexpr int parts = is_complex<E> ? 2 : 1;
  cuda::State& context = static_cast<cuda::State&>(users);
  with_stack(cuda::needed_stack, [&] {
    const cuda::CallScope scope(context);
    context.require_not_captured(cuda::accumulator_call);
    const cudaStream_t stream = context.cuda_stream();
    // Real and imaginary parts are measured apart, as on the CPU: a part with Inf or NaN leaves out itself alone.
    for (int part = 0; part < parts; ++part) {
      const cuda::Operand<T> lines_of{reinterpret_cast<const T*>(x.data) + part, parts * x.row_stride,
                                      parts * x.col_stride, count, k};
      cuda::CallState* state = nullptr;
      cuda::Lines lines{};
      const cuda::ArrayMemory<cuda::CallMemory> memory(
          [&](cuda::Carver& carver) {
            state = carver.take<cuda::CallState>(1);
            lines = cuda::take_lines(carver, lines_of, false);
          },
          context);
      cuda::check(cudaMemsetAsync(state, 0, sizeof *state, stream), "clearing numbers");
      cuda::measure(context.model(), lines_of, lines, lines_of, lines, false, state, stream);
      const std::size_t all = static_cast<std::size_t>(count);
      std::vector<std::int32_t> exponent(all), last_bit(all);
      std::vector<double> norm(all);
      const auto fetch = [&](auto& to, const auto* from) {
        cuda::check(cudaMemcpyAsync(to.data(), from, all * sizeof *from, cudaMemcpyDeviceToHost, stream),
                    "copying numbers");
      };
      fetch(exponent, lines.exponent);
      fetch(last_bit, lines.last_bit);
      fetch(norm, lines.norm);
      cuda::check(cudaStreamSynchronize(stream), "waiting for lines");
      for (std::size_t i = 0; i < all; ++i)
        if (norm[i] > 0) exponents[i].raise(exponent[i], last_bit[i]);
    }
  });
}

#define ACCUBLAS_INSTANTIATE(E) \
  template void measure_on_device(BackendState&, Index, Index, Matrix<const E>, LineExponents*);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas
