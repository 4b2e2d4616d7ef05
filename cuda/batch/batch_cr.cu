// Mode cr for batches of small matrices, on the INT8 tensor cores.
//
// Lines are cut into D digits of 8 bits (batch_digits.hpp): 10 for double, 6 for float. The pairs of digits with i + j
// <= D are multiplied, 64 (26) of them, in D + 1 sums by weight. These are exact, and so is their combination,
//   S = 2^(E + F - 92) (sum over w <= D of L_w 256^(10 - w)).
// The bound of the left-out pairs depends on which digits are nonzero at all, and is exactly 0 if no pair is left out,
// so that ties are decided. Ziv's test rounds both ends of the interval. batch_squares.cu and batch_exact.cu compute
// the elements that it leaves pending; for a single matrix cuda/exact computes them.
//
// Shared memory holds 128 terms of a tile. The kernel computes longer sums in chunks. It first reads the lines once to
// find their exponents. It adds each chunk's sums by weight, which fit int32, to totals in shared memory.
//
// Cost of a matrix of order 64 on a multiprocessor of compute capability 9.0: 64 x 64^3 products of bytes at 2048 a
// clock take 8200 clocks. In addition there are some 40,000 instructions of a warp, most of them for digits and
// rounding. (Six exact products of slices of 23 bits in FP64 would take 12300 clocks, with slices of 24 bytes an entry
// where digits take 10.)
#include "cuda/batch/batch_cost.hpp"
#include "cuda/batch/batch_cr_lines.hpp"
#include "cuda/batch/batch_cr_square.hpp"
#include "cuda/batch/batch_tiles.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

/// Measures and multiplies long lines, some terms at a time, and leaves the totals in shared memory. All threads call
/// this function. They must synchronise before they read fields and masks of other lines.
template <class S, class T>
__device__ __forceinline__ void sum_long_lines(const BatchProblem<T>& p, const BatchTiles& tiles, S& shared) {
  static_assert(S::groups == 1 && S::lines == 8 * S::warps && S::warps * S::squares_of_warp == S::squares);
  constexpr int loads = S::terms / 4;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int line = 8 * warp + lane / 4, terms = static_cast<int>(p.k);
  const Line<T> at = line_of<S>(p, tiles, line);
  const bool wanted = __any_sync(0xFFFFFFFFu, at.exists);  // otherwise no element needs these eight lines
  std::uint32_t most = 0;
#pragma unroll 1
  for (int first = 0; wanted && first < terms; first += S::terms) {
    T x[loads];
    load_line(at, first, terms, x);
#pragma unroll
    for (int q = 0; q < loads; ++q) most = max(most, leading_word(x[q]));
  }
  most = most_of_four(most);
  const int field = field_of<T>(most);
  std::uint32_t mask = special_mask<T>(most);
#pragma unroll 1
  for (int first = 0; first < terms; first += S::terms) {
    const int left = min(terms - first, S::terms);
    if (wanted) {
      T x[loads];
      load_line(at, first, terms, x);
      mask |= cut_terms(x, line, field, left, shared);
    }
    __syncthreads();
#pragma unroll 1
    for (int s = 0; s < S::squares_of_warp; ++s) {
      const Square square = square_of<S>(p, tiles, warp + s * S::warps);
      if (square.row >= p.m || square.col >= p.n) continue;
      int sums[batch_digits<T> + 1][4] = {};
      multiply<S, 0>(shared, square.row_line, square.col_line, left, 0, sums);
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        WeightedSum& total = shared.total[4 * s + q][threadIdx.x];
        WeightedSum sum = first > 0 ? total : WeightedSum{};
        add_levels(sums, q, sum);
        total = carried(sum);
      }
    }
    __syncthreads();  // the digits have been read
  }
  mask = any_of_four(mask);
  if (lane % 4 == 0) {
    shared.field[line] = field;
    shared.mask[line] = mask;
  }
}

template <class T, class S>
__global__ void __launch_bounds__(S::threads, S::blocks)
    cr_kernel(BatchProblem<T> p, BatchTiles tiles, std::uint32_t* open, bool all_undecided, CallState* state) {
  extern __shared__ uint4 memory[];
  S& shared = *reinterpret_cast<S*>(memory);
  await_predecessor();
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const Scalars<T> scalars(p.alpha.get(), p.beta.get());
  const bool scaled_only = is_zero(scalars.alpha);
  if constexpr (S::long_sums) {
    if (!scaled_only) sum_long_lines(p, tiles, shared);
  } else {
    if (!scaled_only) cut_whole_lines(p, tiles, shared);
  }
  __syncthreads();

  Left left;
#pragma unroll 1
  for (int number = warp; number < S::tiles * S::squares; number += S::warps) {
    const Square square = square_of<S>(p, tiles, number);
    if (!square.exists) break;
    std::uint32_t* const words = open + (static_cast<Index>(blockIdx.x) * S::tiles * S::squares + number) * 4;
    if constexpr (S::long_sums) {
      const auto sum_of = [&](int q) { return shared.total[4 * (number / S::warps) + q][threadIdx.x]; };
      finish_square(p, tiles, square, scalars, all_undecided, shared, sum_of, open, words, &left);
    } else {
      compute_square(p, tiles, square, scalars, all_undecided, shared, open, words, &left);
    }
  }
  add_to_state<T>(left, state);
}

