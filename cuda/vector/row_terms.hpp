// Turns the entries of a row and of x into terms of cr's sums, unchanged or rounded to fixed:T. Device code.
#pragma once

#include "cuda/core/loads.hpp"
#include "cuda/sums/grid_chain.hpp"
#include "cuda/vector/vector_device.hpp"
#include "lib/numerics/scaling.hpp"

namespace accublas::cuda {

inline constexpr int batch = 8;  ///< entries of a row that a lane loads at a time

#ifdef __CUDACC__

/// Rounds an entry to T bits below 2^E. The entry is scaled by 2^-E in two factors, since the power may not be a
/// double.
struct Rounding {
  double factor1, factor2, magic;

  __device__ double operator()(double a) const {
    const double y = mul_rn(mul_rn(a, factor1), factor2), size = absolute(y);
    const double rounded = add_rn(add_rn(size, magic), -magic);
    return copysign(size < magic ? rounded : size, y);
  }
};

template <class T>
__device__ T magnitude_of(std::uint64_t most) {
  return from_bits<T>(static_cast<typename FloatFormat<T>::Bits>(most));
}

template <class T>
__device__ Rounding rounding_of(const FixedScaling& fixed, Index i) {
  const int e = -exponent_above(magnitude_of<T>(fixed.most[i])), half = e / 2;
  const bool one = e >= -1000 && e <= 1000;
  return {power_of_two(one ? e : half), power_of_two(one ? 0 : e - half), power_of_two(52 - fixed.bits)};
}

/// Rounds the numbers of a row and of x. Without `Fixed` it returns them unchanged.
template <class T, bool Fixed>
struct Rounded {
  Rounding row, x;
  __device__ Rounded(const FixedScaling& fixed, Index i, Index m)
      : row(rounding_of<T>(fixed, i)), x(rounding_of<T>(fixed, m)) {}
  __device__ double of_row(T a) const { return row(a); }
  __device__ double of_x(T a) const { return x(a); }
};
template <class T>
struct Rounded<T, false> {
  __device__ Rounded(const FixedScaling&, Index, Index) {}
  __device__ double of_row(T a) const { return a; }
  __device__ double of_x(T a) const { return a; }
};

template <class E, bool Uniform>
using ChainOf = GridChain<is_single_precision<E>, Uniform>;

/// The count of entries whose terms a chain adds at once.
template <class E>
constexpr int group_entries = chain_group / component_count<E>;

/// Adds the terms of group_entries entries of a row and of x to the chains of the row's sums. The entries of x are of
/// the row's type, or of one that rounded.of_x() takes.
template <class E, class OfX, class RoundedNumbers, class Chain>
__device__ void add_entries(const RoundedNumbers& rounded, bool conjugate, const E* u, const OfX* v, Chain* chains) {
  constexpr int components = component_count<E>;
  double a[chain_group], x[components][chain_group];
#pragma unroll
  for (int j = 0; j < group_entries<E>; ++j) {
    if constexpr (is_complex<E>) {
      const double re = rounded.of_x(v[j].re), im = rounded.of_x(v[j].im);
      a[2 * j] = rounded.of_row(u[j].re);
      a[2 * j + 1] = rounded.of_row(conjugate ? -u[j].im : u[j].im);
      x[0][2 * j] = re, x[0][2 * j + 1] = -im;
      x[1][2 * j] = im, x[1][2 * j + 1] = re;
    } else {
      a[j] = rounded.of_row(u[j]);
      x[0][j] = rounded.of_x(v[j]);
    }
  }
#pragma unroll
  for (int c = 0; c < components; ++c) chains[c].add(a, x[c]);
}

/// Adds the terms of `batch` entries of x, and of one or two rows of A, to the chains of the rows' sums. The entries
/// are `spacing` apart. Entries with offsets from `left` on count as zero unless the batch is `whole`. All loads of A,
/// which come from memory, are in flight at once. x is in a cache, so it is loaded a group at a time.
template <int spacing, class E, int rows, class RoundedNumbers, class Chain>
__device__ __forceinline__ void add_batch(const RoundedNumbers& rounded, const RoundedNumbers& last_rounded,
                                          bool conjugate, const Matrix<const E>& a, const Vector<const E>& x,
                                          bool whole, Index left, Chain* chains) {
  constexpr int group = group_entries<E>;
  E u[rows][batch];
#pragma unroll
  for (int r = 0; r < rows; ++r)
    whole ? load_spaced<spacing>(a.data + r * a.row_stride, a.col_stride, u[r])
          : load_spaced_below<spacing>(a.data + r * a.row_stride, a.col_stride, left, u[r]);
#pragma unroll
  for (int first = 0; first < batch; first += group) {
    constexpr Index apart = spacing;
    E v[group];
    whole ? load_spaced<spacing>(x.data + first * apart * x.stride, x.stride, v)
          : load_spaced_below<spacing>(x.data + first * apart * x.stride, x.stride, left - first * apart, v);
#pragma unroll
    for (int r = 0; r < rows; ++r)
      add_entries(r == 0 ? rounded : last_rounded, conjugate, u[r] + first, v, chains + r * component_count<E>);
  }
}

#endif

}  // namespace accublas::cuda
