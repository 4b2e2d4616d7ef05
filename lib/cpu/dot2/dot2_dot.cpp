// dot2's tree, for DOT, NRM2 and ASUM. Threads take runs of consecutive blocks. A run has a power of two blocks and is
// a subtree; the tree continues over the results of the runs.
#include <algorithm>
#include <bit>

#include "lib/base/integers.hpp"
#include "lib/cpu/dot2/dot2.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/entries.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/bounds.hpp"

namespace accublas::cpu {

namespace {

constexpr int lane_values = 2 * dot2_lanes;

/// Levels of the tree over runs, and of the tree over single blocks. There are fewer than 2^45 blocks: more have more
/// elements than an address space holds, or, with a stride of 0, take a year of additions.
constexpr int run_levels = 11, block_levels = 45;
static_assert(Dot2Tuning::most_runs < 1 << run_levels);

/// The tree over pairs of lanes that arrive from left to right, each for the same power of two of blocks (the last one
/// for at most as many).
template <class T, int Levels>
class LaneTree {
 public:
  explicit LaneTree(const Dot2DotKernels<T>& kernels) : kernels_(kernels) {}

  /// Returns the memory for the next pairs, which push() adds to the tree.
  double* next() { return waiting_[top_]; }
  void push() {
    ++top_;
    for (std::uint64_t bits = count_++; bits & 1; bits >>= 1) merge();
  }
  double* result() {
    while (top_ > 1) merge();
    return waiting_[0];
  }

 private:
  void merge() {
    kernels_.combine(waiting_[top_ - 2], waiting_[top_ - 1]);
    --top_;
  }

  const Dot2DotKernels<T>& kernels_;
  alignas(64) double waiting_[Levels + 1][lane_values];
  int top_ = 0;
  std::uint64_t count_ = 0;
};

/// Writes the lanes of the tree over contiguous elements to `out`. For squares y is x.
template <class T>
void contiguous_lanes(const Dot2DotKernels<T>& kernels, Dot2Terms terms, Index n, const T* x, const T* y, double* out) {
  if (terms == Dot2Terms::magnitudes) {
    kernels.magnitudes(n, x, out);
  } else {
    kernels.blocks(n, x, y, out);
  }
}

/// Computes a block of elements with any strides, by contiguous copies in L1. It is not inlined, so that the stack
/// frame of the tree does not hold the copies.
template <class T>
[[gnu::noinline]] void packed_block(const Dot2DotKernels<T>& kernels, const Dot2Sum<T>& sum, Index begin, Index n,
                                    double* out) {
  T x_copy[dot2_dot_block], y_copy[dot2_dot_block];
  const bool products = sum.terms == Dot2Terms::products;
  copy_entries(sum.x, begin, n, x_copy);
  if (sum.factor != 1)
    for (Index i = 0; i < n; ++i) x_copy[i] *= sum.factor;
  if (products) copy_entries(sum.y, begin, n, y_copy);
  contiguous_lanes(kernels, sum.terms, n, x_copy, products ? y_copy : x_copy, out);
}

/// Writes the lanes of the tree over `n` > 0 elements from `begin` on, block by block.
template <class T>
[[gnu::noinline]] void packed_lanes(const Dot2DotKernels<T>& kernels, const Dot2Sum<T>& sum, Index begin, Index n,
                                    double* out) {
  LaneTree<T, block_levels> tree(kernels);
  for (Index first = begin; first < begin + n; first += dot2_dot_block) {
    packed_block(kernels, sum, first, std::min(dot2_dot_block, begin + n - first), tree.next());
    tree.push();
  }
  std::copy_n(tree.result(), lane_values, out);
}

/// Writes the lanes of the tree over `n` > 0 elements from `begin` on, with any strides.
template <class T>
void run_lanes(const Dot2DotKernels<T>& kernels, const Dot2Sum<T>& sum, Index begin, Index n, double* out) {
  const bool products = sum.terms == Dot2Terms::products;
  const bool contiguous = sum.x.contiguous() && (!products || sum.y.contiguous()) && sum.factor == 1;
  if (!contiguous) return packed_lanes(kernels, sum, begin, n, out);
  const T* const x = sum.x.from(begin).data;
  contiguous_lanes(kernels, sum.terms, n, x, products ? sum.y.from(begin).data : x, out);
}

template <class T>
Dot2Pair reduce(const Dot2DotKernels<T>& kernels, const double* lanes) {
  double values[2];
  kernels.reduce(lanes, values);
  return {values[0], values[1]};
}

template <class T>
Dot2Pair pair_of(const Dot2Sum<T>& sum, Execution& execution) {
  const Dot2DotKernels<T>& kernels = kernels_for<Dot2DotKernels<T>>(execution.isa);
  alignas(64) double lanes[lane_values];
  if (execution.threads == 1 || sum.n <= tuning().dot2.dot_run) {
    if (execution.workspace.rehearses()) return {};
    run_lanes(kernels, sum, 0, sum.n, lanes);
    return reduce(kernels, lanes);
  }
  const Index wanted = std::min<Index>(tuning().dot2.runs_a_thread * execution.threads, Dot2Tuning::most_runs);
  Index run = static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(ceil_div(sum.n, wanted))));
  run = std::max(run, tuning().dot2.dot_run);
  const Index runs = ceil_div(sum.n, run);
  double* const results = execution.workspace.template take<double>(static_cast<std::size_t>(runs * lane_values));
  if (execution.workspace.rehearses()) return {};
  parallel_for(runs, execution.threads, [&](Index r, int) {
    const Index first = r * run;
    run_lanes(kernels, sum, first, std::min(run, sum.n - first), results + r * lane_values);
  });
  LaneTree<T, run_levels> tree(kernels);
  for (Index r = 0; r < runs; ++r) {
    std::copy_n(results + r * lane_values, lane_values, tree.next());
    tree.push();
  }
  return reduce(kernels, tree.result());
}

}  // namespace

template <class T>
Dot2Pair dot2_pair(const Dot2Sum<T>& sum, Execution& execution) {
  const Dot2Pair pair = pair_of(sum, execution);
  // The kernel's s is the defined one. Its c may overflow where the defined one does not
  // (lib/cpu/kernels/dot2_kernels.hpp).
  const bool lost = std::isfinite(pair.s) && !std::isfinite(pair.c);
  return lost ? dot2_tree(sum) : pair;
}

template <class T>
void dot2_dot(const Dot<T>& dot, Execution& execution) {
  if (dot.n <= 0) {
    *dot.result = 0;
    return;
  }
  PhaseTimer timer(execution, &accublas_report_t::ms_product);
  dot2_report_bound(dot2_depth_dot(dot.n), dot.n, T(1), execution.report);
  const Dot2Pair pair = dot2_pair(Dot2Sum<T>{Dot2Terms::products, dot.n, dot.x, dot.y}, execution);
  if (execution.workspace.rehearses()) return;
  *dot.result = is_finite(pair) ? dot2_sum<T>(pair) : exact_element<T>(dot.n, T(1), dot.x, dot.y, T(0), nullptr);
}

template Dot2Pair dot2_pair(const Dot2Sum<double>&, Execution&);
template Dot2Pair dot2_pair(const Dot2Sum<float>&, Execution&);
template void dot2_dot(const Dot<double>&, Execution&);
template void dot2_dot(const Dot<float>&, Execution&);

}  // namespace accublas::cpu
