// Kernels that copy and scale arrays of matrices.
#include "cuda/core/check.hpp"
#include "cuda/core/matrices.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/rehearsal.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/component_sum.hpp"
#include "lib/numerics/finish.hpp"

namespace accublas::cuda {

namespace {

constexpr int threads = 256;
constexpr Index most_blocks = 4096;

/// Calls body(element, matrix) for all elements of all matrices.
template <class Body>
__device__ void for_elements(Index elements, Index count, Body&& body) {
  const Index all = elements * count;
  for (Index e = static_cast<Index>(blockIdx.x) * threads + threadIdx.x; e < all;
       e += static_cast<Index>(gridDim.x) * threads)
    body(e % elements, e / elements);
}

unsigned blocks_for(Index elements, Index count) {
  const Index blocks = ceil_div(elements * count, threads);
  return static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks);
}

/// The order of the elements of packed matrices. Consecutive elements lie along the dimension whose elements are
/// adjacent in the other matrices.
struct Order {
  Index inner, inner_stride, outer_stride, elements;

  template <class T>
  Order(const Matrix<T>& strides, Index rows, Index cols) : elements(rows * cols) {
    const bool adjacent = strides.row_stride == 1;
    inner = adjacent ? rows : cols;
    inner_stride = adjacent ? strides.row_stride : strides.col_stride;
    outer_stride = adjacent ? strides.col_stride : strides.row_stride;
  }
  /// Returns the offset of element e of a packed matrix in a matrix with the strides.
  __device__ Index offset(Index e) const { return e % inner * inner_stride + e / inner * outer_stride; }
};

template <class T>
__global__ void __launch_bounds__(threads)
    gather_kernel(BatchArray<const T> from, Order order, Index first, Index count, T* packed, const T* only_if_zero) {
  if (only_if_zero && !is_zero(*only_if_zero)) return;
  for_elements(order.elements, count,
               [&](Index e, Index q) { packed[q * order.elements + e] = from[first + q][order.offset(e)]; });
}

template <class T>
__global__ void __launch_bounds__(threads)
    scatter_kernel(const T* packed, Order order, Index first, Index count, BatchArray<T> to, const T* only_if_zero) {
  if (only_if_zero && !is_zero(*only_if_zero)) return;
  for_elements(order.elements, count,
               [&](Index e, Index q) { to[first + q][order.offset(e)] = packed[q * order.elements + e]; });
}

template <class T>
__global__ void __launch_bounds__(threads)
    scale_kernel(BatchArray<T> c, Order order, Index count, Scalar<T> alpha, Scalar<T> scale, bool canonical_nans) {
  const T beta = scale.get();
  if (beta == T(1) || !is_zero(alpha.get())) return;
  for_elements(order.elements, count, [&](Index e, Index q) {
    T* const at = c[q] + order.offset(e);
    const T old = read_addend(beta, at);
    *at = canonical_nans ? finish_scaled(beta, old) : is_zero(beta) ? T(0) : beta * old;
  });
}

}  // namespace

template <class T>
void gather_matrices(const BatchArray<const T>& from, Matrix<const T> strides, Index rows, Index cols, Index first,
                     Index count, T* packed, const T* only_if_zero, cudaStream_t stream) {
  if (rehearses()) return;
  gather_kernel<<<blocks_for(rows * cols, count), threads, 0, stream>>>(from, Order(strides, rows, cols), first, count,
                                                                        packed, only_if_zero);
  check_launch("gather_matrices");
}

template <class T>
void scatter_matrices(const T* packed, const BatchArray<T>& to, Matrix<T> strides, Index rows, Index cols, Index first,
                      Index count, const T* only_if_zero, cudaStream_t stream) {
  if (rehearses()) return;
  scatter_kernel<<<blocks_for(rows * cols, count), threads, 0, stream>>>(packed, Order(strides, rows, cols), first,
                                                                         count, to, only_if_zero);
  check_launch("scatter_matrices");
}

template <class T>
void scale_matrices(const BatchArray<T>& c, Matrix<T> strides, Index rows, Index cols, Index count, Scalar<T> alpha,
                    Scalar<T> beta, bool canonical, cudaStream_t stream) {
  if (rehearses()) return;
  scale_kernel<<<blocks_for(rows * cols, count), threads, 0, stream>>>(c, Order(strides, rows, cols), count, alpha,
                                                                       beta, canonical);
  check_launch("scale_matrices");
}

#define ACCUBLAS_COPIES(T)                                                                                             \
  template void gather_matrices(const BatchArray<const T>&, Matrix<const T>, Index, Index, Index, Index, T*, const T*, \
                                cudaStream_t);                                                                         \
  template void scatter_matrices(const T*, const BatchArray<T>&, Matrix<T>, Index, Index, Index, Index, const T*,      \
                                 cudaStream_t);
#define ACCUBLAS_INSTANTIATE(T)                                                                                  \
  ACCUBLAS_COPIES(T)                                                                                             \
  template void scale_matrices(const BatchArray<T>&, Matrix<T>, Index, Index, Index, Scalar<T>, Scalar<T>, bool, \
                               cudaStream_t);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
ACCUBLAS_COPIES(Complex<double>)
ACCUBLAS_COPIES(Complex<float>)
#undef ACCUBLAS_INSTANTIATE
#undef ACCUBLAS_COPIES

}  // namespace accublas::cuda
