// dot2's tree, for DOT, NRM2 and ASUM. The 32 lanes of the definition are those of a warp. A thread block takes aligned
// subtrees of a power of two of blocks of 1024 terms, 16 blocks at a time, one a warp. The last thread block to end
// combines the subtrees' pairs. A complex product has two trees, one for each component, and a lane loads the numbers
// that make its terms. cr also uses the pairs of NRM2 and ASUM (cuda/vector/norm_pair.hpp).
#include <algorithm>
#include <bit>

#include "cuda/core/arithmetic.hpp"
#include "cuda/core/arrival.hpp"
#include "cuda/core/carver.hpp"
#include "cuda/core/check.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/loads.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/core/warp_reduce.hpp"
#include "cuda/sums/dot2_pair.hpp"
#include "cuda/vector/norm_pair.hpp"
#include "cuda/vector/vector_device.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/dot2_block.hpp"

namespace accublas::cuda {

namespace {

// Two thread blocks of 16 warps on a multiprocessor keep 128 KiB of loads in flight.
constexpr int dot_warps = 16, dot_threads = 32 * dot_warps, dot_resident = 2;
/// The count of real numbers of an operand that a lane loads at a time.
template <class E, Terms terms>
constexpr int dot_batch = terms != Terms::products ? 16
                          : is_complex<E>          ? 4
                                                   : 8;
constexpr int most_levels = 14;  ///< a subtree has at most 2^(most_levels - 1) tasks
constexpr int fold_width = 8;    ///< pairs that a warp combines in registers at a time

/// A task is `warps` blocks of the definition, and a subtree is a power of two of tasks. A thread block takes
/// consecutive subtrees.
struct DotDivision {
  Index tasks, subtree_tasks, subtrees, subtrees_per_block, thread_blocks;
};

/// Chooses the largest subtrees that leave at most a quarter of the resident thread blocks idle. Larger subtrees leave
/// less to combine at the end, and fewer thread blocks saturate the memory.
DotDivision divide_dot(const DeviceModel& model, Index terms) {
  DotDivision d;
  d.tasks = ceil_div(terms, dot2_dot_block * dot_warps);
  const Index share = ceil_div(d.tasks, Index{dot_resident} * model.processors);
  d.subtree_tasks = 1;
  for (Index p = 2; p <= Index{1} << (most_levels - 1) && ceil_div(share, p) * p * 4 <= share * 5; p *= 2)
    d.subtree_tasks = p;
  d.subtrees = ceil_div(d.tasks, d.subtree_tasks);
  d.subtrees_per_block = ceil_div(share, d.subtree_tasks);
  d.thread_blocks = ceil_div(d.subtrees, d.subtrees_per_block);
  return d;
}

template <class E>
struct DotArguments {
  RowProblem<E> p;
  OpenRows open;
  DotDivision division;
  /// Pairs of the subtrees, 32 lanes each. The pairs of the second component follow all those of the first. `folded`
  /// has room for an eighth as many. The levels of the last tree alternate between the two arrays.
  Pair *subtrees, *folded;
  NormCall norm;  ///< not used for products
};

/// Computes the tree over `count` pairs, 1 <= count <= 8; load(i) is pair i.
template <class T, class Load>
__device__ Pair fold(int count, Load load) {
  Pair pair[fold_width];
#pragma unroll
  for (int i = 0; i < fold_width; ++i) pair[i] = i < count ? load(i) : Pair{0, 0};
#pragma unroll
  for (int width = 1; width < fold_width; width *= 2) {
#pragma unroll
    for (int i = 0; i + width < fold_width; i += 2 * width)
      if (i + width < count) pair[i] = combine<T>(pair[i], pair[i + width]);
  }
  return pair[0];
}

/// Returns the address of real number `term` of a vector. The components of complex elements count as
/// numbers. Number term + 32 lies 32 stride numbers after number `term`, for real and complex elements.
template <class E>
__device__ const RealOf<E>* number_at(const E* data, Index stride, Index term) {
  constexpr int components = component_count<E>;
  return component_of(data + term / components * stride, static_cast<int>(term % components));
}

/// Computes a lane's chains over one block, one for each component of the result. If the terms are squares, the
/// function first scales the entries, and raises `largest` to their largest high word.
template <class E, Terms terms>
__device__ void block_chains(const RowProblem<E>& p, Index block, double scaling, std::uint32_t& largest,
                             Pair (&pairs)[component_count<E>]) {
  using T = RealOf<E>;
  const int lane = threadIdx.x % 32;
  const Index x_stride = p.a.col_stride, y_stride = p.x.stride, first = block * dot2_dot_block,
              left = component_count<E> * p.k - first;
  const T* x = number_at(p.a.data, x_stride, first + lane);
  const T* y = number_at(p.x.data, y_stride, first + lane);
  for (Pair& pair : pairs) pair = {0, 0};
  for (int t = 0; t < dot2_dot_block; t += 32 * dot_batch<E, terms>) {
    T u[dot_batch<E, terms>], v[dot_batch<E, terms>];
    // A step with 0 times 0 changes nothing: s and c are never -0.
    if (left >= dot2_dot_block) {
      load_spaced<32>(x, x_stride, u);
      if constexpr (terms == Terms::products) load_spaced<32>(y, y_stride, v);
    } else {
      load_spaced_below<32>(x, x_stride, left - t - lane, u);
      if constexpr (terms == Terms::products) load_spaced_below<32>(y, y_stride, left - t - lane, v);
    }
#pragma unroll
    for (int j = 0; j < dot_batch<E, terms>; ++j) {
      if constexpr (is_complex<E>) {
        // Even lanes have real parts, odd lanes have imaginary parts. The terms are those of for_terms.
        const bool imaginary = lane % 2 != 0;
        const T a = imaginary && p.conjugate ? -u[j] : u[j], other = __shfl_xor_sync(full_warp, v[j], 1);
        step(pairs[0], a, imaginary ? -v[j] : v[j]);
        step(pairs[1], a, other);
      } else {
        if constexpr (terms == Terms::products) step(pairs[0], u[j], v[j]);
        if constexpr (terms == Terms::squares) step_square(pairs[0], u[j], scaling, largest);
        if constexpr (terms == Terms::magnitudes) step_magnitude(pairs[0], u[j]);
      }
    }
    x += dot_batch<E, terms> * 32 * x_stride;
    y += dot_batch<E, terms> * 32 * y_stride;
  }
}

/// Combines the pairs over the lanes; lane 0 gets the result.
template <class T>
__device__ Pair combine_lanes(Pair pair) {
  for (int half = 16; half > 0; half /= 2) {
    const Pair right{__shfl_down_sync(full_warp, pair.s, half), __shfl_down_sync(full_warp, pair.c, half)};
    pair = combine<T>(pair, right);
  }
  return pair;
}

/// Computes the tree over the subtrees; every pass combines eight into one. The pairs alternate between two arrays.
template <class T>
__device__ Pair fold_subtrees(Pair* from, Pair* to, Index count) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  while (count > fold_width) {
    const Index groups = ceil_div(count, fold_width);
    for (Index group = warp; group < groups; group += dot_warps) {
      const Index first = group * fold_width, left = count - first;
      const Pair pair = fold<T>(left < fold_width ? static_cast<int>(left) : fold_width,
                                [&](int i) { return load_pair(from + (first + i) * 32 + lane); });
      store_pair(to + group * 32 + lane, pair);
    }
    __threadfence();
    __syncthreads();
    Pair* const done = from;
    from = to;
    to = done;
    count = groups;
  }
  return fold<T>(static_cast<int>(count), [&](int i) { return load_pair(from + i * 32 + lane); });
}

/// Returns the largest of all thread blocks' high words. The last thread block to arrive calls this, after
/// share_largest in all blocks.
__device__ std::uint32_t largest_of_all(const std::uint32_t* shared) {
  std::uint32_t most = 0;
  for (unsigned b = threadIdx.x % 32; b < gridDim.x; b += 32) most = max(most, __ldcg(shared + b));
  return lanes_max(most);
}
__device__ void share_largest(std::uint32_t* shared, std::uint32_t largest) {
  __shared__ std::uint32_t of_warp[dot_warps];
  largest = lanes_max(largest);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = largest;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < dot_warps; ++w) largest = max(largest, of_warp[w]);
  shared[blockIdx.x] = largest;
}

