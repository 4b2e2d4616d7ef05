// cr's GEMM: a tile of outputs, one chain each over all of k, then Ziv's test of the tile with alpha and beta c.
//
// The limit of a chain is known before: the largest magnitudes of its row and its column. So no chain leaves its
// binade, and a term takes 4 operations (`swift`) or 11 (`full`). Where row and column end with a bit that keeps every
// product on the finer grid, the sum is exact.
#include "lib/cpu/kernels/cr_tile.hpp"
#include "lib/cpu/kernels/panels.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {

namespace {

// Operations beside those of the grids: bits of entries, and lanes as bits of an integer.
#if ACCUBLAS_ISA_LEVEL >= 2
/// seen | (a & b).
ACCUBLAS_INLINE V note_common(V seen, V a, V b) {
  return _mm512_castsi512_pd(
      _mm512_ternarylogic_epi64(_mm512_castpd_si512(seen), _mm512_castpd_si512(a), _mm512_castpd_si512(b), 0xF8));
}
ACCUBLAS_INLINE unsigned lanes_equal(V a, V b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
ACCUBLAS_INLINE unsigned lanes_at_least(V a, V b) { return _mm512_cmp_pd_mask(a, b, _CMP_GE_OQ); }
ACCUBLAS_INLINE void store_results(float* to, V v) { _mm256_storeu_ps(to, _mm512_cvtpd_ps(v)); }
ACCUBLAS_INLINE V rounded_to_float(V v) { return _mm512_cvtps_pd(_mm512_cvtpd_ps(v)); }
#elif ACCUBLAS_ISA_LEVEL == 1
ACCUBLAS_INLINE V note_common(V seen, V a, V b) { return _mm256_or_pd(seen, _mm256_and_pd(a, b)); }
ACCUBLAS_INLINE unsigned lanes_equal(V a, V b) {
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_EQ_OQ)));
}
ACCUBLAS_INLINE unsigned lanes_at_least(V a, V b) {
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_GE_OQ)));
}
ACCUBLAS_INLINE void store_results(float* to, V v) { _mm_storeu_ps(to, _mm256_cvtpd_ps(v)); }
ACCUBLAS_INLINE V rounded_to_float(V v) { return _mm256_cvtps_pd(_mm256_cvtpd_ps(v)); }
#else
ACCUBLAS_INLINE V note_common(V seen, V a, V b) { return as_value(as_bits(seen) | (as_bits(a) & as_bits(b))); }
ACCUBLAS_INLINE unsigned lanes_equal(V a, V b) { return a == b; }
ACCUBLAS_INLINE unsigned lanes_at_least(V a, V b) { return a >= b; }
ACCUBLAS_INLINE void store_results(float* to, V v) { *to = static_cast<float>(v); }
ACCUBLAS_INLINE V rounded_to_float(V v) { return static_cast<float>(v); }
#endif

ACCUBLAS_INLINE void store_results(double* to, V v) { store(to, v); }

ACCUBLAS_INLINE V load_bits(const std::uint64_t* p) {
  double x[W];
  __builtin_memcpy(x, p, sizeof x);
  return load(x);
}
ACCUBLAS_INLINE V splat_bits(std::uint64_t bits) { return splat(__builtin_bit_cast(double, bits)); }

