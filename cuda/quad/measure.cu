// Measures the lines of products beyond double precision, and scales them.
#include "cuda/core/launch.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/quad/kernels.hpp"

namespace accublas::cuda {

namespace {

constexpr int side_threads = 32;

/// A thread block measures 32 lines. A warp takes adjacent entries, along the lines or across them.
__global__ void __launch_bounds__(side_threads* side_threads)
    quad_measure_lines(const __grid_constant__ QuadSide side) {
  await_predecessor();
  // Raw memory, since shared memory has no constructors.
  __shared__ __align__(8) unsigned char raw[side_threads * side_threads * sizeof(quad::LineScan)];
  auto* const scans = reinterpret_cast<quad::LineScan(*)[side_threads]>(raw);
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const Index row = side.entries.row_stride, col = side.entries.col_stride;
  const bool across = (row < 0 ? -row : row) < (col < 0 ? -col : col);
  const int own = across ? x : y, part = across ? y : x;
  const Index line = Index{blockIdx.x} * side_threads + own;
  quad::LineScan scan;
  if (line < side.count)
    for (Index p = part; p < side.k; p += side_threads) scan.look(side.entries(line, p));
  scans[own][part] = scan;
  __syncthreads();
  if (y != 0) return;
  for (int i = 1; i < side_threads; ++i) scans[x][0].merge(scans[x][i]);
  const Index i = Index{blockIdx.x} * side_threads + x;
  if (i < side.count) side.facts[i] = quad::facts_of(scans[x][0], side.k);
}

__global__ void quad_scale_lines(const __grid_constant__ QuadProblem problem, int row_bits, int col_bits,
                                 const __grid_constant__ PassPlan plan, CallState* state) {
  await_predecessor();
  const Index first = Index{blockIdx.x} * blockDim.x + threadIdx.x, step = Index{gridDim.x} * blockDim.x;
  for (Index i = first; i < problem.rows.count + problem.cols.count; i += step) {
    const bool row = i < problem.rows.count;
    const QuadSide& side = row ? problem.rows : problem.cols;
    const Index line = row ? i : i - problem.rows.count;
    side.scaling[line] = quad::line_scaling(side.facts[line], row ? row_bits : col_bits, row, side.pairs(), side.k);
  }
  if (first == 0) {
    state->pass[0] = plan;
    state->bits = row_bits > col_bits ? row_bits : col_bits;
    state->parts = plan.moduli;
  }
}

}  // namespace

void quad_measure(const DeviceModel& model, const QuadSide& side, cudaStream_t stream) {
  const unsigned blocks = static_cast<unsigned>(ceil_div(side.count, Index{side_threads}));
  launch(model, "quad_measure", quad_measure_lines, {blocks, dim3(side_threads, side_threads)}, stream, side);
}

void quad_scale(const DeviceModel& model, const QuadProblem& problem, int row_bits, int col_bits, const PassPlan& plan,
                CallState* state, cudaStream_t stream) {
  const Index lines = problem.rows.count + problem.cols.count;
  const unsigned blocks = static_cast<unsigned>(lines < 256 * 1024 ? ceil_div(lines, Index{256}) : 1024);
  launch(model, "quad_scale", quad_scale_lines, {blocks, 256}, stream, problem, row_bits, col_bits, plan, state);
}

}  // namespace accublas::cuda
