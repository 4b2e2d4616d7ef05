// fixed:T up to T = 64 for batches of small matrices, on the INT8 tensor cores.
//
// The integers a' of docs/modes.md have at most 65 bits: 9 digits of 8 bits, -128 .. 127, of which the first ones are
// zero for small T. The kernel multiplies all pairs of digits exactly, 128 terms at a time, in two halves of the
// weights. S is their sum in 192 bits. It is at most 2^137 for 512 terms. The exact accumulators (batch_exact.cu)
// compute elements of lines with Inf or NaN.
#include "cuda/batch/batch_finish.hpp"
#include "cuda/batch/batch_fixed_lines.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

/// Returns the sum of level[w] 256^(W - 1 - w).
template <int W>
__device__ Int128 integer_sum(const int (&level)[W]) {
  Int128 sum = 0;
#pragma unroll
  for (int w = 0; w < W; ++w) sum = sum * 256 + level[w];
  return sum;
}

/// Returns RN(alpha (high 2^64 + low) 2^exponent + beta c). It is not inlined, to save registers.
template <class T>
__device__ __noinline__ T finish_halves(Int128 high, Int128 low, int exponent, T alpha, T beta, const T* at) {
  const Wide<3> up{{0, static_cast<std::uint64_t>(high), static_cast<std::uint64_t>(high >> 64)}};
  const Wide<2> down{{static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(low >> 64)}};
  return finish(alpha, wide_add(up, wide_cast<3>(down)), exponent, beta, read_addend(beta, at));
}

/// Returns RN(alpha S 2^exponent + beta c) for S = high 2^64 + low, which is at most 2^bits in magnitude. It uses the
/// leading 99 bits of S, with an odd last bit if more bits follow, if these decide the result.
template <class T>
__device__ __forceinline__ T finish_element(Int128 high, Int128 low, int exponent, int bits, const Scalars<T>& x,
                                            const T* at) {
  const int below = bits - 99;  // number of bits below the leading ones
  Int128 leading;
  bool more = false;
  if (below > 0) {
    leading = (high << (64 - below)) + (low >> below);
    more = (static_cast<std::uint64_t>(low) & ((std::uint64_t{1} << below) - 1)) != 0;
  } else {
    leading = ((high << 64) + low) << -below;
  }
  constexpr long long tail = (1ll << 48) - 1;
  const LeadingPart sum =
      leading_part(static_cast<long long>(leading >> 48), (static_cast<long long>(leading) & tail) | more);
  T out;
  if (finish_leading(sum, 0, exponent + below + 48, x, at, &out)) return out;
  return finish_halves(high, low, exponent, x.alpha, x.beta, at);
}

/// Returns the first digit that may not be zero at t bits: abs(a') <= 2^t.
__device__ __forceinline__ int first_digit_of(int t) { return fixed_digits - (t + 9) / 8; }

/// The position of element q of a thread in its square.
struct Element {
  int row, col;
  __device__ explicit Element(int q)
      : row(static_cast<int>(threadIdx.x) % 32 / 4 + 8 * (q / 2)),
        col(2 * (static_cast<int>(threadIdx.x) % 4) + q % 2) {}
};

/// Computes C = beta C, for alpha = 0, and leaves no element pending.
template <class T, class S>
__device__ void scale_squares(const BatchProblem<T>& p, const BatchTiles& tiles, T beta, std::uint32_t* block_open) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll 1
  for (int number = warp; number < S::tiles * S::squares; number += S::warps) {
    const Square square = square_of<S>(p, tiles, number);
    if (!square.exists) break;
    if (lane < 4) block_open[4 * number + lane] = 0;
    if (beta == T(1)) continue;
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const Element e(q);
      if (square.row + e.row >= p.m || square.col + e.col >= p.n) continue;
      T* const at = p.c[square.tile.matrix] + (square.row + e.row) * p.c_row + (square.col + e.col) * p.c_col;
      *at = finish_scaled(beta, read_addend(beta, at));
    }
  }
}

/// Cuts the terms of the block's lines from `first` on into digits. Returns true if this thread drops a bit.
template <class T, class S>
__device__ bool cut_lines(const BatchProblem<T>& p, const BatchTiles& tiles, int t, int first, S& shared) {
  bool dropped = false;
  for_lines<S>(p, tiles, [&](int line, const Line<T>& at) {
    T x[S::terms / 4];
    load_line(at, first, static_cast<int>(p.k), x);
    dropped |= cut_line(x, line, t, shared);
  });
  return dropped;
}

