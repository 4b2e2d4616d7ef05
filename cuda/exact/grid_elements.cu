// Computes single pending elements by grid sums (cuda/sums/grid_chain.hpp): some 120 bits of the sum with a bound of
// its error, in less than half of the operations of an exact accumulator. Ziv's test rounds nearly all of them.
// Elements that it does not decide, and elements of lines with Inf or NaN, stay pending.
#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/exact/exact.hpp"
#include "cuda/exact/grid_sum.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/exact/state_of_block.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

/// resident blocks of a multiprocessor: 128 registers a thread
constexpr int warps = 8, threads = 32 * warps, resident = 2;
/// The resident blocks need 11 KiB of shared memory, including CUDA's own. The multiprocessor has 100 KiB (compute
/// capability 8.6) or more.
constexpr int shared_percent = 12;

/// A block searches for pending elements in tiles of half words of the bitmap, 16 columns each.
constexpr int part_cols = 16, parts_a_thread = 8, parts_a_tile = threads * parts_a_thread, tiles_a_block = 8;
/// A listed element: part of the tile times part_cols, plus the column. A tile with more pending elements than this is
/// processed in several rounds.
constexpr int most_listed = 2048;
using Listed = std::uint16_t;
static_assert(parts_a_tile * part_cols <= 1 << 16);

/// Tiles with many pending elements are columns of parts. They are so narrow that entries of neighbouring lines, which
/// share sectors if a line is strided, are read at the same time, and so low that each block has some tiles. If there
/// are few pending elements, the parts of a tile lie an odd number apart, so that the pending elements of a row or a
/// column, as in triangular matrices, are distributed over blocks. The first column alone takes two blocks 4 ms at
/// n = 4096.
struct Tiles {
  Index pitch, across;  ///< parts of a row, and number of those that have columns
  bool spread;
  Index height;  ///< parts of a tile
  Index count;

  __device__ Tiles(Index m, Index n, unsigned long long open)
      : pitch(2 * OpenBits::words_per_row(n)),
        across(ceil_div(n, part_cols)),
        spread(open <= static_cast<unsigned long long>(m + n)),
        height(min(Index{parts_a_tile}, spread ? ceil_div(m * pitch, min(static_cast<Index>(open), Index{gridDim.x}))
                                               : ceil_div(m * across, Index{tiles_a_block} * gridDim.x))),
        count(spread ? ceil_div(m * pitch, height) | 1 : ceil_div(m, height) * across) {}
  /// Part i of the tile is first + i step(), i < height.
  __device__ Index first(Index tile) const { return spread ? tile : tile / across * height * pitch + tile % across; }
  __device__ Index step() const { return spread ? count : pitch; }
};

/// Returns to thread 0 the sum of the warps' sums, which their lanes 0 have.
__device__ TripleSum block_sum(TripleSum sum) {
  __shared__ TripleSum sums[warps];
  const int t = static_cast<int>(threadIdx.x);
  if (t % 32 == 0) sums[t / 32] = sum;
  __syncthreads();
  if (t < 32) sum = warp_sum(t < warps ? sums[t] : TripleSum{0, 0, 0, 0});
  __syncthreads();
  return sum;
}

/// Computes an element by all warps that have a share. Returns true in one of their lanes if the element is written and
/// its bit cleared.
template <class T>
__device__ ACCUBLAS_NOINLINE bool decide_element(const ExactArguments<T>& a, Index row, Index col, T alpha, T beta,
                                                 TermShare share) {
  TripleSum sum = grid_sum(a.rows, row, a.cols, col, share);
  if (share.of > 1) sum = block_sum(sum);
  if (share.number != 0 || threadIdx.x % 32 != 0 || !triple_known(sum)) return false;
  T* const at = element(a.at, row, col);
  T out;
  if (!finish_triple(alpha, sum, 0, beta, read_addend(beta, at), &out)) return false;
  *at = out;
  atomicAnd(a.open + row * OpenBits::words_per_row(a.cols.count) + col / 32, ~(1u << (col & 31)));
  return true;
}

/// Returns whether the warps of a block finish `all` elements sooner if they share the terms of each element than if
/// each warp takes whole elements. A warp's time is modelled by its steps, and 4 more that do not depend on the terms.
__device__ bool warps_share(int all, Index k) {
  const auto time = [&](Index terms) { return ceil_div(terms, Index{32 * chain_group}) + 4; };
  return all * time(ceil_div(k, Index{warps})) < time(k) * ceil_div(all, warps);
}

