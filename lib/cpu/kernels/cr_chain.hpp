// The chains of cr's inner products: sums on two grids, step by step for several terms at once. Grids and the proof of
// the bounds: lib/numerics/bounds.hpp. Only cr_rows.hpp, cr_tile.hpp and round.cpp include this file. Everything has
// internal linkage.
//
// Everything a chain does is error free as long as its first sum stays in the binade that it began in. Whether it left
// is looked up once a group of terms; the group is then added again on grids for a larger limit. NaN, Inf and products
// from 2^900 on end in a sum that is not finite.
#pragma once

#include <cmath>
#include <type_traits>

#include "lib/cpu/kernels/cr_kernels.hpp"
#include "lib/cpu/kernels/dot2_vector.hpp"
#include "lib/numerics/bounds.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {

constexpr double least_limit = 0x1p-960, largest = 0x1p+900;

template <class T>
constexpr bool exact_product = sizeof(T) < sizeof(double);

constexpr std::uint64_t binade_bits = 0xFFF0000000000000u;  // sign and exponent

#if ACCUBLAS_VECTOR_BITS == 512
ACCUBLAS_INLINE V larger_magnitude(V a, V b) { return _mm512_range_pd(a, b, 0b1011); }
ACCUBLAS_INLINE bool any_greater(V a, V b) { return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ) != 0; }
ACCUBLAS_INLINE V where_greater(V a, V b, V yes, V no) {
  return _mm512_mask_blend_pd(_mm512_cmp_pd_mask(a, b, _CMP_GT_OQ), no, yes);
}
ACCUBLAS_INLINE V power_of_two_below(V a) { return _mm512_and_pd(a, _mm512_set1_pd(__builtin_inf())); }
ACCUBLAS_INLINE double lane_max(V v) { return _mm512_reduce_max_pd(v); }
/// seen | (a ^ b).
ACCUBLAS_INLINE V note_change(V seen, V a, V b) {
  return _mm512_castsi512_pd(
      _mm512_ternarylogic_epi64(_mm512_castpd_si512(seen), _mm512_castpd_si512(a), _mm512_castpd_si512(b), 0xF6));
}
ACCUBLAS_INLINE V either(V seen, V other) { return _mm512_or_pd(seen, other); }
ACCUBLAS_INLINE __mmask8 changed_lanes(V seen) {
  return _mm512_test_epi64_mask(_mm512_castpd_si512(seen), _mm512_set1_epi64(static_cast<long long>(binade_bits)));
}
ACCUBLAS_INLINE bool any_left(V seen) { return changed_lanes(seen) != 0; }
ACCUBLAS_INLINE V where_left(V seen, V yes, V no) { return _mm512_mask_blend_pd(changed_lanes(seen), no, yes); }
/// The last bit that is set in x, as a number; 2^1023 for zero.
ACCUBLAS_INLINE V last_bit(V x) {
  const __m512i bits = _mm512_castpd_si512(magnitude(x)), fraction = _mm512_set1_epi64(0xFFFFFFFFFFFFF);
  // x without that bit; where the fraction is zero the bit is x itself.
  const __m512i rest = _mm512_maskz_and_epi64(_mm512_test_epi64_mask(bits, fraction), bits,
                                              _mm512_sub_epi64(bits, _mm512_set1_epi64(1)));
  return _mm512_mask_sub_pd(splat(0x1p1023), _mm512_test_epi64_mask(bits, bits), _mm512_castsi512_pd(bits),
                            _mm512_castsi512_pd(rest));
}
ACCUBLAS_INLINE V smaller(V a, V b) { return _mm512_min_pd(a, b); }
#elif ACCUBLAS_VECTOR_BITS == 256
ACCUBLAS_INLINE V larger_magnitude(V a, V b) { return _mm256_max_pd(magnitude(a), magnitude(b)); }
ACCUBLAS_INLINE bool any_greater(V a, V b) { return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_GT_OQ)) != 0; }
ACCUBLAS_INLINE V where_greater(V a, V b, V yes, V no) {
  return _mm256_blendv_pd(no, yes, _mm256_cmp_pd(a, b, _CMP_GT_OQ));
}
ACCUBLAS_INLINE V power_of_two_below(V a) { return _mm256_and_pd(a, _mm256_set1_pd(__builtin_inf())); }
ACCUBLAS_INLINE double lane_max(V v) {
  double x[W], r = 0;
  store(x, v);
  for (double y : x) r = y > r ? y : r;
  return r;
}
ACCUBLAS_INLINE V note_change(V seen, V a, V b) { return _mm256_or_pd(seen, _mm256_xor_pd(a, b)); }
ACCUBLAS_INLINE V either(V seen, V other) { return _mm256_or_pd(seen, other); }
ACCUBLAS_INLINE __m256i binade_of(V seen) {
  return _mm256_and_si256(_mm256_castpd_si256(seen), _mm256_set1_epi64x(static_cast<long long>(binade_bits)));
}
ACCUBLAS_INLINE bool any_left(V seen) { return !_mm256_testz_si256(binade_of(seen), binade_of(seen)); }
ACCUBLAS_INLINE V where_left(V seen, V yes, V no) {
  const __m256i same = _mm256_cmpeq_epi64(binade_of(seen), _mm256_setzero_si256());
  return _mm256_blendv_pd(yes, no, _mm256_castsi256_pd(same));
}
ACCUBLAS_INLINE __m256i no_bits(V v) { return _mm256_cmpeq_epi64(_mm256_castpd_si256(v), _mm256_setzero_si256()); }
ACCUBLAS_INLINE V last_bit(V x) {
  const V value = magnitude(x);
  const __m256i bits = _mm256_castpd_si256(value);
  const V fraction = _mm256_and_pd(value, _mm256_castsi256_pd(_mm256_set1_epi64x(0xFFFFFFFFFFFFF)));
  const __m256i below = _mm256_and_si256(bits, _mm256_sub_epi64(bits, _mm256_set1_epi64x(1)));
  const V rest = _mm256_castsi256_pd(_mm256_andnot_si256(no_bits(fraction), below));
  return _mm256_blendv_pd(sub(value, rest), splat(0x1p1023), _mm256_castsi256_pd(no_bits(value)));
}
ACCUBLAS_INLINE V smaller(V a, V b) { return _mm256_min_pd(a, b); }
#elif ACCUBLAS_VECTOR_BITS == 128
ACCUBLAS_INLINE V where_greater(V a, V b, V yes, V no) { return vbslq_f64(vcgtq_f64(a, b), yes, no); }
ACCUBLAS_INLINE V larger_magnitude(V a, V b) {
  return where_greater(magnitude(a), magnitude(b), magnitude(a), magnitude(b));
}
ACCUBLAS_INLINE bool any_lane(uint64x2_t all) { return vmaxvq_u32(vreinterpretq_u32_u64(all)) != 0; }
ACCUBLAS_INLINE bool any_greater(V a, V b) { return any_lane(vcgtq_f64(a, b)); }
ACCUBLAS_INLINE V power_of_two_below(V a) { return as_value(as_bits(a) & as_bits(splat(__builtin_inf()))); }
ACCUBLAS_INLINE double lane_max(V v) { return v[0] > v[1] ? v[0] : v[1] > 0 ? v[1] : 0; }
ACCUBLAS_INLINE V note_change(V seen, V a, V b) { return as_value(as_bits(seen) | (as_bits(a) ^ as_bits(b))); }
ACCUBLAS_INLINE V either(V seen, V other) { return as_value(as_bits(seen) | as_bits(other)); }
ACCUBLAS_INLINE uint64x2_t left_lanes(V seen) { return vtstq_u64(as_bits(seen), vdupq_n_u64(binade_bits)); }
ACCUBLAS_INLINE bool any_left(V seen) { return any_lane(left_lanes(seen)); }
ACCUBLAS_INLINE V where_left(V seen, V yes, V no) { return vbslq_f64(left_lanes(seen), yes, no); }
ACCUBLAS_INLINE V last_bit(V x) {
  const V value = magnitude(x);
  const uint64x2_t bits = as_bits(value), below = bits & (bits - vdupq_n_u64(1));
  const uint64x2_t rest = below & vtstq_u64(bits, vdupq_n_u64(0xFFFFFFFFFFFFF));
  return vbslq_f64(vceqzq_u64(bits), splat(0x1p1023), sub(value, as_value(rest)));
}
ACCUBLAS_INLINE V smaller(V a, V b) { return vbslq_f64(vcltq_f64(a, b), a, b); }
#else
ACCUBLAS_INLINE V larger_magnitude(V a, V b) { return magnitude(a) > magnitude(b) ? magnitude(a) : magnitude(b); }
ACCUBLAS_INLINE bool any_greater(V a, V b) { return a > b; }
ACCUBLAS_INLINE V where_greater(V a, V b, V yes, V no) { return a > b ? yes : no; }
ACCUBLAS_INLINE V power_of_two_below(V a) {
  return __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, a) & 0x7FF0000000000000u);
}
ACCUBLAS_INLINE double lane_max(V v) { return v; }
ACCUBLAS_INLINE V note_change(V seen, V a, V b) {
  const auto bits = [](V v) { return __builtin_bit_cast(std::uint64_t, v); };
  return __builtin_bit_cast(double, bits(seen) | (bits(a) ^ bits(b)));
}
ACCUBLAS_INLINE V either(V seen, V other) { return note_change(seen, other, 0); }
ACCUBLAS_INLINE bool any_left(V seen) { return (__builtin_bit_cast(std::uint64_t, seen) & binade_bits) != 0; }
ACCUBLAS_INLINE V where_left(V seen, V yes, V no) { return any_left(seen) ? yes : no; }
ACCUBLAS_INLINE std::uint64_t as_bits(V v) { return __builtin_bit_cast(std::uint64_t, v); }
ACCUBLAS_INLINE V as_value(std::uint64_t bits) { return __builtin_bit_cast(double, bits); }
ACCUBLAS_INLINE V last_bit(V x) {
  const std::uint64_t bits = as_bits(magnitude(x));
  if (bits == 0) return 0x1p1023;
  return magnitude(x) - as_value((bits & 0xFFFFFFFFFFFFF) != 0 ? bits & (bits - 1) : 0);
}
ACCUBLAS_INLINE V smaller(V a, V b) { return a < b ? a : b; }
#endif

