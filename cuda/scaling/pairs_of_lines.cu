// Measurements of lines in pairs, which hold the parts of the same complex numbers.
#include "cuda/core/call_group.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/scaling/measure.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

__global__ void take_from_first(Lines lines, bool with_lambda, GroupStride group) {
  await_predecessor();
  group.move(lines);
  const Index first = 2 * (static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x);
  if (first + 1 >= lines.count) return;
  lines.norm[first + 1] = lines.norm[first];
  if (with_lambda) lines.lambda[first + 1] = lines.lambda[first];
}

constexpr int spread_threads = 256;

__global__ void __launch_bounds__(spread_threads)
    take_from_numbers(Lines numbers, Lines lines, bool with_lambda, GroupStride group) {
  await_predecessor();
  group.move(numbers);
  group.move(lines);
  const Index first = static_cast<Index>(blockIdx.x) * spread_threads + threadIdx.x,
              step = static_cast<Index>(gridDim.x) * spread_threads, count = padded_lines(lines.count);
  for (Index i = first; i < count; i += step) {
    const Index number = i / 2;
    lines.exponent[i] = numbers.exponent[number];
    lines.last_bit[i] = numbers.last_bit[number];
    lines.norm[i] = numbers.norm[number];
    if (with_lambda) lines.lambda[i] = numbers.lambda[number];
    lines.special[i] = numbers.special[number];
  }
  if (!lines.nonzero) return;
  for (Index at = first; at < count * lines.words; at += step) {
    const Index i = at / lines.words;
    const std::uint64_t word = numbers.nonzero[i / 2 * lines.words + at % lines.words],
                        first_ones = 0x5555555555555555u;
    lines.nonzero[at] = i % 2 == 0 ? word : (word & first_ones) << 1 | (word >> 1 & first_ones);
  }
}

}  // namespace

void spread_over_pairs(const DeviceModel& device, const Lines& numbers, const Lines& lines, bool with_lambda,
                       cudaStream_t stream, const GroupStride& group) {
  const Index count = padded_lines(lines.count);
  const Index own = ceil_div(count, Index{spread_threads}), many = 8 * device.processors;
  const unsigned blocks =
      static_cast<unsigned>(lines.nonzero ? group.blocks_of_product(many, many, own * lines.words, 0.5) : own);
  launch(device, "lines of numbers", take_from_numbers, {{blocks, group.grid_rows()}, spread_threads}, stream, numbers,
         lines, with_lambda, group);
}

void share_in_pairs(const DeviceModel& device, const Lines& lines, bool with_lambda, cudaStream_t stream,
                    const GroupStride& group) {
  constexpr int threads = 256;
  const dim3 grid{static_cast<unsigned>(ceil_div(lines.count / 2, Index{threads})), group.grid_rows()};
  launch(device, "lines in pairs", take_from_first, {grid, threads}, stream, lines, with_lambda, group);
}

}  // namespace accublas::cuda
