// fixed:T for DOT and GEMV. A first pass finds the largest magnitude of every row and of x. The second pass is cr's,
// with the entries rounded to T bits as they are read (cuda/vector/cr_vector.cu).
#include <algorithm>

#include "cuda/core/carver.hpp"
#include "cuda/core/check.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/loads.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/core/warp_reduce.hpp"
#include "cuda/vector/vector_device.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

constexpr int fixed_warps = 8, fixed_threads = 32 * fixed_warps;
constexpr int fixed_batch = 8;  ///< entries that a lane loads at a time

/// The tasks of warps: each is a segment of a row, of 32 adjacent rows, or of x.
struct Segments {
  Index count, terms;
  static Segments divide(const DeviceModel& model, Index sums, Index k, Index least) {
    const Index wanted =
        std::clamp<Index>(model.tuning().vector.fixed_tasks * model.processors / sums, 1, ceil_div(k, least));
    const Index terms = ceil_div(k, wanted);
    return {ceil_div(k, terms), terms};
  }
};

template <class E>
struct LargestArguments {
  Index m, k;
  Matrix<const E> a;
  Vector<const E> x;
  Segments of_rows, of_x;
  Index row_tasks;
  std::uint64_t* most;  ///< bits of the largest magnitudes: of the rows, then of x
};

/// Returns the largest magnitude of entries p[0], p[spacing stride], ..., with offsets below `left`. The magnitude of a
/// complex entry is that of its larger component.
template <int spacing, class E>
__device__ std::uint64_t largest_of(const E* p, Index stride, Index left) {
  using F = FloatFormat<RealOf<E>>;
  typename F::Bits most = 0;
  const auto raise_to = [&](RealOf<E> number) {
    const auto bits = to_bits(number) & ~F::sign;
    most = bits > most ? bits : most;
  };
  for (; left > 0; left -= fixed_batch * spacing, p += fixed_batch * spacing * stride) {
    E v[fixed_batch];
    if (left > (fixed_batch - 1) * spacing) {
      load_spaced<spacing>(p, stride, v);
    } else {
      load_spaced_below<spacing>(p, stride, left, v);
    }
#pragma unroll
    for (int j = 0; j < fixed_batch; ++j) {
      if constexpr (is_complex<E>)
        raise_to(v[j].re), raise_to(v[j].im);
      else
        raise_to(v[j]);
    }
  }
  return most;
}

__device__ void raise(std::uint64_t* most, std::uint64_t bits) {
  atomicMax(reinterpret_cast<unsigned long long*>(most), static_cast<unsigned long long>(bits));
}

/// Raises *most to the largest magnitude of a segment, by a warp along it.
template <class E>
__device__ void raise_along(std::uint64_t* most, const E* p, Index stride, const Segments& segments, Index segment,
                            Index k) {
  const Index first = segment * segments.terms + threadIdx.x % 32, stop = (segment + 1) * segments.terms;
  const std::uint64_t largest =
      shuffle_reduce(largest_of<32>(p + first * stride, stride, (stop < k ? stop : k) - first),
                     [](std::uint64_t a, std::uint64_t b) { return a > b ? a : b; });
  if (threadIdx.x % 32 == 0) raise(most, largest);
}

/// `columns`: rows are adjacent in memory, and a lane has one.
template <class E, bool columns>
__global__ void __launch_bounds__(fixed_threads) largest_kernel(LargestArguments<E> g) {
  await_predecessor();
  const Index task = static_cast<Index>(blockIdx.x) * fixed_warps + threadIdx.x / 32;
  if (task >= g.row_tasks) {
    const Index segment = task - g.row_tasks;
    if (segment < g.of_x.count) raise_along(g.most + g.m, g.x.data, g.x.stride, g.of_x, segment, g.k);
  } else if (columns) {
    const Index groups = ceil_div(g.m, 32), i = task % groups * 32 + threadIdx.x % 32;
    const Index first = task / groups * g.of_rows.terms, stop = first + g.of_rows.terms;
    if (i >= g.m) return;
    const E* const p = g.a.data + i * g.a.row_stride + first * g.a.col_stride;
    raise(g.most + i, largest_of<1>(p, g.a.col_stride, (stop < g.k ? stop : g.k) - first));
  } else {
    const Index i = task / g.of_rows.count, segment = task % g.of_rows.count;
    raise_along(g.most + i, g.a.data + i * g.a.row_stride, g.a.col_stride, g.of_rows, segment, g.k);
  }
}

/// Finds the largest magnitudes; `most` must be zeros.
template <class E>
void find_largest(const VectorCall& call, const RowProblem<E>& p, std::uint64_t* most) {
  const auto size = [](Index stride) { return stride < 0 ? -stride : stride; };
  const VectorTuning& tuning = call.model.tuning().vector;
  const bool columns = p.m >= tuning.few_rows && size(p.a.row_stride) < size(p.a.col_stride);
  const Index sums = columns ? ceil_div(p.m, 32) : p.m;
  LargestArguments<E> g{
      p.m,
      p.k,
      p.a,
      p.x,
      Segments::divide(call.model, sums, p.k, columns ? tuning.fixed_column_terms : tuning.fixed_terms),
      Segments::divide(call.model, 1, p.k, tuning.fixed_terms),
      0,
      most};
  g.row_tasks = sums * g.of_rows.count;
  const auto blocks = static_cast<unsigned>(ceil_div(g.row_tasks + g.of_x.count, fixed_warps));
  launch(call.model, "find_largest", columns ? largest_kernel<E, true> : largest_kernel<E, false>,
         {blocks, fixed_threads}, call.stream, g);
}

template <class E>
void fixed_rows(const VectorCall& call, const RowProblem<E>& p, int bits) {
  Carver carver(call.scratch);
  std::uint64_t* const most = carver.take<std::uint64_t>(p.m + 1);
  set_on_stream(most, 0, static_cast<std::size_t>(p.m + 1) * sizeof(std::uint64_t), call.stream, "clear exponents");
  find_largest(call, p, most);
  cr_rows(call, p, {most, bits}, carver);
}

}  // namespace

template <class E>
void fixed_gemv(const VectorCall& call, const Gemv<E>& g, int bits, Scalar<RealOf<E>> alpha, Scalar<RealOf<E>> beta) {
  if (g.m > 0 && g.k > 0) fixed_rows(call, row_problem(g, alpha, beta), bits);
}

template <class E>
void fixed_dot(const VectorCall& call, const Dot<E>& d, int bits) {
  if (d.n > 0) {
    fixed_rows(call, row_problem(d), bits);
  } else {
    set_on_stream(d.result, 0, sizeof(E), call.stream, "DOT of nothing");
  }
}

std::size_t vector_scratch_bytes(const DeviceModel& model, VectorMode mode, Index m, Index k, int components) {
  if (m <= 0 || k <= 0) return 0;
  Carver carver(nullptr);
  if (mode == VectorMode::dot2) {
    if (m == 1) dot2_dot_scratch(model, k, components, carver);
    Carver gemv(nullptr);
    dot2_gemv_scratch(model, m, k, components, gemv);
    return std::max(carver.used(), gemv.used());
  }
  if (mode == VectorMode::fixed) carver.take<std::uint64_t>(m + 1);
  cr_scratch(model, m, k, components, carver);
  return carver.used();
}

#define ACCUBLAS_INSTANTIATE(E)                                                                           \
  template void fixed_gemv(const VectorCall&, const Gemv<E>&, int, Scalar<RealOf<E>>, Scalar<RealOf<E>>); \
  template void fixed_dot(const VectorCall&, const Dot<E>&, int);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