template <class E, Terms terms>
__global__ void __launch_bounds__(dot_threads, dot_resident) dot2_tree_kernel(DotArguments<E> g) {
  using T = RealOf<E>;
  constexpr int components = component_count<E>;
  __shared__ Pair pairs[2][components][dot_warps][32];
  __shared__ Pair waiting[components][most_levels][32];  // trees that wait for a right neighbour of their size
  constexpr bool scaled = terms == Terms::squares && compensated<T>;
  int scale = 0;
  await_predecessor();
  if (scaled && g.norm.second_pass) {
    scale = __ldcg(g.norm.scale);
    if (scale == 0) return;
  }
  const double scaling = scaled ? power_of_two(-scale) : 1;
  std::uint32_t largest = 0;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Index blocks = ceil_div(components * g.p.k, dot2_dot_block);
  const DotDivision& d = g.division;
  const Index first_subtree = blockIdx.x * d.subtrees_per_block;
  Pair result{0, 0};
  int buffer = 0;
  for (Index subtree = first_subtree; subtree < first_subtree + d.subtrees_per_block && subtree < d.subtrees;
       ++subtree) {
    int top = 0;
    for (Index t = 0; t < d.subtree_tasks && subtree * d.subtree_tasks + t < d.tasks; ++t, buffer ^= 1) {
      const Index first = (subtree * d.subtree_tasks + t) * dot_warps;
      if (first + warp < blocks) {
        Pair chains[components];
        block_chains<E, terms>(g.p, first + warp, scaling, largest, chains);
#pragma unroll
        for (int c = 0; c < components; ++c) pairs[buffer][c][warp][lane] = chains[c];
      }
      __syncthreads();
      if (warp >= components) continue;
      // One warp for each component continues the tree. The other warps begin the next task in the other buffer.
      const int count = blocks - first < dot_warps ? static_cast<int>(blocks - first) : dot_warps;
      const auto half = [&](int begin, int end) {
        return fold<T>(end - begin, [&](int i) { return pairs[buffer][warp][begin + i][lane]; });
      };
      Pair pair = half(0, count < fold_width ? count : fold_width);
      if (count > fold_width) pair = combine<T>(pair, half(fold_width, count));
      for (Index bits = t; bits & 1; bits >>= 1) pair = combine<T>(waiting[warp][--top][lane], pair);
      waiting[warp][top++][lane] = pair;
    }
    if (warp < components) {
      result = waiting[warp][--top][lane];
      while (top > 0) result = combine<T>(waiting[warp][--top][lane], result);
      if (d.subtrees > 1) store_pair(g.subtrees + (warp * d.subtrees + subtree) * 32 + lane, result);
    }
  }
  if (scaled) share_largest(g.norm.largest, largest);
  if (d.subtrees > 1 || scaled) {
    if (!last_to_arrive(g.open.state->arrived, gridDim.x)) return;
    if (d.subtrees > 1) {
#pragma unroll
      for (int c = 0; c < components; ++c) {
        const Pair folded = fold_subtrees<T>(g.subtrees + c * d.subtrees * 32,
                                             g.folded + c * ceil_div(d.subtrees, fold_width) * 32, d.subtrees);
        if (c == warp) result = folded;
      }
    }
  }
  if (warp >= components) return;
  if (scaled) largest = largest_of_all(g.norm.largest);
  result = combine_lanes<T>(result);
  if (lane != 0) return;
  if constexpr (terms == Terms::products) {
    // Hardware adds and converts as RN does, and s and c are never -0, so that an exact zero is +0.
    if (is_finite(result.s) && is_finite(result.c)) {
      *g.p.result(warp) = static_cast<T>(add_rn(result.s, result.c));
    } else {
      leave_open(g.open, warp);
    }
  } else if constexpr (terms == Terms::squares) {
    finish_squares(g.p, g.open, g.norm, result, scale, largest);
  } else {
    finish_magnitudes(g.p, g.open, g.norm, result);
  }
}

