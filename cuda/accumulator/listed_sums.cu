#include <algorithm>

#include "cuda/accumulator/listed_sums.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/exact/exact_element.hpp"
#include "lib/numerics/long_accumulator.hpp"

namespace accublas::cuda {

namespace {

/// A thread block takes a sum at a time.
template <class T>
__global__ void __launch_bounds__(32 * exact_warps)
    sum_elements(const __grid_constant__ Operand<T> rows, Lines row_lines, const __grid_constant__ Operand<T> cols,
                 Lines col_lines, const Index* list, Index count, int most, ListedSum* sums, std::uint32_t* digits) {
  await_predecessor();
  __shared__ ExactStorage storage[exact_warps];
  const Team team{storage, static_cast<int>(threadIdx.x / 32), exact_warps};
  const int lane = static_cast<int>(threadIdx.x % 32);
  for (Index s = blockIdx.x; s < count; s += gridDim.x) {
    const Index row = list[s] / cols.count, col = list[s] % cols.count;
    ListedSum sum{0, 0};
    if (row_lines.norm[row] > 0 && col_lines.norm[col] > 0) {
      constexpr int least = LongAccumulator::min_exponent, mantissa = FloatFormat<T>::digits - 1;
      // No mantissa has a bit below `lowest`.
      const int lowest = row_lines.last_bit[row] + col_lines.last_bit[col] - 2 * mantissa;
      const int first = (lowest - least) >> 5, base = 32 * first + least;
      const int needed = (row_lines.exponent[row] + col_lines.exponent[col] - base) / 32 + 5;
      if (needed <= most) sum = {first, needed};
      if (sum.count > 0) exact_sum(LinePair<T>(rows, row, cols, col), base, sum.count, team);
    }
    if (team.warp == 0) {
      const std::uint32_t* const from = reinterpret_cast<const std::uint32_t*>(storage->limb + finish_below);
      for (int d = lane; d < sum.count; d += 32) digits[s * most + d] = from[d];
      if (lane == 0) sums[s] = sum;
    }
    team.sync();
  }
}

}  // namespace

template <class T>
void sum_listed(const DeviceModel& model, const Operand<T>& rows, const Lines& row_lines, const Operand<T>& cols,
                const Lines& col_lines, const Index* list, Index count, int most, ListedSum* sums,
                std::uint32_t* digits, cudaStream_t stream) {
  const unsigned blocks = static_cast<unsigned>(std::min(count, Index{exact_blocks} * model.processors));
  launch(model, "exact sums of an accumulator", sum_elements<T>, {blocks, 32 * exact_warps}, stream, rows, row_lines,
         cols, col_lines, list, count, most, sums, digits);
}

template void sum_listed(const DeviceModel&, const Operand<double>&, const Lines&, const Operand<double>&, const Lines&,
                         const Index*, Index, int, ListedSum*, std::uint32_t*, cudaStream_t);
template void sum_listed(const DeviceModel&, const Operand<float>&, const Lines&, const Operand<float>&, const Lines&,
                         const Index*, Index, int, ListedSum*, std::uint32_t*, cudaStream_t);

}  // namespace accublas::cuda
