// A team of threads holds a number, one 32-bit limb a thread, least significant first. Carries, shifts and lengths need
// no loop over limbs.
#pragma once

#include "cuda/core/loads.hpp"
#include "cuda/mp/device.hpp"

namespace accublas::cuda {

/// Returns how many words of shared memory a team needs.
constexpr int team_words(int size) { return 2 * size + 5 * 32 + 4; }  // a multiple of 4

/// The width of a team is 16 (half of a warp) or 32 threads, or many_warps for any number of warps.
inline constexpr int many_warps = 0;

#ifdef __CUDACC__

/// A team is half of a warp, a warp, or any number of warps of a thread block that have a separate barrier. All threads
/// of the team must call every function together.
template <int width>
class Team {
 public:
  /// `shared`: team_words(size) words for this team alone; `barrier`: the number of the team in the thread block.
  __device__ Team(int rank, int size, std::uint32_t* shared, int barrier = 0)
      : rank_(rank),
        size_(size),
        barrier_(barrier),
        base_(lanes == 32 ? 0 : threadIdx.x % 32 / lanes * lanes),
        limbs_(shared),
        others_(shared + size),
        edges_(shared + 2 * size),
        sums_(edges_ + 96),
        short_(edges_ + 160) {}

  __device__ int rank() const { return rank_; }
  __device__ int size() const { return size_; }
  __device__ void sync() const {
    if constexpr (within_warp)
      __syncwarp(mask());
    else
      ptx::barrier_sync(barrier_, size_);
  }
  __device__ bool any(bool value) const {
    if constexpr (within_warp)
      return __any_sync(mask(), value);
    else
      return ptx::barrier_any(barrier_, size_, value);
  }
  /// Returns the value of thread `from`.
  __device__ std::uint32_t broadcast(std::uint32_t value, int from) const {
    if constexpr (within_warp) return __shfl_sync(mask(), value, from, lanes);
    if (rank_ == from) *short_ = value;
    sync();
    const std::uint32_t result = *short_;
    sync();
    return result;
  }
  /// Returns the sum over the team, modulo 2^64.
  __device__ std::uint64_t sum(std::uint64_t value) const {
#pragma unroll
    for (int half = lanes / 2; half > 0; half /= 2) value += __shfl_xor_sync(mask(), value, half, lanes);
    if constexpr (within_warp) return value;
    if (rank_ % 32 == 0) {
      sums_[rank_ / 32] = static_cast<std::uint32_t>(value);
      sums_[32 + rank_ / 32] = static_cast<std::uint32_t>(value >> 32);
    }
    sync();
    std::uint64_t total = 0;
    for (int w = 0; w < size_ / 32; ++w) total += static_cast<std::uint64_t>(sums_[32 + w]) << 32 | sums_[w];
    sync();
    return total;
  }

  /// Returns the largest value of the team.
  __device__ long long largest(long long value) const {
#pragma unroll
    for (int half = lanes / 2; half > 0; half /= 2) value = max(value, __shfl_xor_sync(mask(), value, half, lanes));
    if constexpr (within_warp) return value;
    if (rank_ % 32 == 0) {
      sums_[rank_ / 32] = static_cast<std::uint32_t>(value);
      sums_[32 + rank_ / 32] = static_cast<std::uint32_t>(value >> 32);
    }
    sync();
    for (int w = 0; w < size_ / 32; ++w)
      value = max(value, static_cast<long long>(static_cast<std::uint64_t>(sums_[32 + w]) << 32 | sums_[w]));
    sync();
    return value;
  }

