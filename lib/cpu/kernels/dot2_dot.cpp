// dot2's DOT and ASUM: 32 lanes that take a block's elements in turn, a binary tree over the blocks, a binary tree over
// the lanes.
#include "lib/cpu/kernels/dot2_vector.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {

namespace {

constexpr int vectors = dot2_lanes / W;
/// Blocks in a tree number less than 2^levels: those of 2^57 bytes of floats, more than an address space holds.
constexpr int levels = 45;

/// Elements that x and y are prefetched ahead: past L2 and beside a busy core the hardware's own streams are too short
/// (n = 10^7: 10 in place of 6 GB/s); in the caches it costs nothing that can be measured. As far as cr's DOT
/// (cr_rows.hpp), which found 1 KiB too short for two cores.
template <class T>
constexpr Index ahead = 4096 / sizeof(T);

/// 32 lanes of pairs. For float c is not used.
struct Lanes {
  V s[vectors], c[vectors];
};

template <class T>
ACCUBLAS_INLINE void step_lane(Lanes& lanes, int v, V x, V y) {
  if constexpr (compensated<T>) {
    step(lanes.s[v], lanes.c[v], x, y);
  } else {
    step(lanes.s[v], x, y);
  }
}

template <class T>
ACCUBLAS_INLINE void combine_vectors(V& s, V& c, V s2, V c2) {
  if constexpr (compensated<T>) {
    combine(s, c, s2, c2);
  } else {
    s = add(s, s2);
  }
}

/// ASUM's step: the error of a term is 0.
template <class T>
ACCUBLAS_INLINE void add_magnitude(Lanes& lanes, int v, V x) {
  const V p = magnitude(x), s = lanes.s[v], sum = add(s, p);
  if constexpr (compensated<T>) lanes.c[v] = add(lanes.c[v], sum_error(s, p, sum));
  lanes.s[v] = sum;
}

/// The operands of the terms that are added up: DOT's two, or ASUM's one.
template <class T>
struct Products {
  const T *x, *y;

  [[gnu::always_inline]] inline Products from(Index i) const { return {x + i, y + i}; }
  [[gnu::always_inline]] inline void fetch(Index i) const {
    prefetch_nearest(x + i);
    prefetch_nearest(y + i);
  }
  [[gnu::always_inline]] inline void add_to(Lanes& lanes, int v, Index i) const {
    step_lane<T>(lanes, v, held(load(x + i)), load(y + i));
  }
  [[gnu::always_inline]] inline void add_first(Lanes& lanes, int v, Index i, int count) const {
    step_lane<T>(lanes, v, load_first(x + i, count), load_first(y + i, count));
  }
};

template <class T>
struct Magnitudes {
  const T* x;

