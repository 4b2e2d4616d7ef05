// Mode cr for batches of small matrices, on the INT8 tensor cores.
//
// Lines are cut into D digits of 8 bits (batch_digits.hpp): 10 for double, 6 for float. The pairs of digits with i + j
// <= D are multiplied, 64 (26) of them, in D + 1 sums by weight. These are exact, and so is their combination,
//   S = 2^(E + F - 92) (sum over w <= D of L_w 256^(10 - w)).
// The bound of the left-out pairs depends on which digits are nonzero at all, and is exactly 0 if no pair is left out,
// so that ties are decided. Ziv's test rounds both ends; elements that it leaves pending go to the exact accumulators
// (batch_exact.cu).
//
// Cost of a matrix of order 64 on a multiprocessor of compute capability 9.0: 64 x 64^3 products of bytes at 2048 a
// clock take 8200 clocks. In addition there are some 40,000 instructions of a warp, most of them for digits and
// rounding. (Six exact products of slices of 23 bits in FP64 would take 12300 clocks, with slices of 24 bytes an entry
// where digits take 10.)
#include "cuda/batch/batch_digits.hpp"
#include "cuda/batch/batch_finish.hpp"
#include "cuda/batch/batch_tiles.hpp"
#include "cuda/core/arithmetic.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/launch.hpp"
#include "lib/base/integers.hpp"

