// Splits entries into FP16 words in device memory, for split_product_hopper.cu.
#include "cuda/core/launch.hpp"
#include "cuda/core/operand_tiles.hpp"
#include "cuda/multiword/words.hpp"

namespace accublas::cuda {
namespace {

constexpr int tile = 64;  // lines and terms of a tile; a unit of lines
constexpr int split_threads = 256, split_warps = split_threads / 32;

template <WordKind kind>
__global__ void __launch_bounds__(split_threads)
    split_tiles(Operand<float> x, Lines lines, bool along, const std::uint8_t* fits, const CallState* state,
                SplitWords to) {
  await_predecessor();
  if (state->refused) return;
  __shared__ float part[tile][tile + 1];  // [line][term]
  __shared__ float2 scales[tile];
  const Index first = Index{blockIdx.x} * tile;
  if (fits && fits[first / line_group] == 0) return;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  if (threadIdx.x < tile) scales[threadIdx.x] = words::scale_factors(lines.exponent[first + threadIdx.x]);
  std::uint32_t* const words0 = reinterpret_cast<std::uint32_t*>(to.data);
  for (Index p0 = Index{blockIdx.y} * tile; p0 < to.terms; p0 += Index{gridDim.y} * tile) {
    constexpr int loads = tile / split_warps;  // of two entries
    float entries[loads][2];
#pragma unroll
    for (int q = 0; q < loads; ++q)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int outer = warp + q * split_warps, inner = lane + 32 * half;
        const Index line = first + (along ? outer : inner), p = p0 + (along ? inner : outer);
        entries[q][half] = line < x.count && p < x.k ? x.data[line * x.stride + p * x.k_stride] : 0.0f;
      }
    __syncthreads();  // the tile before has been read
#pragma unroll
    for (int q = 0; q < loads; ++q)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int outer = warp + q * split_warps, inner = lane + 32 * half;
        (along ? part[outer][inner] : part[inner][outer]) = entries[q][half];
      }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < loads; ++q) {
      const int position = warp + q * split_warps, line = position % 32 * 2 + position / 32;
      const float2 s = scales[line];
      const auto pre = [&](float v) { return kind == WordKind::half ? v * s.y : v; };
      const words::Pair<kind> pair(pre(part[line][2 * lane]), pre(part[line][2 * lane + 1]), s.x, s.x);
      const Index at = ((first + position) * to.terms + p0) / 2 + lane;
      words0[at] = pair.first;
      if (to.word_sets > 1) words0[at + to.lines * to.terms / 2] = pair.second;
    }
  }
}

}  // namespace

void split_first(const DeviceModel& model, WordKind kind, const Operand<float>& x, const Lines& lines,
                 const std::uint8_t* fits, const CallState* state, const SplitWords& to, cudaStream_t stream) {
  const auto kernel = kind == WordKind::half ? split_tiles<WordKind::half> : split_tiles<WordKind::tf32_half>;
  constexpr Index most = 65535;  // of gridDim.y
  const Index across = to.terms / tile;
  const dim3 grid{static_cast<unsigned>(ceil_div(x.count, Index{tile})),
                  static_cast<unsigned>(across < most ? across : most)};
  launch(model, "multiword split", kernel, {grid, split_threads}, stream, x, lines, lies_along_terms(x), fits, state,
         to);
}

}  // namespace accublas::cuda