/// Computes S = high 2^64 + low of this thread's elements of a square, from the digits from first_digit on.
template <class S>
__device__ __forceinline__ void sum_square(const S& shared, const Square& square, int terms, int first_digit,
                                           Int128 (&high)[4], Int128 (&low)[4]) {
  {
    int sums[fixed_digits][4] = {};
    multiply<S, 0>(shared, square.row_line, square.col_line, terms, first_digit, sums);
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      int level[fixed_digits];
#pragma unroll
      for (int w = 0; w < fixed_digits; ++w) level[w] = sums[w][q];
      high[q] = integer_sum(level);
    }
  }
  int sums[fixed_weights - fixed_digits][4] = {};
  multiply<S, fixed_digits>(shared, square.row_line, square.col_line, terms, first_digit, sums);
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    int level[fixed_weights - fixed_digits];
#pragma unroll
    for (int w = 0; w < fixed_weights - fixed_digits; ++w) level[w] = sums[w][q];
    low[q] = integer_sum(level);
  }
}

/// S = high 2^64 + low of an element with up to most_batch_terms terms.
struct LongSum {
  Int128 high;
  std::uint64_t low;
  __device__ void add(Int128 more_high, Int128 more_low) {
    const Int128 sum = more_low + low;
    low = static_cast<std::uint64_t>(sum);
    high += more_high + (sum >> 64);
  }
};

/// Returns a number of bits that holds the sums of k integers a' b' of at most 2^t each.
__device__ __forceinline__ int bits_of_sum(int t, int k) { return 2 * t + max(7, 32 - __clz(k - 1)); }
static_assert(2 * most_fixed_bits + 9 - 99 < 64, "finish_element shifts by less than a word");

/// Rounds a square, from the sums of this thread's elements. Sets the bits of the elements that the exact accumulators
/// must compute in the square's words, and returns their number.
template <class T, class S, class Low>
__device__ __forceinline__ unsigned finish_square(const BatchProblem<T>& p, const BatchTiles& tiles,
                                                  const Square& square, int t, const Scalars<T>& scalars,
                                                  const S& shared, const Int128 (&high)[4], const Low (&low)[4],
                                                  std::uint32_t* words) {
  T* const c = p.c[square.tile.matrix];
  const int bits = S::long_sums ? bits_of_sum(t, static_cast<int>(p.k)) : 2 * t + 7;
  unsigned ballot[4], left = 0;
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    const Element e(q);
    const int i = square.row_line + e.row, j = square.col_line + e.col;
    T* const at = c + (square.row + e.row) * p.c_row + (square.col + e.col) * p.c_col;
    bool undecided = false;
    if (square.row + e.row < p.m && square.col + e.col < p.n) {
      undecided = shared.special[i] || shared.special[j];
      if (!undecided)
        *at = finish_element(high[q], low[q], shared.exponent[i] + shared.exponent[j] - 2 * t, bits, scalars, at);
    }
    ballot[q] = __ballot_sync(0xFFFFFFFFu, undecided);
    left += static_cast<unsigned>(__popc(ballot[q]));
  }
  write_open<S>(p, tiles, square, ballot, nullptr, words);
  return left;
}

/// Multiplies and rounds the squares of a warp. Returns how many elements the exact accumulators must compute.
template <class T, class S>
__device__ unsigned compute_squares(const BatchProblem<T>& p, const BatchTiles& tiles, int t, const Scalars<T>& scalars,
                                    const S& shared, std::uint32_t* block_open) {
  const int warp = static_cast<int>(threadIdx.x) / 32, first_digit = first_digit_of(t);
  unsigned left = 0;
#pragma unroll 1
  for (int number = warp; number < S::tiles * S::squares; number += S::warps) {
    const Square square = square_of<S>(p, tiles, number);
    if (!square.exists) break;
    Int128 high[4] = {}, low[4] = {};
    if (square.row < p.m && square.col < p.n) sum_square(shared, square, static_cast<int>(p.k), first_digit, high, low);
    left += finish_square(p, tiles, square, t, scalars, shared, high, low, block_open + 4 * number);
  }
  return left;
}

/// Cuts, multiplies and rounds the square of a warp, some terms at a time. Returns how many elements the exact
/// accumulators must compute. Sets *dropped if this thread drops a bit of a line.
template <class T, class S>
__device__ unsigned compute_long_square(const BatchProblem<T>& p, const BatchTiles& tiles, int t,
                                        const Scalars<T>& scalars, S& shared, std::uint32_t* block_open,
                                        bool* dropped) {
  static_assert(S::tiles == 1 && S::warps == S::squares, "the totals of two squares need too many registers");
  const int warp = static_cast<int>(threadIdx.x) / 32, terms = static_cast<int>(p.k);
  const Square square = square_of<S>(p, tiles, warp);
  LongSum total[4] = {};
#pragma unroll 1
  for (int first = 0; first < terms; first += S::terms) {
    *dropped |= cut_lines<T>(p, tiles, t, first, shared);
    __syncthreads();
    if (square.row < p.m && square.col < p.n) {
      Int128 high[4], low[4];
      sum_square(shared, square, min(terms - first, S::terms), first_digit_of(t), high, low);
#pragma unroll
      for (int q = 0; q < 4; ++q) total[q].add(high[q], low[q]);
    }
    __syncthreads();  // the digits have been read
  }
  Int128 high[4];
  std::uint64_t low[4];
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    high[q] = total[q].high;
    low[q] = total[q].low;
  }
  return finish_square(p, tiles, square, t, scalars, shared, high, low, block_open + 4 * warp);
}

