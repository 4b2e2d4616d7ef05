// Computes a sum of a row by Kulisch's long accumulators, including special values. One warp of the device computes it.
//
// Each lane has its own accumulator in shared memory. Its words are 32 apart, so that lanes never share a bank,
// whatever digit each one adds to, and no operation is atomic.
#pragma once

#include "cuda/core/call_state.hpp"
#include "cuda/core/loads.hpp"
#include "cuda/vector/vector_device.hpp"
#include "lib/numerics/finish_root.hpp"
#include "lib/numerics/long_accumulator.hpp"
#include "lib/numerics/scaling.hpp"

namespace accublas::cuda {

template <class E>
struct ExactRows {
  RowProblem<E> p;
  FixedScaling fixed;
};

#ifdef __CUDACC__

namespace long_sums {

inline constexpr int digits = LongAccumulator::digits, limbs = LongAccumulator::limbs;
inline constexpr int unit = LongAccumulator::min_exponent;  ///< exponent of the last bit
static_assert(exact_slot_words == digits + 2);

inline constexpr int batch = 8;  ///< terms of a sum that a lane loads at a time

/// A lane adds less than 2^32 to a word with each term. After this many terms the carries are propagated, so that the
/// sums of 32 lanes and of most_segments segments stay below 2^63.
inline constexpr int carry_period = (1 << 16) - batch;
inline constexpr Index most_segments = 1 << 10;
inline constexpr int words = digits * 32;  ///< words of a warp's accumulators

/// The accumulator of one lane: 32-bit digits in signed 64-bit words, `stride` words apart.
struct Digits {
  std::int64_t* word;
  static constexpr int stride = 32;

  __device__ void clear() {
    for (int d = 0; d < digits; ++d) word[d * stride] = 0;
  }

  /// Adds x y 2^up, both finite, to five words.
  __device__ void add_product(double x, double y, int up = 0) {
    const Decoded a = decode(x), b = decode(y);
    const int position = a.exponent + b.exponent + up - unit, first = position >> 5, shift = position & 31;
    const std::uint64_t low = a.mantissa * b.mantissa, high = __umul64hi(a.mantissa, b.mantissa);
    const std::uint64_t w0 = low << shift, w1 = shift ? high << shift | low >> (64 - shift) : high;
    const std::uint64_t w2 = shift ? high >> (64 - shift) : 0;
    const std::int64_t sign = a.negative != b.negative ? -1 : 0;
    std::int64_t* const d = word + first * stride;
    const std::uint64_t part[5] = {w0 & 0xFFFFFFFFu, w0 >> 32, w1 & 0xFFFFFFFFu, w1 >> 32, w2};
    std::int64_t sum[5];
#pragma unroll
    for (int i = 0; i < 5; ++i) sum[i] = d[i * stride] + ((static_cast<std::int64_t>(part[i]) ^ sign) - sign);
#pragma unroll
    for (int i = 0; i < 5; ++i) d[i * stride] = sum[i];
  }

