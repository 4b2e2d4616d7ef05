// Updates in lanes: what QuickSum (lib/numerics/update_element.hpp) does for one element. Where a double holds the
// factor of the only product, an FMA does it: in double precision it rounds once, whatever the data.
#include "lib/cpu/kernels/dot2_vector.hpp"
#include "lib/cpu/kernels/update_kernels.hpp"
#include "lib/numerics/update_bound.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {

/// The bits of a double that single precision has no place for, and which of these are about half a last place there.
constexpr long long lost_bits = (1 << 29) - 1, before_middle = (1 << 28) - 2, about_middle = 4;

#if ACCUBLAS_VECTOR_BITS == 512
/// Returns the lanes, as bits, that hold Inf or NaN. They stay undecided, so that code that signals exceptions computes
/// them.
ACCUBLAS_INLINE unsigned not_finite(V a) { return _mm512_fpclass_pd_mask(a, 0x99); }
/// Lanes next to the middle of two numbers of single precision.
ACCUBLAS_INLINE unsigned nearly_tied(V a) {
  const __m512i from_middle = _mm512_sub_epi64(_mm512_castpd_si512(a), _mm512_set1_epi64(before_middle));
  return _mm512_cmple_epu64_mask(_mm512_and_si512(from_middle, _mm512_set1_epi64(lost_bits)),
                                 _mm512_set1_epi64(about_middle));
}
#elif ACCUBLAS_VECTOR_BITS == 256
ACCUBLAS_INLINE unsigned not_finite(V a) { return lanes_where<_CMP_NLT_UQ>(magnitude(a), splat(__builtin_inf())); }
ACCUBLAS_INLINE unsigned nearly_tied(V a) {
  const __m256i from_middle = _mm256_sub_epi64(_mm256_castpd_si256(a), _mm256_set1_epi64x(before_middle));
  const __m256i lost = _mm256_and_si256(from_middle, _mm256_set1_epi64x(lost_bits));
  return static_cast<unsigned>(
      _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(_mm256_set1_epi64x(about_middle + 1), lost))));
}
#elif ACCUBLAS_VECTOR_BITS == 128
ACCUBLAS_INLINE unsigned not_finite(V a) { return below(magnitude(a), splat(__builtin_inf())) ^ 3; }
ACCUBLAS_INLINE unsigned nearly_tied(V a) {
  const uint64x2_t lost = (as_bits(a) - vdupq_n_u64(before_middle)) & vdupq_n_u64(lost_bits);
  return lanes_of(vcleq_u64(lost, vdupq_n_u64(about_middle)));
}
#else
ACCUBLAS_INLINE unsigned not_finite(V a) { return !(magnitude(a) < __builtin_inf()); }
ACCUBLAS_INLINE unsigned nearly_tied(V a) {
  constexpr std::uint64_t before = before_middle, lost = lost_bits, middle = about_middle;
  return ((__builtin_bit_cast(std::uint64_t, a) - before) & lost) <= middle;
}
#endif

namespace {

/// Rounds numbers within `error` of high + low to single precision; a rounding to double comes first. Returns the lanes
/// that the bound does not decide. A zero is undecided because of its sign, unless nothing was rounded.
ACCUBLAS_INLINE unsigned round_to_single(V high, V low, V error, V* result) {
  const V wide = add(error, mul(magnitude(high), splat(0x1p-51)));
  *result = to_single(add(high, sub(low, wide)));
  return differing(*result, to_single(add(high, add(low, wide)))) | (equal(*result, zero()) & differing(wide, zero()));
}

/// The sum of W elements, of which the lanes returned are left open.
template <int Count, bool Rest, class T>
ACCUBLAS_INLINE unsigned add_terms(V c, const UpdateTerms& terms, Index i, V* result) {
  constexpr bool single = sizeof(T) < sizeof(double);
  const Index phase = W > 1 ? 0 : i % 2;
  if constexpr (Count == 1 && !Rest) {
    const V sum = fma(load(terms.term[0].factor + phase), load(terms.term[0].x + i), c);
    *result = add(sum, zero());  // an exact zero is +0
    if constexpr (!single) return not_finite(sum);
    // The sum is rounded to double already: what it was decides next to a middle, which subnormal numbers have
    // elsewhere.
    const V size = magnitude(sum);
    const unsigned normal = (below(size, splat(0x1p+127)) & ~below(size, splat(0x1p-126))) | equal(sum, zero());
    return nearly_tied(sum) | ~normal;
  }
  V high = c, low = zero(), size = zero();
  for (int t = 0; t < Count; ++t) {
    const UpdateTerm& term = terms.term[t];
    const V x = load(term.x + i), factor = load(term.factor + phase), p = mul(factor, x), e = fms(factor, x, p),
            sum = add(high, p), lost = sum_error(high, p, sum);
    V rest = add(lost, e);
    size = add(size, add(magnitude(lost), magnitude(e)));
    if constexpr (Rest) {
      const V q = mul(load(term.rest + phase), x);
      rest = add(rest, q);
      size = add(size, magnitude(q));
    }
    low = add(low, rest);
    high = sum;
  }
  const V error = mul(size, splat(update_error));
  if constexpr (single) return round_to_single(high, low, error, result) | not_finite(*result);
  *result = add(high, sub(low, error));
  return differing(*result, add(high, add(low, error))) | not_finite(*result);
}

template <int Count, bool Rest, class T>
Index update(Index n, T* c, const UpdateTerms& terms, std::uint16_t* open) {
  Index count = 0;
  T rest[W] = {}, decided[W];
  for (Index i = 0; i < n; i += W) {
    const int lanes = n - i < W ? static_cast<int>(n - i) : W;
    T* to = c + i;
    if (lanes < W) {
      for (int l = 0; l < lanes; ++l) rest[l] = c[i + l];
      to = rest;
    }
    V result;
    const unsigned left = add_terms<Count, Rest, T>(load(to), terms, i, &result) & ((1u << W) - 1);
    if (__builtin_expect(left == 0 && lanes == W, 1)) {
      store(to, result);
      continue;
    }
    store(decided, result);
    for (int l = 0; l < lanes; ++l) {
      if ((left >> l & 1) != 0)
        open[count++] = static_cast<std::uint16_t>(i + l);
      else
        c[i + l] = decided[l];
    }
  }
  return count;
}

template <bool Rest, class T>
ACCUBLAS_INLINE Index any_count(Index n, T* c, const UpdateTerms& terms, std::uint16_t* open) {
  switch (terms.count) {
    case 1:
      return update<1, Rest>(n, c, terms, open);
    case 2:
      return update<2, Rest>(n, c, terms, open);
    case 4:
      return update<4, Rest>(n, c, terms, open);
    default:
      return update<8, Rest>(n, c, terms, open);
  }
}

/// Products of two entries of single precision are doubles.
template <class T>
Index update_column(Index n, T* c, const UpdateTerms& terms, std::uint16_t* open) {
  return sizeof(T) == sizeof(double) && terms.with_rest ? any_count<true>(n, c, terms, open)
                                                        : any_count<false>(n, c, terms, open);
}

template <class T>
constexpr UpdateKernel<T> table{update_column<T>};

}  // namespace

template <>
const UpdateKernel<double>& kernels() {
  return table<double>;
}
template <>
const UpdateKernel<float>& kernels() {
  return table<float>;
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