/// Returns a block's words of `open`.
template <class S>
__device__ std::uint32_t* open_of_block(std::uint32_t* open) {
  return open + static_cast<Index>(blockIdx.x) * S::tiles * S::squares * 4;
}

/// Computes a batch in fixed:t.
template <class T, class S>
__global__ void __launch_bounds__(S::threads, S::blocks)
    fixed_kernel(BatchProblem<T> p, BatchTiles tiles, int t, std::uint32_t* open, CallState* state) {
  extern __shared__ uint4 memory[];
  S& shared = *reinterpret_cast<S*>(memory);
  await_predecessor();
  const Scalars<T> scalars(p.alpha.get(), p.beta.get());
  std::uint32_t* const block_open = open_of_block<S>(open);
  if (is_zero(scalars.alpha)) return scale_squares<T, S>(p, tiles, scalars.beta, block_open);
  const int terms = static_cast<int>(p.k);
  for_lines<S>(p, tiles, [&](int line, const Line<T>& at) { measure_line(at, terms, line, shared); });
  __syncthreads();
  bool dropped = false;
  unsigned left = 0;
  if constexpr (S::long_sums) {
    left = compute_long_square<T>(p, tiles, t, scalars, shared, block_open, &dropped);
  } else {
    dropped = cut_lines<T>(p, tiles, t, 0, shared);
    __syncthreads();
    left = compute_squares<T>(p, tiles, t, scalars, shared, block_open);
  }
  if (dropped) state->bound_componentwise = from_bits<double>(FloatFormat<double>::infinity);
  if (threadIdx.x % 32 == 0 && left != 0) atomicAdd(&state->open[0], static_cast<unsigned long long>(left));
  if (threadIdx.x == 0) {
    atomicMax(&state->bits, t);
    atomicMax(&state->parts, fixed_digits - first_digit_of(t));
  }
}

template <class T, class S>
void launch_fixed(const DeviceModel& model, const BatchProblem<T>& p, const BatchTiles& tiles, int t,
                  std::uint32_t* open, CallState* state, cudaStream_t stream) {
  constexpr const char* what = "fixed-point batch";
  const LaunchShape shape{static_cast<unsigned>(ceil_div(p.count * tiles.of_a_matrix(), S::tiles)), S::threads,
                          sizeof(S)};
  allow_shared_bytes(fixed_kernel<T, S>, sizeof(S), what);
  launch(model, what, fixed_kernel<T, S>, shape, stream, p, tiles, t, open, state);
}

}  // namespace

bool batch_fixed_serves(const DeviceModel& model, Index m, Index n, Index k, int t) {
  return t <= most_fixed_bits && batch_cr_serves(model, m, n, k) && m * n * k <= most_small_work;
}

BatchTiles batch_fixed_tiles(const DeviceModel& model, Index m, Index n, Index k, Index count) {
  const BatchTiles tiles = batch_tiles(model, m, n, k, count);
  return tiles.long_sums ? BatchTiles{32, 32, ceil_div(m, 32), ceil_div(n, 32), true} : tiles;
}

template <class T>
void batch_fixed(const DeviceModel& model, const BatchProblem<T>& p, const BatchTiles& tiles, int t,
                 std::uint32_t* open, CallState* state, cudaStream_t stream) {
  const auto run = [&](auto launch) { launch(model, p, tiles, t, open, state, stream); };
  if (tiles.long_sums) return run(launch_fixed<T, FixedShape<32, 32, 128, 1, 256, true>>);
  if (tiles.cols == 8) return run(launch_fixed<T, FixedShape<16, 8, 32, 8, 256>>);
  if (tiles.cols == 16) return run(launch_fixed<T, FixedShape<16, 16, 32, 4, 256>>);
  if (tiles.cols == 32) return run(launch_fixed<T, FixedShape<32, 32, 32, 2, 256>>);
  if (p.k <= 64) return run(launch_fixed<T, FixedShape<64, 64, 64, 1, 256>>);
  run(launch_fixed<T, FixedShape<64, 64, 128, 1, 512>>);
}

template void batch_fixed<double>(const DeviceModel&, const BatchProblem<double>&, const BatchTiles&, int,
                                  std::uint32_t*, CallState*, cudaStream_t);
template void batch_fixed<float>(const DeviceModel&, const BatchProblem<float>&, const BatchTiles&, int, std::uint32_t*,
                                 CallState*, cudaStream_t);

}  // namespace accublas::cuda
