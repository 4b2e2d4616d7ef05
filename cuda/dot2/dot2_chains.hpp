// The registers of a thread of dot2's GEMM: the chains of its outputs over a block of the definition, on the FP64
// units, or for binary32 on tensor cores. For .cu files.
#pragma once

#include <type_traits>

#include "cuda/core/ptx_portable.hpp"
#include "cuda/dot2/dot2_gemm_table.hpp"
#include "cuda/sums/bounded_pair.hpp"

namespace accublas::cuda {

/// How a step finds the larger of two numbers: by comparing them on the FP64 units, or by comparing their high words,
/// read as binary32. The words order magnitudes by exponent, which is all that Dekker's sequence needs, as long as no
/// word is a NaN of binary32: numbers must be below 2^1017.
enum class Dot2Compare { numbers, high_words };

/// The largest exponent that a tile's partial sums may reach if high words are compared.
inline constexpr int dot2_high_word_exponent = 1016;

#ifdef __CUDACC__

namespace dot2 {

__device__ __forceinline__ bool smaller_high_word(double a, double b) {
  return fabsf(__int_as_float(__double2hiint(a))) < fabsf(__int_as_float(__double2hiint(b)));
}

/// Computes step of docs/modes.md in 7 operations of binary64 instead of the 10 of its definition, plus a comparison
/// and 4 selects. An H200 issues an operation of binary64 in two cycles of a scheduler, and the others in one: 19
/// cycles against 20. The products of binary32 operands are exact in binary64 (`exact_products`).
template <class T, Dot2Compare compare, bool exact_products>
__device__ __forceinline__ void add_term(Pair& pair, double x, double y) {
  if constexpr (!compensated<T>) {
    pair.s = fma_rn(x, y, pair.s);
  } else {
    const double p = mul_rn(x, y), s = add_rn(pair.s, p);
    const bool swap = compare == Dot2Compare::high_words ? smaller_high_word(pair.s, p) : fabs(pair.s) < fabs(p);
    const double large = swap ? p : pair.s, small = swap ? pair.s : p;
    const double q = add_rn(small, -add_rn(s, -large));
    pair.c = add_rn(pair.c, exact_products ? q : add_rn(q, fma_rn(x, y, -p)));
    pair.s = s;
  }
}

template <int count, int spacing>
__device__ __forceinline__ void load_pairs(double (&out)[count], const double* words) {
#pragma unroll
  for (int i = 0; i < count; i += 2) {
    const double2 v = *reinterpret_cast<const double2*>(words + i / 2 * spacing);
    out[i] = v.x;
    out[i + 1] = v.y;
  }
}

/// Factors that cr's chains apply to the entries that they read.
struct TermFactors {
  double scale = 1;       ///< power of two by which binary64 entries of rows are multiplied
  unsigned negative = 0;  ///< bit 2 j + p: products of columns j % 2 and terms p % 2 are negated
};

/// Chains on the FP64 units. A thread has two neighbouring rows in every 8 of its warp's, and two neighbouring columns
/// in every 16, so that 16-byte loads of a warp have no bank conflicts.
template <class T, Dot2Shape shape, Dot2Compare compare, bool cr = false>
class UnitChains {
 public:
  __device__ explicit UnitChains(const TermFactors& factors = {}) : factors_(factors) {
    constexpr int across = shape.cols / shape.warp_cols();
    const int warp = threadIdx.x % shape.group_threads() / 32, lane = threadIdx.x % 32;
    row_ = warp / across * shape.warp_rows() + lane / 8 * 2;
    col_ = warp % across * shape.warp_cols() + lane % 8 * 2;
  }

  /// Adds the terms of a step that the thread's group has, with p increasing.
  __device__ __forceinline__ void add_step(const double* row_words, const double* col_words) {
    constexpr int terms = shape.step / shape.groups;
    const int first = shape.groups == 1 ? 0 : static_cast<int>(threadIdx.x) / shape.group_threads() * terms;
    row_words += first * shape.row_pitch();
    col_words += first * shape.col_pitch();
#pragma unroll(shape.unroll)
    for (int p = 0; p < terms; ++p) {
      double x[rows], y[cols];
      load_pairs<rows, 8>(x, row_words + row_ + p * shape.row_pitch());
      load_pairs<cols, 16>(y, col_words + col_ + p * shape.col_pitch());
      if constexpr (cr) apply_factors(x, y, p);
#pragma unroll
      for (int i = 0; i < rows; ++i)
#pragma unroll
        for (int j = 0; j < cols; ++j) {
          Chain<T, cr>& chain = chain_[i][j];
          if constexpr (cr) chain.magnitude = __fma_ru(fabs(x[i]), fabs(y[j]), chain.magnitude);
          add_term<SumType<T, cr>, compare, cr && !compensated<T>>(chain.pair, x[i], y[j]);
        }
    }
  }

