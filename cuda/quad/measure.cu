// Measures the lines of products beyond double precision, and scales them.
#include "cuda/core/launch.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/quad/entries.hpp"
#include "cuda/quad/kernels.hpp"

namespace accublas::cuda {

namespace {

constexpr int side_lanes = 32, side_unroll = 4;
constexpr int side_warps(bool across) { return across ? 32 : 8; }

/// Same contract as scan.look(number_in(format, entry)), without a Number, which the compiler would keep in memory.
__device__ void look_at(quad::LineScan& scan, quad::Format format, ulonglong2 entry) {
  double size = 0;
  if (format == quad::Format::binary128) {
    const Binary128 x{{entry.x, entry.y}};
    if (!is_finite(x)) {
      (is_nan(x) ? scan.nan : scan.infinite) = true;
      return;
    }
    const Decoded128 part = decode128(x);
    if (part.mantissa != 0) size = scan.look(part.mantissa, part.exponent);
  } else {
    const double high = from_bits<double>(entry.x), low = from_bits<double>(entry.y);  // 0 below a double
    if (!is_finite(high) || !is_finite(low)) {
      (is_nan(high + low) ? scan.nan : scan.infinite) = true;
      return;
    }
    if (high == -low) return;
    const Decoded128 first = decode128(high), second = decode128(low);
    if (first.mantissa != 0) size = scan.look(first.mantissa, first.exponent);
    if (second.mantissa != 0) size += scan.look(second.mantissa, second.exponent);
    scan.pairs |= first.mantissa != 0 && second.mantissa != 0;
  }
  scan.sum += size;
  scan.squares += size * size;
}

/// A thread block measures lines: 32 of them, a lane each, if entries are adjacent across lines, else one, by all
/// threads.
template <bool Across>
__global__ void __launch_bounds__(side_lanes* side_warps(Across))
    quad_measure_lines(const __grid_constant__ QuadSide side) {
  await_predecessor();
  constexpr int warps_of_block = side_warps(Across);
  // Raw memory, since shared memory has no constructors.
  __shared__ __align__(8) unsigned char raw[side_lanes * warps_of_block * sizeof(quad::LineScan)];
  quad::LineScan* const scans = reinterpret_cast<quad::LineScan*>(raw);
  const quad::Operand& x = side.entries;
  const bool aligned = reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % side_lanes, warp = thread / side_lanes;
  constexpr Index step = Across ? warps_of_block : side_lanes * warps_of_block;
  const Index line = Across ? Index{blockIdx.x} * side_lanes + lane : Index{blockIdx.x};
  quad::LineScan scan;
  if (line < side.count)
    for (Index p = Across ? warp : thread; p < side.k; p += side_unroll * step) {
      ulonglong2 entry[side_unroll];
#pragma unroll
      for (int u = 0; u < side_unroll; ++u) {
        const Index q = p + u * step;
        entry[u] = q < side.k ? load_entry(x, line * x.row_stride + q * x.col_stride, aligned) : ulonglong2{0, 0};
      }
#pragma unroll
      for (int u = 0; u < side_unroll; ++u) look_at(scan, x.format, entry[u]);
    }
  scans[thread] = scan;
  __syncwarp();
  __syncthreads();
  // If lanes have lines, the scans of a line are 32 apart; else all scans belong to one line.
  for (int half = warps_of_block / 2; half > 0; half /= 2) {
    if (warp < half) scans[thread].merge(scans[thread + half * side_lanes]);
    __syncwarp();
    __syncthreads();
  }
  if (!Across) {
    for (int half = side_lanes / 2; half > 0; half /= 2) {
      if (thread < half) scans[thread].merge(scans[thread + half]);
      __syncwarp();
    }
  }
  if (warp == 0 && (Across ? line < side.count : lane == 0)) side.facts[line] = quad::facts_of(scans[lane], side.k);
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
  const bool across = lies_across(side.entries);
  const Index blocks = across ? ceil_div(side.count, Index{side_lanes}) : side.count;
  launch(model, "quad_measure", across ? quad_measure_lines<true> : quad_measure_lines<false>,
         {static_cast<unsigned>(blocks), static_cast<unsigned>(side_lanes * side_warps(across))}, stream, side);
}

void quad_scale(const DeviceModel& model, const QuadProblem& problem, int row_bits, int col_bits, const PassPlan& plan,
                CallState* state, cudaStream_t stream) {
  const Index lines = problem.rows.count + problem.cols.count;
  const unsigned blocks = static_cast<unsigned>(lines < 256 * 1024 ? ceil_div(lines, Index{256}) : 1024);
  launch(model, "quad_scale", quad_scale_lines, {blocks, 256}, stream, problem, row_bits, col_bits, plan, state);
}

}  // namespace accublas::cuda
