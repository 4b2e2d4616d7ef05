// Inner products in one pass, to some 120 bits below the largest product, with a rigorous bound of the error. Grid and the
// proof of the bound: lib/numerics/bounds.hpp. 14 operations a term (float: 9), the largest product included.
//
// Everything a chain does is error free as long as no product exceeds the limit L that its grids are made for. Products
// are formed eight vectors at a time and their largest magnitude is compared with L before they are added; where it is larger, the
// chain is moved to grids for a larger L first. NaN, Inf and products from 2^900 on end in a sum that is not finite.
#include "lib/cpu/correct_kernels.hpp"
#include "lib/cpu/kernels/dot2_vector.hpp"
#include "lib/numerics/bounds.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {

namespace {

constexpr int group = 8;          // vectors of products that are compared with the limit at once
constexpr double margin = 0x1p+4; // a new limit is this times the largest product, so that it is seldom passed
constexpr double least_limit = 0x1p-960, largest = 0x1p+900;

template <class T>
constexpr bool exact_product = sizeof(T) < sizeof(double);

ACCUBLAS_INLINE double magnitude(double a) { return a < 0 ? -a : a; }

#if ACCUBLAS_ISA_LEVEL >= 2
ACCUBLAS_INLINE V magnitude(V a) { return _mm512_abs_pd(a); }
ACCUBLAS_INLINE V larger_magnitude(V a, V b) { return _mm512_range_pd(a, b, 0b1011); }
ACCUBLAS_INLINE bool any_greater(V a, V b) { return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ) != 0; }
ACCUBLAS_INLINE V where_greater(V a, V b, V yes, V no) {
  return _mm512_mask_blend_pd(_mm512_cmp_pd_mask(a, b, _CMP_GT_OQ), no, yes);
}
ACCUBLAS_INLINE V power_of_two_below(V a) { return _mm512_and_pd(a, _mm512_set1_pd(__builtin_inf())); }
ACCUBLAS_INLINE double lane_sum(V v) { return _mm512_reduce_add_pd(v); }
ACCUBLAS_INLINE double lane_max(V v) { return _mm512_reduce_max_pd(v); }
#elif ACCUBLAS_ISA_LEVEL == 1
ACCUBLAS_INLINE V magnitude(V a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
ACCUBLAS_INLINE V larger_magnitude(V a, V b) { return _mm256_max_pd(magnitude(a), magnitude(b)); }
ACCUBLAS_INLINE bool any_greater(V a, V b) { return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_GT_OQ)) != 0; }
ACCUBLAS_INLINE V where_greater(V a, V b, V yes, V no) {
  return _mm256_blendv_pd(no, yes, _mm256_cmp_pd(a, b, _CMP_GT_OQ));
}
ACCUBLAS_INLINE V power_of_two_below(V a) { return _mm256_and_pd(a, _mm256_set1_pd(__builtin_inf())); }
ACCUBLAS_INLINE double lane_sum(V v) {
  double x[W];
  store(x, v);
  return (x[0] + x[1]) + (x[2] + x[3]);
}
ACCUBLAS_INLINE double lane_max(V v) {
  double x[W], r = 0;
  store(x, v);
  for (double y : x) r = y > r ? y : r;
  return r;
}
#else
ACCUBLAS_INLINE V larger_magnitude(V a, V b) { return magnitude(a) > magnitude(b) ? magnitude(a) : magnitude(b); }
ACCUBLAS_INLINE bool any_greater(V a, V b) { return a > b; }
ACCUBLAS_INLINE V where_greater(V a, V b, V yes, V no) { return a > b ? yes : no; }
ACCUBLAS_INLINE V power_of_two_below(V a) {
  return __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, a) & 0x7FF0000000000000u);
}
ACCUBLAS_INLINE double lane_sum(V v) { return v; }
ACCUBLAS_INLINE double lane_max(V v) { return v; }
#endif

/// The limit for products of largest magnitude m > 0: infinite, and with it everything after, where the grids would overflow.
ACCUBLAS_INLINE V new_limit(V m) {
  const V power = mul(power_of_two_below(m), splat(2 * margin)), least = splat(least_limit);
  return where_greater(m, splat(largest), splat(__builtin_inf()), where_greater(power, least, power, least));
}