  [[gnu::always_inline]] inline Magnitudes from(Index i) const { return {x + i}; }
  [[gnu::always_inline]] inline void fetch(Index i) const { prefetch_nearest(x + i); }
  [[gnu::always_inline]] inline void add_to(Lanes& lanes, int v, Index i) const {
    add_magnitude<T>(lanes, v, load(x + i));
  }
  [[gnu::always_inline]] inline void add_first(Lanes& lanes, int v, Index i, int count) const {
    add_magnitude<T>(lanes, v, load_first(x + i, count));
  }
};

/// One block of n <= 1024 elements.
template <class T, template <class> class Terms>
ACCUBLAS_INLINE void block(Index n, Terms<T> terms, Lanes& lanes) {
  for (int v = 0; v < vectors; ++v) lanes.s[v] = lanes.c[v] = zero();
  Index i = 0;
  for (; i + dot2_lanes <= n; i += dot2_lanes) {
    for (int v = 0; v < vectors; ++v) {
      terms.fetch(i + v * W + ahead<T>);
      terms.add_to(lanes, v, i + v * W);
    }
  }
  // Lanes without an element take a step with zeros, which changes nothing: s and c are never -0.
  for (int v = 0; v < vectors; ++v) {
    const Index rest = n - i - v * W;
    if (rest >= W) {
      terms.add_to(lanes, v, i + v * W);
    } else if (rest > 0) {
      terms.add_first(lanes, v, i + v * W, static_cast<int>(rest));
    }
  }
}

template <class T>
ACCUBLAS_INLINE void load_lanes(Lanes& lanes, const double* from) {
  for (int v = 0; v < vectors; ++v) {
    lanes.s[v] = load(from + v * W);
    lanes.c[v] = compensated<T> ? load(from + dot2_lanes + v * W) : zero();
  }
}

template <class T>
ACCUBLAS_INLINE void store_lanes(const Lanes& lanes, double* to) {
  for (int v = 0; v < vectors; ++v) {
    store(to + v * W, lanes.s[v]);
    store(to + dot2_lanes + v * W, compensated<T> ? lanes.c[v] : zero());
  }
}

/// right := combine(left, right).
template <class T>
ACCUBLAS_INLINE void combine_lanes(const double* left, Lanes& right) {
  Lanes sum;
  load_lanes<T>(sum, left);
  for (int v = 0; v < vectors; ++v) combine_vectors<T>(sum.s[v], sum.c[v], right.s[v], right.c[v]);
  right = sum;
}

/// The tree over 2^Height full blocks, without a branch that the data's length decides.
template <int Height, class T, template <class> class Terms>
ACCUBLAS_INLINE void full_tree(Terms<T> terms, Lanes& lanes) {
  if constexpr (Height == 0) {
    block(dot2_dot_block, terms, lanes);
  } else {
    constexpr Index half = dot2_dot_block << (Height - 1);
    alignas(64) double left[2 * dot2_lanes];
    full_tree<Height - 1>(terms, lanes);
    store_lanes<T>(lanes, left);
    full_tree<Height - 1>(terms.from(half), lanes);
    combine_lanes<T>(left, lanes);
  }
}

/// Apart from what serves a block, so that only the tree takes the stack for its levels. n > 0.
template <class T, template <class> class Terms>
[[gnu::noinline]] void tree_of_blocks(Index n, Terms<T> terms, double* out) {
  Lanes lanes;
  // The trees of 2^i consecutive blocks that wait for a right neighbour of their size, largest first: one for each bit
  // that is set in the number of blocks done. As long as there are enough elements, blocks come four at a time.
  constexpr int height = 2;
  alignas(64) double waiting[levels][2 * dot2_lanes];
  int top = 0;
  Index done = 0;
  do {
    const Index first = done * dot2_dot_block, rest = n - first;
    Index bits = done;
    if (rest >= dot2_dot_block << height) {
      full_tree<height>(terms.from(first), lanes);
      bits >>= height;
      done += 1 << height;
    } else {
      block(rest < dot2_dot_block ? rest : dot2_dot_block, terms.from(first), lanes);
      done += 1;
    }
    for (; bits & 1; bits >>= 1) combine_lanes<T>(waiting[--top], lanes);
    store_lanes<T>(lanes, waiting[top++]);
  } while (done * dot2_dot_block < n);
  load_lanes<T>(lanes, waiting[--top]);
  while (top > 0) combine_lanes<T>(waiting[--top], lanes);
  store_lanes<T>(lanes, out);
}

template <class T, template <class> class Terms>
ACCUBLAS_INLINE void all_blocks(Index n, Terms<T> terms, double* out) {
  if (n > dot2_dot_block) return tree_of_blocks(n, terms, out);
  Lanes lanes;
  block(n, terms, lanes);
  store_lanes<T>(lanes, out);
}

template <class T>
void blocks(Index n, const T* x, const T* y, double* out) {
  all_blocks(n, Products<T>{x, y}, out);
}

template <class T>
void magnitudes(Index n, const T* x, double* out) {
  all_blocks(n, Magnitudes<T>{x}, out);
}

template <class T>
void combine(double* lanes, const double* right) {
  Lanes sum;
  load_lanes<T>(sum, right);
  combine_lanes<T>(lanes, sum);
  store_lanes<T>(sum, lanes);
}

template <class T, int Distance>
ACCUBLAS_INLINE void fold(Lanes& lanes) {
  combine_vectors<T>(lanes.s[0], lanes.c[0], swap_lanes<Distance>(lanes.s[0]), swap_lanes<Distance>(lanes.c[0]));
}

template <class T>
void reduce(const double* from, double* pair) {
  Lanes lanes;
  load_lanes<T>(lanes, from);
  for (int half = vectors / 2; half > 0; half /= 2)
    for (int v = 0; v < half; ++v) combine_vectors<T>(lanes.s[v], lanes.c[v], lanes.s[v + half], lanes.c[v + half]);
  if constexpr (W >= 8) fold<T, 4>(lanes);
  if constexpr (W >= 4) fold<T, 2>(lanes);
  if constexpr (W >= 2) fold<T, 1>(lanes);
  double s[W], c[W];
  store(s, lanes.s[0]);
  store(c, lanes.c[0]);
  pair[0] = s[0];
  pair[1] = c[0];
}

template <class T>
constexpr Dot2DotKernels<T> table{blocks<T>, magnitudes<T>, combine<T>, reduce<T>};

}  // namespace

template <>
const Dot2DotKernels<double>& kernels() {
  return table<double>;
}
template <>
const Dot2DotKernels<float>& kernels() {
  return table<float>;
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
