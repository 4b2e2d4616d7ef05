// Inner products with contiguous columns: lanes are rows, one chain a row, whose state is in memory between groups of
// columns. Only cr_vector.cpp includes this file.
#pragma once

#include "lib/cpu/kernels/cr_rows.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {
namespace {

constexpr Index column_block = 128;  // closing one costs as much as 4 columns
constexpr Index pass = 16;           // columns that are added before the chains go back to memory
constexpr Grid column_grid{8};
template <Speed S>
constexpr double column_error = S == Speed::full ? column_grid.error(column_block, column_block)
                                                 : column_grid.swift_error(column_block);
static_assert(column_block <= 1 << (column_grid.headroom - 1) && column_block % pass == 0);
/// Bytes, as entries, that each column of a pass is prefetched ahead: `pass` streams are more than the hardware follows
/// well.
template <class T>
constexpr Index column_ahead = 512 / sizeof(T);

/// State of W rows within a block.
struct RowState {
  double s1[W], s2[W], c[W], limit[W];
};
/// Their sums over the blocks before.
struct RowTotal {
  double a1[W], a2[W], a3[W], error[W];
};
static_assert((sizeof(RowState) + sizeof(RowTotal)) / sizeof(double) * (8 / W) <= cr_scratch(8));

/// N * W rows in work (`lanes` of the only vector, unless Whole).
template <int N, bool Whole, Speed S>
struct ColumnChains {
  Chain chain[N];
  V limit[N];
  int lanes;

  /// Empty chains for a new block.
  [[gnu::always_inline]] inline void begin(const RowState* state) {
    for (int v = 0; v < N; ++v) {
      limit[v] = load(state[v].limit);
      chain[v] = empty_chain<column_grid, Chain>(limit[v]);
    }
  }

  [[gnu::always_inline]] inline void open(const RowState* state) {
    for (int v = 0; v < N; ++v) {
      chain[v] = {load(state[v].s1), load(state[v].s2), load(state[v].c)};
      limit[v] = load(state[v].limit);
    }
  }

  [[gnu::always_inline]] inline void close(RowState* state) const {
    for (int v = 0; v < N; ++v) {
      store(state[v].s1, chain[v].s1);
      store(state[v].s2, chain[v].s2);
      store(state[v].c, chain[v].c);
      store(state[v].limit, limit[v]);
    }
  }

  /// The block is done: its sums join the total.
  [[gnu::always_inline]] inline void end(RowState* state, RowTotal* total) const {
    for (int v = 0; v < N; ++v) {
      const Chain value = chain_value<column_grid>(chain[v], limit[v]);
      V a1 = load(total[v].a1), a2 = load(total[v].a2), a3 = load(total[v].a3);
      const V roundings = add_block(a1, a2, a3, value.s1, value.s2, value.c);
      store(total[v].a1, a1);
      store(total[v].a2, a2);
      store(total[v].a3, a3);
      store(total[v].error,
            add(load(total[v].error), add(mul(limit[v], splat(column_error<S>)), mul(roundings, splat(0x1p-53)))));
      store(state[v].limit, limit[v]);
    }
  }

  /// Columns 0 .. count - 1. Entries `next` further on are prefetched.
  template <int count, class T>
  [[gnu::always_inline]] inline void add_columns(const T* a, Index ld, Index next, const double* x) {
    Chain trial[N];
    V base[N], seen[N];
    for (int v = 0; v < N; ++v) {
      seen[v] = zero();
      trial[v] = chain[v];
      base[v] = mul(limit[v], splat(base1<column_grid>));
    }
    constexpr int at_once = W == 8 && count % (4 / N) == 0 ? 4 : N;  // terms, as above
    const T* column = a;
#pragma GCC unroll 4  // as above
    for (int i = 0; i < count; i += at_once / N) {
      V u[at_once], w[at_once];
      for (int k = 0; k < at_once; ++k) {
        if (k > 0 && k % N == 0) column = again(column + ld);
        if (k % N * W * sizeof(T) % 64 == 0) prefetch_nearest(column + next + k % N * W);
        u[k] = held(load_lanes<Whole>(column + k % N * W, lanes));
        w[k] = k % N == 0 ? splat(x[i + k / N]) : w[k - 1];
      }
      column = again(column + ld);
      add_products<T, S, N>(trial, u, w, base, seen);
    }
    if (__builtin_expect(any_left(N == 1 ? seen[0] : either(seen[0], seen[N - 1])), 0)) {
      for (int v = 0; v < N; ++v) {
        if (any_left(seen[v])) {
          on_copies(chain[v], limit[v],
                    [&](Chain& c, V& l) { add_columns_raised(c, l, seen[v], lanes, a + v * W, ld, x, count); });
        } else {
          chain[v] = trial[v];
        }
      }
      return;
    }
    for (int v = 0; v < N; ++v) chain[v] = trial[v];
  }

