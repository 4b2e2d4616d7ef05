// Inner products with contiguous rows: lanes run along the row, one chain a row for several rows side by side, or two
// for a single one. Only cr_vector.cpp includes this file.
#pragma once

#include "lib/base/integers.hpp"
#include "lib/cpu/kernels/cr_chain.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {
namespace {

/// `lanes` of the vector at p: all, if Whole.
template <bool Whole, class T>
ACCUBLAS_INLINE V load_lanes(const T* p, int lanes) {
  return Whole ? load(p) : load_first(p, lanes);
}
template <class T>
ACCUBLAS_INLINE V load_lanes(const T* p, int lanes) {
  return lanes == W ? load(p) : load_first(p, lanes);
}

constexpr int rows_at_once = W == 8 ? 4 : 2;
constexpr int group = 16;  // vectors of products of all rows between two looks at the binades

// Terms per block, of which a lane adds up at most 2^(H-1). Rows side by side (GEMV) take short blocks: the error goes
// with the 4th power of a block's length, and of rows of condition 1e16 one in thousands is left undecided. A single
// row (DOT) takes long ones. `deep` takes the shortest: its grids lie as close to each other as they can.
template <int R, Speed S>
constexpr Index row_block = (S == Speed::deep ? 48
                             : R == 1         ? 224
                                              : 112) *
                            W;
template <int R, Speed S>
constexpr Grid row_grid{S == Speed::deep ? 7
                        : R == 1         ? 9
                                         : 8};
template <int R, Speed S>
constexpr double row_error = S == Speed::deep   ? row_grid<R, S>.deep_error(row_block<R, S> / W, row_block<R, S>)
                             : S == Speed::full ? row_grid<R, S>.error(row_block<R, S> / W, row_block<R, S>)
                                                : row_grid<R, S>.swift_error(row_block<R, S>);
// The sums of all lanes and chains are less than 2^53 quanta: s2 by the number of terms, s1 by `resolve`.
template <int R, Speed S>
constexpr bool row_block_fits =
    row_block<R, S> <= (R == 1 ? 2 : 1) * W << (row_grid<R, S>.headroom - 1) &&
    row_block<R, S> / 8 * 9 <= 1 << (row_grid<R, S>.headroom + 2) && row_block<R, S> % (group * W) == 0;
static_assert(row_block_fits<1, Speed::full> && row_block_fits<rows_at_once, Speed::full> &&
              row_block_fits<1, Speed::deep> && row_block_fits<rows_at_once, Speed::deep>);

/// Bytes, as entries, that a single row is fetched ahead of the hardware's own streams: two cores of a Sapphire Rapids
/// take n = 10^7 in 6.5 ms without, in 4.1, 3.5, 3.3 and 3.1 ms with 1, 2, 4 and 8 KiB. Rows read side by side are
/// fetched less far ahead.
template <class T, int R>
constexpr Index row_ahead = (R == 1 ? 4096 : 1024) / sizeof(T);

/// R rows in work, each with its chain, or the two of a single row.
template <int R, Speed S>
struct RowChains {
  static constexpr int count = R == 1 ? 2 : R;
  static constexpr Grid grid = row_grid<R, S>;
  using C = ChainOf<S>;
  C chain[count];
  V limit[count];

  [[gnu::always_inline]] inline void begin() {
    for (int i = 0; i < count; ++i) chain[i] = empty_chain<grid, C>(limit[i]);
  }

  /// A group's terms of one row into the chain i, which are known to leave its binade: `vectors` vectors, `step` apart,
  /// `lanes` of the last one.
  template <class T>
  [[gnu::always_inline]] inline void add_row_raised(int i, V seen, const T* a, const T* x, int vectors, int step,
                                                    int lanes) {
    on_copies(chain[i], limit[i], [&](C& c, V& l) { add_row_raised(c, l, seen, a, x, vectors, step, lanes); });
  }

  /// Less than a group of terms of a single row.
  template <class T>
  [[gnu::always_inline]] inline void add_rest(const T* a, const T* x, int terms) {
    on_copies(chain[0], limit[0], [&](C& c, V& l) { add_rest(c, l, a, x, terms); });
  }

  /// Sums of all lanes: one limit for both chains of a row, and no s1 so far from its base that the sum would be
  /// rounded.
  [[gnu::always_inline]] inline void resolve() {
    constexpr double room = grid.base1() / (R == 1 ? 12 : 6);
    for (int i = 0; i < count; ++i) {
      const V far = mul(limit[i], splat(room));
      const V s1 = sub(chain[i].s1, mul(limit[i], splat(base1<grid>)));
      if (__builtin_expect(any_greater(magnitude(s1), far), 0)) raise(i, mul(limit[i], splat(4)));
    }
    if (R == 1) {
      if (any_greater(limit[0], limit[count - 1])) raise(count - 1, limit[0]);
      if (any_greater(limit[count - 1], limit[0])) raise(0, limit[count - 1]);
    }
  }

