// dot2 DOT: runs of consecutive blocks, each of a power of two blocks, are trees of their own; threads take runs, and
// the tree goes on over their results.
#include <algorithm>
#include <bit>

#include "lib/cpu/dot2.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/test_hooks.hpp"

namespace accublas::cpu {

namespace {

constexpr int lane_values = 2 * dot2_lanes;

// Tuning. A run shorter than least_run elements is not worth handing to another thread; more than most_runs would only
// cost workspace (512 bytes each); runs_per_thread evens out threads of unequal speed.
constexpr Index least_run = 16 * dot2_dot_block;
constexpr Index most_runs = 1024;
constexpr Index runs_per_thread = 4;
/// Elements that are made contiguous at a time where the strides are not 1: a power of two blocks, well inside L1.
constexpr Index packed = 2 * dot2_dot_block;

/// The tree over pairs of lanes that arrive from left to right, each for the same power of two of blocks (the last one
/// for at most as many).
template <class T>
class LaneTree {
 public:
  explicit LaneTree(const Dot2DotKernels<T>& kernels) : kernels_(kernels) {}

  /// Where the next pairs go; push() takes them.
  double* next() { return waiting_[top_]; }
  void push() {
    const bool left_to_right = mutant(Mutant::dot2_tree);
    ++top_;
    for (std::uint64_t bits = count_++; left_to_right ? top_ > 1 : bits & 1; bits >>= 1) merge();
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
  alignas(64) double waiting_[64][lane_values];
  int top_ = 0;
  std::uint64_t count_ = 0;
};

/// The tree over n > 0 elements of any strides, its lanes to `out`.
template <class T>
void run_lanes(const Dot2DotKernels<T>& kernels, Index n, Vector<const T> x, Vector<const T> y, double* out) {
  const Index piece = mutant(Mutant::dot2_tree) ? dot2_dot_block : packed;
  if (x.stride == 1 && y.stride == 1 && !mutant(Mutant::dot2_tree)) {
    kernels.blocks(n, x.data, y.data, out);
    return;
  }
  T x_copy[packed], y_copy[packed];
  LaneTree<T> tree(kernels);
  for (Index first = 0; first < n; first += piece) {
    const Index count = std::min(piece, n - first);
    for (Index i = 0; i < count; ++i) x_copy[i] = x[first + i];
    for (Index i = 0; i < count; ++i) y_copy[i] = y[first + i];
    kernels.blocks(count, x_copy, y_copy, tree.next());
    tree.push();
  }
  std::copy_n(tree.result(), lane_values, out);
}

template <class T>
Dot2Pair reduce(const Dot2DotKernels<T>& kernels, const double* lanes) {
  Dot2Pair pair;
  if (mutant(Mutant::dot2_lanes)) {
    pair = {lanes[0], lanes[dot2_lanes]};
    for (int l = 1; l < dot2_lanes; ++l) pair = dot2_combine<T>(pair, {lanes[l], lanes[dot2_lanes + l]});
    return pair;
  }
  double values[2];
  kernels.reduce(lanes, values);
  return {values[0], values[1]};
}

template <class T>
Dot2Pair pair_of(const Dot<T>& dot, Execution& execution) {
  const Dot2DotKernels<T>& kernels = dot2_kernels<T>(execution.isa).dot;
  alignas(64) double lanes[lane_values];
  if (execution.threads == 1 || dot.n <= least_run || mutant(Mutant::dot2_tree)) {
    run_lanes(kernels, dot.n, dot.x, dot.y, lanes);
    return reduce(kernels, lanes);
  }
  const Index wanted = std::min<Index>(runs_per_thread * execution.threads, most_runs);
  Index run = static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>((dot.n + wanted - 1) / wanted)));
  run = std::max(run, least_run);
  const Index runs = (dot.n + run - 1) / run;
  double* const results = execution.workspace.template take<double>(static_cast<std::size_t>(runs * lane_values));
  parallel_for(runs, execution.threads, [&](Index r, int) {
    const Index first = r * run;
    const Vector<const T> x = {&dot.x[first], dot.x.stride}, y = {&dot.y[first], dot.y.stride};
    run_lanes(kernels, std::min(run, dot.n - first), x, y, results + r * lane_values);
  });
  LaneTree<T> tree(kernels);
  for (Index r = 0; r < runs; ++r) {
    std::copy_n(results + r * lane_values, lane_values, tree.next());
    tree.push();
  }
  return reduce(kernels, tree.result());
}

}  // namespace

template <class T>
void dot2_dot(const Dot<T>& dot, Execution& execution) {
  if (dot.n <= 0) {
    *dot.result = 0;
    return;
  }
  PhaseTimer timer(execution, &accublas_report_t::ms_product);
  dot2_report_bound(dot2_depth_dot(dot.n), dot.n, T(1), execution.report);
  Dot2Pair pair = pair_of(dot, execution);
  if ((std::isfinite(pair.s) && !std::isfinite(pair.c)) || mutant(Mutant::dot2_no_error))
    pair = dot2_tree(dot.n, dot.x, dot.y);
  *dot.result = is_finite(pair) ? dot2_round(pair, T(1), T(0), dot.result)
                                : exact_element<T>(dot.n, T(1), dot.x, dot.y, T(0), nullptr);
}

template void dot2_dot(const Dot<double>&, Execution&);
template void dot2_dot(const Dot<float>&, Execution&);

}  // namespace accublas::cpu
