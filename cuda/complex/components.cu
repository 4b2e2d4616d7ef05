#include "cuda/complex/components.hpp"
#include "cuda/core/check.hpp"
#include "cuda/core/rehearsal.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {
namespace {

constexpr int component_threads = 256;

unsigned blocks_for(Index entries) {
  const Index blocks = ceil_div(entries, Index{component_threads});
  return static_cast<unsigned>(blocks < 65536 ? blocks : 65536);
}

/// Calls body(i, j, re, im) for all entries of x; neighbouring threads take neighbours in a column.
template <class T, class Body>
__device__ void for_entries(const Matrix<const Complex<T>>& x, Index rows, Index cols, Body&& body) {
  for (Index at = static_cast<Index>(blockIdx.x) * component_threads + threadIdx.x; at < rows * cols;
       at += static_cast<Index>(gridDim.x) * component_threads) {
    const Index i = at % rows, j = at / rows;
    const Complex<T>* const entry = x.data + i * x.row_stride + j * x.col_stride;
    body(i, j, entry->re, entry->im);
  }
}

template <class T>
__global__ void __launch_bounds__(component_threads)
    rows_kernel(Matrix<const Complex<T>> a, Index m, Index k, RowLayout layout, bool conjugate_a, bool conjugate_b,
                bool transposed, T* to) {
  for_entries(a, m, k, [&](Index i, Index p, T re, T im) {
    if (conjugate_a) im = -im;
    // real[0] and real[1] are the factors of the stored re and im of B's entry in Re of the product; of_re and of_im
    // are their factors in Im.
    const T real[2] = {re, conjugate_b ? im : -im};
    const T of_re = im, of_im = conjugate_b ? -re : re;
    if (layout == RowLayout::both) {
      T* const at = to + 2 * i + 2 * p * 2 * m;
      at[0] = real[0];
      at[1] = of_re;
      at[2 * m] = real[1];
      at[2 * m + 1] = of_im;
    } else {
      T* const at = to + i + 2 * p * m;
      const bool imaginary = layout == RowLayout::imaginary;
      at[0] = !imaginary ? real[0] : transposed ? of_re : of_im;
      at[m] = !imaginary ? real[1] : transposed ? of_im : of_re;
    }
  });
}

template <class T>
__global__ void __launch_bounds__(component_threads)
    columns_kernel(Matrix<const Complex<T>> b, Index k, Index n, bool swapped, T* to) {
  for_entries(b, k, n, [&](Index p, Index j, T re, T im) {
    T* const at = to + 2 * p + j * 2 * k;
    at[0] = swapped ? im : re;
    at[1] = swapped ? re : im;
  });
}

}  // namespace

template <class T>
void write_rows(Matrix<const Complex<T>> a, Index m, Index k, RowLayout layout, bool conjugate_a, bool conjugate_b,
                bool transposed, T* to, cudaStream_t stream) {
  if (rehearses()) return;
  rows_kernel<<<blocks_for(m * k), component_threads, 0, stream>>>(a, m, k, layout, conjugate_a, conjugate_b,
                                                                   transposed, to);
  check_launch("write_rows");
}

template <class T>
void write_columns(Matrix<const Complex<T>> b, Index k, Index n, bool swapped, T* to, cudaStream_t stream) {
  if (rehearses()) return;
  columns_kernel<<<blocks_for(k * n), component_threads, 0, stream>>>(b, k, n, swapped, to);
  check_launch("write_columns");
}

#define ACCUBLAS_INSTANTIATE(T)                                                                                    \
  template void write_rows(Matrix<const Complex<T>>, Index, Index, RowLayout, bool, bool, bool, T*, cudaStream_t); \
  template void write_columns(Matrix<const Complex<T>>, Index, Index, bool, T*, cudaStream_t);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