  /// Calls body(row, column in the tile, sum) for the thread's outputs.
  template <class Body>
  __device__ __forceinline__ void visit(Body&& body) const {
#pragma unroll
    for (int i = 0; i < rows; ++i)
#pragma unroll
      for (int j = 0; j < cols; ++j) body(row_ + i / 2 * 8 + i % 2, col_ + j / 2 * 16 + j % 2, chain_[i][j].bounded());
  }

 private:
  static constexpr int rows = shape.thread_rows, cols = shape.thread_cols;

  /// Applies the factors to the entries of the group's term p of a step. The group starts at an even term, and a tile
  /// at an even column.
  __device__ __forceinline__ void apply_factors(double (&x)[rows], double (&y)[cols], int p) const {
    if constexpr (compensated<T>) {
#pragma unroll
      for (double& entry : x) entry = mul_rn(entry, factors_.scale);
    }
    if (factors_.negative == 0) return;
#pragma unroll
    for (int j = 0; j < cols; ++j)
      if ((factors_.negative >> (2 * (j % 2) + p % 2) & 1) != 0) y[j] = -y[j];
  }

  Chain<T, cr> chain_[rows][cols];
  const TermFactors factors_;
  int row_, col_;
};

/// Chains of binary32 on tensor cores: the sums s in plain binary64, since products are exact. The manual does not
/// state the instruction's order. It adds its terms one after another, p increasing, each with one rounding, like fma.
/// This was true in all of 20 million sums of every kind (uniform, of wide exponents, cancelling, subnormal), on
/// compute capability 9.0.
template <Dot2Shape shape>
class TensorChains {
 public:
  __device__ TensorChains() {
    constexpr int across = shape.cols / shape.warp_cols();
    const int warp = threadIdx.x / 32;
    row_ = warp / across * shape.warp_rows();
    col_ = warp % across * shape.warp_cols();
  }

  __device__ __forceinline__ void add_step(const double* row_words, const double* col_words) {
    const int group = threadIdx.x % 32 / 4, member = threadIdx.x % 4;
#pragma unroll
    for (int p = 0; p < shape.step; p += 16) {
      // Neighbouring terms are four banks of 8 bytes apart: the lanes of half a warp share no bank.
      const double* const x_words = row_words + (p + member) * shape.row_pitch() + row_ + group;
      const double* const y_words = col_words + (p + member) * shape.col_pitch() + col_ + group;
      double y[cols][4];
#pragma unroll
      for (int j = 0; j < cols; ++j)
#pragma unroll
        for (int q = 0; q < 4; ++q) y[j][q] = y_words[4 * q * shape.col_pitch() + 8 * j];
#pragma unroll
      for (int i = 0; i < rows; ++i) {
        double x[8];
#pragma unroll
        for (int q = 0; q < 8; ++q) x[q] = x_words[q / 2 * 4 * shape.row_pitch() + 16 * i + q % 2 * 8];
#pragma unroll
        for (int j = 0; j < cols; ++j) ptx::mma_16x8x16(sum_[i][j], x, y[j]);
      }
    }
  }

  template <class Body>
  __device__ __forceinline__ void visit(Body&& body) const {
    const int group = threadIdx.x % 32 / 4, member = threadIdx.x % 4;
#pragma unroll
    for (int i = 0; i < rows; ++i)
#pragma unroll
      for (int j = 0; j < cols; ++j)
#pragma unroll
        for (int q = 0; q < 4; ++q)
          body(row_ + 16 * i + q / 2 * 8 + group, col_ + 8 * j + 2 * member + q % 2,
               BoundedPair<float, false>{{sum_[i][j][q], 0}});
  }

 private:
  static constexpr int rows = shape.warp_rows() / 16, cols = shape.warp_cols() / 8;  ///< tiles of the instruction
  double sum_[rows][cols][4] = {};
  int row_, col_;
};

template <class T, Dot2Shape shape, Dot2Compare compare>
using Chains = std::conditional_t<shape.tensor, TensorChains<shape>, UnitChains<T, shape, compare>>;

}  // namespace dot2

#endif

}  // namespace accublas::cuda