template <class T, class S>
void launch_cr(const DeviceModel& model, const BatchProblem<T>& p, const BatchTiles& tiles, std::uint32_t* open,
               bool all_undecided, CallState* state, cudaStream_t stream) {
  constexpr const char* what = "correctly rounded batch";
  const auto kernel = cr_kernel<T, S>;
  allow_shared_bytes(kernel, sizeof(S), what);
  const Index blocks = ceil_div(p.count * tiles.of_a_matrix(), S::tiles);
  launch(model, what, kernel, {static_cast<unsigned>(blocks), S::threads, sizeof(S)}, stream, p, tiles, open,
         all_undecided, state);
}

/// The tile shapes for sums in chunks.
template <class T>
using SmallLong = Shape<T, 32, 32, 128, 1, 256, true>;
template <class T>
using LargeLong = Shape<T, 64, 64, 128, 1, 512, true>;

/// Up to this order a batch takes less time by these kernels than by single calls, which have some 9 launches each.
constexpr Index most_order = 512;

/// Returns the shared memory of the smallest shape that can compute an m x n product of k terms.
std::size_t smallest_need(Index m, Index n, Index k) {
  if (k > 64) return sizeof(SmallLong<double>);
  return m > 32 || n > 32 || k > 32 ? sizeof(Shape<double, 64, 64, 64, 1, 256>)
                                    : sizeof(Shape<double, 16, 8, 32, 8, 256>);
}

}  // namespace

std::size_t shared_limit(const DeviceModel& model) {
  const std::size_t kib = model.major == 8    ? (model.minor == 0 || model.minor == 7 ? 163 : 99)
                          : model.major >= 12 ? 99
                                              : 227;
  return kib << 10;
}

bool batch_cr_serves(const DeviceModel& model, Index m, Index n, Index k) {
  static_assert(most_order <= most_batch_terms);
  return m <= most_order && n <= most_order && k <= most_order && smallest_need(m, n, k) <= shared_limit(model);
}

BatchTiles batch_tiles(const DeviceModel& model, Index m, Index n, Index k, Index count) {
  const Index most = m > n ? m : n;
  const auto of = [&](int rows, int cols, bool long_sums = false) {
    return BatchTiles{rows, cols, ceil_div(m, rows), ceil_div(n, cols), long_sums};
  };
  if (k <= 32 && most <= 32) return most > 16 ? of(32, 32) : most > 8 ? of(16, 16) : of(16, 8);
  if (k <= 64) return of(64, 64);
  const BatchTiles tiles = long_tiles(model, m, n, count);
  return tiles.rows == 64 && k <= 128 ? of(64, 64) : tiles;
}

BatchTiles long_tiles(const DeviceModel& model, Index m, Index n, Index count) {
  const auto of = [&](int order) { return BatchTiles{order, order, ceil_div(m, order), ceil_div(n, order), true}; };
  const BatchTiles large = of(64), small = of(32);
  const auto time = [&](const BatchTiles& tiles) {
    constexpr Index one_chunk = 128;  // both times have the number of chunks as a factor
    return small_batch_time(model, {m, n, one_chunk, count}, tiles, 0);
  };
  const bool fits = sizeof(LargeLong<double>) <= shared_limit(model);
  return fits && time(large) <= time(small) ? large : small;
}

template <class T>
void batch_cr(const DeviceModel& model, const BatchProblem<T>& p, const BatchTiles& tiles, std::uint32_t* open,
              bool all_undecided, CallState* state, cudaStream_t stream) {
  const auto run = [&](auto launch) { launch(model, p, tiles, open, all_undecided, state, stream); };
  if (tiles.long_sums) return tiles.cols == 32 ? run(launch_cr<T, SmallLong<T>>) : run(launch_cr<T, LargeLong<T>>);
  if (tiles.cols == 8) return run(launch_cr<T, Shape<T, 16, 8, 32, 8, 256>>);
  if (tiles.cols == 16) return run(launch_cr<T, Shape<T, 16, 16, 32, 4, 256>>);
  if (tiles.cols == 32) return run(launch_cr<T, Shape<T, 32, 32, 32, 2, 256>>);
  if (p.k <= 64) return run(launch_cr<T, Shape<T, 64, 64, 64, 1, 256>>);
  run(launch_cr<T, Shape<T, 64, 64, 128, 1, 512>>);
}

template void batch_cr<double>(const DeviceModel&, const BatchProblem<double>&, const BatchTiles&, std::uint32_t*, bool,
                               CallState*, cudaStream_t);
template void batch_cr<float>(const DeviceModel&, const BatchProblem<float>&, const BatchTiles&, std::uint32_t*, bool,
                              CallState*, cudaStream_t);

}  // namespace accublas::cuda