 private:
  template <class T>
  [[gnu::noinline]] static void add_row_raised(C& chain, V& limit, V seen, const T* a, const T* x, int vectors,
                                               int step, int lanes) {
    add_raised<T, S, grid, true>(
        chain, limit, seen, vectors, [&](Index v, V & u, V & w) __attribute__((always_inline)) {
          const int there = v + 1 < vectors ? W : lanes;
          u = load_lanes(a + v * step * W, there);
          w = load_lanes(x + v * step * W, there);
        });
  }

  template <class T>
  [[gnu::noinline]] static void add_rest(C& chain, V& limit, const T* a, const T* x, int terms) {
    add_with_care<T, S, grid, true>(
        chain, limit, ceil_div(terms, W), [&](Index v, V & u, V & w) __attribute__((always_inline)) {
          const int there = terms - v * W < W ? static_cast<int>(terms - v * W) : W;
          u = load_lanes(a + v * W, there);
          w = load_lanes(x + v * W, there);
        });
  }

  [[gnu::always_inline]] inline void raise(int i, V next) {
    on_copies(chain[i], limit[i], [&](C& c, V& l) { raise(c, l, next); });
  }
  [[gnu::noinline]] static void raise(C& chain, V& limit, V next) {
    move_chain<grid>(chain, limit, next);
    limit = next;
  }
};

/// `Vectors` vectors of terms of each row (`lanes` of the only one, unless Whole). Entries `next` further on are
/// prefetched.
template <int R, int Vectors, bool Whole, Speed S, class T>
ACCUBLAS_INLINE void row_group(const T* a, Index ld, Index next, const T* x, int lanes, RowChains<R, S>& chains) {
  constexpr int chain_count = RowChains<R, S>::count;
  constexpr int at_once = R > 1 ? R : W == 8 ? 4 : 2;  // as many as the registers hold
  ChainOf<S> trial[chain_count];
  V base[chain_count], seen[chain_count];
  for (int i = 0; i < chain_count; ++i) {
    trial[i] = chains.chain[i];
    base[i] = mul(chains.limit[i], splat(base1<row_grid<R, S>>));
    seen[i] = zero();
  }
#pragma GCC unroll 4  // gcc would move every sum from register to register in each turn
  for (int v = 0; v < Vectors; v += at_once / R) {
    V u[at_once], w[at_once];
    for (int i = 0; i < at_once; ++i) {
      const T *const at = a + i % R * ld + (v + i / R) * W, *const factor = x + (v + i / R) * W;
      if (R == 1 || v * W * sizeof(T) % 64 == 0) prefetch_nearest(at + next);
      if (R == 1) prefetch_nearest(factor + next);
      u[i] = held(load_lanes<Whole>(at, lanes));
      w[i] = R == 1 || i == 0 ? held(load_lanes<Whole>(factor, lanes)) : w[0];
    }
    add_products<T, S, chain_count>(trial, u, w, base, seen);
  }
  V any = seen[0];
  for (int i = 1; i < chain_count; ++i) any = either(any, seen[i]);
  if (__builtin_expect(any_left(any), 0)) {
    constexpr int step = chain_count / R;
    for (int i = 0; i < chain_count; ++i) {
      if (any_left(seen[i])) {
        const Index at = i % step * W;
        chains.template add_row_raised<T>(i, seen[i], a + i / step * ld + at, x + at, Vectors / step, step, lanes);
      } else {
        chains.chain[i] = trial[i];
      }
    }
    return;
  }
  for (int i = 0; i < chain_count; ++i) chains.chain[i] = trial[i];
}

/// A look at the first products and at the last ones: they tell the limit, as a rule. Decaying matrices have their
/// largest products at one end.
template <int R, Speed S, class T>
ACCUBLAS_INLINE void first_limits(Index k, const T* a, Index ld, const T* x, RowChains<R, S>& chains) {
  constexpr Index looked = (R == 1 ? 32 : 8) * W;
  for (int r = 0; r < R; ++r, a += ld) {
    V even = zero(), odd = zero();
    const auto look = [&](Index p, Index end) {
      for (; p + 2 * W <= end; p += 2 * W) {
        even = larger_magnitude(even, mul(load(a + p), load(x + p)));
        odd = larger_magnitude(odd, mul(load(a + p + W), load(x + p + W)));
      }
    };
    look(0, k < looked ? k : looked);
    if (k > looked) look(k - 2 * W > looked ? k - 2 * W : looked, k);
    const double seen = lane_max(larger_magnitude(even, odd));
    const V limit = seen > 0 ? limit_above(splat(seen)) : zero();
    for (int i = 0; i < chains.count; ++i)
      if (R == 1 || i == r) chains.limit[i] = limit;
  }
}

template <int R, Speed S, class T>
ACCUBLAS_INLINE void some_rows(Index k, const T* a, Index ld, const T* x, const double* last_bits, double last_bit_of_x,
                               TripleSum* sums) {
  // Blocks of equal length.
  const Index blocks = (k + row_block<R, S> - 1) / row_block<R, S>;
  const Index block = round_up(ceil_div(k, blocks), group * W);
  RowChains<R, S> chains;
  double a1[R] = {}, a2[R] = {}, a3[R] = {}, roundings[R] = {}, error[R] = {};
  first_limits(k, a, ld, x, chains);
  for (Index begin = 0; begin < k; begin += block) {
    const Index end = begin + block < k ? begin + block : k;
    chains.begin();
    Index p = begin;
    constexpr int vectors = group / R;
    const auto next = [&] { return R == 1 ? row_ahead<T, R> : entries_on(p, k, row_ahead<T, R>, R * ld); };
    for (; p + vectors * W <= end; p += vectors * W) row_group<R, vectors, true>(a + p, ld, next(), x + p, W, chains);
    if constexpr (R == 1) {
      if (p < end) chains.add_rest(a + p, x + p, static_cast<int>(end - p));
    } else {
      for (; p + W <= end; p += W) row_group<R, 1, true>(a + p, ld, next(), x + p, W, chains);
      if (p < end) row_group<R, 1, false>(a + p, ld, next(), x + p, static_cast<int>(end - p), chains);
    }
    chains.resolve();
    double s1[R], s2[R], s3[R], c[R];
    for (int r = 0; r < R; ++r) {
      ChainOf<S> v = chain_value<row_grid<R, S>>(chains.chain[r], chains.limit[r]);
      if constexpr (R == 1) {
        const ChainOf<S> w = chain_value<row_grid<R, S>>(chains.chain[1], chains.limit[1]);
        v.s1 = add(v.s1, w.s1);
        v.s2 = add(v.s2, w.s2);
        if constexpr (S == Speed::deep) v.s3 = add(v.s3, w.s3);
        v.c = add(v.c, w.c);
      }
      s1[r] = lane_sum(v.s1);
      s2[r] = lane_sum(v.s2);
      if constexpr (S == Speed::deep) s3[r] = lane_sum(v.s3);
      c[r] = lane_sum(v.c);
    }
    for (int r = 0; r < R; ++r) {
      error[r] += lane_max(chains.limit[r]) * row_error<R, S>;
      if constexpr (S == Speed::deep)
        roundings[r] += add_deep_block(a1[r], a2[r], a3[r], s1[r], s2[r], s3[r], c[r]);
      else
        roundings[r] += add_block(a1[r], a2[r], a3[r], s1[r], s2[r], c[r]);
    }
  }
  for (int r = 0; r < R; ++r) {
    if (!exact_product<T>) error[r] += static_cast<double>(k) * product_underflow;
    if (last_bits) {
      // Products that are multiples of the finer grid's quantum were added exactly, none of them having underflowed.
      const double seen = lane_max(chains.limit[r]), limit = seen > least_limit ? seen : least_limit;
      if (last_bits[r] * last_bit_of_x >= limit * row_grid<R, S>.quantum2()) error[r] = 0;
    }
    sums[r] = {a1[r], a2[r], a3[r], (error[r] + roundings[r] * 0x1p-53) * (1 + 0x1p-30)};
  }
}

template <Speed S, class T>
void rows(Index m, Index k, const T* a, Index ld, const T* x, const LastBits& bits, TripleSum* sums) {
  const auto of_row = [&](Index i) { return bits.rows ? bits.rows + i : nullptr; };
  Index i = 0;
  for (; i + rows_at_once <= m; i += rows_at_once)
    some_rows<rows_at_once, S>(k, a + i * ld, ld, x, of_row(i), bits.x, sums + i);
  for (; i < m; ++i) some_rows<1, S>(k, a + i * ld, ld, x, of_row(i), bits.x, sums + i);
}

template <class T>
double last_bit_of(Index k, const T* x) {
  V last = splat(0x1p1023);
  Index p = 0;
  for (; p + W <= k; p += W) last = smaller(last, last_bit(load(x + p)));
  if (p < k) last = smaller(last, last_bit(load_first(x + p, static_cast<int>(k - p))));
  double lane[W];
  store(lane, last);
  double least = lane[0];
  for (int i = 1; i < W; ++i) least = lane[i] < least ? lane[i] : least;
  return least;
}

}  // namespace
}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