/// p, hidden from the optimiser: what was loaded from it is loaded again, which is free, and not kept in registers,
/// which are few.
template <class T>
ACCUBLAS_INLINE const T* again(const T* p) {
  asm("" : "+r"(p));
  return p;
}

/// A power of two above m, or least_limit; infinite, and with it everything after, where the grids would overflow.
ACCUBLAS_INLINE V limit_above(V m) {
  const V power = mul(power_of_two_below(m), splat(2)), least = splat(least_limit);
  return where_greater(m, splat(largest), splat(__builtin_inf()), where_greater(power, least, power, least));
}

/// One sum per lane: see Grid.
struct Chain {
  V s1, s2, c;

  Chain() = default;
  [[gnu::always_inline]] inline Chain(V first, V second, V rest) : s1(first), s2(second), c(rest) {}
  // Member by member: gcc copies a struct by 16 bytes, which the loads of whole vectors have to wait for.
  [[gnu::always_inline]] inline Chain(const Chain& other) : s1(other.s1), s2(other.s2), c(other.c) {}
  [[gnu::always_inline]] inline Chain& operator=(const Chain& other) {
    s1 = other.s1;
    s2 = other.s2;
    c = other.c;
    return *this;
  }
};

/// One sum per lane on three grids.
struct DeepChain : Chain {
  V s3;
};
template <Speed S>
using ChainOf = std::conditional_t<S == Speed::deep, DeepChain, Chain>;
template <class C>
constexpr bool is_deep = std::is_same_v<C, DeepChain>;

