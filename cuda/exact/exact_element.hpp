// Computes exact sums of products of two lines by a warp or a block, and sums of lines with Inf or NaN. The kernels for
// elements that nothing else decides use these functions. Device code.
#pragma once

#include "cuda/core/operand.hpp"
#include "cuda/exact/finish_in_place.hpp"

namespace accublas::cuda {

#ifdef __CUDACC__

inline constexpr int exact_warps = 8, exact_blocks = 4;  ///< warps of a block, blocks of a multiprocessor
/// A lane keeps this many digits of 32 bits in signed 64-bit words at a time. The digits of all resident blocks of a
/// multiprocessor fit in shared memory, and lines with a span of 230 bits or so (double) need no more.
inline constexpr int window_digits = 20;

/// The number of limbs of the widest sum. Products of doubles are multiples of 2^-2252 (twice line_base) below 2^2048;
/// four more digits hold the carries of 2^64 terms and the sign.
inline constexpr int most_limbs = (2048 + 2252) / 64 + 4;

/// A row and a column: their entries p are x[p x_stride] and y[p y_stride]. If `negates` is set, one of the two is
/// negated. In a lane this holds for its own terms, those of the lane's parity.
template <class T>
struct LinePair {
  const T *x, *y;
  Index x_stride, y_stride, k;
  bool negates = false;

  LinePair() = default;
  __device__ LinePair(const T* row, const T* col, Index row_stride, Index col_stride, Index terms)
      : x(row), y(col), x_stride(row_stride), y_stride(col_stride), k(terms) {}
  __device__ LinePair(const Operand<T>& rows, Index row, const Operand<T>& cols, Index col)
      : x_stride(rows.k_stride), y_stride(cols.k_stride), k(rows.k) {
    const Index parity = threadIdx.x & 1;
    x = rows.at(row, parity) - parity * x_stride;
    y = cols.at(col, parity) - parity * y_stride;
    negates = rows.negates(row, parity) != cols.negates(col, parity);
  }
};

struct ExactStorage {
  /// Digit d of lane l is window[d][l]: no bank conflicts, whatever digits the lanes touch.
  std::int64_t window[window_digits][32];
  std::uint64_t limb[finish_below + most_limbs + finish_above];
};

/// Adds +-m 2^shift, 0 <= shift < 32, to the digits from `first` of a window, with m 2^shift < 2^(32 Digits - 1). Only
/// the part in digits 0 .. limit - 1 is added. A negative number is added as its one's complement plus one; the top
/// digit carries the sign.
template <int Digits>
__device__ __forceinline__ void add_integer(std::int64_t (*digit)[32], int lane, std::uint64_t low, std::uint64_t high,
                                            int first, int shift, int limit, bool negative) {
  const std::uint32_t word[5] = {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32),
                                 static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(high >> 32), 0};
  const std::uint32_t flip = negative ? ~std::uint32_t{0} : 0;
  std::int64_t addend[Digits];
#pragma unroll
  for (int i = 0; i < Digits; ++i) {
    const std::uint32_t bits = __funnelshift_l(i > 0 ? word[i - 1] : 0, word[i], shift) ^ flip;
    addend[i] =
        i + 1 < Digits ? static_cast<std::int64_t>(bits) : static_cast<std::int64_t>(static_cast<std::int32_t>(bits));
  }
  addend[0] += negative;
  if (first >= 0 && first + Digits <= limit) {
    std::int64_t* const at = &digit[first][lane];
#pragma unroll
    for (int i = 0; i < Digits; ++i) at[32 * i] += addend[i];
    return;
  }
#pragma unroll
  for (int i = 0; i < Digits; ++i)
    if (first + i >= 0 && first + i < limit) digit[first + i][lane] += addend[i];
}

/// The threads that compute an element: a warp, or all warps of a block together, each with its own storage.
struct Team {
  ExactStorage* storage;  ///< storage of the first warp
  int warp, warps;        ///< number in the team, and number of warps in the team

  __device__ ExactStorage& own() const { return storage[warp]; }
  __device__ bool leads() const { return warp == 0 && (threadIdx.x & 31) == 0; }
  __device__ void sync() const { warps > 1 ? __syncthreads() : __syncwarp(); }
  /// Sums over the team what lane d of each warp holds; the first warp gets the sums.
  __device__ void add_up(std::int64_t& low, std::int64_t& high) const {
    if (warps == 1) return;
    const int lane = threadIdx.x & 31;
    if (warp != 0 && lane < window_digits) {
      own().limb[lane] = static_cast<std::uint64_t>(low);
      own().limb[window_digits + lane] = static_cast<std::uint64_t>(high);
    }
    __syncthreads();
    if (warp == 0 && lane < window_digits) {
      for (int w = 1; w < warps; ++w) {
        low += static_cast<std::int64_t>(storage[w].limb[lane]);
        high += static_cast<std::int64_t>(storage[w].limb[window_digits + lane]);
      }
    }
    __syncthreads();
  }
};

