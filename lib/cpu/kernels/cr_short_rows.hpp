// Inner products of several contiguous rows with few terms: rows are transposed, so that lanes are rows and no sum is
// added up across lanes. Only cr_vector.cpp includes this file.
#pragma once

#include "lib/cpu/kernels/cr_rows.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {
namespace {

constexpr Grid short_grid{8};
constexpr int short_vectors = 2;  // of rows side by side, so that the steps of one do not wait for each other
/// The most terms for which lanes of rows are faster than lanes along the rows, on grids and with plain sums.
constexpr Index short_terms = 8 * W, plain_terms = 512;
static_assert(short_terms <= Index{1} << (short_grid.headroom - 1));

/// v[q] = term q of W rows; terms from `valid` on are zeros.
template <class T>
ACCUBLAS_INLINE void load_terms(const T* a, Index ld, Index valid, V* v) {
  if (valid >= W) return load_transposed(a, ld, v);
  double entries[W * W];
  for (int r = 0; r < W; ++r) store(entries + r * W, load_first(a + r * ld, static_cast<int>(valid)));
  load_transposed(entries, W, v);
}

/// Sums of W rows, one a lane: they lie within `error` of high + low + rest.
struct LaneSums {
  V high, low, rest, error;
};

/// Adds up W N rows. `last` is a power of two of which all products of a row are multiples, or zero. Sums are those of
/// chains of Speed S, `swift` or `full`, but the limit is known before the first term is added.
template <Speed S, int N, class T>
ACCUBLAS_INLINE void add_short(Index k, const T* a, Index ld, const double* x, const V* last, LaneSums* to) {
  double entries[N][short_terms * W];
  V most[N], limit[N], base1_of[N], base2_of[N], s1[N], s2[N], rest[N];
  for (int n = 0; n < N; ++n) most[n] = rest[n] = zero();
  for (Index p = 0; p < k; p += W)
    for (int n = 0; n < N; ++n) {
      V v[W];
      load_terms(a + n * W * ld + p, ld, k - p, v);
      for (int q = 0; q < W; ++q) {
        store(entries[n] + (p + q) * W, v[q]);
        most[n] = larger_magnitude(most[n], mul(v[q], splat(x[p + q])));
      }
    }
  for (int n = 0; n < N; ++n) {
    limit[n] = where_greater(most[n], zero(), limit_above(most[n]), zero());
    s1[n] = base1_of[n] = mul(limit[n], splat(base1<short_grid>));
    s2[n] = base2_of[n] = mul(limit[n], splat(base2<short_grid>));
  }
  for (Index p = 0; p < k; ++p) {
    const V factor = splat(x[p]);
    for (int n = 0; n < N; ++n) {
      const V v = load(entries[n] + p * W);
      if constexpr (S == Speed::swift) {
        const V sum = fma(v, factor, s1[n]);
        s2[n] = add(s2[n], fms(v, factor, sub(sum, s1[n])));
        s1[n] = sum;
      } else {
        V first = mul(v, factor);
        const V second = fms(v, factor, first);
        to_grid(s1[n], first);
        const V both = add(first, second);
        const V sum = add(s2[n], both);
        first = sub(first, sub(sum, s2[n]));
        rest[n] = add(rest[n], add(first, second));
        s2[n] = sum;
      }
    }
  }
  const double terms = static_cast<double>(k),
               relative = S == Speed::swift ? short_grid.swift_error(terms) : short_grid.error(terms, terms),
               underflow = exact_product<T> ? 0 : terms * product_underflow;
  for (int n = 0; n < N; ++n) {
    // Products that are multiples of the finer grid's quantum were added exactly, none of them having underflowed.
    const V quantum = mul(where_greater(limit[n], splat(least_limit), limit[n], splat(least_limit)),
                          splat(short_grid.quantum2())),
            error = add(mul(limit[n], splat(relative)), splat(underflow));
    to[n] = {sub(s1[n], base1_of[n]), sub(s2[n], base2_of[n]), rest[n], where_greater(quantum, last[n], error, zero())};
  }
}

/// Same contract as `add_short`, for a single sum: a product is exact, and adding it errs by at most 2^-53 of the sum
/// of the magnitudes.
template <int N>
ACCUBLAS_INLINE void add_plainly(Index k, const float* a, Index ld, const double* x, const V* last, LaneSums* to) {
  V sum[N], size[N];
  for (int n = 0; n < N; ++n) sum[n] = size[n] = zero();
  for (Index p = 0; p < k; p += W)
    for (int n = 0; n < N; ++n) {
      V v[W];
      load_terms(a + n * W * ld + p, ld, k - p, v);
      for (int q = 0; q < W; ++q) {
        const V factor = splat(x[p + q]);
        sum[n] = fma(v[q], factor, sum[n]);
        size[n] = fma(magnitude(v[q]), magnitude(factor), size[n]);
      }
    }
  for (int n = 0; n < N; ++n) {
    // Multiples of a number above all roundings were added exactly.
    const V rounding = mul(size[n], splat(0x1p-53)), error = mul(rounding, splat(static_cast<double>(k)));
    to[n] = {sum[n], zero(), zero(), where_greater(mul(rounding, splat(2)), last[n], error, zero())};
  }
}

template <Speed S, int N, class T>
ACCUBLAS_INLINE void write_rows(Index k, const T* a, Index ld, const double* x, const LastBits& bits, Index row,
                                TripleSum* sums) {
  V last[N];
  for (int n = 0; n < N; ++n) last[n] = bits.rows ? mul(load(bits.rows + row + n * W), splat(bits.x)) : zero();
  LaneSums lanes[N];
  if constexpr (S == Speed::plain)
    add_plainly<N>(k, a + row * ld, ld, x, last, lanes);
  else
    add_short<S, N>(k, a + row * ld, ld, x, last, lanes);
  for (int n = 0; n < N; ++n) {
    double high[W], low[W], rest[W], error[W];
    store(high, lanes[n].high);
    store(low, lanes[n].low);
    if (S == Speed::full) store(rest, lanes[n].rest);
    store(error, mul(lanes[n].error, splat(1 + 0x1p-30)));
    for (int l = 0; l < W; ++l) sums[row + n * W + l] = {high[l], low[l], S == Speed::full ? rest[l] : 0, error[l]};
  }
}

template <Speed S>
constexpr Index most_terms = S == Speed::plain ? plain_terms : short_terms;

/// At least W rows. This function is out of line, so that `short_rows` needs no memory for other rows.
template <Speed S, class T>
[[gnu::noinline]] void transposed_rows(Index m, Index k, const T* a, Index ld, const T* x, const LastBits& bits,
                                       TripleSum* sums) {
  double factors[most_terms<S> + W] = {};
  for (Index p = 0; p < k; ++p) factors[p] = x[p];
  Index row = 0;
  for (; row + short_vectors * W <= m; row += short_vectors * W)
    write_rows<S, short_vectors>(k, a, ld, factors, bits, row, sums);
  for (; row + W <= m; row += W) write_rows<S, 1>(k, a, ld, factors, bits, row, sums);
  if (row < m) write_rows<S, 1>(k, a, ld, factors, bits, m - W, sums);
}

template <Speed S, class T>
void short_rows(Index m, Index k, const T* a, Index ld, const T* x, const LastBits& bits, TripleSum* sums) {
  constexpr Speed by_rows = S == Speed::full ? Speed::full : Speed::swift;
  W == 1 || m<W || k> most_terms<S> ? rows<by_rows>(m, k, a, ld, x, bits, sums)
                                    : transposed_rows<S>(m, k, a, ld, x, bits, sums);
}

}  // namespace
}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