template <Grid G>
constexpr double base1 = G.base1();
template <Grid G>
constexpr double base2 = G.base2();
template <Grid G>
constexpr double base3 = G.base3();

template <Grid G, class C>
ACCUBLAS_INLINE C empty_chain(V limit) {
  C chain;
  chain.s1 = mul(limit, splat(base1<G>));
  chain.s2 = mul(limit, splat(base2<G>));
  if constexpr (is_deep<C>) chain.s3 = mul(limit, splat(base3<G>));
  chain.c = zero();
  return chain;
}

/// s += x rounded to the grid of s; x becomes the rest.
ACCUBLAS_INLINE void to_grid(V& s, V& x) {
  const V t = add(s, x);
  x = sub(x, sub(t, s));
  s = t;
}

/// chain[i % Chains] += a[i] x[i]. `base` is what each s1 began with; `seen` collects the bits in which it differs.
/// Step by step for all terms: the steps of one term wait for each other for 40 cycles, and the CPU does not look far
/// enough ahead to fill these with the next terms.
template <class T, Speed S, int Chains, int Count, class C>
ACCUBLAS_INLINE void add_products(C* chain, const V (&a)[Count], const V (&x)[Count], const V* base, V* seen) {
  V s1[Chains + Count], s2[Chains + Count], p[Count], d[Count], q[Count];
  for (int i = 0; i < Chains; ++i) {
    s1[i] = chain[i].s1;
    s2[i] = chain[i].s2;
  }
  constexpr bool fused = S == Speed::swift && !exact_product<T>;
  if constexpr (fused) {
    for (int i = 0; i < Count; ++i) s1[Chains + i] = fma(a[i], x[i], s1[i]);
  } else {
    for (int i = 0; i < Count; ++i) p[i] = mul(a[i], x[i]);
    for (int i = 0; i < Count; ++i) s1[Chains + i] = add(s1[i], p[i]);
  }
  for (int i = 0; i < Count; ++i) seen[i % Chains] = note_change(seen[i % Chains], s1[Chains + i], base[i % Chains]);
  for (int i = 0; i < Count; ++i) d[i] = sub(s1[Chains + i], s1[i]);
  if constexpr (fused) {
    for (int i = 0; i < Count; ++i) s2[Chains + i] = add(s2[i], fms(a[i], x[i], d[i]));
  } else if constexpr (S == Speed::deep) {
    V e[Count], s3[Chains + Count], middle[Count];
    for (int i = 0; i < Chains; ++i) s3[i] = chain[i].s3;
    for (int i = 0; i < Count; ++i) e[i] = fms(a[i], x[i], p[i]);
    for (int i = 0; i < Count; ++i) p[i] = sub(p[i], d[i]);
    // Both rests, p and e, go to the second grid, and what they leave to the third one.
    const auto both_to = [&](V * s) __attribute__((always_inline)) {
      for (int i = 0; i < Count; ++i) {
        middle[i] = add(s[i], p[i]);
        s[Chains + i] = add(middle[i], e[i]);
      }
      for (int i = 0; i < Count; ++i) d[i] = sub(middle[i], s[i]);
      for (int i = 0; i < Count; ++i) q[i] = sub(s[Chains + i], middle[i]);
      for (int i = 0; i < Count; ++i) p[i] = sub(p[i], d[i]);
      for (int i = 0; i < Count; ++i) e[i] = sub(e[i], q[i]);
    };
    both_to(s2);
    both_to(s3);
    for (int i = 0; i < Count; ++i) p[i] = add(p[i], e[i]);
    for (int i = 0; i < Count; ++i) chain[i % Chains].c = add(chain[i % Chains].c, p[i]);
    for (int i = 0; i < Chains; ++i) chain[i].s3 = held(s3[Count + i]);
  } else if constexpr (exact_product<T>) {
    for (int i = 0; i < Count; ++i) q[i] = sub(p[i], d[i]);
    for (int i = 0; i < Count; ++i) s2[Chains + i] = add(s2[i], q[i]);
    if constexpr (S == Speed::full) {
      for (int i = 0; i < Count; ++i) d[i] = sub(s2[Chains + i], s2[i]);
      for (int i = 0; i < Count; ++i) q[i] = sub(q[i], d[i]);
      for (int i = 0; i < Count; ++i) chain[i % Chains].c = add(chain[i % Chains].c, q[i]);
    }
  } else {
    V e[Count];
    for (int i = 0; i < Count; ++i) e[i] = fms(a[i], x[i], p[i]);
    for (int i = 0; i < Count; ++i) p[i] = sub(p[i], d[i]);
    for (int i = 0; i < Count; ++i) q[i] = add(p[i], e[i]);
    for (int i = 0; i < Count; ++i) s2[Chains + i] = add(s2[i], q[i]);
    for (int i = 0; i < Count; ++i) d[i] = sub(s2[Chains + i], s2[i]);
    for (int i = 0; i < Count; ++i) p[i] = sub(p[i], d[i]);
    for (int i = 0; i < Count; ++i) p[i] = add(p[i], e[i]);
    for (int i = 0; i < Count; ++i) chain[i % Chains].c = add(chain[i % Chains].c, p[i]);
  }
  for (int i = 0; i < Chains; ++i) {
    chain[i].s1 = s1[Count + i];
    chain[i].s2 = held(s2[Count + i]);  // here: gcc would put it off until it is known that no binade was left
    if constexpr (S != Speed::swift) chain[i].c = held(chain[i].c);
  }
}

