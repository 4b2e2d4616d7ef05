// The elements of a square in mode cr: sums of digit products by weight, Ziv's test, and the bitmap of pending
// elements. The kernels of batches and of flat products share it. Device code.
#pragma once

#include "cuda/batch/batch_cr_lines.hpp"
#include "cuda/batch/batch_finish.hpp"
#include "cuda/batch/batch_tiles.hpp"
#include "cuda/core/arithmetic.hpp"
#include "cuda/core/call_state.hpp"

namespace accublas::cuda {

/// Adds element q's sums by weight, of up to 128 terms, to `sum`. `low` may reach 2^48 or more then.
template <int W>
__device__ __forceinline__ void add_levels(const int (&level)[W][4], int q, WeightedSum& sum) {
  long long high = 0, low = 0;
#pragma unroll
  for (int w = 0; w < W && w < 10; ++w)
    (w < 5 ? high : low) += static_cast<long long>(level[w][q]) * (1ll << (8 * ((14 - w) % 5)));
  const int last = W > 10 ? level[W - 1][q] : 0;
  low += last >> 8;
  sum.high += high + (low >> 40);
  sum.low += (low & ((1ll << 40) - 1)) << 8 | (last & 0xFF);
}
/// Returns the sum with its `low` below 2^48.
__device__ __forceinline__ WeightedSum carried(const WeightedSum& sum) {
  return {sum.high + (sum.low >> 48), sum.low & ((1ll << 48) - 1)};
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

/// Counts of pending elements. `finite` counts those of finite lines, if there is one matrix with OpenBits.
struct Left {
  unsigned all = 0, finite = 0;
};

/// Rounds the elements of a square, and writes those that Ziv's test decides. sum_of(q) is the sum of this thread's
/// element q. Adds the pending elements to *left.
template <class S, class T, class SumOf>
__device__ __forceinline__ void finish_square(const BatchProblem<T>& p, const BatchTiles& tiles, const Square& square,
                                              const Scalars<T>& scalars, bool all_undecided, const S& shared,
                                              SumOf&& sum_of, std::uint32_t* open, std::uint32_t* words, Left* left) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const bool scaled_only = is_zero(scalars.alpha);
  const double a_pair = 65.0 * (sizeof(T) == 8 ? 1.0 : 0x1p32) * static_cast<int>(p.k);
  T* const c = p.c[square.tile.matrix];
  unsigned bits[4];
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    const int r = lane / 4 + 8 * (q / 2), s = 2 * (lane % 4) + q % 2;
    T* const at = c + (square.row + r) * p.c_row + (square.col + s) * p.c_col;
    const bool exists = square.row + r < p.m && square.col + s < p.n;
    bool undecided = false, special = false;
    if (exists && scaled_only) {
      if (scalars.beta != T(1)) *at = finish_scaled(scalars.beta, read_addend(scalars.beta, at));
    } else if (exists) {
      const std::uint32_t row_mask = shared.mask[square.row_line + r], col_mask = shared.mask[square.col_line + s];
      special = ((row_mask | col_mask) & line_is_special) != 0;
      undecided = all_undecided || special;
      if (!undecided) {
        const double error = a_pair * left_out<T>(row_mask, col_mask);
        const int exponent = line_exponent<T>(shared.field[square.row_line + r]) +
                             line_exponent<T>(shared.field[square.col_line + s]) - 92;
        T out;
        undecided = !finish_sum(sum_of(q), error, exponent, scalars, at, &out);
        if (!undecided) *at = out;
      }
    }
    bits[q] = __ballot_sync(0xFFFFFFFFu, undecided);
    left->all += static_cast<unsigned>(__popc(bits[q]));
    if (tiles.open_pitch != 0)
      left->finite += static_cast<unsigned>(__popc(__ballot_sync(0xFFFFFFFFu, undecided && !special)));
  }
  write_open<S>(p, tiles, square, bits, open, words);
}

/// Multiplies the digits of a square's lines, all of which are in shared memory, and finishes its elements.
template <class S, class T>
__device__ __forceinline__ void compute_square(const BatchProblem<T>& p, const BatchTiles& tiles, const Square& square,
                                               const Scalars<T>& scalars, bool all_undecided, const S& shared,
                                               std::uint32_t* open, std::uint32_t* words, Left* left) {
  int sums[batch_digits<T> + 1][4] = {};
  if (square.row < p.m && square.col < p.n && !is_zero(scalars.alpha))
    multiply<S, 0>(shared, square.row_line, square.col_line, static_cast<int>(p.k), 0, sums);
  const auto sum_of = [&](int q) {
    WeightedSum sum{};
    add_levels(sums, q, sum);
    return sum;
  };
  finish_square(p, tiles, square, scalars, all_undecided, shared, sum_of, open, words, left);
}

/// Adds a warp's pending elements to the call's state, and sets what the report says about digits.
template <class T>
__device__ __forceinline__ void add_to_state(const Left& left, CallState* state) {
  if (threadIdx.x % 32 == 0 && left.all != 0) {
    atomicAdd(&state->open[0], static_cast<unsigned long long>(left.all));
    if (left.finite != 0) atomicAdd(&state->rejected, static_cast<unsigned long long>(left.finite));
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    state->parts = batch_digits<T>;
    state->bits = 8 * batch_digits<T> - 2;
  }
}

}  // namespace accublas::cuda