template <class T, bool Grouped>
__global__ void __launch_bounds__(threads, resident)
    decide_open_elements(const __grid_constant__ ExactArguments<T> given) {
  await_predecessor();
  CallState& state = state_of_block<Grouped>(given);
  if (leaves_c(state, given.alpha)) return;
  const unsigned long long count = open_before(state, most_passes);
  if (count == 0) return;
  const ExactArguments<T>& a = arguments_of_block<Grouped>(given);
  __shared__ Listed list[most_listed];
  __shared__ int listed, taken;
  const int t = static_cast<int>(threadIdx.x), lane = t % 32;
  const Index m = a.rows.count, n = a.cols.count;
  const T alpha = a.alpha.get(), beta = a.beta.get();
  static_assert(part_cols == 16, "half a word of the bitmap");
  const std::uint16_t* const open = reinterpret_cast<const std::uint16_t*>(a.open);
  const Tiles tiles(m, n, count);
  unsigned long long decided = 0;
  for (Index tile = blockIdx.x; tile < tiles.count; tile += gridDim.x) {
    const Index first = tiles.first(tile), step = tiles.step();
    const auto row_of = [&](int part) { return (first + part * step) / tiles.pitch; };
    const auto col_of = [&](int part, int in_part) {
      return (first + part * step) % tiles.pitch * part_cols + in_part;
    };
    unsigned bits[parts_a_thread];
#pragma unroll
    for (int i = 0; i < parts_a_thread; ++i) {
      const Index part = t + threads * i, own = first + part * step;
      bits[i] = part < tiles.height && own < m * tiles.pitch ? open[own] : 0;
    }
    bool more;
    do {
      __syncthreads();  // the list has been processed
      if (t == 0) listed = taken = 0;
      __syncthreads();
      bool left = false;
#pragma unroll
      for (int i = 0; i < parts_a_thread; ++i) {
        for (; bits[i] != 0; bits[i] &= bits[i] - 1) {
          const int part = t + threads * i, in_part = __ffs(static_cast<int>(bits[i])) - 1;
          if (a.row_lines.special[row_of(part)] != 0 || a.col_lines.special[col_of(part, in_part)] != 0) continue;
          const int at = atomicAdd(&listed, 1);
          if (at >= most_listed) {
            left = true;
            break;
          }
          list[at] = static_cast<Listed>(part * part_cols + in_part);
        }
      }
      more = __syncthreads_or(left) != 0;
      const int all = min(listed, most_listed);
      const auto decide = [&](int i, TermShare share) {
        const int part = list[i] / part_cols, in_part = list[i] % part_cols;
        decided += decide_element(a, row_of(part), col_of(part, in_part), alpha, beta, share);
      };
      if (warps_share(all, a.rows.k)) {
        for (int i = 0; i < all; ++i) decide(i, {t / 32, warps});
      } else {
        for (;;) {
          int next = 0;
          if (lane == 0) next = atomicAdd(&taken, 1);
          next = __shfl_sync(full_warp, next, 0);
          if (next >= all) break;
          decide(next, {0, 1});
        }
      }
    } while (more);
  }
  if (lane == 0 && decided != 0) {
    atomicAdd(&state.undecided, decided);
    atomicAdd(&state.resolved, decided);
  }
}

}  // namespace

template <class T>
void decide_by_grid_sums(const DeviceModel& model, const ExactArguments<T>& a, cudaStream_t stream) {
  const auto kernel = a.group.exists() ? decide_open_elements<T, true> : decide_open_elements<T, false>;
  prefer_cache(kernel, shared_percent, "grid sums of open elements");
  const Index most = Index{resident} * model.processors;
  // With one round of thread blocks instead of two, 1673 elements of 100 products took 38 us of an H200 instead of 31.
  const dim3 grid{static_cast<unsigned>(a.group.few_blocks_of_product(most, 2 * most, most)), a.group.grid_rows()};
  launch(model, "grid sums of open elements", kernel, {grid, threads}, stream, a);
}

template void decide_by_grid_sums(const DeviceModel&, const ExactArguments<double>&, cudaStream_t);
template void decide_by_grid_sums(const DeviceModel&, const ExactArguments<float>&, cudaStream_t);

}  // namespace accublas::cuda
