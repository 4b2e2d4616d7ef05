// fixed:T for DOT and GEMV: a first pass finds the largest magnitude of every row and of x, a second one is cr's with
// the entries rounded to T bits on the way (cuda/vector/correct_vector.cu).
#include <algorithm>

#include "cuda/check.hpp"
#include "cuda/vector/vector_device.hpp"

namespace accublas::cuda {

namespace {

constexpr int warps = 8, threads = 32 * warps;
constexpr Index least_terms = 2048;  ///< that a warp looks through, so that its atomic operation costs nothing

/// Rows of a matrix, looked through in segments.
template <class T>
struct Rows {
  Index m, k;
  Matrix<const T> a;
  Index segments, segment_terms;
  std::uint64_t* most;
};

template <class T>
__device__ typename FloatFormat<T>::Bits magnitude_bits(T x) {
  return to_bits(x) & ~FloatFormat<T>::sign;
}

/// Over terms from `first` on, `step` apart, below `end`.
template <class T>
__device__ std::uint64_t largest_of(const T* a, Index stride, Index first, Index step, Index end) {
  typename FloatFormat<T>::Bits most = 0;
#pragma unroll 8
  for (Index p = first; p < end; p += step) {
    const auto bits = magnitude_bits(__ldg(a + p * stride));
    most = bits > most ? bits : most;
  }
  return most;
}

__device__ void raise(std::uint64_t* most, std::uint64_t bits) {
  atomicMax(reinterpret_cast<unsigned long long*>(most), static_cast<unsigned long long>(bits));
}

/// A warp for a segment of a row.
template <class T>
__global__ void __launch_bounds__(threads) largest_along(Rows<T> r) {
  const Index task = static_cast<Index>(blockIdx.x) * warps + threadIdx.x / 32, lane = threadIdx.x % 32;
  const Index i = task / r.segments, first = task % r.segments * r.segment_terms, stop = first + r.segment_terms;
  if (i >= r.m) return;
  std::uint64_t most =
      largest_of(r.a.data + i * r.a.row_stride, r.a.col_stride, first + lane, Index{32}, stop < r.k ? stop : r.k);
  for (int half = 16; half > 0; half /= 2) {
    const std::uint64_t other = __shfl_down_sync(0xFFFFFFFFu, most, half);
    most = other > most ? other : most;
  }
  if (lane == 0) raise(r.most + i, most);
}

/// A lane for a segment of a row.
template <class T>
__global__ void __launch_bounds__(threads) largest_of_columns(Rows<T> r) {
  const Index groups = (r.m + 31) / 32, task = static_cast<Index>(blockIdx.x) * warps + threadIdx.x / 32;
  const Index i = task % groups * 32 + threadIdx.x % 32, segment = task / groups;
  const Index first = segment * r.segment_terms, stop = first + r.segment_terms;
  if (i >= r.m || segment >= r.segments) return;
  raise(r.most + i,
        largest_of(r.a.data + i * r.a.row_stride, r.a.col_stride, first, Index{1}, stop < r.k ? stop : r.k));
}

Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }

template <class T>
void find_largest(const VectorCall& call, Index m, Index k, Matrix<const T> a, std::uint64_t* most) {
  const auto size = [](Index stride) { return stride < 0 ? -stride : stride; };
  const bool columns = m >= 8 && size(a.row_stride) < size(a.col_stride);
  const Index sums = columns ? ceil_div(m, 32) : m;
  const Index least = columns ? 128 : least_terms;
  Rows<T> r{m, k, a, 0, 0, most};
  r.segments = std::clamp<Index>(Index{32} * call.model.processors / sums, 1, ceil_div(k, least));
  r.segment_terms = ceil_div(k, r.segments);
  const auto blocks = static_cast<unsigned>(ceil_div(sums * r.segments, warps));
  if (columns) {
    largest_of_columns<<<blocks, threads, 0, call.stream>>>(r);
  } else {
    largest_along<<<blocks, threads, 0, call.stream>>>(r);
  }
  check_launch("find_largest");
}

template <class T>
void fixed_rows(const VectorCall& call, const RowProblem<T>& p, int bits) {
  Carver carver(call.scratch);
  std::uint64_t* const most = carver.take<std::uint64_t>(p.m + 1);
  check(cudaMemsetAsync(most, 0, static_cast<std::size_t>(p.m + 1) * sizeof(std::uint64_t), call.stream),
        "clear exponents");
  find_largest(call, p.m, p.k, p.a, most);
  find_largest(call, 1, p.k, Matrix<const T>{p.x.data, 0, p.x.stride}, most + p.m);
  correct_rows(call, p, {most, bits}, carver);
}

}  // namespace

template <class T>
void fixed_gemv(const VectorCall& call, const Gemv<T>& g, int bits, Scalar<T> alpha, Scalar<T> beta) {
  if (g.m > 0 && g.k > 0) fixed_rows(call, row_problem(g, alpha, beta), bits);
}

template <class T>
void fixed_dot(const VectorCall& call, const Dot<T>& d, int bits) {
  if (d.n > 0) {
    fixed_rows(call, row_problem(d), bits);
  } else {
    check(cudaMemsetAsync(d.result, 0, sizeof(T), call.stream), "DOT of nothing");
  }
}

std::size_t vector_scratch_bytes(const DeviceModel& model, VectorMode mode, Index m, Index k) {
  if (m <= 0 || k <= 0) return 0;
  Carver carver(nullptr);
  if (mode == VectorMode::dot2) {
    if (m == 1) dot2_dot_scratch(model, k, carver);
    Carver gemv(nullptr);
    dot2_gemv_scratch(model, m, k, gemv);
    return std::max(carver.used(), gemv.used());
  }
  if (mode == VectorMode::fixed) carver.take<std::uint64_t>(m + 1);
  correct_scratch(model, m, k, carver);
  return carver.used();
}

#define ACCUBLAS_INSTANTIATE(T)                                                           \
  template void fixed_gemv(const VectorCall&, const Gemv<T>&, int, Scalar<T>, Scalar<T>); \
  template void fixed_dot(const VectorCall&, const Dot<T>&, int);
ACCUBLAS_INSTANTIATE(double)
ACCUBLAS_INSTANTIATE(float)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