  /// Returns the thread's limb of in + sum of value_i 2^(32 i), modulo 2^(32 size); value is below 2^64 - 2^32, in is 0
  /// or 1.
  ///
  /// The high words move up one limb, after which a limb passes on 0 or 1. Carries then run through limbs full of ones
  /// as the carry runs through the sum of two masks.
  __device__ std::uint32_t carried(std::uint64_t value, std::uint32_t in = 0) const {
    const int lane = rank_ % lanes, warp = rank_ / 32;
    const std::uint32_t high = static_cast<std::uint32_t>(value >> 32);
    std::uint32_t below = __shfl_up_sync(mask(), high, 1, lanes);
    if constexpr (!within_warp) {
      if (lane == 31) edges_[warp] = high;
      sync();
      if (lane == 0 && warp > 0) below = edges_[warp - 1];
    }
    if (rank_ == 0) below = 0;
    const std::uint64_t moved = (value & 0xFFFFFFFFu) + below;
    const std::uint32_t word = static_cast<std::uint32_t>(moved);
    const std::uint32_t made = ballot(moved >> 32 != 0), passed = ballot(word == 0xFFFFFFFFu);
    std::uint32_t carry = in;
    if constexpr (!within_warp) {
      if (lane == 0) edges_[32 + warp] = made, edges_[64 + warp] = passed;
      sync();
      for (int w = 0; w < warp; ++w) carry = carry_after(edges_[32 + w], edges_[64 + w], carry) >> 32 & 1;
    }
    const std::uint32_t into = static_cast<std::uint32_t>(carry_after(made, passed, carry)) ^ passed;
    return word + (into >> lane & 1);
  }

  /// Returns the thread's limb of sum of s_i 2^(32 i), modulo 2^(32 size).
  __device__ std::uint32_t carried(const Sum96& s) const {
    limbs_[rank_] = s.middle;
    others_[rank_] = s.high;
    sync();
    std::uint64_t value = s.low;
    if (rank_ > 0) value += limbs_[rank_ - 1];
    if (rank_ > 1) value += others_[rank_ - 2];
    sync();
    return carried(value);
  }

  /// Returns the number of significant bits.
  __device__ int bit_length(std::uint32_t limb) const {
    const unsigned set = ballot(limb != 0);
    const int top = 31 - __clz(static_cast<int>(set));
    const std::uint32_t value = __shfl_sync(mask(), limb, max(top, 0), lanes);
    int length = set == 0 ? 0 : 32 * (rank_ / 32 * 32 + top + 1) - __clz(static_cast<int>(value));
    if constexpr (within_warp) return length;
    if (rank_ % 32 == 0) sums_[rank_ / 32] = static_cast<std::uint32_t>(length);
    sync();
    for (int w = 0; w < size_ / 32; ++w) length = max(length, static_cast<int>(sums_[w]));
    sync();
    return length;
  }

  /// Returns the thread's limb of floor(number / 2^by), modulo 2^(32 size); `by` may be negative. `number` is in shared
  /// memory and has `count` limbs.
  __device__ std::uint32_t shifted(const std::uint32_t* number, int count, std::int64_t by) const {
    const std::int64_t at = 32 * std::int64_t{rank_} + by, word = at >> 5;
    if (word < -1 || word >= count) return 0;
    const std::uint32_t low = word >= 0 ? number[word] : 0, high = word + 1 < count ? number[word + 1] : 0;
    return __funnelshift_r(low, high, static_cast<std::uint32_t>(at & 31));
  }
  /// Returns whether floor(number / 2^by) loses bits.
  __device__ bool loses(std::uint32_t limb, std::int64_t by) const {
    const std::int64_t left = by - 32 * std::int64_t{rank_};
    return any(left > 0 && (left >= 32 ? limb : limb & ((1u << left) - 1)) != 0);
  }

 private:
  static constexpr bool within_warp = width != many_warps;
  static constexpr int lanes = within_warp ? width : 32;

  /// Returns the mask of the team's lanes in the warp: `lanes` lanes from base_ on.
  __device__ std::uint32_t mask() const { return lanes == 32 ? full_warp : 0xFFFFu << base_; }
  __device__ std::uint32_t ballot(bool value) const {
    const std::uint32_t set = __ballot_sync(mask(), value);
    return lanes == 32 ? set : set >> base_ & 0xFFFFu;
  }

  /// Returns the carries in bits 0 .. 31 (see carried()), and the carry out of the warp in bit 32.
  __device__ static std::uint64_t carry_after(std::uint32_t made, std::uint32_t passed, std::uint32_t in) {
    return static_cast<std::uint64_t>(passed) + (static_cast<std::uint64_t>(made) << 1 | in);
  }

  int rank_, size_, barrier_, base_;
  std::uint32_t *limbs_, *others_, *edges_, *sums_, *short_;
};

#endif

}  // namespace accublas::cuda