struct DotScratch {
  ExactScratch exact;
  Pair *subtrees, *folded;
  std::uint32_t* largest;
  std::int32_t* scale;
};

DotScratch carve_dot(Carver& carver, const DeviceModel& model, Index n, int components) {
  const Index subtrees = n > 0 ? divide_dot(model, components * n).subtrees : 0;
  DotScratch s;
  s.exact = ExactScratch::carve(carver, model, components);
  s.subtrees = carver.take<Pair>(components * subtrees * 32);
  s.folded = carver.take<Pair>(components * ceil_div(subtrees, fold_width) * 32);
  s.largest = carver.take<std::uint32_t>(Index{dot_resident} * model.processors);
  s.scale = carver.take<std::int32_t>(1);
  return s;
}

template <class E>
DotArguments<E> make_arguments(const VectorCall& call, const RowProblem<E>& p, const DotScratch& s) {
  return {p, {call.state, s.exact.list}, divide_dot(call.model, component_count<E> * p.k), s.subtrees, s.folded, {}};
}

template <class E>
LaunchShape shape_of(const DotArguments<E>& g) {
  return {static_cast<unsigned>(g.division.thread_blocks), dot_threads};
}

}  // namespace

void dot2_dot_scratch(const DeviceModel& model, Index n, int components, Carver& carver) {
  carve_dot(carver, model, n, components);
}

