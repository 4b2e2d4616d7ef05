// Kernels of cr's GEMM. A tile of outputs takes one sum over all of k for each output, and Ziv's test rounds the tile
// with alpha and beta c.
//
// `swift` of float takes plain sums of its exact products. Otherwise `swift` and `full` are chains on grids. The limit
// of a chain is known before: the largest magnitudes of its row and its column. So no chain leaves its binade, and a
// term takes 4 operations (`swift`) or 11 (`full`). Where row and column end with a bit that keeps every product on the
// finer grid, the sum is exact. `compensated` takes dot2's steps, whose error is relative to the element's own
// magnitudes: rows and columns may decay in opposite directions.
#include "lib/cpu/kernels/cr_tile.hpp"
#include "lib/cpu/kernels/panels.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {

namespace {

#if ACCUBLAS_VECTOR_BITS == 512
/// Returns seen | (a & b).
ACCUBLAS_INLINE V note_common(V seen, V a, V b) {
  return _mm512_castsi512_pd(
      _mm512_ternarylogic_epi64(_mm512_castpd_si512(seen), _mm512_castpd_si512(a), _mm512_castpd_si512(b), 0xF8));
}
#elif ACCUBLAS_VECTOR_BITS == 256
ACCUBLAS_INLINE V note_common(V seen, V a, V b) { return _mm256_or_pd(seen, _mm256_and_pd(a, b)); }
#else  // also with NEON, whose bits have these operators
ACCUBLAS_INLINE V note_common(V seen, V a, V b) { return as_value(as_bits(seen) | (as_bits(a) & as_bits(b))); }
#endif

ACCUBLAS_INLINE V load_bits(const std::uint64_t* p) {
  double x[W];
  __builtin_memcpy(x, p, sizeof x);
  return load(x);
}
ACCUBLAS_INLINE V splat_bits(std::uint64_t bits) { return splat(__builtin_bit_cast(double, bits)); }

constexpr unsigned all_lanes = (1u << W) - 1;

/// Writes RN(alpha (high + low +- error)) in the lanes in which both ends round to one value, and returns these lanes
/// as bits, if alpha is a power of two or its negative, within 2^+-200 (CrTile::combine). high + low are the result of
/// a TwoSum. Their products by alpha are exact, except for an underflow by less than 2^-1000, so that only the two last
/// additions round: `bound` covers that of the first one. A lane whose sum is zero, or beyond 2^+-700, stays undecided.
/// So the products do not overflow in decided lanes.
template <class T>
ACCUBLAS_INLINE unsigned round_scaled_lanes(const CrTile<T>& t, V high, V low, V error, T* out) {
  constexpr bool single = sizeof(T) == 4;
  const V alpha = splat(t.alpha), size = magnitude(high);
  const V sum = mul(alpha, high), rest = mul(alpha, low);
  V bound = fma(error, splat(__builtin_fabs(t.alpha) * (1 + 0x1p-40)), splat(0x1p-1000));
  bound = fma(magnitude(rest), splat(0x1p-49), bound);
  if (single) bound = fma(magnitude(sum), splat(0x1p-51), bound);  // for the rounding to double on the way
  V below = add(sum, sub(rest, bound)), above = add(sum, add(rest, bound));
  unsigned done = at_least(size, splat(0x1p-700)) & at_least(splat(0x1p700), size);
  if (single) {
    // A lane that overflows, or underflows to zero, stays undecided: its exceptions, or its sign, need other code.
    done &= at_least(splat(0x1.fffffep+127), magnitude(above));
    below = to_single(below);
    above = to_single(above);
    done &= ~equal(above, zero());
  }
  store(out, above);
  return done & equal(below, above);
}

/// Writes RN(alpha (high + low +- error) + beta c) in the lanes in which both ends round to one value, and returns
/// these lanes as bits. The sum is five doubles with four roundings, like that of int8_reconstruct.cpp. A lane
/// in which a part overflows, or underflows by more than 2^-1000, stays undecided.
template <class T>
ACCUBLAS_INLINE unsigned round_lanes(const CrTile<T>& t, V high, V low, V error, const T* addend, T* out) {
  constexpr bool single = sizeof(T) == 4;
  // Most products have these factors, and sums that their bounds decide.
  if (t.alpha_power_of_two && t.beta == 0 && round_scaled_lanes(t, high, low, error, out) == all_lanes)
    return all_lanes;
  const V alpha = splat(t.alpha), least = splat(0x1p-700), most = splat(0x1p700);
  const V size = magnitude(high);
  unsigned done = (at_least(size, least) & at_least(most, size)) | equal(add(size, error), zero());
  const V p = mul(alpha, high), p_low = fms(alpha, high, p), p_tail = mul(alpha, low);
  V q = zero(), q_low = zero();
  if (t.beta != 0) {
    const V c = load(addend), c_size = magnitude(c), beta = splat(t.beta);
    done &= (at_least(c_size, least) & at_least(most, c_size)) | equal(c_size, zero());
    q = mul(beta, c);
    q_low = fms(beta, c, q);
  }
  V sum = p, sum_low = q;
  two_sum_into(sum, sum_low);
  const V rest = add(sum_low, add(p_tail, add(p_low, q_low)));
  const V roundings = add(add(magnitude(p_tail), magnitude(p_low)), add(magnitude(q_low), magnitude(sum_low)));
  V bound = add(mul(roundings, splat(0x1p-49)), splat(0x1p-1000));
  bound = add(bound, mul(mul(error, magnitude(alpha)), splat(1 + 0x1p-40)));
  if (single) bound = add(bound, mul(magnitude(sum), splat(0x1p-51)));  // for the rounding to double on the way
  V below = add(sum, sub(rest, bound)), above = add(sum, add(rest, bound));
  if (single) {
    // A lane that overflows stays undecided, so that code that signals exceptions computes it.
    done &= at_least(splat(0x1.fffffep+127), magnitude(above));
    below = to_single(below);
    above = to_single(above);
  }
  // If all parts are zero, the result is +0. A result that underflows to zero has the sign of the exact result, so that
  // its lane stays undecided.
  const V any = add(add(size, error), magnitude(q));
  store(out, where_greater(any, zero(), above, zero()));
  const unsigned decided = done & ((equal(below, above) & ~equal(above, zero())) | equal(any, zero()));
  const unsigned exact = done & ~decided & equal(error, zero());
  if (exact == 0) return decided;
  // S is exact in these lanes. If at most one of the four parts of `rest` is not zero, sum + rest is rounded once, also
  // in a tie.
  const unsigned no_tail = equal(p_tail, zero()), no_p = equal(p_low, zero()), no_q = equal(q_low, zero()),
                 no_sum = equal(sum_low, zero());
  const unsigned one_part = (no_tail & no_p & (no_q | no_sum)) | (no_q & no_sum & (no_tail | no_p));
  const unsigned tail = t.alpha_power_of_two ? ~0u : equal(low, zero());
  const V result = add(sum, rest);
  const unsigned rounded = exact & one_part & tail & ~equal(result, zero()) &
                           (single ? equal(rest, zero()) : ~0u);  // a float must not be rounded to double first
  double results[W];
  store(results, result);
  for (int i = 0; i < W; ++i)
    if ((rounded >> i & 1) != 0) out[i] = static_cast<T>(results[i]);
  return decided | rounded;
}

/// Rounds a vector of sums, column j of a tile and rows from `row` on, that lie within `error` of high + low. Returns
/// the elements that are left open as bits of the tile.
template <class T>
ACCUBLAS_INLINE std::uint64_t round_sums(const CrTile<T>& t, Index row, int j, V high, V low, V error) {
  const Index at = j * lines + row;
  if (equal(high, zero()) != 0) {
    // If every term is zero, the sum of zero is exact.
    V common = zero();
    for (Index w = 0; w * 64 < t.k; ++w)
      common =
          note_common(common, load_bits(t.row.nonzero + w * lines + row), splat_bits(t.col.nonzero[w * lines + j]));
    error = where_any_bit(common, error);
  }
  const V sum[] = {high, low, error};
  unsigned done = t.combine ? all_lanes : 0;
  if (t.row_unscale) {
    const V first = load(t.row_unscale + row), second = splat(t.col_unscale[j]);
    const V once = mul(high, first), size = magnitude(once), nothing = add(magnitude(high), error);
    done &= (at_least(size, splat(0x1p-700)) & at_least(splat(0x1p700), size)) | equal(nothing, zero());
    high = mul(once, second);
    low = mul(mul(low, first), second);
    // The addition covers underflow.
    error = where_greater(nothing, zero(), add(mul(mul(error, first), second), splat(0x1p-1000)), zero());
  }
  if (done != 0) done &= round_lanes(t, high, low, error, t.addend + at, t.out + at);
  if (done == all_lanes) return 0;
  store(t.high + at, sum[0]);
  store(t.low + at, sum[1]);
  store(t.rest + at, sum[2]);
  return static_cast<std::uint64_t>(~done & all_lanes) << at;
}

/// Returns the terms of one word of the lines' bits that are not zero in one of these rows and in one of the tile's
/// columns.
template <int M, class T>
ACCUBLAS_INLINE std::uint64_t shared_terms(const CrTile<T>& t, int first, Index word) {
  std::uint64_t rows = 0, cols = 0;
  for (int i = 0; i < M * W; ++i) rows |= t.row.nonzero[word * lines + first * W + i];
  for (int j = 0; j < tile_cols; ++j) cols |= t.col.nonzero[word * lines + j];
  return rows & cols;
}

/// Computes the columns of a tile for M vectors of rows from vector `first` on, by chains, which skip words of terms
/// that add nothing. If a line holds Inf or NaN, the limit and the sum are not finite. Returns the undecided elements.
template <int M, Speed S, class T>
ACCUBLAS_INLINE std::uint64_t some_vectors(const CrTile<T>& t, int first) {
  const double base1 = t.base1, base2 = t.base2;
  const double *const a = t.a + first * W, *const largest = t.row.largest + first * W;
  const auto limit = [&](int j, int i) __attribute__((always_inline)) {
    return limit_above(mul(load(largest + i * W), splat(t.col.largest[j])));
  };
  Chain chain[tile_cols][M];
  for (int j = 0; j < tile_cols; ++j)
    for (int i = 0; i < M; ++i) {
      const V l = limit(j, i);
      chain[j][i] = {mul(l, splat(base1)), mul(l, splat(base2)), zero()};
    }
  V base[M], seen[M];  // not used, because no chain leaves its binade
  for (int i = 0; i < M; ++i) base[i] = seen[i] = zero();
  for (Index word = 0; word * 64 < t.k; ++word) {
    if (shared_terms<M>(t, first, word) == 0) continue;
    const Index end = word * 64 + 64 < t.k ? word * 64 + 64 : t.k;
    for (Index p = word * 64; p < end; ++p) {
      V x[M], y[M];
      for (int i = 0; i < M; ++i) x[i] = held(load(a + p * lines + i * W));
      for (int j = 0; j < tile_cols; ++j) {
        for (int i = 0; i < M; ++i) y[i] = splat(t.b[p * lines + j]);
        add_products<double, S, M>(chain[j], x, y, base, seen);
      }
    }
  }
  const double underflow = static_cast<double>(t.k) * product_underflow;
  std::uint64_t open = 0;
  for (int j = 0; j < tile_cols; ++j) {
    for (int i = 0; i < M; ++i) {
      const Index row = (first + i) * W;
      const V l = limit(j, i);
      V high = sub(chain[j][i].s1, mul(l, splat(base1))), low = sub(chain[j][i].s2, mul(l, splat(base2)));
      two_sum_into(high, low);
      V error = add(mul(l, splat(t.error)), splat(underflow));
      if (S == Speed::full) {
        low = add(low, chain[j][i].c);
        error = add(error, mul(magnitude(low), splat(0x1p-52)));
      } else {
        // Products that are multiples of the finer grid's quantum were added exactly.
        const V last = mul(load(t.row.last_bit + row), splat(t.col.last_bit[j]));
        error = where_greater(mul(l, splat(t.quantum2)), last, error, zero());
      }
      open |= round_sums(t, row, j, high, low, error);
    }
  }
  return open;
}

/// Computes the columns of a tile for M vectors of rows from vector `first` on, by plain sums of exact products in
/// dot2's blocks, one for even terms and one for odd ones. Words of terms that add nothing are skipped. If a line holds
/// Inf or NaN, the limit and the sum are not finite. Returns the undecided elements.
template <int M, class T>
ACCUBLAS_INLINE std::uint64_t some_sums(const CrTile<T>& t, int first) {
  static_assert(exact_product<T>);
  constexpr int N = tile_cols;
  constexpr Index words = dot2_block / 64;
  const double* const a = t.a + first * W;
  V sum[N][M];
  for (int j = 0; j < N; ++j)
    for (int i = 0; i < M; ++i) sum[j][i] = zero();
  for (Index block = 0; block * dot2_block < t.k; ++block) {
    V part[2][N][M];
    for (int j = 0; j < N; ++j)
      for (int i = 0; i < M; ++i) part[0][j][i] = part[1][j][i] = zero();
    const auto add_term = [&](Index p, int odd) __attribute__((always_inline)) {
      V x[M];
      for (int i = 0; i < M; ++i) x[i] = held(load(a + p * lines + i * W));
      for (int j = 0; j < N; ++j) {
        const V y = splat(t.b[p * lines + j]);
        for (int i = 0; i < M; ++i)
          part[odd][j][i] = W > 1 ? fma(x[i], y, part[odd][j][i]) : add(part[odd][j][i], mul(x[i], y));
      }
    };
    for (Index word = block * words; word < (block + 1) * words && word * 64 < t.k; ++word) {
      if (shared_terms<M>(t, first, word) == 0) continue;
      const Index end = word * 64 + 64 < t.k ? word * 64 + 64 : t.k;
      Index p = word * 64;
      for (; p + 2 <= end; p += 2) {
        add_term(p, 0);
        add_term(p + 1, 1);
      }
      if (p < end) add_term(p, 0);
    }
    for (int j = 0; j < N; ++j)
      for (int i = 0; i < M; ++i) sum[j][i] = add(sum[j][i], add(part[0][j][i], part[1][j][i]));
  }
  std::uint64_t open = 0;
  for (int j = 0; j < N; ++j)
    for (int i = 0; i < M; ++i) {
      const Index row = (first + i) * W;
      const V limit = mul(load(t.row.largest + row), splat(t.col.largest[j]));
      // Multiples of `last` whose magnitudes add up to at most 2^52 times `last` are added exactly.
      const V last = mul(load(t.row.last_bit + row), splat(t.col.last_bit[j])),
              most = mul(limit, splat(static_cast<double>(t.k)));
      const V error = where_greater(mul(last, splat(0x1p52)), most, zero(), mul(limit, splat(t.error)));
      open |= round_sums(t, row, j, add(sum[j][i], sub(limit, limit)), zero(), error);
    }
  return open;
}

/// Computes the columns of a tile for M vectors of rows from vector `first` on, by dot2's steps in dot2's blocks. Terms
/// that add nothing are skipped, unless a line holds Inf or NaN. Returns the undecided elements.
template <int M, class T>
ACCUBLAS_INLINE std::uint64_t some_pairs(const CrTile<T>& t, int first) {
  constexpr int N = tile_cols;
  constexpr bool exact = exact_product<T>;
  const double* const a = t.a + first * W;
  V sum[N][M], rest[N][M], size[N][M];
  for (int j = 0; j < N; ++j)
    for (int i = 0; i < M; ++i) sum[j][i] = rest[j][i] = size[j][i] = zero();
  bool special = false;
  for (int i = 0; i < M * W; ++i) special |= !(t.row.largest[first * W + i] < __builtin_inf());
  for (int j = 0; j < N; ++j) special |= !(t.col.largest[j] < __builtin_inf());
  constexpr Index words = dot2_block / 64;
  for (Index block = 0; block * dot2_block < t.k; ++block) {
    V s[N][M], c[N][M];
    for (int j = 0; j < N; ++j)
      for (int i = 0; i < M; ++i) s[j][i] = c[j][i] = zero();
    bool any = false;
    for (Index word = block * words; word < (block + 1) * words && word * 64 < t.k; ++word) {
      const Index left = t.k - word * 64;
      std::uint64_t terms =
          special ? (left < 64 ? (std::uint64_t{1} << left) - 1 : ~std::uint64_t{0}) : shared_terms<M>(t, first, word);
      any |= terms != 0;
      for (; terms != 0; terms &= terms - 1) {
        const Index p = word * 64 + __builtin_ctzll(terms);
        V x[M], x_size[M];
        for (int i = 0; i < M; ++i) {
          x[i] = held(load(a + p * lines + i * W));
          x_size[i] = magnitude(x[i]);
        }
        for (int j = 0; j < N; ++j) {
          const V y = splat(t.b[p * lines + j]), y_size = magnitude(y);
          for (int i = 0; i < M; ++i) {
            size[j][i] = W > 1 ? fma(x_size[i], y_size, size[j][i]) : add(size[j][i], mul(x_size[i], y_size));
            if constexpr (exact)
              step(s[j][i], x[i], y);
            else
              step(s[j][i], c[j][i], x[i], y);
          }
        }
      }
    }
    if (!any) continue;
    for (int j = 0; j < N; ++j)
      for (int i = 0; i < M; ++i) {
        if constexpr (exact)
          sum[j][i] = add(sum[j][i], s[j][i]);
        else
          combine(sum[j][i], rest[j][i], s[j][i], c[j][i]);
      }
  }
  const double underflow = static_cast<double>(t.k) * product_underflow;
  std::uint64_t open = 0;
  for (int j = 0; j < N; ++j)
    for (int i = 0; i < M; ++i) {
      // Multiples of `last` whose magnitudes add up to at most 2^52 times `last` are added exactly. If products
      // underflow, their sizes may be zero, and so is `last`.
      const V last = mul(load(t.row.last_bit + (first + i) * W), splat(t.col.last_bit[j]));
      const V error = where_greater(add(size[j][i], splat(underflow)), mul(last, splat(0x1p52)),
                                    add(mul(size[j][i], splat(t.error)), splat(underflow)), zero());
      two_sum_into(sum[j][i], rest[j][i]);
      open |= round_sums(t, (first + i) * W, j, sum[j][i], rest[j][i], error);
    }
  return open;
}

template <Speed S, class T>
std::uint64_t tile(const CrTile<T>& t) {
  if constexpr (S == Speed::swift && exact_product<T>) {
    if (t.rows > (tile_vectors - 1) * W) return some_sums<tile_vectors>(t, 0);
    std::uint64_t open = 0;
    for (int i = 0; i * W < t.rows; ++i) open |= some_sums<1>(t, i);
    return open;
  }
  if (S == Speed::swift && t.rows > (tile_vectors - 1) * W) return some_vectors<tile_vectors, S>(t, 0);
  std::uint64_t open = 0;
  for (int i = 0; i * W < t.rows; ++i) open |= some_vectors<1, S>(t, i);  // three sums each fill the registers
  return open;
}

template <class T>
std::uint64_t compensated_tile(const CrTile<T>& t) {
  if (exact_product<T> && t.rows > (tile_vectors - 1) * W) return some_pairs<tile_vectors>(t, 0);
  std::uint64_t open = 0;
  for (int i = 0; i * W < t.rows; ++i) open |= some_pairs<1>(t, i);
  return open;
}

template <class T>
constexpr CrGemmKernel<T> gemm_kernel = {lines,
                                         tile_cols,
                                         pack_panels<T, lines>,
                                         pack_pairs<T, lines>,
                                         {tile<Speed::full, T>, tile<Speed::swift, T>, compensated_tile<T>}};

}  // namespace

template <>
const CrGemmKernel<double>& kernels() {
  return gemm_kernel<double>;
}
template <>
const CrGemmKernel<float>& kernels() {
  return gemm_kernel<float>;
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