namespace accublas::cuda {

namespace {

/// A shape's lines, with the exponent field and digit mask of each.
template <class Tiles>
struct CrLines : Tiles {
  int field[Tiles::lines];
  std::uint32_t mask[Tiles::lines];
};
template <class T, int Rows, int Cols, int Terms, int TilesOfBlock, int Threads>
using Shape = CrLines<TileShape<batch_digits<T>, Rows, Cols, Terms, TilesOfBlock, Threads>>;

/// Returns the part of the magnitude's bits that orders lines: exponent and first bits of the mantissa, without the
/// sign.
template <class T>
__device__ std::uint32_t leading_word(T x) {
  if constexpr (sizeof(T) == 8)
    return high_word(x) & 0x7FFFFFFFu;
  else
    return __float_as_uint(x) & 0x7FFFFFFFu;
}

/// Cuts one line into shared memory. Four threads take every fourth term each; sixteen terms become a word of each
/// digit. (Sums do not depend on the order of terms.)
template <class S, class T>
__device__ __forceinline__ void cut_cr_line(const T (&x)[S::terms / 4], int line, int terms, S& shared) {
  constexpr int digits = batch_digits<T>;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  std::uint32_t most = 0;
#pragma unroll
  for (int q = 0; q < S::terms / 4; ++q) most = max(most, leading_word(x[q]));
  most = max(most, __shfl_xor_sync(0xFFFFFFFFu, most, 1));
  most = max(most, __shfl_xor_sync(0xFFFFFFFFu, most, 2));
  constexpr int field_at = (FloatFormat<T>::digits - 1) % 32;  // position in the leading word
  const int field = max(static_cast<int>(most >> field_at), 1);
  PackedDigits<T> any{};
  bool dropped = false;
#pragma unroll
  for (int r = 0; r < S::terms / 16; ++r) {
    if (16 * r >= round_up(terms, 32)) break;
    std::uint32_t word[digits + 2];
    PackedDigits<T> part[4];
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      part[e] = cut_entry(x[4 * r + e], field, &dropped);
      any.leading |= part[e].leading;
      any.last |= part[e].last;
    }
#pragma unroll
    for (int i = 0; i < digits; i += 4) {
      // Digits i + 3 .. i are in bytes 0 .. 3; the last two alone are in bytes 0 and 1.
      const bool last = i == digits - 2;
      std::uint32_t four[4];
#pragma unroll
      for (int e = 0; e < 4; ++e)
        four[e] =
            last ? part[e].last : static_cast<std::uint32_t>(part[e].leading >> (last ? 0 : 8 * (digits - 6 - i)));
      transpose_bytes(four);
#pragma unroll
      for (int e = 0; e < 4; ++e) word[i + e] = last ? four[(5 - e) % 4] : four[3 - e];
    }
    const int at = 4 * S::chunk_of(r, line) + lane % 4;
#pragma unroll
    for (int i = 0; i < digits; ++i) shared.digit[i][line][at] = word[i];
  }
  std::uint32_t mask = digit_mask(any, dropped);
  if (most >= static_cast<std::uint32_t>(FloatFormat<T>::infinity >> (8 * sizeof(T) - 32))) mask |= line_is_special;
  mask |= __shfl_xor_sync(0xFFFFFFFFu, mask, 1);
  mask |= __shfl_xor_sync(0xFFFFFFFFu, mask, 2);
  if (lane % 4 == 0) {
    shared.field[line] = field;
    shared.mask[line] = mask;
  }
}

/// Cuts all lines of the block: eight a warp at a time, four threads a line. All loads are in flight before the first
/// line is cut.
template <class S, class T>
__device__ void cut_lines(const BatchProblem<T>& p, const BatchTiles& tiles, S& shared) {
  const int lane = static_cast<int>(threadIdx.x) % 32, terms = static_cast<int>(p.k);
  const int first = 8 * (static_cast<int>(threadIdx.x) / 32) + lane / 4;
  T x[S::groups][S::terms / 4];
  bool wanted[S::groups];
#pragma unroll
  for (int g = 0; g < S::groups; ++g) {
    const int line = first + 8 * S::warps * g;
    wanted[g] = false;
    if (S::lines % (8 * S::warps) != 0 && line >= S::lines) break;
    const Line<T> at = line_of<S>(p, tiles, line);
    wanted[g] = __any_sync(0xFFFFFFFFu, at.exists);  // otherwise no element needs these eight lines
    load_line<S>(at, terms, x[g]);
  }
#pragma unroll
  for (int g = 0; g < S::groups; ++g)
    if (wanted[g]) cut_cr_line(x[g], first + 8 * S::warps * g, terms, shared);
}

/// The sum of L_w 256^(10 - w) = high 2^48 + low, with 0 <= low < 2^48 and abs(high) <= 2^52 for up to 128 terms.
struct WeightedSum {
  long long high, low;
};
template <int W>
__device__ WeightedSum weighted_sum(const int (&level)[W]) {
  long long high = 0, low = 0;
#pragma unroll
  for (int w = 0; w < W && w < 10; ++w)
    (w < 5 ? high : low) += static_cast<long long>(level[w]) * (1ll << (8 * ((14 - w) % 5)));
  const int last = W > 10 ? level[W - 1] : 0;
  low += last >> 8;
  return {high + (low >> 40), (low & ((1ll << 40) - 1)) << 8 | (last & 0xFF)};
}

/// Same contract as `finish_sum`, for every alpha, beta and exponent, with all bits of the sum. It is not inlined, so
/// that four elements a thread do not need four copies.
template <class T>
__device__ __noinline__ bool finish_integer(WeightedSum s, double error, int exponent, T alpha, T beta, const T* at,
                                            T* out) {
  const Int128 sum = static_cast<Int128>(s.high) * (Int128{1} << 48) + s.low;
  const Wide<2> wide{{static_cast<std::uint64_t>(sum), static_cast<std::uint64_t>(sum >> 64)}};
  return finish_within(alpha, wide, error, exponent, beta, read_addend(beta, at), out);
}

/// Computes RN(alpha S + beta c) for S = (s +- error) 2^exponent; returns false if the interval does not decide.
template <class T>
__device__ bool finish_sum(const WeightedSum& s, double error, int exponent, const Scalars<T>& x, const T* at, T* out) {
  // The bound of the left-out pairs needs a factor of 64.3 (left_out); `error` has 65, which covers the roundings of
  // tail +- bound.
  const double bound = error * 0x1p-48;
  if (finish_leading(leading_part(s.high, s.low), bound, exponent + 48, x, at, out)) return true;
  return finish_integer(s, error, exponent, x.alpha, x.beta, at, out);
}

template <class T, class S>
__global__ void __launch_bounds__(S::threads, S::blocks)
    cr_kernel(BatchProblem<T> p, BatchTiles tiles, std::uint32_t* open, bool all_undecided, CallState* state) {
  constexpr int weights = batch_digits<T> + 1;
  extern __shared__ uint4 memory[];
  S& shared = *reinterpret_cast<S*>(memory);
  await_predecessor();
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const Scalars<T> scalars(p.alpha.get(), p.beta.get());
  const bool scaled_only = is_zero(scalars.alpha);
  if (!scaled_only) cut_lines(p, tiles, shared);
  __syncthreads();

  const int terms = static_cast<int>(p.k);
  const double a_pair = 65.0 * (sizeof(T) == 8 ? 1.0 : 0x1p32) * terms;
  unsigned left = 0;
#pragma unroll 1
  for (int number = warp; number < S::tiles * S::squares; number += S::warps) {
    const Square square = square_of<S>(p, tiles, number);
    if (!square.exists) break;
    int sums[weights][4] = {};
    if (square.row < p.m && square.col < p.n && !scaled_only)
      multiply<S, 0>(shared, square.row_line, square.col_line, terms, 0, sums);
    std::uint32_t* const word = open + (static_cast<Index>(blockIdx.x) * S::tiles * S::squares + number) * 4;
    T* const c = p.c[square.tile.matrix];
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const int r = lane / 4 + 8 * (q / 2), s = 2 * (lane % 4) + q % 2;
      T* const at = c + (square.row + r) * p.c_row + (square.col + s) * p.c_col;
      const bool exists = square.row + r < p.m && square.col + s < p.n;
      bool undecided = false;
      if (exists && scaled_only) {
        if (scalars.beta != T(1)) *at = finish_scaled(scalars.beta, read_addend(scalars.beta, at));
      } else if (exists) {
        const std::uint32_t row_mask = shared.mask[square.row_line + r], col_mask = shared.mask[square.col_line + s];
        undecided = all_undecided || ((row_mask | col_mask) & line_is_special) != 0;
        if (!undecided) {
          int level[weights];
#pragma unroll
          for (int w = 0; w < weights; ++w) level[w] = sums[w][q];
          const double error = a_pair * left_out<T>(row_mask, col_mask);
          const int exponent = line_exponent<T>(shared.field[square.row_line + r]) +
                               line_exponent<T>(shared.field[square.col_line + s]) - 92;
          T out;
          undecided = !finish_sum(weighted_sum(level), error, exponent, scalars, at, &out);
          if (!undecided) *at = out;
        }
      }
      const unsigned bits = __ballot_sync(0xFFFFFFFFu, undecided);
      if (lane == 0) word[q] = bits;
      left += static_cast<unsigned>(__popc(bits));
    }
  }
  if (lane == 0 && left != 0) atomicAdd(&state->open[0], static_cast<unsigned long long>(left));
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    state->parts = batch_digits<T>;
    state->bits = 8 * batch_digits<T> - 2;
  }
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

}  // namespace

