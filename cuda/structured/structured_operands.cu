#include "cuda/core/launch.hpp"
#include "cuda/structured/structured_operands.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/component_sum.hpp"
#include "lib/numerics/exact_sum.hpp"

namespace accublas::cuda {

namespace {

constexpr int edge = 32, steps = 8, threads = edge * steps;

/// A block writes a tile of 32 lines and terms. The entries that it reads are adjacent along one of them, which depends
/// on the position of the tile: a mirrored operand is read across. Tiles off the diagonal have one direction, and all
/// their loads are in flight at once.
template <class E>
__global__ void __launch_bounds__(threads)
    write_tile(const __grid_constant__ ProductLines<E> lines, Index count, Index terms, E* to) {
  await_predecessor();
  __shared__ alignas(16) unsigned char memory[sizeof(E) * edge * (edge + 1)];
  E* const tile = reinterpret_cast<E*>(memory);
  const Index p0 = Index{blockIdx.x} * edge;
  const int x = threadIdx.x % edge, y = threadIdx.x / edge;
  const bool second = p0 >= lines.k, even = second ? !lines.negate_second : p0 + edge <= lines.k;
  const accublas::Operand<E>& operand = second ? lines.second : lines.first;
  const Matrix<const E> stored = operand.stored;
  const Index q0 = second ? p0 - lines.k : p0;
  for (Index line0 = Index{blockIdx.y} * edge; line0 < count; line0 += Index{gridDim.y} * edge) {
    const bool held = holds(operand.part, line0, q0);
    const Matrix<const E> from = held ? stored : Matrix<const E>{stored.data, stored.col_stride, stored.row_stride};
    const bool by_lines = from.row_stride == 1;
    const bool off_diagonal = operand.structure == Structure::general || line0 + edge <= q0 || q0 + edge <= line0;
    const auto place = [&](int i, int& line, int& p) {
      line = by_lines ? x : y + i * steps;
      p = by_lines ? y + i * steps : x;
      return line0 + line < count && p0 + p < terms;
    };
    int line, p;
    if (even && off_diagonal) {
      const bool zero = operand.structure == Structure::triangular && !held;
      const bool conjugate = operand.conjugate != (operand.structure == Structure::hermitian && !held);
      E entries[edge / steps];
#pragma unroll
      for (int i = 0; i < edge / steps; ++i) entries[i] = place(i, line, p) && !zero ? from(line0 + line, q0 + p) : E{};
#pragma unroll
      for (int i = 0; i < edge / steps; ++i) {
        place(i, line, p);
        tile[line * (edge + 1) + p] = conjugate_if(conjugate, entries[i]);
      }
    } else {
      for (int i = 0; i < edge / steps; ++i)
        if (place(i, line, p)) tile[line * (edge + 1) + p] = lines(line0 + line, p0 + p);
    }
    __syncthreads();
    for (int line = y; line < edge; line += steps)
      if (line0 + line < count && p0 + x < terms) to[(line0 + line) * terms + p0 + x] = tile[line * (edge + 1) + x];
    __syncthreads();
  }
}

/// Calls body(i, j) for all elements of an m x n matrix, neighbours down the columns, by kernels of `threads` threads.
template <class Body>
__device__ void for_elements(Index m, Index n, Body&& body) {
  for (Index j = blockIdx.y; j < n; j += gridDim.y)
    for (Index i = Index{blockIdx.x} * threads + threadIdx.x; i < m; i += Index{gridDim.x} * threads) body(i, j);
}
dim3 grid_for(Index m, Index n) {
  const Index across = ceil_div(m, Index{threads});
  return {static_cast<unsigned>(across < 1 << 20 ? across : 1 << 20), static_cast<unsigned>(n < 65535 ? n : 65535)};
}

template <class E>
__device__ E real_on_diagonal(E element, bool real) {
  if constexpr (is_complex<E>)
    if (real) element.im = 0;
  return element;
}

template <class E>
__global__ void __launch_bounds__(threads) gather(const __grid_constant__ TriangleOfResult<E> t, E* square) {
  await_predecessor();
  for_elements(t.n, t.n, [&](Index i, Index j) {
    square[i + j * t.n] = holds(t.part, i, j) ? real_on_diagonal(t.c(i, j), t.hermitian && i == j) : E{};
  });
}
template <class E>
__device__ bool leaves_result(const Scalar<E>& alpha, const Scalar<E>& beta) {
  return is_zero(alpha.get()) && beta.get() == RealOf<E>(1);
}
template <class E>
__global__ void __launch_bounds__(threads) scatter(const __grid_constant__ TriangleOfResult<E> t, const E* square) {
  await_predecessor();
  if (leaves_result(t.alpha, t.beta)) return;
  for_elements(t.n, t.n, [&](Index i, Index j) {
    if (holds(t.part, i, j)) t.c(i, j) = real_on_diagonal(square[i + j * t.n], t.hermitian && i == j);
  });
}

template <class E>
__global__ void __launch_bounds__(threads) clear_imaginary(Matrix<E> c, Index n, Scalar<E> alpha, Scalar<E> beta) {
  await_predecessor();
  if (leaves_result(alpha, beta)) return;
  const Index i = Index{blockIdx.x} * threads + threadIdx.x;
  if (i < n) c(i, i) = real_on_diagonal(c(i, i), true);
}

template <class E>
__global__ void __launch_bounds__(threads) scale(Matrix<E> c, Index m, Index n, Triangle part, bool hermitian,
                                                 Scalar<E> alpha, Scalar<E> factor, bool canonical) {
  await_predecessor();
  if (!is_zero(alpha.get()) || leaves_result(alpha, factor)) return;
  const E beta = factor.get();
  for_elements(m, n, [&](Index i, Index j) {
    if (!holds(part, i, j)) return;
    const bool real = hermitian && i == j;
    const E before = beta == 0 ? E{} : real_on_diagonal(c(i, j), real);
    c(i, j) = real_on_diagonal(canonical ? finish_scaled(beta, before) : beta == 0 ? E{} : beta * before, real);
  });
}

template <class E>
__global__ void __launch_bounds__(threads)
    copy_wanted(Matrix<E> from, Matrix<E> to, Index m, Index n, Triangle part, const E* alpha) {
  await_predecessor();
  if (!is_zero(*alpha)) return;
  for_elements(m, n, [&](Index i, Index j) {
    if (holds(part, i, j)) to(i, j) = from(i, j);
  });
}

template <class T>
__device__ bool finite_number(T x) {
  return is_finite(x);
}
template <class T>
__device__ bool finite_number(const Complex<T>& z) {
  return is_finite(z.re) && is_finite(z.im);
}

/// A block computes a row, and its threads compute elements of it.
template <class E>
__global__ void __launch_bounds__(threads) fix_up(const __grid_constant__ Product<E> p, Scalar<E> factor) {
  await_predecessor();
  const E alpha = factor.get();
  if (is_zero(alpha)) return;
  using T = RealOf<E>;
  for (Index i = blockIdx.x; i < p.m; i += gridDim.x) {
    bool special = false;
    for (Index q = threadIdx.x; q < p.k; q += threads) special |= !finite_number(p.a.stored(i, q));
    if (!__syncthreads_or(special)) continue;
    for (Index j = threadIdx.x; j < p.n; j += threads) {
      const TermRange range = terms_of_column(p, j);
      if constexpr (is_complex<E>) {
        // Both components need both components of S if alpha has an imaginary part.
        ComponentSum<T> re, im;
        ExactSum<T> sum;
        const auto add_to = [&](ComponentSum<T>& to, T factor) {
          T special;
          if (is_zero(factor)) return;
          sum.special(special) ? to.add_special(factor, special)
                               : to.add(factor, sum.value(), LongAccumulator::min_exponent);
        };
        for (Index q = range.first; q < range.end; ++q) {
          const E x = p.a.stored(i, q), y = p.b.stored(q, j);
          sum.add(x.re, y.re);
          sum.add(x.im, -y.im);
        }
        add_to(re, alpha.re);
        add_to(im, alpha.im);
        sum = {};
        for (Index q = range.first; q < range.end; ++q) {
          const E x = p.a.stored(i, q), y = p.b.stored(q, j);
          sum.add(x.re, y.im);
          sum.add(x.im, y.re);
        }
        add_to(re, -alpha.im);
        add_to(im, alpha.re);
        p.c(i, j) = {re.round(), im.round()};
      } else {
        ExactSum<T> sum;
        for (Index q = range.first; q < range.end; ++q) sum.add(p.a.stored(i, q), p.b.stored(q, j));
        p.c(i, j) = sum.finish(alpha, T(0), nullptr);
      }
    }
  }
}

template <class E>
__global__ void take(DeviceFactors<E> from, E* to) {
  await_predecessor();
  if constexpr (is_complex<E>) {
    const RealOf<E> im = from.real_alpha ? 0 : from.alpha[1];
    to[0] = {from.alpha[0], from.conjugate_alpha ? -im : im};
    to[1] = {};
    if (from.beta) to[1] = {from.beta[0], from.real_beta ? 0 : from.beta[1]};
  } else {
    to[0] = from.alpha[0];
    to[1] = from.beta ? from.beta[0] : E(0);
  }
  to[2] = conjugate_if(true, to[0]);
}

}  // namespace

template <class E>
void write_lines(const DeviceModel& model, const ProductLines<E>& lines, Index count, Index terms, E* to,
                 cudaStream_t stream) {
  const Index down = ceil_div(count, Index{edge});
  const dim3 grid(static_cast<unsigned>(ceil_div(terms, Index{edge})),
                  static_cast<unsigned>(down < 65535 ? down : 65535));
  launch(model, "writing lines", write_tile<E>, {grid, threads}, stream, lines, count, terms, to);
}
template <class E>
void gather_triangle(const DeviceModel& model, const TriangleOfResult<E>& t, E* square, cudaStream_t stream) {
  launch(model, "reading a triangle", gather<E>, {grid_for(t.n, t.n), threads}, stream, t, square);
}
template <class E>
void scatter_triangle(const DeviceModel& model, const TriangleOfResult<E>& t, const E* square, cudaStream_t stream) {
  launch(model, "writing a triangle", scatter<E>, {grid_for(t.n, t.n), threads}, stream, t, square);
}
template <class E>
void clear_diagonal(const DeviceModel& model, Matrix<E> c, Index n, Scalar<E> alpha, Scalar<E> beta,
                    cudaStream_t stream) {
  if constexpr (is_complex<E>)
    launch(model, "clearing a diagonal", clear_imaginary<E>, {grid_for(n, 1), threads}, stream, c, n, alpha, beta);
}
template <class E>
void scale_wanted(const DeviceModel& model, Matrix<E> c, Index m, Index n, Triangle part, bool hermitian,
                  Scalar<E> alpha, Scalar<E> beta, bool canonical, cudaStream_t stream) {
  launch(model, "scaling", scale<E>, {grid_for(m, n), threads}, stream, c, m, n, part, hermitian, alpha, beta,
         canonical);
}
template <class E>
void copy_if_zero(const DeviceModel& model, Matrix<E> from, Matrix<E> to, Index m, Index n, Triangle part,
                  const E* alpha, cudaStream_t stream) {
  launch(model, "keeping a result", copy_wanted<E>, {grid_for(m, n), threads}, stream, from, to, m, n, part, alpha);
}
template <class E>
void fix_rows(const DeviceModel& model, const Product<E>& p, Scalar<E> alpha, cudaStream_t stream) {
  const unsigned rows = static_cast<unsigned>(p.m < 65535 ? p.m : 65535);
  launch(model, "rows with Inf or NaN", fix_up<E>, {rows, threads}, stream, p, alpha);
}
template <class E>
void take_factors(const DeviceModel& model, const DeviceFactors<E>& from, E* to, cudaStream_t stream) {
  launch(model, "taking factors", take<E>, {1, 1}, stream, from, to);
}

#define ACCUBLAS_INSTANTIATE(E)                                                                                       \
  template void write_lines(const DeviceModel&, const ProductLines<E>&, Index, Index, E*, cudaStream_t);              \
  template void gather_triangle(const DeviceModel&, const TriangleOfResult<E>&, E*, cudaStream_t);                    \
  template void scatter_triangle(const DeviceModel&, const TriangleOfResult<E>&, const E*, cudaStream_t);             \
  template void clear_diagonal(const DeviceModel&, Matrix<E>, Index, Scalar<E>, Scalar<E>, cudaStream_t);             \
  template void scale_wanted(const DeviceModel&, Matrix<E>, Index, Index, Triangle, bool, Scalar<E>, Scalar<E>, bool, \
                             cudaStream_t);                                                                           \
  template void copy_if_zero(const DeviceModel&, Matrix<E>, Matrix<E>, Index, Index, Triangle, const E*,              \
                             cudaStream_t);                                                                           \
  template void fix_rows(const DeviceModel&, const Product<E>&, Scalar<E>, cudaStream_t);                             \
  template void take_factors(const DeviceModel&, const DeviceFactors<E>&, E*, cudaStream_t);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