std::size_t norm_scratch_bytes(const DeviceModel& model, Index n) {
  Carver carver(nullptr);
  dot2_dot_scratch(model, n, 1, carver);
  return carver.used();
}

template <class E>
void dot2_dot(const VectorCall& call, const Dot<E>& d) {
  if (d.n <= 0) {
    set_on_stream(d.result, 0, sizeof(E), call.stream, "DOT of nothing");
    return;
  }
  Carver carver(call.scratch);
  const DotScratch s = carve_dot(carver, call.model, d.n, component_count<E>);
  const DotArguments<E> g = make_arguments(call, row_problem(d), s);
  launch(call.model, "dot2_dot", dot2_tree_kernel<E, Terms::products>, shape_of(g), call.stream, g);
  exact_rows(call, g.p, {nullptr, 0}, s.exact);
}

template <class T>
void norm(const VectorCall& call, VectorMode mode, Terms terms, const Reduction<T>& r) {
  if (r.n <= 0) {
    set_on_stream(r.result, 0, sizeof(T), call.stream, "a norm of nothing");
    return;
  }
  Carver carver(call.scratch);
  const DotScratch s = carve_dot(carver, call.model, r.n, 1);
  DotArguments<T> g = make_arguments(call, row_problem(r, terms), s);
  const bool cr = mode == VectorMode::cr;
  g.norm = {cr, cr && call.all_undecided, false, norm_error<T>(r.n), s.largest, s.scale};
  const auto kernel =
      terms == Terms::magnitudes ? dot2_tree_kernel<T, Terms::magnitudes> : dot2_tree_kernel<T, Terms::squares>;
  launch(call.model, "norm", kernel, shape_of(g), call.stream, g);
  if (terms == Terms::squares && compensated<T>) {
    g.norm.second_pass = true;
    launch(call.model, "norm", kernel, shape_of(g), call.stream, g);
  }
  exact_rows(call, g.p, {nullptr, 0}, s.exact);
}

#define ACCUBLAS_INSTANTIATE(E) template void dot2_dot(const VectorCall&, const Dot<E>&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE
template void norm(const VectorCall&, VectorMode, Terms, const Reduction<double>&);
template void norm(const VectorCall&, VectorMode, Terms, const Reduction<float>&);

}  // namespace accublas::cuda
