// decide_by_tiles of cuda/exact/exact.hpp computes pending elements by tiles of C, with dot2's kernel and bounds of the
// errors. If many elements of a tile are pending, tiles are faster than grid sums (cuda/exact/grid_elements.cu). Their
// precision is relative to the sum of the terms' magnitudes. The precision of residues is relative to the largest
// entries of the row and the column, so residues hold no bit of many elements of decaying matrices.
#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/core/warp_reduce.hpp"
#include "cuda/dot2/dot2_gemm_kernel.hpp"
#include "cuda/exact/decide_sum.hpp"
#include "cuda/exact/exact.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/exact/state_of_block.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/float_bits.hpp"
#include "lib/numerics/slab_bound.hpp"
#include "lib/numerics/ziv.hpp"

namespace accublas::cuda {

namespace {

/// A tile is small, so that few elements that are not pending and few zeros lie in it. A row of it is a word of the
/// bitmap. Two groups of warps share its terms, because the device waits for the last tiles.
constexpr Dot2Shape bounded_shape{32, 32, 4, 4, 16, 2, 1, 3, false, 2};
static_assert(dot2_shape_fault(bounded_shape, true) == nullptr);
static_assert(bounded_shape.rows == pending_tile_lines && bounded_shape.cols == pending_tile_lines);
constexpr int tile_warps = bounded_shape.threads() / 32;
/// Terms between two additions to the totals: those of a chain for each group.
constexpr int chain_terms = bounded_shape.groups * dot2_block_terms;
/// Blocks of terms whose need is found at a time. A thread of the first warps takes each.
constexpr int window_blocks = 64, window_warps = window_blocks / 32;
static_assert(window_warps <= tile_warps && pending_tile_terms == 64);

template <class T>
using BoundedTotals = dot2::Totals<T, bounded_shape, true>;
template <class T>
constexpr int bounded_bytes = 8 * bounded_shape.stages* bounded_shape.stage_words() + BoundedTotals<T>::bytes;

ACCUBLAS_HD Index count_tiles(Index m, Index n) {
  return ceil_div(m, pending_tile_lines) * ceil_div(n, pending_tile_lines);
}

/// The data that the threads of a block share about its tile. Index 0 is the rows' side, 1 the columns'.
struct PendingTile {
  dot2::Tile tile;
  int top[2];                                  ///< largest exponent of a line with nonzero entries
  int last_bit[2];                             ///< least last bit of such a line
  unsigned finite[2];                          ///< bit i: line i of the tile exists and is finite
  std::uint32_t words[pending_tile_lines];     ///< pending elements
  int pending;                                 ///< how many of them have finite lines
  unsigned needed[window_warps];               ///< needed_blocks: a warp's blocks of terms that matter, a bit each
  int least[tile_warps], largest[tile_warps];  ///< find_range: results of each warp
  int rest;                                    ///< terms that are left out are below 2^rest
};

/// Fills in the lines of tile `index`, by two warps.
template <class T>
__device__ void find_lines(const ExactArguments<T>& a, Index index, bool all, PendingTile& found) {
  const dot2::Tile tile = dot2::tile_at<bounded_shape>(index, a.rows.count, a.cols.count);
  const int side = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const Lines& lines = side == 0 ? a.row_lines : a.col_lines;
  const Index i = (side == 0 ? tile.row : tile.col) + lane;
  const bool exists = i < (side == 0 ? a.rows.count : a.cols.count), finite = exists && lines.special[i] == 0;
  const bool nonzero = finite && lines.last_bit[i] != no_last_bit;
  const int top = lanes_max(nonzero ? lines.exponent[i] : -5000),
            last_bit = lanes_min(nonzero ? lines.last_bit[i] : no_last_bit);
  const unsigned finite_lines = __ballot_sync(0xFFFFFFFFu, finite);
  if (lane == 0) {
    found.top[side] = top;
    found.last_bit[side] = last_bit;
    found.finite[side] = finite_lines;
  }
  std::uint32_t word = 0;
  if (side == 0) {
    if (exists && all) {
      const Index cols = a.cols.count - tile.col;
      word = a.wanted.mask(i, tile.col) & (cols < 32 ? (1u << cols) - 1 : ~0u);
    } else if (exists) {
      word = a.open[i * OpenBits::words_per_row(a.cols.count) + tile.col / 32];
    }
    found.words[lane] = word;
    if (lane == 0) found.tile = tile;
  }
}

/// Fills in the lines of tile `index`, and counts the pending elements. All threads call it, and synchronise before
/// they read the result.
template <class T>
__device__ void find_pending(const ExactArguments<T>& a, Index index, bool all, PendingTile& found) {
  if (threadIdx.x < 2 * pending_tile_lines) find_lines(a, index, all, found);
  __syncthreads();
  if (threadIdx.x < pending_tile_lines) {
    const bool finite = (found.finite[0] >> threadIdx.x & 1) != 0;
    const unsigned pending =
        lanes_sum(finite ? static_cast<unsigned>(__popc(found.words[threadIdx.x] & found.finite[1])) : 0u);
    if (threadIdx.x == 0) found.pending = static_cast<int>(pending);
  }
}

/// The rows of a tile are multiplied by 2^exponent if sums might overflow or products might lose bits to underflow.
struct TileScale {
  int exponent;
  double lost;    ///< bound of the change of a sum by bits that the scaled rows lose
  bool possible;  ///< false: no power of two keeps sums in range
};

template <class T>
__device__ TileScale scale_of(const PendingTile& lines, Index k) {
  if (sizeof(T) != sizeof(double)) return {0, 0, true};
  const int top = lines.top[0] + lines.top[1] + (64 - __clzll(k)) + 1, room = dot2_high_word_exponent - top;
  int exponent = 0;
  if (room < 0) {
    exponent = room;
  } else if (lines.last_bit[0] + lines.last_bit[1] < FloatFormat<double>::min_exponent) {
    exponent = max(0, min(min(room, 1022), 1023 - lines.top[0]));
  }
  // An entry that loses bits changes by at most 2^-1075, and enters a product with a number below 2^top[1].
  const bool loses = exponent < 0 && lines.last_bit[0] + exponent < FloatFormat<double>::min_exponent;
  return {exponent,
          loses ? scalbn(static_cast<double>(k), lines.top[1] + FloatFormat<double>::min_exponent) + 0x1p-1074 : 0,
          exponent >= -1022};
}

template <class T>
__device__ bool knows_exponents(const ExactArguments<T>& a) {
  return a.exponents.k_padded > 0 && a.state->slabs.considered != 0;
}

/// Returns the largest sum of a row's and a column's exponent, over the 64 terms of word `word`.
__device__ int largest_sum(const std::int16_t* const (&of)[2], Index k_padded, const PendingTile& lines, Index word) {
  const Index groups[2] = {lines.tile.row / pending_tile_lines, lines.tile.col / pending_tile_lines};
  unsigned largest = no_term_sums;
  if (64 * word >= k_padded) return no_term_sum - 1;
  const uint4* const rows = reinterpret_cast<const uint4*>(of[0] + groups[0] * k_padded + 64 * word);
  const uint4* const cols = reinterpret_cast<const uint4*>(of[1] + groups[1] * k_padded + 64 * word);
#pragma unroll
  for (int q = 0; q < 8; ++q) {
    const uint4 x = rows[q], y = cols[q];
    largest = __vmaxs2(largest, __vmaxs2(__vmaxs2(__vadd2(x.x, y.x), __vadd2(x.y, y.y)),
                                         __vmaxs2(__vadd2(x.z, y.z), __vadd2(x.w, y.w))));
  }
  return larger_half(largest);
}

/// Finds the largest bounds of a tile's terms from above and from below, for terms_matter. All threads call it, and
/// synchronise before they read the result.
template <class T>
__device__ void find_range(const ExactArguments<T>& a, PendingTile& lines) {
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  int least = no_term_sum - 1, largest = no_term_sum - 1;
  for (Index word = threadIdx.x; 64 * word < a.exponents.k_padded; word += bounded_shape.threads()) {
    least = max(least, largest_sum(a.exponents.low, a.exponents.k_padded, lines, word));
    largest = max(largest, largest_sum(a.exponents.top, a.exponents.k_padded, lines, word));
  }
  least = lanes_max(least);
  largest = lanes_max(largest);
  if (lane == 0) {
    lines.least[warp] = least;
    lines.largest[warp] = largest;
  }
}

/// Returns which of the blocks of terms from `first` on have terms that matter, a bit each. A block matters if a row
/// and a column of the tile have a nonzero entry in common there. If exponents are known, terms_matter must hold too,
/// and the function raises lines.rest to the bound of the other blocks. All threads call it.
template <class T>
__device__ std::uint64_t needed_blocks(const ExactArguments<T>& a, PendingTile& lines, Index first) {
  const Index left = ceil_div(a.rows.k, pending_tile_terms) - first;
  const std::uint64_t all = left < window_blocks ? (std::uint64_t{1} << left) - 1 : ~std::uint64_t{0};
  const Lines &rows = a.row_lines, &cols = a.col_lines;
  if (!rows.nonzero || !cols.nonzero) return all;
  __syncthreads();  // the result of the last call has been read
  if (threadIdx.x < window_blocks) {
    const Index word = first + threadIdx.x;
    NonzeroTerms terms;
    terms.add<pending_tile_lines>(rows, lines.tile.row, cols, lines.tile.col, word);
    bool matters = terms.needed();
    int rest = no_term_sum - 1;
    if (matters && knows_exponents(a)) {
      int largest = lines.largest[0], least = lines.least[0];
      for (int warp = 1; warp < tile_warps; ++warp) {
        largest = max(largest, lines.largest[warp]);
        least = max(least, lines.least[warp]);
      }
      const int bound = largest_sum(a.exponents.top, a.exponents.k_padded, lines, word);
      matters = terms_matter(bound, largest, least);
      if (!matters) rest = bound;
    }
    const unsigned needed = __ballot_sync(0xFFFFFFFFu, matters);
    rest = lanes_max(rest);
    if (threadIdx.x % 32 == 0) {
      lines.needed[threadIdx.x / 32] = needed;
      atomicMax(&lines.rest, rest);
    }
  }
  __syncthreads();
  static_assert(window_warps == 2);
  return (std::uint64_t{lines.needed[1]} << 32 | lines.needed[0]) & all;
}

/// Computes the sums of a tile. Returns false if they are all zero because no block of terms is needed, or are not
/// computed because no scale is possible.
template <class T>
__device__ __forceinline__ bool sum_tile(const ExactArguments<T>& a, PendingTile& lines, double* memory,
                                         const BoundedTotals<T>& totals) {
  dot2::TermFactors factors;
  const TileScale scale = scale_of<T>(lines, a.rows.k);
  if (!scale.possible) return false;
  factors.scale = power_of_two(scale.exponent);
  for (int bit = 0; bit < 4; ++bit)
    factors.negative |= static_cast<unsigned>(a.cols.negates(bit / 2, bit % 2) != a.rows.negates(0, bit % 2)) << bit;
  bool any = false;
  if (threadIdx.x == 0) lines.rest = no_term_sum - 1;
  if (knows_exponents(a)) find_range(a, lines);
  __syncthreads();
  for (Index window = 0; window * pending_tile_terms < a.rows.k; window += window_blocks) {
    for (std::uint64_t needed = needed_blocks(a, lines, window); needed != 0;) {
      const int first = __ffsll(static_cast<long long>(needed)) - 1;
      // The first block that is not needed behind `first`.
      const std::uint64_t behind = ~needed & ~((std::uint64_t{2} << first) - 1);
      const int last = behind != 0 ? __ffsll(static_cast<long long>(behind)) - 1 : window_blocks;
      needed = behind != 0 ? needed >> last << last : 0;
      const Index begin = (window + first) * pending_tile_terms,
                  end = min((window + last) * pending_tile_terms, a.rows.k);
      __syncthreads();  // the steps before have been read
      dot2::Steps<T, bounded_shape> steps(a, lines.tile, begin, end, memory);
      for (Index p = begin; p < end; p += chain_terms) {
        dot2::UnitChains<T, bounded_shape, Dot2Compare::high_words, true> chains(factors);
        dot2::add_block<bounded_shape>(steps, chains, static_cast<int>(min(end - p, Index{chain_terms})));
        for (int group = 0; group < bounded_shape.groups; ++group) {
          if (static_cast<int>(threadIdx.x) / bounded_shape.group_threads() == group)
            chains.visit([&](int row, int col, const BoundedPair<T, true>& sum) { totals.add(row, col, sum, !any); });
          any = true;
          __syncthreads();
        }
      }
    }
  }
  return any;
}

/// Returns which of the terms 64 word, 64 word + 1, ... of a row and a column may have nonzero products, a bit each.
template <class T>
__device__ std::uint64_t nonzero_terms(const ExactArguments<T>& a, Index row, Index col, Index word) {
  const Lines &rows = a.row_lines, &cols = a.col_lines;
  if (64 * word >= a.rows.k) return 0;
  if (rows.nonzero && cols.nonzero)
    return rows.nonzero[row * rows.words + word] & cols.nonzero[col * cols.words + word];
  const Index left = a.rows.k - 64 * word;
  return left < 64 ? (std::uint64_t{1} << left) - 1 : ~std::uint64_t{0};
}

/// The signs that occur among some nonzero numbers.
struct Signs {
  bool positive = false, negative = false;
  __device__ bool are_one() const { return positive != negative; }
};

/// Returns the signs of the products of a row and a column. The search stops when it has found both signs.
template <class T>
__device__ Signs signs_of_products(const ExactArguments<T>& a, Index row, Index col) {
  constexpr int words = 4, together = 8;  // numbers of loads in flight
  Signs signs;
  for (Index first = 0; 64 * first < a.rows.k; first += words) {
    std::uint64_t terms[words];
#pragma unroll
    for (int w = 0; w < words; ++w) terms[w] = nonzero_terms(a, row, col, first + w);
#pragma unroll
    for (int w = 0; w < words; ++w) {
      while (terms[w] != 0) {
        T x[together], y[together];
#pragma unroll
        for (int i = 0; i < together; ++i) {
          x[i] = y[i] = 0;
          if (terms[w] == 0) continue;
          const Index p = 64 * (first + w) + __ffsll(static_cast<long long>(terms[w])) - 1;
          x[i] = a.rows(row, p), y[i] = a.cols(col, p);
          terms[w] &= terms[w] - 1;
        }
#pragma unroll
        for (int i = 0; i < together; ++i)
          if (!is_zero(x[i]) && !is_zero(y[i])) ((x[i] < 0) != (y[i] < 0) ? signs.negative : signs.positive) = true;
        if (signs.positive && signs.negative) return signs;
      }
    }
  }
  return signs;
}

/// Writes a zero if RN(alpha S) is a zero, beta is zero and the sign of S is known. S 2^scale is within sum.error of
/// the sum. If the sum does not show the sign, as near underflow, the function takes the sign of the products if all of
/// them have the same one.
template <class T>
__device__ ACCUBLAS_NOINLINE bool decide_zero(const ExactArguments<T>& a, Index row, Index col,
                                              const BoundedPair<T, true>& sum, int scale, T alpha, T beta, T* at) {
  constexpr int half_of_least = FloatFormat<T>::min_exponent - 1;
  const int limit = scale + half_of_least - 1;
  if (!is_zero(beta) || is_zero(alpha) || limit < -1000 || limit > 1000) return false;
  const double s = fabs(sum.pair.s), rest = (fabs(sum.pair.c) + sum.error) * (1 + 0x1p-50),
               size = (s + rest) * (1 + 0x1p-50);
  if (!(size * fabs(static_cast<double>(alpha)) < power_of_two(limit))) return false;
  Signs signs{sum.pair.s > rest, sum.pair.s < -rest};
  if (!signs.are_one()) signs = signs_of_products(a, row, col);
  if (!signs.are_one()) return false;
  *at = signs.negative != (alpha < 0) ? -T(0) : T(0);
  return true;
}

/// Finishes the elements of a tile, from its totals if there are `any`, else from sums of 0.
template <class T>
__device__ ACCUBLAS_NOINLINE void finish_pending(const ExactArguments<T>& a, const PendingTile& lines, bool any,
                                                 const BoundedTotals<T>& totals) {
  CallState& state = *a.state;
  const bool all = state.all_pending != 0;
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const TileScale scale = scale_of<T>(lines, a.rows.k);
  const T alpha = a.alpha.get(), beta = a.beta.get();
  int decided = 0, finite_pending = 0;
  for (int r = warp; r < pending_tile_lines && lines.tile.row + r < a.rows.count; r += tile_warps) {
    const Index row = lines.tile.row + r, col = lines.tile.col + lane;
    const std::uint32_t word = lines.words[r];
    const unsigned finite = (lines.finite[0] >> r & 1) != 0 ? word & lines.finite[1] : 0;
    bool done = false;
    if (scale.possible && (finite >> lane & 1) != 0) {
      BoundedPair<T, true> sum;
      if (any) sum = totals.get(r, lane);
      sum.error = __dadd_ru(sum.error, scale.lost);
      if (lines.rest >= no_term_sum)
        sum.error = __dadd_ru(sum.error, left_out_bound(lines.rest + scale.exponent, a.rows.k));
      T* const at = element(a.at, row, col);
      done = decide_sum(sum, scale.exponent, alpha, beta, at) ||
             decide_zero(a, row, col, sum, scale.exponent, alpha, beta, at);
    }
    const unsigned now = __ballot_sync(0xFFFFFFFFu, done);
    if (lane == 0 && (all || now != 0))
      a.open[row * OpenBits::words_per_row(a.cols.count) + lines.tile.col / 32] = word & ~now;
    decided += __popc(now);
    finite_pending += __popc(finite);
  }
  const int change = (all ? finite_pending : 0) - decided;
  if (lane == 0 && change != 0)
    atomicAdd(&open_before(state, most_passes), static_cast<unsigned long long>(static_cast<long long>(change)));
}

template <class T, bool Grouped>
__global__ void __launch_bounds__(bounded_shape.threads(), bounded_shape.resident)
    decide_tiles(const __grid_constant__ ExactArguments<T> given, PendingTiles least_of_all,
                 PendingTiles least_of_short) {
  extern __shared__ __align__(16) double memory[];
  await_predecessor();
  CallState& state = state_of_block<Grouped>(given);
  if (leaves_c(state, given.alpha)) return;
  const bool all = state.all_pending != 0;
  const PendingTiles least = !Grouped && knows_exponents(given) ? least_of_short : least_of_all;
  // Other blocks may have decided elements already. A block that returns for that reason leaves its tiles to them.
  const volatile unsigned long long& counter = open_before(state, most_passes);
  if (!all && !__syncthreads_or(counter > static_cast<unsigned long long>(least.elements))) return;
  const ExactArguments<T>& a = arguments_of_block<Grouped>(given);
  __shared__ unsigned long long taken;
  __shared__ PendingTile lines;
  const BoundedTotals<T> totals(memory + bounded_shape.stages * bounded_shape.stage_words());
  for (;;) {
    if (threadIdx.x == 0) taken = atomicAdd(&state.next_tile, 1ull);
    __syncthreads();
    if (static_cast<Index>(taken) >= count_tiles(a.rows.count, a.cols.count)) return;
    find_pending(a, static_cast<Index>(taken), all, lines);
    __syncthreads();
    if (!all && lines.pending < least.of_tile) continue;
    const bool any = lines.pending != 0 && sum_tile(a, lines, memory, totals);
    __syncthreads();  // the totals are complete
    finish_pending(a, lines, any, totals);
  }
}

}  // namespace

template <class T>
void decide_by_tiles(const DeviceModel& model, const ExactArguments<T>& a, const PendingTiles& least,
                     const PendingTiles& of_short, cudaStream_t stream) {
  constexpr int bytes = bounded_bytes<T>;
  static_assert(bytes <= 48 * 1024, "more must be allowed");
  const Index tiles = count_tiles(a.rows.count, a.cols.count),
              places = Index{bounded_shape.resident} * model.processors;
  const auto kernel = a.group.exists() ? decide_tiles<T, true> : decide_tiles<T, false>;
  const dim3 grid{static_cast<unsigned>(a.group.few_blocks_of_product(min(tiles, places), places, tiles)),
                  a.group.grid_rows()};
  launch(model, "tiles of open elements", kernel, {grid, static_cast<unsigned>(bounded_shape.threads()), bytes}, stream,
         a, least, of_short);
}

template void decide_by_tiles(const DeviceModel&, const ExactArguments<double>&, const PendingTiles&,
                              const PendingTiles&, cudaStream_t);
template void decide_by_tiles(const DeviceModel&, const ExactArguments<float>&, const PendingTiles&,
                              const PendingTiles&, cudaStream_t);

}  // namespace accublas::cuda
