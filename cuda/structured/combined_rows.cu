#include "cuda/core/launch.hpp"
#include "cuda/core/warp_reduce.hpp"
#include "cuda/fp64/slice_remainder.hpp"
#include "cuda/structured/combined_rows.hpp"
#include "cuda/sums/dot2_pair.hpp"
#include "cuda/vector/exact_row.hpp"
#include "cuda/vector/pair_row.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/component_sum.hpp"
#include "lib/numerics/dot2_block.hpp"

namespace accublas::cuda {

namespace {

using namespace long_sums;

constexpr int nothing = -1 << 30;

/// The slices of a line: multiples of 2^grid, to which the remainder of an entry after the earlier slices is rounded.
struct Slices {
  int count, grid[most_slices];
};

/// A slice may be 2^1024, which is not a double, so slices of coarse grids are kept times 2^-2.
__device__ int reduction(int grid) { return grid > 900 ? 2 : 0; }

__device__ void cut(const Slices& slices, double entry, double (&slice)[most_slices]) {
  Remainder left(entry);
  for (int q = 0; q < slices.count; ++q) {
    const int grid = slices.grid[q];
    slice[q] = ldexp(static_cast<double>(left.take(grid)), grid - reduction(grid));
  }
}

/// Computes a row, by a warp. The sum of an inner product is left in the words of lane 0's accumulator.
template <class T>
struct CombinedRow {
  using E = Complex<T>;
  const CombinedRows<T>& g;
  Vector<const E> row;
  std::int64_t* memory;
  std::uint64_t* most;  ///< bits of the largest magnitudes of the row and of the column
  Slices* slices;       ///< theirs

  __device__ int lane() const { return static_cast<int>(threadIdx.x); }

  __device__ static E entry(const Vector<const E>& v, Index i) { return load_entry(v.data + i * v.stride); }

  /// Calls body(real number of the row, real number of the column) for the lane's share of the terms.
  template <class Body>
  __device__ void for_lane(int part, Body&& body) const {
    for (Index p = lane(); p < g.k; p += 32) for_terms(entry(row, p), entry(g.x, p), g.conjugate, part, body);
  }

  /// Finds the largest magnitudes of the row and of the column. Returns false if one of them has an Inf or a NaN.
  __device__ bool measure() const {
    using F = FloatFormat<T>;
    typename F::Bits of_row = 0, of_column = 0;
    for_lane(0, [&](T a, T x) {
      of_row = max(of_row, to_bits(a) & ~F::sign);
      of_column = max(of_column, to_bits(x) & ~F::sign);
    });
    const auto larger = [](typename F::Bits a, typename F::Bits b) { return a < b ? b : a; };
    of_row = shuffle_reduce(of_row, larger), of_column = shuffle_reduce(of_column, larger);
    __syncwarp();
    if (lane() == 0) most[0] = of_row, most[1] = of_column;
    __syncwarp();
    return of_row < F::infinity && of_column < F::infinity;
  }

  /// Computes the mode's inner product, or cr's. Returns the sum of the special terms; `exponent` is that of the words'
  /// last bit.
  __device__ Special<T> sum(int part, bool exact, int& exponent) const {
    Digits accumulator{memory + lane()};
    __syncwarp();
    accumulator.clear();
    Special<T> special{0, false};
    const accublas_mode mode = exact ? ACCUBLAS_MODE_CR : g.mode.kind;
    exponent = unit;
    if (mode == ACCUBLAS_MODE_DOT2) {
      const Pair pair = pair_of(part);
      if (lane() == 0) {
        accumulator.add_product(pair.s, 1);
        accumulator.add_product(pair.c, 1);
      }
    } else if (mode == ACCUBLAS_MODE_SLICES && measure()) {
      add_slices(part, accumulator);
    } else {
      ExactRows<E> rows{};
      rows.p.m = 1;
      rows.p.k = g.k;
      rows.p.a = {row.data, 0, row.stride};
      rows.p.x = g.x;
      rows.p.conjugate = g.conjugate;
      if (mode == ACCUBLAS_MODE_FIXED && measure()) {
        rows.fixed = {most, g.mode.parameter};
        exponent += exponent_of<T>(rows.fixed, 0) + exponent_of<T>(rows.fixed, 1);
      }
      special = add_terms(rows, part, 0, g.k, accumulator);
    }
    sum_lanes(memory);
    return special;
  }

  /// Returns dot2's pair: each lane has a block, and all lanes combine the blocks from left to right.
  __device__ Pair pair_of(int part) const {
    Pair total{0, 0};
    constexpr Index block = dot2_block / component_count<E>;
    const Index blocks = ceil_div(g.k, block);
    for (Index first = 0; first < blocks; first += 32) {
      Pair own{0, 0};
      const Index begin = (first + lane()) * block, stop = begin + block;
      for (Index p = begin; p < stop && p < g.k; ++p)
        for_terms(entry(row, p), entry(g.x, p), g.conjugate, part, [&](T a, T x) { step(own, a, x); });
      const int count = blocks - first < 32 ? static_cast<int>(blocks - first) : 32;
      for (int b = 0; b < count; ++b)
        total = combine<T>(total, {__shfl_sync(full_warp, own.s, b), __shfl_sync(full_warp, own.c, b)});
    }
    return total;
  }