/// The values on the grids without their bases, and c.
template <Grid G, class C>
ACCUBLAS_INLINE C chain_value(const C& chain, V limit) {
  C value;
  value.s1 = sub(chain.s1, mul(limit, splat(base1<G>)));
  value.s2 = sub(chain.s2, mul(limit, splat(base2<G>)));
  if constexpr (is_deep<C>) value.s3 = sub(chain.s3, mul(limit, splat(base3<G>)));
  value.c = chain.c;
  return value;
}

/// The chain on the grids of another limit: the old sums are one more term.
template <Grid G, class C>
ACCUBLAS_INLINE void move_chain(C& chain, V limit, V next) {
  C old = chain_value<G>(chain, limit);
  chain = empty_chain<G, C>(next);
  to_grid(chain.s1, old.s1);
  to_grid(chain.s2, old.s1);
  to_grid(chain.s2, old.s2);
  if constexpr (is_deep<C>) {
    to_grid(chain.s3, old.s1);
    to_grid(chain.s3, old.s2);
    to_grid(chain.s3, old.s3);
    old.s2 = add(old.s2, old.s3);
  }
  chain.c = add(old.c, add(old.s1, old.s2));
}

/// Adds `count` vectors of products, term(i, a, x) the i-th. Returns in which bits s1 differed from its base.
template <class T, Speed S, class C, class Term>
ACCUBLAS_INLINE V add_terms(C& chain, V base, Index count, Term&& term) {
  V seen = zero();
  for (Index i = 0; i < count; ++i) {
    V a[1], x[1];
    term(i, a[0], x[0]);
    add_products<T, S, 1>(&chain, a, x, &base, &seen);
  }
  return seen;
}

