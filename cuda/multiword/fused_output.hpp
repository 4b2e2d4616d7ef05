// Finishes a tile of the fused multiword product: computes elements of C from sums. Device code.
#pragma once

#include "cuda/exact/open_elements.hpp"
#include "cuda/multiword/fused_ring.hpp"
#include "cuda/multiword/words.hpp"
#include "lib/numerics/multiword_finish.hpp"

namespace accublas::cuda::hopper::fused {

/// Writes the elements of a tile that a thread owns: those of two rows 16 apart, four neighbouring columns at a time.
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
      scale_[half] = C::scaled && wanted_[half] ? 2 * words::half_top - m_.row_lines.exponent[at] : 0;
    }
  }

  struct Columns {
    int exponent[4];
    bool wanted[4], all;
  };
  /// Reads the properties of the lines of four columns; per-line arrays are padded.
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

  __device__ void store(const float (&sums)[4], int half, Index col, const Columns& c) const {
    if (!wanted_[half]) return;
    float* const to = m_.at.data + (row_ + 16 * half) * m_.at.row_stride + col * m_.at.col_stride;
    const bool vector = vectors_ && c.all;
    float result[4];
    const auto finish_all = [&](float beta, const float(&old)[4]) {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        result[i] = finish_multiword(alpha_, sums[i], C::scaled ? scale_[half] - c.exponent[i] : 0, beta, old[i]);
    };
    if (is_zero(beta_)) {
      finish_all(0.0f, {});
    } else {
      float old[4]{};
      if (vector) {
        const float4 v = *reinterpret_cast<const float4*>(to);
        old[0] = v.x, old[1] = v.y, old[2] = v.z, old[3] = v.w;
      } else {
#pragma unroll
        for (int i = 0; i < 4; ++i)
          if (c.wanted[i]) old[i] = to[i * m_.at.col_stride];
      }
      finish_all(beta_, old);
    }
    const bool finite = is_finite(sums[0]) && is_finite(sums[1]) && is_finite(sums[2]) && is_finite(sums[3]);
    if (vector && finite) {
      *reinterpret_cast<float4*>(to) = {result[0], result[1], result[2], result[3]};
      return;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (!c.wanted[i]) continue;
      if (is_finite(sums[i]))
        to[i * m_.at.col_stride] = result[i];
      else
        leave_open(half, col + i);
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
  int scale_[2];  ///< scale of the row, plus the columns' scale without their exponents
};

}  // namespace accublas::cuda::hopper::fused
