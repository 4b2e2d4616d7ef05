// Finishes a measured line: writes its results, and updates the summary of its side. For measure.cu.
#pragma once

#include "cuda/core/arithmetic.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/scaling/measure_bounds.hpp"
#include "cuda/scaling/scaling.hpp"

namespace accublas::cuda::measuring {

/// The values of a summary that lines raise. Each is the maximum over the lines, as the bits of a nonnegative double or
/// as an integer; special lines are counted.
enum Raised {
  raised_norm,
  raised_relative_norm,
  raised_lambda_share,
  raised_power_share,
  raised_lack,
  raised_peak,
  raised_needed_bits,
  raised_special,
  raised_count
};
__device__ inline unsigned long long bits_of(double x) {
  return static_cast<unsigned long long>(__double_as_longlong(x));
}

/// Most values raise nothing, so that reading first saves atomic operations on one address.
template <class Value>
__device__ void raise_to(Value* largest, unsigned long long value) {
  if (static_cast<Value>(value) > *static_cast<volatile Value*>(largest)) atomicMax(largest, static_cast<Value>(value));
}
__device__ inline void raise(SideSummary* s, int what, unsigned long long value) {
  if (value == 0) return;
  switch (what) {
    case raised_norm:
      return raise_to(&s->largest_norm, value);
    case raised_relative_norm:
      return raise_to(&s->largest_relative_norm, value);
    case raised_lambda_share:
      return raise_to(&s->largest_lambda_share, value);
    case raised_power_share:
      return raise_to(&s->largest_power_share, value);
    case raised_lack:
      return raise_to(&s->largest_lack, value);
    case raised_peak:
      return raise_to(&s->peak, value);
    case raised_needed_bits:
      return raise_to(&s->needed_bits, value);
    default:
      atomicAdd(&s->special, static_cast<std::int32_t>(value));
  }
}

template <class T>
__device__ void raise(const Side<T>& side, int what, unsigned long long value) {
  raise(side.summary, what, value);
  if (side.same) raise(side.same, what, value);
}

/// Writes a line's results and calls raise(what, value) for the summary. Special and zero lines have lambda = norm = 0.
template <class Raise>
__device__ void finish_line(const Lines& lines, Index i, int special, bool zero, int exponent, int last_bit,
                            double norm, double lambda, bool with_lambda, Raise&& raise) {
  const bool nothing = zero || special != 0;
  lines.special[i] = static_cast<std::uint8_t>(special);
  lines.exponent[i] = nothing ? 0 : exponent;
  lines.last_bit[i] = nothing ? no_last_bit : last_bit;
  lines.norm[i] = nothing ? 0 : norm;
  if (with_lambda) lines.lambda[i] = nothing ? 0 : lambda;
  if (special != 0) raise(raised_special, 1);
  if (nothing) return;
  const int above = norm_exponent(norm);
  raise(raised_norm, bits_of(norm));
  raise(raised_relative_norm, bits_of(norm * power_of_two(-above)));
  raise(raised_peak, 64 - above);
  raise(raised_needed_bits, exponent - last_bit);
}

/// Updates the summary by whole blocks: line by line, on a few addresses, it takes 4 of 44 us at n = 2048. A thread for
/// which `finishes` is true finishes line `own` of the thread block's lines by finish(raise). Then each warp has one
/// value of every line. `shared` has room for raised_count * 32 integers.
template <class T, class Finish>
__device__ void finish_lines(const Side<T>& side, int own, bool finishes, void* shared, Finish&& finish) {
  static_assert(raised_count == block_warps);
  using OfLines = unsigned long long[raised_count][32];
  static_assert(sizeof(OfLines) <= block_threads / 2 * sizeof(Sum));
  OfLines& values = *static_cast<OfLines*>(shared);
  const int lines = lines_of_block(side);
  __syncthreads();  // the old contents are not needed any more
  if (finishes) {
    for (int what = 0; what < raised_count; ++what) values[what][own] = 0;
    finish([&](int what, unsigned long long value) { values[what][own] = value; });
  }
  __syncthreads();
  const int what = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  unsigned long long value = lane < lines ? values[what][lane] : 0;
  for (int mask = 16; mask >= 1; mask /= 2) {
    const unsigned long long other = __shfl_xor_sync(all_lanes, value, mask);
    value = what == raised_special ? value + other : max(value, other);
  }
  if (lane == 0) raise(side, what, value);
}

/// Raises the shares that certify_lines asks for, from a line with these bounds. `level` is in units of 2^(E - above),
/// or close to 0 for none.
template <class Raise>
__device__ void raise_shares(Index k, const QuickSum& total, double level, int above, Raise&& raise) {
  if (level < 0x1p-60) return raise(raised_lack, bits_of(2));
  // The factor covers what numbers below the range leave out, and roundings.
  const double share = total.below / (static_cast<double>(k) * level) * (1 - 0x1p-20);
  const double unit = level * power_of_two(-above);
  raise(raised_lack, bits_of(2 - share));
  raise(raised_lambda_share, bits_of(divide_up(total.lambda, unit)));
  raise(raised_power_share, bits_of(divide_up(power_of_two(norm_exponent(norm_of(total.squares))), unit)));
}

}  // namespace accublas::cuda::measuring