/// Adds a group of terms whose s1 leaves the binade in the lanes of `seen`, with the limit raised there (in all lanes,
/// if `Together`). That succeeds: a limit of at least 4 times the old one leaves the old sum a quarter of the
/// room, and fewer than 64 products below the limit half of it. Unless something is not finite: then the sum is NaN.
template <class T, Speed S, Grid G, bool Together, class C, class Term>
ACCUBLAS_INLINE void add_raised(C& chain, V& limit, V seen, Index count, Term&& term) {
  V most = zero();
  for (Index i = 0; i < count; ++i) {
    V a, x;
    term(i, a, x);
    most = larger_magnitude(most, mul(a, x));
  }
  if (Together) most = splat(lane_max(most));
  V next = limit_above(larger_magnitude(most, mul(limit, splat(2))));
  // NaN as the CPU makes them, so that it stays as it is in all that follows.
  const V nan = splat(-__builtin_nan(""));
  for (int attempt = 0;; ++attempt) {
    const V raised = Together ? next : where_left(seen, next, limit);
    move_chain<G>(chain, limit, raised);
    limit = raised;
    C trial = chain;
    seen = add_terms<T, S>(trial, mul(limit, splat(base1<G>)), count, term);
    if (!any_left(seen) || attempt == 1) {
      chain = trial;
      chain.s1 = where_left(seen, nan, chain.s1);
      return;
    }
    next = nan;
  }
}

