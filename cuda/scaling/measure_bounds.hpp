// Measures a line for dp and sp without promised bits, with half the work an entry: its exponent, and bounds of the
// other values. The exact measure of FP64 numbers takes 116 us at n = 4096 where reading takes 64; that of FP32 numbers
// takes 95 where reading takes 32. It is bound by instructions. For measure.cu.
#pragma once

#include "cuda/core/arithmetic.hpp"
#include "cuda/scaling/measure_lines.hpp"

namespace accublas::cuda::measuring {

/// The extent of abs(x) over a line: the largest word that holds the exponent, the least one of nonzero entries, and
/// the OR of the mantissas.
template <class T>
struct Extent {
  static constexpr bool wide = sizeof(T) == sizeof(double);
  static constexpr int mantissa = wide ? 20 : 23;  ///< bits in that word below the exponent's
  static constexpr int bias = wide ? 1023 : 127;
  static constexpr int least_field = wide ? 170 : 50, most_field = wide ? 2046 : 214;
  static constexpr bool serves_all = false;    ///< does not serve unusual lines
  std::uint32_t top = 0, least = 0xFFFFFFFFu;  ///< least: 1 less, so that zeros are the largest
  std::uint32_t ones = 0, low_ones = 0;

  /// Returns the word of an entry. For a double, its lowest bit is also set if any bit below the word is.
  __device__ static std::uint32_t key(double x) { return (high_word(x) & 0x7FFFFFFFu) | min(low_word(x), 1u); }
  __device__ static std::uint32_t key(float x) { return __float_as_uint(x) & 0x7FFFFFFFu; }

  __device__ void add(T x) {
    const std::uint32_t word = key(x);
    top = max(top, word);
    least = min(least, word - 1);
    ones |= word;
    if constexpr (wide) low_ones |= low_word(x);
  }
  __device__ void merge(const Extent& o) {
    top = max(top, o.top);
    least = min(least, o.least);
    ones |= o.ones;
    low_ones |= o.low_ones;
  }
  __device__ Extent of_lane_xor(int mask) const {
    Extent o;
    o.top = __shfl_xor_sync(all_lanes, top, mask);
    o.least = __shfl_xor_sync(all_lanes, least, mask);
    o.ones = __shfl_xor_sync(all_lanes, ones, mask);
    if constexpr (wide) o.low_ones = __shfl_xor_sync(all_lanes, low_ones, mask);
    return o;
  }
  __device__ void over_warp() {
    top = lanes_max(top);
    least = lanes_min(least);
    ones = lanes_or(ones);
    if constexpr (wide) low_ones = lanes_or(low_ones);
  }

  __device__ bool zero() const { return top == 0; }
  /// Returns whether the line needs the exact measure: it has Inf or NaN, or a largest entry with which QuickSums could
  /// leave its range.
  __device__ bool unusual() const {
    const int field = static_cast<int>(top >> mantissa);
    return top != 0 && (field < least_field || field > most_field);
  }
  __device__ int exponent() const { return static_cast<int>(top >> mantissa) - (bias - 1); }
  __device__ static constexpr int special() { return 0; }
  /// Returns an exponent such that all entries are multiples of 2^last_bit, and perhaps of a larger power. It combines
  /// the least exponent with the lowest bit of any mantissa. The hidden bit is above the bits of subnormal numbers.
  __device__ int last_bit() const {
    const int field = max(static_cast<int>((least + 1) >> mantissa), 1);
    const std::uint32_t high = (ones & ((1u << mantissa) - 1)) | 1u << mantissa;
    const auto lowest = [](std::uint32_t word) { return leading_one(word & (0u - word)); };
    if constexpr (!wide) return field - bias - mantissa + lowest(high);
    return field - bias - mantissa - 32 + (low_ones != 0 ? lowest(low_ones) : 32 + lowest(high));
  }
};

/// The extent of the first entries of a line, and the mean of their words. The mean is linear between powers of two and
/// close to the mean of the logarithms.
template <class T>
struct FirstEntries : Extent<T> {
  std::uint32_t sum = 0, count = 0;  ///< sum and number of nonzero entries; at most 2^11 of a line

