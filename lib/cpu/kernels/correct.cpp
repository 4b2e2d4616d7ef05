// Inner products in one pass, to some 120 bits below the largest product, with a rigorous bound of the error. Grid and
// the proof of the bound: lib/numerics/bounds.hpp. 14 operations a term (float: 9), the largest product included.
//
// Everything a chain does is error free as long as no product exceeds the limit L that its grids are made for. Products
// are formed eight vectors at a time and their largest magnitude is compared with L before they are added; where it is
// larger, the chain is moved to grids for a larger L first. NaN, Inf and products from 2^900 on end in a sum that is
// not finite.
#include "lib/cpu/correct_kernels.hpp"
#include "lib/cpu/kernels/dot2_vector.hpp"
#include "lib/numerics/bounds.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {

namespace {

constexpr int group = 8;           // vectors of products that are compared with the limit at once
constexpr double margin = 0x1p+4;  // a new limit is this times the largest product, so that it is seldom passed
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

/// p, hidden from the optimiser: what was loaded from it is loaded again, which is free, and not kept in registers,
/// which are few.
template <class T>
ACCUBLAS_INLINE const T* again(const T* p) {
  asm("" : "+r"(p));
  return p;
}

/// The largest magnitude of n vectors.
template <int n>
ACCUBLAS_INLINE V largest_of(const V* p) {
  if constexpr (n <= 2) {
    return larger_magnitude(p[0], p[n - 1]);
  } else {
    return larger_magnitude(largest_of<n / 2>(p), largest_of<n - n / 2>(p + n / 2));
  }
}

/// The limit for products of largest magnitude m > 0: infinite, and with it everything after, where the grids would
/// overflow.
ACCUBLAS_INLINE V new_limit(V m) {
  const V power = mul(power_of_two_below(m), splat(2 * margin)), least = splat(least_limit);
  return where_greater(m, splat(largest), splat(__builtin_inf()), where_greater(power, least, power, least));
}

/// One sum per lane: see Grid. s2 is kept in two parts, the rests of p and e, so that no chain of additions is twice as
/// long as the others.
struct Chain {
  V s1, s2, s2e, c;
};

template <Grid G>
constexpr double base1 = G.base1();
template <Grid G>
constexpr double base2 = G.base2();

template <Grid G>
ACCUBLAS_INLINE Chain empty_chain(V limit) {
  return {mul(limit, splat(base1<G>)), mul(limit, splat(base2<G>)), mul(limit, splat(base2<G>)), zero()};
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
  to_grid(chain.s2e, e);
  chain.c = add(chain.c, add(p, e));
}

/// What the grids hold, without their bases: s1, s2 and c.
struct Value {
  V s1, s2, c;
};

template <Grid G>
ACCUBLAS_INLINE Value chain_value(const Chain& chain, V limit) {
  const V base = mul(limit, splat(base2<G>));
  return {sub(chain.s1, mul(limit, splat(base1<G>))), add(sub(chain.s2, base), sub(chain.s2e, base)), chain.c};
}

/// The chain on the grids of another limit: the old sums are one more term.
template <Grid G>
ACCUBLAS_INLINE void move_chain(Chain& chain, V limit, V next) {
  const Value value = chain_value<G>(chain, limit);
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

// -------------------------------------------------------------------------------------------------------------------
// Contiguous rows: lanes run along the row, one chain a row for several rows side by side, or two for a single one.

constexpr int rows_at_once = W == 8 ? 4 : 2;  // as many chains as registers hold

// Terms per block. Rows side by side (GEMV) take short blocks: the error goes with the 4th power of a block's length,
// and of rows of condition 1e16 one in thousands is left undecided. A single row (DOT) takes long ones. A lane adds up
// at most 2^(H-1) products, and the lanes' sums add up exactly on the grids.
template <int R>
constexpr Index row_block = (R == 1   ? 248
                             : W == 8 ? 56
                                      : 112) *
                            W;
template <int R>
constexpr Grid row_grid{R == 1   ? 9
                        : W == 8 ? 7
                                 : 8};
template <int R>
constexpr double row_error = row_grid<R>.error(row_block<R> / W, row_block<R>);
template <int R>
constexpr bool row_block_fits = row_block<R> <= W << (row_grid<R>.headroom - 1) &&
                                row_block<R> < 1 << (row_grid<R>.headroom + 2) && row_block<R> % (group * W) == 0;
static_assert(row_block_fits<1> && row_block_fits<rows_at_once>);

/// Bytes, as entries, that a single row is fetched ahead of the hardware's own streams.
template <class T>
constexpr Index ahead = 1024 / sizeof(T);

template <class T>
ACCUBLAS_INLINE void add_product(Chain& chain, V a, V x, V p) {
  if constexpr (exact_product<T>) {
    add_term(chain, p);
  } else {
    add_term(chain, p, fms(a, x, p));
  }
}

/// R rows in work.
template <int R>
struct RowChains {
  Chain chain[R == 1 ? 2 : R];
  double limit[R];

  [[gnu::always_inline]] inline Chain& of(int row, int step) { return chain[R == 1 ? step % 2 : row]; }

  /// Moves the chains of rows whose products, at most m[r], pass their limit.
  [[gnu::always_inline]] inline void raise_limits(const V* m) {
    bool any = false;
    for (int r = 0; r < R; ++r) any |= any_greater(m[r], splat(limit[r]));
    if (__builtin_expect(!any, 1)) return;
    for (int r = 0; r < R; ++r) {
      if (!any_greater(m[r], splat(limit[r]))) continue;
      const V next = new_limit(splat(lane_max(m[r])));
      move_chain<row_grid<R>>(of(r, 0), splat(limit[r]), next);
      if constexpr (R == 1) move_chain<row_grid<R>>(of(r, 1), splat(limit[r]), next);
      limit[r] = lane_max(next);
    }
  }
};

/// Terms of one group: group vectors in all.
template <int R>
constexpr Index group_terms = group / R* W;

template <int R, class T>
ACCUBLAS_INLINE void row_group(const T* a, Index ld, const T* x, RowChains<R>& chains) {
  constexpr int n = group / R;
  V p[R][n], m[R];
  for (int r = 0; r < R; ++r) {
    for (int i = 0; i < n; ++i) p[r][i] = mul(load(a + r * ld + i * W), load(x + i * W));
    for (int i = 0; i < n; ++i) {
      if constexpr (R == 1) {
        prefetch_nearest(a + i * W + ahead<T>);
        prefetch_nearest(x + i * W + ahead<T>);
      } else {
        prefetch_near(a + (r + R) * ld + i * W);  // of the next rows
      }
    }
    m[r] = largest_of<n>(p[r]);
  }
  chains.raise_limits(m);
  for (int i = 0; i < n; ++i) {
    for (int r = 0; r < R; ++r) {
      add_product<T>(chains.of(r, i), load(a + r * ld + i * W), load(x + i * W), p[r][i]);
    }
  }
}

/// count < group_terms<R> terms.
template <int R, class T>
ACCUBLAS_INLINE void row_rest(const T* a, Index ld, const T* x, int count, RowChains<R>& chains) {
  V m[R];
  const int whole = count / W * W;
  for (int r = 0; r < R; ++r, a += ld) {
    const V last = mul(load_first(a + whole, count - whole), load_first(x + whole, count - whole));
    m[r] = larger_magnitude(last, last);
    for (int i = 0; i < whole; i += W) m[r] = larger_magnitude(m[r], mul(load(a + i), load(x + i)));
  }
  a -= R * ld;
  chains.raise_limits(m);
  for (int r = 0; r < R; ++r, a += ld) {
    for (int i = 0; i < whole; i += W) {
      const V u = load(a + i), v = load(x + i);
      add_product<T>(chains.of(r, i / W), u, v, mul(u, v));
    }
    const V u = load_first(a + whole, count - whole), v = load_first(x + whole, count - whole);
    add_product<T>(chains.of(r, 0), u, v, mul(u, v));
  }
}

/// A look ahead at the largest product of a block saves most changes of its limit; one for each block, so that a single
/// large product does not widen the error of the blocks after it.
template <int R, class T>
ACCUBLAS_INLINE void first_limits(Index k, const T* a, Index ld, const T* x, double* limit) {
  for (int r = 0; r < R; ++r, a += ld) {
    V even = zero(), odd = zero();
    for (Index p = 0; p + 2 * W <= k && p < (R == 1 ? 32 : 8) * W; p += 2 * W) {
      even = larger_magnitude(even, mul(load(a + p), load(x + p)));
      odd = larger_magnitude(odd, mul(load(a + p + W), load(x + p + W)));
    }
    const double seen = lane_max(larger_magnitude(even, odd));
    limit[r] = seen > 0 ? lane_max(new_limit(splat(seen))) : 0;
  }
}

template <int R, class T>
ACCUBLAS_INLINE void some_rows(Index k, const T* a, Index ld, const T* x, TripleSum* sums) {
  // Blocks of equal length.
  const Index blocks = (k + row_block<R> - 1) / row_block<R>;
  const Index block = ((k + blocks - 1) / blocks + group * W - 1) / (group * W) * (group * W);
  RowChains<R> chains;
  double a1[R] = {}, a2[R] = {}, a3[R] = {}, roundings[R] = {}, error[R] = {};
  for (Index begin = 0; begin < k; begin += block) {
    const Index end = begin + block < k ? begin + block : k;
    first_limits<R>(end - begin, a + begin, ld, x + begin, chains.limit);
    for (int r = 0; r < R; ++r) chains.of(r, 0) = empty_chain<row_grid<R>>(splat(chains.limit[r]));
    if constexpr (R == 1) chains.of(0, 1) = chains.of(0, 0);
    Index p = begin;
    for (; p + group_terms<R> <= end; p += group_terms<R>) row_group<R>(a + p, ld, x + p, chains);
    if (p < end) row_rest<R>(a + p, ld, x + p, static_cast<int>(end - p), chains);
    double s1[R], s2[R], c[R];
    for (int r = 0; r < R; ++r) {
      Value v = chain_value<row_grid<R>>(chains.of(r, 0), splat(chains.limit[r]));
      if constexpr (R == 1) {
        const Value w = chain_value<row_grid<R>>(chains.of(r, 1), splat(chains.limit[r]));
        v = {add(v.s1, w.s1), add(v.s2, w.s2), add(v.c, w.c)};
      }
      s1[r] = lane_sum(v.s1);
      s2[r] = lane_sum(v.s2);
      c[r] = lane_sum(v.c);
    }
    for (int r = 0; r < R; ++r) {
      error[r] += chains.limit[r] * row_error<R>;
      roundings[r] += add_block(a1[r], a2[r], a3[r], s1[r], s2[r], c[r]);
    }
  }
  for (int r = 0; r < R; ++r) {
    if (!exact_product<T>) error[r] += static_cast<double>(k) * product_underflow;
    sums[r] = {a1[r], a2[r], a3[r], (error[r] + roundings[r] * 0x1p-53) * (1 + 0x1p-30)};
  }
}

template <class T>
void rows(Index m, Index k, const T* a, Index ld, const T* x, TripleSum* sums) {
  Index i = 0;
  for (; i + rows_at_once <= m; i += rows_at_once) some_rows<rows_at_once>(k, a + i * ld, ld, x, sums + i);
  for (; i < m; ++i) some_rows<1>(k, a + i * ld, ld, x, sums + i);
}

// -------------------------------------------------------------------------------------------------------------------
// Contiguous columns: lanes are rows, one chain a row, its state in memory between groups of columns.

// A short block: its error goes with the 4th power of its length, and closing it costs as much as 4 columns.
constexpr Index column_block = 64;
constexpr Index pass = 16;  // columns that are added before the chains go back to memory
constexpr Grid column_grid{7};
constexpr double column_error = column_grid.error(column_block, column_block);
static_assert(column_block <= 1 << (column_grid.headroom - 1) && column_block % pass == 0);

/// State of W rows within a block. `most` is the largest product: the next block's limit comes from it.
struct RowState {
  double s1[W], s2[W], s2e[W], c[W], limit[W], most[W];
};
/// Their sums over the blocks before.
struct RowTotal {
  double a1[W], a2[W], a3[W], error[W];
};
static_assert((sizeof(RowState) + sizeof(RowTotal)) / sizeof(double) * (8 / W) <= correct_scratch(8));

template <bool Whole, class T>
ACCUBLAS_INLINE V load_rows(const T* a, int lanes) {
  if constexpr (Whole) {
    return load(a);
  } else {
    return load_first(a, lanes);
  }
}

/// N * W rows in work (`lanes` of the only vector, unless Whole).
template <int N, bool Whole>
struct ColumnChains {
  Chain chain[N];
  V limit[N], most[N];
  int lanes;

  /// Empty chains for a new block.
  [[gnu::always_inline]] inline void begin(const RowState* state) {
    for (int v = 0; v < N; ++v) {
      limit[v] = new_limit(load(state[v].most));
      most[v] = zero();
      chain[v] = empty_chain<column_grid>(limit[v]);
    }
  }

  [[gnu::always_inline]] inline void open(const RowState* state) {
    for (int v = 0; v < N; ++v) {
      chain[v] = {load(state[v].s1), load(state[v].s2), load(state[v].s2e), load(state[v].c)};
      limit[v] = load(state[v].limit);
      most[v] = load(state[v].most);
    }
  }

  [[gnu::always_inline]] inline void close(RowState* state) const {
    for (int v = 0; v < N; ++v) {
      store(state[v].s1, chain[v].s1);
      store(state[v].s2, chain[v].s2);
      store(state[v].s2e, chain[v].s2e);
      store(state[v].c, chain[v].c);
      store(state[v].limit, limit[v]);
      store(state[v].most, most[v]);
    }
  }

  /// The block is done: its sums join the total.
  [[gnu::always_inline]] inline void end(RowState* state, RowTotal* total) const {
    for (int v = 0; v < N; ++v) {
      const Value value = chain_value<column_grid>(chain[v], limit[v]);
      V a1 = load(total[v].a1), a2 = load(total[v].a2), a3 = load(total[v].a3);
      const V roundings = add_block(a1, a2, a3, value.s1, value.s2, value.c);
      store(total[v].a1, a1);
      store(total[v].a2, a2);
      store(total[v].a3, a3);
      store(total[v].error,
            add(load(total[v].error), add(mul(limit[v], splat(column_error)), mul(roundings, splat(0x1p-53)))));
      store(state[v].most, most[v]);
    }
  }

  /// Columns 0 .. count - 1. Those `ahead` elements further on are fetched into L2.
  template <int count, class T>
  [[gnu::always_inline]] inline void add_columns(const T* a, Index ld, Index ahead, const double* x) {
    V p[N][count];
    const T* column = a;
    for (int i = 0; i < count; ++i, column = again(column + ld)) {
      const V u = splat(x[i]);
      for (int v = 0; v < N; ++v) {
        p[v][i] = mul(load_rows<Whole>(column + v * W, lanes), u);
        __builtin_prefetch(column + ahead + v * W, 0, 2);
      }
    }
    bool any = false;
    V m[N];
    for (int v = 0; v < N; ++v) {
      m[v] = largest_of<count>(p[v]);
      most[v] = larger_magnitude(most[v], m[v]);
      any |= any_greater(m[v], limit[v]);
    }
    if (__builtin_expect(any, 0)) {
      for (int v = 0; v < N; ++v) {
        const V next = where_greater(m[v], limit[v], new_limit(m[v]), limit[v]);
        move_chain<column_grid>(chain[v], limit[v], next);
        limit[v] = next;
      }
    }
    column = again(a);
    x = again(x);
    for (int i = 0; i < count; ++i, column = again(column + ld)) {
      const V u = splat(x[i]);
      for (int v = 0; v < N; ++v) add_product<T>(chain[v], load_rows<Whole>(column + v * W, lanes), u, p[v][i]);
    }
  }
};

/// Columns of one pass, and where in their block they stand.
struct Pass {
  Index columns;
  bool first, last;
};

/// Up to `pass` columns for N * W rows.
template <int N, bool Whole, class T>
ACCUBLAS_INLINE void column_pass(const T* a, Index ld, const double* x, Pass now, int lanes, RowState* state,
                                 RowTotal* total) {
  ColumnChains<N, Whole> chains;
  chains.lanes = lanes;
  now.first ? chains.begin(state) : chains.open(state);
  constexpr int count = group / N;
  Index j = 0;
  for (; j + count <= now.columns; j += count) chains.template add_columns<count>(a + j * ld, ld, pass * ld, x + j);
  for (; j < now.columns; ++j) chains.template add_columns<1>(a + j * ld, ld, 0, x + j);
  now.last ? chains.end(state, total) : chains.close(state);
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
    store(state[v].most, zero());
  }
  for (Index j = 0; j < k; j += pass) {
    const Index count = k - j < pass ? k - j : pass;
    const Pass now{count, j % column_block == 0, (j + count) % column_block == 0 || j + count == k};
    const T* first = a + j * ld;
    Index v = 0;
    for (; v + 2 <= whole; v += 2) column_pass<2, true>(first + v * W, ld, x + j, now, W, state + v, total + v);
    if (v < whole) column_pass<1, true>(first + v * W, ld, x + j, now, W, state + v, total + v);
    if (lanes > 0) column_pass<1, false>(first + whole * W, ld, x + j, now, lanes, state + whole, total + whole);
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