/// Adds a group of terms whose s1 may leave the binade.
template <class T, Speed S, Grid G, bool Together, class C, class Term>
ACCUBLAS_INLINE void add_with_care(C& chain, V& limit, Index count, Term&& term) {
  C trial = chain;
  const V seen = add_terms<T, S>(trial, mul(limit, splat(base1<G>)), count, term);
  if (any_left(seen)) {
    add_raised<T, S, G, Together>(chain, limit, seen, count, term);
  } else {
    chain = trial;
  }
}

/// function(chain, limit) on copies in memory, for functions that are not inlined: the chain itself stays in registers.
template <class C, class Function>
ACCUBLAS_INLINE void on_copies(C& chain, V& limit, Function&& function) {
  C chain_copy = chain;
  V limit_copy = limit;
  function(chain_copy, limit_copy);
  chain = chain_copy;
  limit = limit_copy;
}

/// a += x, and x becomes the rest: error free. D is V or double.
template <class D>
ACCUBLAS_INLINE void two_sum_into(D& a, D& x) {
  const D s = a + x, t = s - a;
  x = (a - (s - t)) + (x - t);
  a = s;
}
/// (a1, a2, a3) += (s1, s2, c), error free but for a3. Returns the roundings on the way to a3, over 2^-53: three, each
/// relative to its result.
template <class D>
ACCUBLAS_INLINE D add_block(D& a1, D& a2, D& a3, D s1, D s2, D c) {
  two_sum_into(a1, s1);
  two_sum_into(a2, s1);
  two_sum_into(a2, s2);
  const D rest = s1 + s2, tail = rest + c;
  a3 = a3 + tail;
  return magnitude(rest) + magnitude(tail) + magnitude(a3);
}

/// (a1, a2, a3) += (s1, s2, s3, c), each part then below the last place of the one before. Returns what is lost, over
/// 2^-53.
inline double add_deep_block(double& a1, double& a2, double& a3, double s1, double s2, double s3, double c) {
  for (double* a : {&a1, &a2, &a3}) two_sum_into(*a, s1);
  for (double* a : {&a2, &a3}) two_sum_into(*a, s2);
  two_sum_into(a3, s3);
  two_sum_into(a3, c);
  const double first = s1 + s2, second = s3 + c;
  double rest = first + second;
  const double roundings = std::fabs(first) + std::fabs(second) + std::fabs(rest);
  two_sum_into(a3, rest);
  two_sum_into(a2, a3);
  two_sum_into(a1, a2);
  two_sum_into(a2, a3);
  two_sum_into(a3, rest);
  return std::fabs(rest) * 0x1p53 + roundings;
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
