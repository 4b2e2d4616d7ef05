#include "cuda/core/launch.hpp"
#include "cuda/structured/vector_lines.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

constexpr int widen_threads = 256;

/// Calls body(i) for i < n.
template <class Body>
__device__ void for_numbers(Index n, Body&& body) {
  for (Index i = Index{blockIdx.x} * widen_threads + threadIdx.x; i < n; i += Index{gridDim.x} * widen_threads) body(i);
}
LaunchShape shape_for(Index n) {
  const Index blocks = ceil_div(n, Index{widen_threads});
  return {static_cast<unsigned>(blocks < 1 << 16 ? blocks : 1 << 16), widen_threads};
}

template <class T>
__global__ void __launch_bounds__(widen_threads)
    column_kernel(Vector<const Complex<T>> x, Index k, bool conjugate_row, T* real, T* imaginary) {
  await_predecessor();
  for_numbers(k, [&](Index p) {
    const Complex<T> z = x.data[p * x.stride];
    real[2 * p] = z.re;
    real[2 * p + 1] = conjugate_row ? z.im : -z.im;
    imaginary[2 * p] = z.im;
    imaginary[2 * p + 1] = conjugate_row ? -z.re : z.re;
  });
}

__global__ void __launch_bounds__(widen_threads) widen_kernel(Vector<const float> x, Index n, double* to) {
  await_predecessor();
  for_numbers(n, [&](Index i) { to[i] = x.data[i * x.stride]; });
}

}  // namespace

template <class T>
void write_column_lines(const DeviceModel& model, Vector<const Complex<T>> x, Index k, bool conjugate_row,
                        T* const (&to)[2], cudaStream_t stream) {
  launch(model, "writing a column", column_kernel<T>, shape_for(k), stream, x, k, conjugate_row, to[0], to[1]);
}

void widen(const DeviceModel& model, Vector<const float> x, Index n, double* to, cudaStream_t stream) {
  launch(model, "widening a vector", widen_kernel, shape_for(n), stream, x, n, to);
}

template void write_column_lines(const DeviceModel&, Vector<const Complex<double>>, Index, bool, double* const (&)[2],
                                 cudaStream_t);
template void write_column_lines(const DeviceModel&, Vector<const Complex<float>>, Index, bool, float* const (&)[2],
                                 cudaStream_t);

}  // namespace accublas::cuda