/// One sum per lane: see Grid.
struct Chain {
  V s1, s2, c;
};

template <Grid G>
constexpr double base1 = G.base1();
template <Grid G>
constexpr double base2 = G.base2();

template <Grid G>
ACCUBLAS_INLINE Chain empty_chain(V limit) {
  return {mul(limit, splat(base1<G>)), mul(limit, splat(base2<G>)), zero()};
}

/// s += x rounded to the grid of s; x becomes the rest.
ACCUBLAS_INLINE void to_grid(V& s, V& x) {
  const V t = add(s, x);
  x = sub(x, sub(t, s));
  s = t;
}

ACCUBLAS_INLINE void add_term(Chain& chain, V p) {
  to_grid(chain.s1, p);
  to_grid(chain.s2, p);
  chain.c = add(chain.c, p);
}

ACCUBLAS_INLINE void add_term(Chain& chain, V p, V e) {
  to_grid(chain.s1, p);
  to_grid(chain.s2, p);
  to_grid(chain.s2, e);
  chain.c = add(chain.c, add(p, e));
}

/// What the grids hold.
template <Grid G>
ACCUBLAS_INLINE Chain chain_value(const Chain& chain, V limit) {
  return {sub(chain.s1, mul(limit, splat(base1<G>))), sub(chain.s2, mul(limit, splat(base2<G>))), chain.c};
}

/// The chain on the grids of another limit: the old sums are one more term.
template <Grid G>
ACCUBLAS_INLINE void move_chain(Chain& chain, V limit, V next) {
  const Chain value = chain_value<G>(chain, limit);
  chain = empty_chain<G>(next);
  chain.c = value.c;
  add_term(chain, value.s1, value.s2);
}

/// (a1, a2, a3) += (s1, s2, c), error free but for a3. D is V or double.
template <class D>
ACCUBLAS_INLINE void two_sum_into(D& a, D& x) {
  const D s = a + x, t = s - a;
  x = (a - (s - t)) + (x - t);
  a = s;
}
/// Returns the roundings on the way to a3, over 2^-53: three, each relative to its result.
template <class D>
ACCUBLAS_INLINE D add_block(D& a1, D& a2, D& a3, D s1, D s2, D c) {
  two_sum_into(a1, s1);
  two_sum_into(a2, s1);
  two_sum_into(a2, s2);
  const D rest = s1 + s2, tail = rest + c;
  a3 = a3 + tail;
  return magnitude(rest) + magnitude(tail) + magnitude(a3);
}

// ---------------------------------------------------------------------------------------------------------------------
// Contiguous rows: lanes run along the row, two chains a row.

constexpr Index row_block = 1984;  // terms per block: below 2^11, so that the lanes' sums add up exactly on the grids
constexpr Grid row_grid{W >= 4 ? 9 : 11};
constexpr double row_error = row_grid.error(row_block / (2 * W), row_block);
static_assert(row_block <= 2 * W << (row_grid.headroom - 1) && row_block < 1 << (row_grid.headroom + 2));
static_assert(row_block % (group * W) == 0);

/// Moves the chains to the grids of a larger limit, if a product of magnitude m asks for it.
ACCUBLAS_INLINE void raise_limit(V m, Chain* chain, double& limit) {
  if (__builtin_expect(any_greater(m, splat(limit)), 0)) {
    const V next = new_limit(splat(lane_max(m)));
    for (int q = 0; q < 2; ++q) move_chain<row_grid>(chain[q], splat(limit), next);
    limit = lane_max(next);
  }
}

template <class T>
ACCUBLAS_INLINE void add_product(Chain& chain, V a, V x, V p) {
  if constexpr (exact_product<T>) {
    add_term(chain, p);
  } else {
    add_term(chain, p, fms(a, x, p));
  }
}

/// group * W terms.
template <class T>
ACCUBLAS_INLINE void row_group(const T* a, const T* x, Chain* chain, double& limit) {
  V p[group];
  for (int i = 0; i < group; ++i) p[i] = mul(load(a + i * W), load(x + i * W));
  V m = larger_magnitude(p[0], p[1]);
  for (int i = 2; i < group; i += 2) m = larger_magnitude(m, larger_magnitude(p[i], p[i + 1]));
  raise_limit(m, chain, limit);
  for (int i = 0; i < group; ++i) add_product<T>(chain[i % 2], load(a + i * W), load(x + i * W), p[i]);
}