  __device__ void add(T x) {
    Extent<T>::add(x);
    const std::uint32_t word = Extent<T>::key(x);
    sum += word >> 12;
    count += min(word, 1u);
  }
  __device__ void merge(const FirstEntries& o) {
    Extent<T>::merge(o);
    sum += o.sum;
    count += o.count;
  }
  __device__ FirstEntries of_lane_xor(int mask) const {
    return {Extent<T>::of_lane_xor(mask), __shfl_xor_sync(all_lanes, sum, mask),
            __shfl_xor_sync(all_lanes, count, mask)};
  }
  __device__ void over_warp() {
    Extent<T>::over_warp();
    sum = lanes_sum(sum);
    count = lanes_sum(count);
  }
  __device__ std::uint32_t mean_word() const { return count == 0 ? 0 : sum / count << 12; }
};

/// The results of QuickSums: bounds for a Sum, and a lower bound of the sum of min(abs(x), level), in units of 2^guess.
struct QuickSum : Sum {
  double below;

  __device__ void merge(const QuickSum& o) {
    Sum::merge(o);
    below = add_down(below, o.below);
  }
  __device__ QuickSum of_lane_xor(int mask) const {
    return {Sum::of_lane_xor(mask), __shfl_xor_sync(all_lanes, below, mask)};
  }
  __device__ void over_warp() {
#pragma unroll
    for (int mask = 16; mask >= 1; mask /= 2) merge(of_lane_xor(mask));
  }
};

/// Sums abs(x) and its square in FP32, rounded up, in units of 2^guess, for abs(x) < 2^(guess + most_above) if the
/// largest is not unusual. Also sums min(abs(x), level), rounded down. The level, which certify_lines uses, is 1.2
/// times the mean of logarithms: on data of phi 0 to 0.5 that is 0.8 to 0.9 of the mean.
template <class T>
class QuickSums {
 public:
  static constexpr int most_above = 40, most_below = 20;
  template <class>
  using Look = FirstEntries<T>;
  template <class>
  using Found = Extent<T>;
  using Total = QuickSum;

  __device__ QuickSums(int guess, const FirstEntries<T>& look)
      : offset_((guess + Extent<double>::bias - 127) * (1 << 20)) {
    if constexpr (!Extent<T>::wide) factor_ = __int_as_float((127 - max(-120, min(guess, 120))) << 23);
    level_ = 1.2f * value_of(look.mean_word());
  }
  __device__ void add(T x) {
    const float z = value_of(Extent<T>::key(x));
    sum_ = __fadd_ru(sum_, z);
    squares_ = __fmaf_ru(z, z, squares_);
    below_ = __fadd_rd(below_, fminf(z, level_));
  }
  __device__ void add(const T (&v)[batch]) {
#pragma unroll
    for (int i = 0; i < batch; ++i) add(v[i]);
  }
  /// Returns upper bounds for the unit 2^exponent, exponent - guess in -most_below .. most_above. The factor covers
  /// what the words and numbers below the range leave out, at most 2^-20 of an entry and 2^-120 of the unit.
  __device__ QuickSum at(int above) const {
    constexpr double enlarged = 1 + 0x1p-18;
    return {{multiply_up(sum_ * enlarged, power_of_two(24 - above)),
             multiply_up(squares_ * (enlarged * enlarged), power_of_two(48 - 2 * above))},
            below_};
  }
  __device__ double level() const { return level_; }

 private:
  /// Returns the value of a word, in units of 2^guess. A double's word is taken as an FP32 number: 20 bits of the
  /// mantissa, with numbers below the range as zero.
  __device__ float value_of(std::uint32_t word) const {
    if constexpr (Extent<T>::wide) return __int_as_float(max(static_cast<int>(word) - offset_, 0) << 3);
    return __uint_as_float(word) * factor_;
  }

  int offset_;
  float factor_ = 1, level_, sum_ = 0, squares_ = 0, below_ = 0;
};

}  // namespace accublas::cuda::measuring
