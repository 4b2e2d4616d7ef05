// The end of a tile of the fused multiword product: sums to elements of C. Device code.
#pragma once

#include "cuda/core/arithmetic.hpp"
#include "cuda/elements/open_elements.hpp"
#include "cuda/multiword/fused_ring.hpp"
#include "lib/numerics/finish.hpp"

namespace accublas::cuda::hopper::fused {

/// Writes the elements of a tile that a thread owns: of two rows 16 apart, four neighbouring columns at a time.
template <class C>
class Output {
 public:
  __device__ Output(const Job& job, Index row)
      : m_(job.product),
        row_(row),
        alpha_(m_.alpha.get()),
        beta_(m_.beta.get()),
        specials_(m_.state->rows.special != 0 || m_.state->cols.special != 0),
        vectors_(m_.at.col_stride == 1 && m_.at.row_stride % 4 == 0 &&
                 reinterpret_cast<std::uintptr_t>(m_.at.data) % 16 == 0) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const Index at = row + 16 * half;
      wanted_[half] = at < m_.rows.count && !(specials_ && m_.row_lines.special[at] != 0);
      exponent_[half] = C::scaled && wanted_[half] ? m_.row_lines.exponent[at] - 2 * half_top : 0;
    }
  }

  struct Columns {
    int exponent[4];
    bool wanted[4], all;
  };
  /// What is known of the lines of four columns; per-line arrays are padded.
  __device__ Columns columns(Index col) const {
    Columns c{{}, {}, true};
    if (C::scaled && col < m_.cols.count) {
      const int4 e = __ldg(reinterpret_cast<const int4*>(m_.col_lines.exponent + col));
      c.exponent[0] = e.x, c.exponent[1] = e.y, c.exponent[2] = e.z, c.exponent[3] = e.w;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      c.wanted[i] = col + i < m_.cols.count && !(specials_ && m_.col_lines.special[col + i] != 0);
      c.all &= c.wanted[i];
    }
    return c;
  }

  __device__ void store(const double (&sums)[4], int half, Index col, const Columns& c) const {
    if (!wanted_[half]) return;
    float* const to = m_.at.data + (row_ + 16 * half) * m_.at.row_stride + col * m_.at.col_stride;
    double result[4];
    bool finite = true;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      finite &= isfinite(sums[i]) != 0;
      result[i] = static_cast<double>(alpha_) * sums[i];
      if (C::scaled) result[i] *= power_of_two(exponent_[half] + c.exponent[i]);
    }
    if (vectors_ && c.all && finite) {
      if (!is_zero(beta_)) {
        const float4 old = *reinterpret_cast<const float4*>(to);
        result[0] += static_cast<double>(beta_) * static_cast<double>(old.x);
        result[1] += static_cast<double>(beta_) * static_cast<double>(old.y);
        result[2] += static_cast<double>(beta_) * static_cast<double>(old.z);
        result[3] += static_cast<double>(beta_) * static_cast<double>(old.w);
      }
      *reinterpret_cast<float4*>(to) = {static_cast<float>(result[0]), static_cast<float>(result[1]),
                                        static_cast<float>(result[2]), static_cast<float>(result[3])};
      return;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (!c.wanted[i]) continue;
      if (!isfinite(sums[i])) {
        leave_open(half, col + i);
        continue;
      }
      float* const at = to + i * m_.at.col_stride;
      if (!is_zero(beta_)) result[i] += static_cast<double>(beta_) * static_cast<double>(*at);
      *at = static_cast<float>(result[i]);
    }
  }

 private:
  __device__ void leave_open(int half, Index col) const {
    atomicOr(m_.open + (row_ + 16 * half) * OpenBits::words_per_row(m_.cols.count) + col / 32, 1u << (col % 32));
    atomicAdd(&m_.state->rejected, 1ull);
  }

  const MultiwordProduct& m_;
  const Index row_;
  const float alpha_, beta_;
  const bool specials_, vectors_;
  bool wanted_[2];
  int exponent_[2];
};

}  // namespace accublas::cuda::hopper::fused