  /// Propagates carries, so that digits are in [0, 2^32) again, the top one signed.
  __device__ void carry() {
    std::int64_t above = 0;
    for (int d = 0; d + 1 < digits; ++d) {
      const std::int64_t v = word[d * stride] + above;
      word[d * stride] = v & 0xFFFFFFFF;
      above = v >> 32;
    }
    word[(digits - 1) * stride] += above;
  }
};

/// The special terms of a row, with Inf or NaN. In IEEE arithmetic they add up to NaN, +Inf or -Inf as docs/modes.md
/// defines the sum.
template <class T>
struct Special {
  T sum;
  bool any;
};

/// Returns the value that an entry represents: itself, or rounded to T bits below 2^exponent and scaled by 2^-exponent.
template <class T>
__device__ double value_of(T entry, const FixedScaling& fixed, int exponent) {
  return fixed.most ? rounded_entry(entry, exponent, fixed.bits) : entry;
}

template <class T>
__device__ int exponent_of(const FixedScaling& fixed, Index i) {
  return fixed.most ? exponent_above(from_bits<T>(static_cast<typename FloatFormat<T>::Bits>(fixed.most[i]))) : 0;
}

/// Adds the terms of entries first .. first + entries - 1 of a row to the lanes' accumulators. Returns the special
/// terms of the whole warp.
template <class E>
__device__ Special<RealOf<E>> add_terms(const ExactRows<E>& g, Index sum, Index first, Index entries,
                                        Digits accumulator) {
  using T = RealOf<E>;
  constexpr int components = component_count<E>, count = batch / components;
  const Index i = sum / components, a_stride = g.p.a.col_stride, x_stride = g.p.x.stride, end = first + entries;
  const int lane = threadIdx.x % 32, component = static_cast<int>(sum % components);
  const int e = exponent_of<T>(g.fixed, i), f = exponent_of<T>(g.fixed, g.p.m);
  Special<T> special{0, false};
  int pending = 0;
  const E* a = g.p.a.data + i * g.p.a.row_stride + (first + lane) * a_stride;
  const E* x = g.p.x.data + (first + lane) * x_stride;
  for (Index q = first + lane; q < end; q += 32 * count, a += 32 * count * a_stride, x += 32 * count * x_stride) {
    E u[count], v[count];
    if (g.p.held == Triangle::all) {
      load_spaced_below<32>(a, a_stride, end - q, u);
    } else {
#pragma unroll
      for (int j = 0; j < count; ++j) u[j] = q + 32 * j < end ? mirrored_entry(g.p, i, q + 32 * j) : E{};
    }
    load_spaced_below<32>(x, x_stride, end - q, v);
#pragma unroll
    for (int j = 0; j < count; ++j) {
      if constexpr (!is_complex<E>)
        if (g.p.terms == Terms::magnitudes) v[j] = u[j] < 0 ? T(-1) : T(1);
      for_terms(u[j], v[j], g.p.conjugate, component, [&](T s, T t) {
        if (is_finite(s) && is_finite(t)) {
          accumulator.add_product(value_of(s, g.fixed, e), value_of(t, g.fixed, f));
        } else {
          special.any = true;
          special.sum += s * t;
        }
      });
    }
    pending += batch;
    if (pending >= carry_period) {
      accumulator.carry();
      pending = 1;
    }
  }
  special.any = __any_sync(full_warp, special.any);
  for (int half = 16; half > 0; half /= 2) special.sum += __shfl_xor_sync(full_warp, special.sum, half);
  return special;
}

/// Sets word d of lane 0's accumulator to the sum over the lanes. The order of reading keeps the threads on different
/// banks.
__device__ inline void sum_lanes(std::int64_t* words) {
  const int lane = threadIdx.x % 32;
  __syncwarp();
  for (int d = lane; d < digits; d += 32) {
    std::int64_t sum = 0;
    for (int l = 0; l < 32; ++l) sum += words[d * 32 + (l + lane) % 32];
    words[d * 32] = sum;
  }
  __syncwarp();
}

/// Returns S in units of 2^unit, from the words of lane 0.
__device__ inline Wide<limbs> sum_of_words(const std::int64_t* words) {
  Wide<limbs> sum{};
  std::int64_t carry = 0;
  for (int l = 0; l < limbs; ++l) {
    const std::int64_t low = words[2 * l * 32] + carry;
    const std::int64_t high = words[(2 * l + 1) * 32] + (low >> 32);
    sum.limb[l] = static_cast<std::uint64_t>(high) << 32 | static_cast<std::uint32_t>(low);
    carry = high >> 32;
  }
  return sum;
}

/// Writes RN(alpha S + beta y), or the root of S, for S in the words of lane 0; one thread calls this. Four limbs
/// around the leading one decide nearly always.
template <class E>
__device__ void write_finite(const ExactRows<E>& g, Index number, const std::int64_t* words) {
  using T = RealOf<E>;
  const Wide<limbs> sum = sum_of_words(words);
  T* const y = g.p.result(number);
  if (g.p.terms == Terms::squares) {
    *y = finish_root<T>(sum, false, unit);
    return;
  }
  const Index i = number / component_count<E>;
  const int exponent = unit + exponent_of<T>(g.fixed, i) + exponent_of<T>(g.fixed, g.p.m);
  const T alpha = g.p.alpha.get(), beta = g.p.beta.get(), addend = read_addend(beta, y);

  const std::uint64_t fill = wide_negative(sum) ? ~std::uint64_t{0} : 0;
  int top = limbs - 1;
  while (top > 0 && sum.limb[top] == fill) --top;
  const int lowest = top > 2 ? top - 2 : 0;
  Wide<4> leading{};
  for (int l = 0; l < 4; ++l) leading.limb[l] = lowest + l < limbs ? sum.limb[lowest + l] : fill;
  bool lost = false;
  for (int l = 0; l < lowest; ++l) lost |= sum.limb[l] != 0;
  T out;
  if (!finish_within(alpha, leading, lost ? 1.0 : 0.0, exponent + 64 * lowest, beta, addend, &out)) {
    out = finish(alpha, sum, exponent, beta, addend);
  }
  *y = out;
}

template <class E>
__device__ void write_sum(const ExactRows<E>& g, Index sum, const std::int64_t* words, Special<RealOf<E>> special) {
  using T = RealOf<E>;
  if (!special.any) return write_finite(g, sum, words);
  T* const y = g.p.result(sum);
  const T beta = g.p.beta.get();
  *y = finish_special(g.p.alpha.get(), special.sum, beta, read_addend(beta, y));
}

/// Computes the sums of a list one after another. The whole warp calls this function. `memory` has long_sums::words
/// words.
template <class E>
__device__ __noinline__ void compute_sums(const ExactRows<E>& g, const Index* list, Index count, std::int64_t* memory) {
  Digits accumulator{memory + threadIdx.x % 32};
  for (Index entry = 0; entry < count; ++entry) {
    accumulator.clear();
    const Special<RealOf<E>> special = add_terms(g, list[entry], 0, g.p.k, accumulator);
    sum_lanes(memory);
    if (threadIdx.x % 32 == 0) write_sum(g, list[entry], memory, special);
    __syncwarp();
  }
}

}  // namespace long_sums

/// Reports `open` pending sums that the thread block has computed itself. One thread calls this at the end of every
/// thread block of such a kernel. The last of all blocks sets state->undecided.
__device__ inline void report_open(VectorState* state, Index open) {
  if (open > 0) {
    atomicAdd(&state->open, static_cast<unsigned long long>(open));
    __threadfence();
  }
  if (atomicAdd(&state->exact_arrived, 1u) != gridDim.x * gridDim.y - 1) return;
  __threadfence();
  state->exact_arrived = 0;
  state->undecided = atomicExch(&state->open, 0ull);
}

#endif

}  // namespace accublas::cuda