  template <class T>
  [[gnu::noinline]] static void add_columns_raised(Chain& chain, V& limit, V seen, int lanes, const T* a, Index ld,
                                                   const double* x, int count) {
    add_raised<T, S, column_grid, false>(
        chain, limit, seen, count, [&](Index i, V & u, V & w) __attribute__((always_inline)) {
          u = load_lanes<Whole>(a + i * ld, lanes);
          w = splat(x[i]);
        });
  }
};

/// Columns of one pass, and where in their block they stand.
struct Pass {
  Index columns;
  bool first, last;
};

/// Up to `pass` columns for N * W rows. Entries `next` further on are prefetched.
template <int N, bool Whole, Speed S, class T>
ACCUBLAS_INLINE void column_pass(const T* a, Index ld, Index next, const double* x, Pass now, int lanes,
                                 RowState* state, RowTotal* total) {
  ColumnChains<N, Whole, S> chains;
  chains.lanes = lanes;
  now.first ? chains.begin(state) : chains.open(state);
  constexpr int count = group / N;
  Index j = 0;
  for (; j + count <= now.columns; j += count) chains.template add_columns<count>(a + j * ld, ld, next, x + j);
  for (; j < now.columns; ++j) chains.template add_columns<1>(a + j * ld, ld, next, x + j);
  now.last ? chains.end(state, total) : chains.close(state);
}

/// The limit of W rows from their first products, at most `pass` of them.
template <bool Whole, class T>
ACCUBLAS_INLINE void first_limit(Index k, const T* a, Index ld, const double* x, int lanes, RowState* state) {
  V most = zero();
  for (Index j = 0; j < k && j < pass; ++j)
    most = larger_magnitude(most, mul(load_lanes<Whole>(a + j * ld, lanes), splat(x[j])));
  store(state->limit, limit_above(most));
}

template <Speed S, class T>
void columns(Index m, Index k, const T* a, Index ld, const double* x, double* scratch, TripleSum* sums) {
  const Index vectors = ceil_div(m, W), whole = m / W;
  const int lanes = static_cast<int>(m % W);
  RowState* state = reinterpret_cast<RowState*>(scratch);
  RowTotal* total = reinterpret_cast<RowTotal*>(state + vectors);
  for (Index v = 0; v < vectors; ++v) {
    store(total[v].a1, zero());
    store(total[v].a2, zero());
    store(total[v].a3, zero());
    store(total[v].error, zero());
    v < whole ? first_limit<true>(k, a + v * W, ld, x, W, state + v)
              : first_limit<false>(k, a + v * W, ld, x, lanes, state + v);
  }
  for (Index j = 0; j < k; j += pass) {
    const Index count = k - j < pass ? k - j : pass;
    const Pass now{count, j % column_block == 0, (j + count) % column_block == 0 || j + count == k};
    const T* first = a + j * ld;
    Index v = 0;
    const auto some = [&]<int N, bool Whole>(int valid) __attribute__((always_inline)) {
      const Index next = entries_on(v * W, m, column_ahead<T>, pass * ld);
      column_pass<N, Whole, S>(first + v * W, ld, next, x + j, now, valid, state + v, total + v);
      v += N;
    };
    while (v + 2 <= whole) some.template operator()<2, true>(W);
    if (v < whole) some.template operator()<1, true>(W);
    if (lanes > 0) some.template operator()<1, false>(lanes);
  }
  const double underflow = exact_product<T> ? 0 : static_cast<double>(k) * product_underflow;
  for (Index i = 0; i < m; ++i) {
    const RowTotal& t = total[i / W];
    const Index l = i % W;
    sums[i] = {t.a1[l], t.a2[l], t.a3[l], t.error[l] * (1 + 0x1p-30) + underflow};
  }
}

}  // namespace
}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
