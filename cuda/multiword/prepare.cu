#include "cuda/core/arithmetic.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/operand_tiles.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/multiword/prepare.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {
namespace {

constexpr int prepare_threads = 256, warps = prepare_threads / 32;

__global__ void __launch_bounds__(prepare_threads)
    open_specials(Lines rows, Lines cols, std::uint32_t* open, const CallState* state) {
  await_predecessor();
  const Index words = OpenBits::words_per_row(cols.count), all = rows.count * words;
  const bool any = state->rows.special != 0 || state->cols.special != 0;
  for (Index i = blockIdx.x * Index{prepare_threads} + threadIdx.x; i < all; i += Index{gridDim.x} * prepare_threads) {
    std::uint32_t word = 0;
    if (any) {
      const bool special_row = rows.special[i / words] != 0;
      for (int b = 0; b < 32; ++b) {
        const Index col = i % words * 32 + b;
        if (col < cols.count && (special_row || cols.special[col] != 0)) word |= 1u << b;
      }
    }
    open[i] = word;
  }
}

// A block examines some lines and a chunk of the terms; neighbouring lanes take neighbours in memory.
constexpr int fit_chunk = 1024;
constexpr int lines_a_block = 32;

/// Returns the least magnitude of a line that FP16 holds; infinity if the line's scale is not a float.
__device__ float least_magnitude(int exponent) {
  if (exponent < -112) return __int_as_float(0x7F800000);
  return static_cast<float>(power_of_two(exponent - 29));
}

__global__ void __launch_bounds__(prepare_threads)
    find_fitting(Operand<float> x, Lines lines, bool along, std::uint8_t* fits, const CallState* state) {
  await_predecessor();
  if (state->refused) return;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Index first = Index{blockIdx.x} * lines_a_block, p0 = Index{blockIdx.y} * fit_chunk;
  const int terms = static_cast<int>(min(x.k - p0, Index{fit_chunk}));
  bool fit = true;
  const auto look = [&](float entry, float least) { fit &= entry == 0 || fabsf(entry) >= least; };
  if (along) {
    for (int l = warp; l < lines_a_block && first + l < x.count; l += warps) {
      const Index line = first + l;
      if (lines.special[line] != 0) continue;
      const float least = least_magnitude(lines.exponent[line]);
      const float* const at = x.data + line * x.stride + p0 * x.k_stride;
#pragma unroll 8
      for (int p = lane; p < terms; p += 32) look(at[p * x.k_stride], least);
    }
  } else if (first + lane < x.count && lines.special[first + lane] == 0) {
    const Index line = first + lane;
    const float least = least_magnitude(lines.exponent[line]);
    const float* const at = x.data + line * x.stride + p0 * x.k_stride;
#pragma unroll 8
    for (int p = warp; p < terms; p += warps) look(at[p * x.k_stride], least);
  }
  if (!fit) fits[first / line_group] = 0;
}

__global__ void fit_all(std::uint8_t* fits, Index groups) {
  await_predecessor();
  const Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  if (i < groups) fits[i] = 1;
}

}  // namespace

void open_special_elements(const DeviceModel& model, const Lines& rows, const Lines& cols, std::uint32_t* open,
                           const CallState* state, cudaStream_t stream) {
  const Index blocks = ceil_div(rows.count * OpenBits::words_per_row(cols.count), Index{prepare_threads});
  const dim3 grid(static_cast<unsigned>(blocks < 4096 ? blocks : 4096));
  launch(model, "special elements", open_specials, {grid, prepare_threads}, stream, rows, cols, open, state);
}

void find_fitting_groups(const DeviceModel& model, const Operand<float>& x, const Lines& lines, std::uint8_t* fits,
                         const CallState* state, cudaStream_t stream) {
  const Index groups = padded_lines(x.count) / line_group;
  launch(model, "fitting lines", fit_all, {dim3(static_cast<unsigned>(ceil_div(groups, Index{256}))), 256}, stream,
         fits, groups);
  // Blocks take whole chunks of terms, so that the longest sums fit the grid's second dimension, which ends at 65535.
  const dim3 grid(static_cast<unsigned>(ceil_div(x.count, Index{lines_a_block})),
                  static_cast<unsigned>(ceil_div(x.k, Index{fit_chunk})));
  launch(model, "fitting lines", find_fitting, {grid, prepare_threads}, stream, x, lines, lies_along_terms(x), fits,
         state);
}

}  // namespace accublas::cuda