bool batch_cr_serves(const DeviceModel& model, Index m, Index n, Index k) {
  // A thread block can have 163 KiB of shared memory on compute capabilities 8.0 and 8.7, 99 KiB on 8.6, 8.9 and 12.x,
  // and 227 KiB on the others.
  const std::size_t limit = model.major == 8    ? (model.minor == 0 || model.minor == 7 ? 163 : 99)
                            : model.major >= 12 ? 99
                                                : 227;
  const std::size_t need = k > 64                       ? sizeof(Shape<double, 64, 64, 128, 1, 512>)
                           : m > 32 || n > 32 || k > 32 ? sizeof(Shape<double, 64, 64, 64, 1, 256>)
                                                        : sizeof(Shape<double, 16, 8, 32, 8, 256>);
  return m <= 128 && n <= 128 && k <= 128 && need <= limit << 10;
}

BatchTiles batch_tiles(Index m, Index n, Index k) {
  const Index most = m > n ? m : n;
  const int rows = k > 32 || most > 32 ? 64 : most > 16 ? 32 : 16, cols = rows == 16 && most <= 8 ? 8 : rows;
  return {rows, cols, ceil_div(m, rows), ceil_div(n, cols)};
}

template <class T>
void batch_cr(const DeviceModel& model, const BatchProblem<T>& p, const BatchTiles& tiles, std::uint32_t* open,
              bool all_undecided, CallState* state, cudaStream_t stream) {
  const auto run = [&](auto launch) { launch(model, p, tiles, open, all_undecided, state, stream); };
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