/// Computes the exact sum of products of a row and a column in units of 2^base. The result is `count` digits in the
/// first warp's limbs from finish_below (sign extended to a whole limb). Windows of digits are summed one after
/// another, each over all of k; nearly always there is one window.
template <class T>
__device__ void exact_sum(const LinePair<T>& lines, int base, int count, const Team& team) {
  constexpr int digits = sizeof(T) == 8 ? 5 : 3;  // 106 or 48 bits, shifted by up to 31
  const int stride = 32 * team.warps;
  ExactStorage& storage = team.own();
  const int lane = threadIdx.x & 31;
  const T *const x = lines.x, *const y = lines.y;
  std::uint32_t* const out = reinterpret_cast<std::uint32_t*>(storage.limb + finish_below);
  std::int64_t carry = 0;
  for (int start = 0; start < count; start += window_digits) {
    const int limit = min(window_digits, count - start);
    for (int d = 0; d < limit; ++d) storage.window[d][lane] = 0;
    const auto add = [&](T u, T v) {
      const Decoded p = decode(u), q = decode(v);
      if (p.mantissa == 0 || q.mantissa == 0) return;
      const int position = p.exponent + q.exponent - base;
      add_integer<digits>(storage.window, lane, p.mantissa * q.mantissa, __umul64hi(p.mantissa, q.mantissa),
                          (position >> 5) - start, position & 31, limit, (p.negative != q.negative) != lines.negates);
    };
    Index p = 32 * team.warp + lane;
    for (; p + 3 * stride < lines.k; p += 4 * stride) {  // all loads are in flight before the first is used
      T u[4], v[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        u[i] = x[(p + stride * i) * lines.x_stride];
        v[i] = y[(p + stride * i) * lines.y_stride];
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) add(u[i], v[i]);
    }
    for (; p < lines.k; p += stride) add(x[p * lines.x_stride], y[p * lines.y_stride]);
    __syncwarp();
    // Lane d adds up digit d of all lanes, with separate halves so that nothing overflows.
    std::int64_t low = 0, high = 0;
    if (lane < limit) {
      for (int l = 0; l < 32; ++l) {
        const std::int64_t v = storage.window[lane][(l + lane) & 31];
        low += v & 0xFFFFFFFF;
        high += v >> 32;
      }
    }
    __syncwarp();
    team.add_up(low, high);
    if (team.warp != 0) continue;
    for (int d = 0; d < limit; ++d) {
      const std::int64_t value = __shfl_sync(0xFFFFFFFFu, low, d) + carry;
      carry = __shfl_sync(0xFFFFFFFFu, high, d) + (value >> 32);
      if (lane == 0) out[start + d] = static_cast<std::uint32_t>(value);
    }
  }
  if (team.leads() && (count & 1) != 0) out[count] = static_cast<std::uint32_t>(carry);
  __syncwarp();
}

/// Returns S of an element with an infinite or NaN entry in its lines: the sum of the IEEE products of the infinite and
/// NaN terms. `nan`: there is a NaN. All lanes of a warp call this.
template <class T>
__device__ T special_sum(const LinePair<T>& lines, bool nan) {
  bool positive = false, negative = false;
  if (!nan) {
    for (Index p = threadIdx.x & 31; p < lines.k; p += 32) {
      const T u = lines.x[p * lines.x_stride], v = lines.y[p * lines.y_stride];
      if (is_finite(u) && is_finite(v)) continue;
      const T term = lines.negates ? -u * v : u * v;
      nan |= is_nan(term);
      positive |= term > 0;
      negative |= term < 0;
    }
  }
  nan = __any_sync(0xFFFFFFFFu, nan);
  positive = __any_sync(0xFFFFFFFFu, positive);
  negative = __any_sync(0xFFFFFFFFu, negative);
  if (nan || (positive && negative)) return canonical_nan<T>();
  return from_bits<T>(FloatFormat<T>::infinity | (negative ? FloatFormat<T>::sign : 0));
}

#endif

}  // namespace accublas::cuda