  /// Finds the grids of a line, one after another. They do not depend on the signs of its numbers.
  __device__ void find_slices(const Vector<const E>& line, Slices& to) const {
    __syncwarp();
    if (lane() == 0) to.count = 0;
    __syncwarp();
    for (int q = 0; q < g.mode.parameter; ++q) {
      int top = nothing;
      const auto raise_to = [&](T number) {
        Remainder left(number);
        for (int r = 0; r < q; ++r) left.take(to.grid[r]);
        if (left.mantissa != 0) top = max(top, left.ceil_log2());
      };
      for (Index p = lane(); p < g.k; p += 32) {
        const E z = entry(line, p);
        raise_to(z.re), raise_to(z.im);
      }
      top = lanes_max(top);
      if (top == nothing) return;
      __syncwarp();
      if (lane() == 0) {
        to.grid[q] = g.rho + top - 53;
        to.count = q + 1;
      }
      __syncwarp();
    }
  }

  __device__ void add_slices(int part, Digits accumulator) const {
    find_slices(row, slices[0]);
    find_slices(g.x, slices[1]);
    const Slices &a = slices[0], &x = slices[1];
    double of_row[most_slices], of_column[most_slices];
    int pending = 0;
    for_lane(part, [&](T u, T v) {
      cut(a, u, of_row);
      cut(x, v, of_column);
      if (pending + a.count * x.count > carry_period) {
        accumulator.carry();
        pending = 1;
      }
      pending += a.count * x.count;
      for (int q = 0; q < a.count; ++q)
        for (int r = 0; r < x.count && (!g.mode.fast || q + r < g.mode.parameter); ++r)
          accumulator.add_product(of_row[q], of_column[r], reduction(a.grid[q]) + reduction(x.grid[r]));
    });
  }
};

template <class T>
__global__ void __launch_bounds__(32) combined_kernel(const __grid_constant__ CombinedRows<T> g) {
  await_predecessor();
  const Complex<T> alpha = g.alpha.get(), beta = g.beta.get();
  if (is_zero(alpha.im) && is_zero(beta.im)) return;
  __shared__ std::int64_t memory[words];
  __shared__ std::uint64_t most[2];
  __shared__ Slices slices[2];
  for (Index i = blockIdx.x; i < g.m; i += gridDim.x) {
    Complex<T>& y = g.y.data[i * g.y.stride];
    const Complex<T> addend = beta == T(0) ? Complex<T>{} : y;
    if (alpha == T(0)) {
      if (threadIdx.x == 0) y = finish_scaled(beta, addend);
      continue;
    }
    const CombinedRow<T> row{g, {g.a.data + i * g.a.row_stride, g.a.col_stride}, memory, most, slices};
    bool kept[2] = {true, true};
    if (g.mode.kind == ACCUBLAS_MODE_DOT2)
      for (int part = 0; part < 2; ++part) {
        const Pair pair = row.pair_of(part);
        kept[part] = is_finite(pair.s) && is_finite(pair.c);
      }
    T result[2];
    for (int part = 0; part < 2; ++part) {
      const int other = 1 - part;
      const bool by_mode = is_kept(alpha, kept[part], kept[other]);
      ComponentSum<T> sum;
      const auto add = [&](T factor, int of) {
        if (is_zero(factor)) return;
        int exponent;
        const Special<T> special = row.sum(of, !by_mode, exponent);
        if (threadIdx.x != 0) return;
        special.any ? sum.add_special(factor, special.sum) : sum.add(factor, sum_of_words(memory), exponent);
      };
      add(alpha.re, part);
      add(part == 0 ? -alpha.im : alpha.im, other);
      if (threadIdx.x != 0) continue;
      sum.add(beta.re, part == 0 ? addend.re : addend.im);
      sum.add(part == 0 ? -beta.im : beta.im, part == 0 ? addend.im : addend.re);
      result[part] = sum.round();
    }
    if (threadIdx.x == 0) y = {result[0], result[1]};
  }
}

template <class T>
__global__ void real_kernel(Scalar<Complex<T>> alpha, Scalar<Complex<T>> beta, T* to) {
  await_predecessor();
  const Complex<T> a = alpha.get(), b = beta.get();
  const bool real = is_zero(a.im) && is_zero(b.im);
  to[0] = real ? a.re : T(0);
  to[1] = real ? b.re : T(1);
}

}  // namespace

template <class T>
void combined_rows(const DeviceModel& model, const CombinedRows<T>& g, cudaStream_t stream) {
  const Index places = Index{6} * model.processors;
  launch(model, "combined rows", combined_kernel<T>, {static_cast<unsigned>(g.m < places ? g.m : places), 32}, stream,
         g);
}

template <class T>
void real_scalars(const DeviceModel& model, Scalar<Complex<T>> alpha, Scalar<Complex<T>> beta, T* to,
                  cudaStream_t stream) {
  launch(model, "scalars", real_kernel<T>, {1, 1}, stream, alpha, beta, to);
}

#define ACCUBLAS_INSTANTIATE(T)                                                          \
  template void combined_rows(const DeviceModel&, const CombinedRows<T>&, cudaStream_t); \
  template void real_scalars(const DeviceModel&, Scalar<Complex<T>>, Scalar<Complex<T>>, T*, cudaStream_t);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