/// RN(alpha (high + low +- error) + beta c), where both ends round to one value: those lanes as bits. As in
/// int8_reconstruct_avx512.cpp, the sum is five doubles with four roundings. No part over- or underflows by more than
/// 2^-1000, or the lane stays open.
template <class T>
ACCUBLAS_INLINE unsigned round_lanes(const CrTile<T>& t, V high, V low, V error, const T* addend, T* out) {
  constexpr bool single = sizeof(T) == 4;
  const V alpha = splat(t.alpha), least = splat(0x1p-700), most = splat(0x1p700);
  const V size = magnitude(high);
  unsigned done = (lanes_at_least(size, least) & lanes_at_least(most, size)) | lanes_equal(add(size, error), zero());
  const V p = mul(alpha, high), p_low = fms(alpha, high, p), p_tail = mul(alpha, low);
  V q = zero(), q_low = zero();
  if (t.beta != 0) {
    const V c = load(addend), c_size = magnitude(c), beta = splat(t.beta);
    done &= (lanes_at_least(c_size, least) & lanes_at_least(most, c_size)) | lanes_equal(c_size, zero());
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
    below = rounded_to_float(below);
    above = rounded_to_float(above);
  }
  // Nothing at all is +0; what underflows to zero has the sign of the exact result, which others find.
  const V any = add(add(size, error), magnitude(q));
  store_results(out, where_greater(any, zero(), above, zero()));
  const unsigned decided =
      done & ((lanes_equal(below, above) & ~lanes_equal(above, zero())) | lanes_equal(any, zero()));
  const unsigned exact = done & ~decided & lanes_equal(error, zero());
  if (exact == 0) return decided;
  // An exact S: where no more than one of the four parts of `rest` is there, sum + rest is exact but for its rounding,
  // ties and all.
  const unsigned no_tail = lanes_equal(p_tail, zero()), no_p = lanes_equal(p_low, zero()),
                 no_q = lanes_equal(q_low, zero()), no_sum = lanes_equal(sum_low, zero());
  const unsigned one_part = (no_tail & no_p & (no_q | no_sum)) | (no_q & no_sum & (no_tail | no_p));
  const unsigned tail = t.alpha_power_of_two ? ~0u : lanes_equal(low, zero());
  const V result = add(sum, rest);
  const unsigned rounded = exact & one_part & tail & ~lanes_equal(result, zero()) &
                           (single ? lanes_equal(rest, zero()) : ~0u);  // a double may not be rounded on the way
  double results[W];
  store(results, result);
  for (int i = 0; i < W; ++i)
    if ((rounded >> i & 1) != 0) out[i] = static_cast<T>(results[i]);
  return decided | rounded;
}

/// The columns of a tile for M vectors of rows from vector `first` on.
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
  V base[M], seen[M];  // no binade is left: nobody asks
  for (int i = 0; i < M; ++i) base[i] = seen[i] = zero();
  for (Index p = 0; p < t.k; ++p) {
    V x[M], y[M];
    for (int i = 0; i < M; ++i) x[i] = held(load(a + p * lines + i * W));
    for (int j = 0; j < tile_cols; ++j) {
      for (int i = 0; i < M; ++i) y[i] = splat(t.b[p * lines + j]);
      add_products<double, S, M>(chain[j], x, y, base, seen);
    }
  }
  const double underflow = static_cast<double>(t.k) * product_underflow;
  std::uint64_t open = 0;
  for (int j = 0; j < tile_cols; ++j) {
    for (int i = 0; i < M; ++i) {
      const Index row = (first + i) * W, at = j * lines + row;
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
      if (lanes_equal(high, zero()) != 0) {
        // Where no term is other than zero, nothing is the exact sum.
        V common = zero();
        for (Index w = 0; w * 64 < t.k; ++w)
          common =
              note_common(common, load_bits(t.row.nonzero + w * lines + row), splat_bits(t.col.nonzero[w * lines + j]));
        error = where_any_bit(common, error);
      }
      store(t.high + at, high);
      store(t.low + at, low);
      store(t.rest + at, error);
      constexpr unsigned all = (1u << W) - 1;
      const unsigned done = t.combine ? round_lanes(t, high, low, error, t.addend + at, t.out + at) : 0;
      open |= static_cast<std::uint64_t>(~done & all) << at;
    }
  }
  return open;
}

template <Speed S, class T>
std::uint64_t tile(const CrTile<T>& t) {
  if (S == Speed::swift && t.rows > (tile_vectors - 1) * W) return some_vectors<tile_vectors, S>(t, 0);
  std::uint64_t open = 0;
  for (int i = 0; i * W < t.rows; ++i) open |= some_vectors<1, S>(t, i);  // three sums each fill the registers
  return open;
}

template <class T>
constexpr CrGemmKernel<T> gemm_kernel = {
    lines, tile_cols, pack_panels<T, lines>, pack_pairs<T, lines>, {tile<Speed::full, T>, tile<Speed::swift, T>}};

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