/// count < group * W terms.
template <class T>
ACCUBLAS_INLINE void row_rest(const T* a, const T* x, int count, Chain* chain, double& limit) {
  V m = zero();
  int i = 0;
  for (; i + W <= count; i += W) m = larger_magnitude(m, mul(load(a + i), load(x + i)));
  const V last_a = load_first(a + i, count - i), last_x = load_first(x + i, count - i), last = mul(last_a, last_x);
  raise_limit(larger_magnitude(m, last), chain, limit);
  for (i = 0; i + W <= count; i += W) {
    const V u = load(a + i), v = load(x + i);
    add_product<T>(chain[i / W % 2], u, v, mul(u, v));
  }
  add_product<T>(chain[0], last_a, last_x, last);
}

template <class T>
void rows(Index m, Index k, const T* a, Index ld, const T* x, TripleSum* sums) {
  // Blocks of equal length.
  const Index blocks = (k + row_block - 1) / row_block;
  const Index block = ((k + blocks - 1) / blocks + group * W - 1) / (group * W) * (group * W);
  for (Index i = 0; i < m; ++i, a += ld) {
    // A look ahead at the largest product saves most changes of the limit.
    V most = zero();
    const Index look = k < 256 ? k : 256;
    for (Index p = 0; p + W <= look; p += W) most = larger_magnitude(most, mul(load(a + p), load(x + p)));
    double limit = lane_max(most) > 0 ? lane_max(new_limit(most)) : 0;

    double a1 = 0, a2 = 0, a3 = 0, roundings = 0, error = 0;
    for (Index begin = 0; begin < k; begin += block) {
      const Index end = begin + block < k ? begin + block : k;
      Chain chain[2] = {empty_chain<row_grid>(splat(limit)), empty_chain<row_grid>(splat(limit))};
      Index p = begin;
      for (; p + group * W <= end; p += group * W) row_group(a + p, x + p, chain, limit);
      if (p < end) row_rest(a + p, x + p, static_cast<int>(end - p), chain, limit);
      const Chain u = chain_value<row_grid>(chain[0], splat(limit)), v = chain_value<row_grid>(chain[1], splat(limit));
      const double s1 = lane_sum(add(u.s1, v.s1)), s2 = lane_sum(add(u.s2, v.s2)), c = lane_sum(add(u.c, v.c));
      error += limit * row_error;
      if (begin == 0) {
        a1 = s1;
        a2 = s2;
        a3 = c;
      } else {
        roundings += add_block(a1, a2, a3, s1, s2, c);
      }
    }
    if (!exact_product<T>) error += static_cast<double>(k) * product_underflow;
    sums[i] = {a1, a2, a3, (error + roundings * 0x1p-53) * (1 + 0x1p-30)};
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Contiguous columns: lanes are rows, one chain a row, its state in memory between groups of columns.

constexpr Index column_block = 256;
constexpr Grid column_grid{9};
constexpr double column_error = column_grid.error(column_block, column_block);
static_assert(column_block <= 1 << (column_grid.headroom - 1) && column_block % (2 * group) == 0);

/// State of W rows.
struct RowState {
  double s1[W], s2[W], c[W], limit[W];
};
struct RowTotal {
  double a1[W], a2[W], a3[W], error[W];
};

template <bool Whole, class T>
ACCUBLAS_INLINE V load_rows(const T* a, int lanes) {
  if constexpr (Whole) {
    return load(a);
  } else {
    return load_first(a, lanes);
  }
}

/// `count` <= group columns for W rows (`lanes` of them, unless Whole).
template <bool Whole, int Count, class T>
ACCUBLAS_INLINE void column_group(const T* a, Index ld, const double* x, int count, int lanes, Chain& chain, V& limit) {
  const int n = Count > 0 ? Count : count;
  V p[group], m = zero();
  for (int i = 0; i < n; ++i) p[i] = mul(load_rows<Whole>(a + i * ld, lanes), splat(x[i]));
  for (int i = 0; i < n; ++i) m = larger_magnitude(m, p[i]);
  if (__builtin_expect(any_greater(m, limit), 0)) {
    const V next = where_greater(m, limit, new_limit(m), limit);
    move_chain<column_grid>(chain, limit, next);
    limit = next;
  }
  for (int i = 0; i < n; ++i) add_product<T>(chain, load_rows<Whole>(a + i * ld, lanes), splat(x[i]), p[i]);
}

/// Up to two groups of columns.
template <bool Whole, class T>
ACCUBLAS_INLINE void column_groups(const T* a, Index ld, const double* x, Index columns, int lanes, RowState& state) {
  Chain chain{load(state.s1), load(state.s2), load(state.c)};
  V limit = load(state.limit);
  if (columns == 2 * group) {
    for (int i = 0; i < 2 * group; ++i) __builtin_prefetch(a + (2 * group + i) * ld, 0, 2);
    column_group<Whole, group>(a, ld, x, group, lanes, chain, limit);
    column_group<Whole, group>(a + group * ld, ld, x + group, group, lanes, chain, limit);
  } else {
    for (Index j = 0; j < columns; j += group) {
      const Index count = columns - j < group ? columns - j : group;
      column_group<Whole, 0>(a + j * ld, ld, x + j, static_cast<int>(count), lanes, chain, limit);
    }
  }
  store(state.s1, chain.s1);
  store(state.s2, chain.s2);
  store(state.c, chain.c);
  store(state.limit, limit);
}

template <class T>
void columns(Index m, Index k, const T* a, Index ld, const double* x, double* scratch, TripleSum* sums) {
  const Index vectors = (m + W - 1) / W, whole = m / W;
  const int lanes = static_cast<int>(m % W);
  RowState* state = reinterpret_cast<RowState*>(scratch);
  RowTotal* total = reinterpret_cast<RowTotal*>(state + vectors);
  for (Index v = 0; v < vectors; ++v) {
    store(total[v].a1, zero());
    store(total[v].a2, zero());
    store(total[v].a3, zero());
    store(total[v].error, zero());
    store(state[v].limit, zero());
  }
  for (Index block = 0; block < k; block += column_block) {
    const Index end = block + column_block < k ? block + column_block : k;
    for (Index v = 0; v < vectors; ++v) {
      const Chain chain = empty_chain<column_grid>(load(state[v].limit));
      store(state[v].s1, chain.s1);
      store(state[v].s2, chain.s2);
      store(state[v].c, chain.c);
    }
    for (Index j = block; j < end; j += 2 * group) {
      const Index count = end - j < 2 * group ? end - j : 2 * group;
      const T* first = a + j * ld;
      for (Index v = 0; v < whole; ++v) column_groups<true>(first + v * W, ld, x + j, count, W, state[v]);
      if (lanes > 0) column_groups<false>(first + whole * W, ld, x + j, count, lanes, state[whole]);
    }
    for (Index v = 0; v < vectors; ++v) {
      const V limit = load(state[v].limit);
      const Chain value = chain_value<column_grid>({load(state[v].s1), load(state[v].s2), load(state[v].c)}, limit);
      V a1 = load(total[v].a1), a2 = load(total[v].a2), a3 = load(total[v].a3);
      const V roundings = add_block(a1, a2, a3, value.s1, value.s2, value.c);
      store(total[v].a1, a1);
      store(total[v].a2, a2);
      store(total[v].a3, a3);
      store(total[v].error,
            add(load(total[v].error), add(mul(limit, splat(column_error)), mul(roundings, splat(0x1p-53)))));
    }
  }
  const double underflow = exact_product<T> ? 0 : static_cast<double>(k) * product_underflow;
  for (Index i = 0; i < m; ++i) {
    const RowTotal& t = total[i / W];
    const Index l = i % W;
    sums[i] = {t.a1[l], t.a2[l], t.a3[l], t.error[l] * (1 + 0x1p-30) + underflow};
  }
}

}  // namespace

const CorrectKernels<double>& correct_d() {
  static constexpr CorrectKernels<double> table{rows<double>, columns<double>};
  return table;
}

const CorrectKernels<float>& correct_s() {
  static constexpr CorrectKernels<float> table{rows<float>, columns<float>};
  return table;
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
