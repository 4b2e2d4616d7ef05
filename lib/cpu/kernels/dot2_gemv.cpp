// dot2's GEMV: one chain per output, k in blocks, the blocks combined left to right. A vector holds W outputs.
#include "lib/base/integers.hpp"
#include "lib/cpu/kernels/dot2_vector.hpp"
#include "lib/cpu/tuning/tuning.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {

namespace {

/// Columns in a pass over the outputs: s and c are loaded and stored once for so many steps.
constexpr int pass = 8;
/// Vectors of outputs whose chains are taken a step further in turn, since a single one waits for itself.
constexpr int strip = tunings[ACCUBLAS_ISA_LEVEL]->kernels.gemv_strip;
constexpr int row_groups = tunings[ACCUBLAS_ISA_LEVEL]->kernels.gemv_row_groups;
/// Vectors of entries in a cache line.
template <class T>
constexpr int line_vectors = W * sizeof(T) < 64 ? 64 / (W * sizeof(T)) : 1;

/// Bytes, as entries, that each of the rows or columns read side by side is prefetched ahead: W streams are more than
/// the hardware follows well (rows, n = 2000, beside a busy core: 26 in place of 13 GB/s).
template <class T>
constexpr Index ahead = 512 / sizeof(T);

template <class T>
ACCUBLAS_INLINE void step_output(V& s, V& c, V entry, V factor) {
  if constexpr (compensated<T>) {
    step(s, c, entry, factor);
  } else {
    step(s, entry, factor);
  }
}

/// Chains of `Vectors` vectors of outputs, one more step for each of `Count` columns, `next` entries on from which they
/// prefetch; `First` starts them. With Whole false only `lanes` of the only vector are there.
template <class T, int Vectors, bool Whole, int Count, bool First>
ACCUBLAS_INLINE void columns_strip(const T* a, Index ld, Index next, const V* factor, double* s, double* c,
                                   int lanes = W) {
  V sum[Vectors], error[Vectors];
  for (int v = 0; v < Vectors; ++v) {
    sum[v] = First ? zero() : load(s + v * W);
    error[v] = First || !compensated<T> ? zero() : load(c + v * W);
  }
  for (int q = 0; q < Count; ++q) {
    for (int v = 0; v < Vectors; ++v) {
      const T* const at = a + q * ld + v * W;
      if (v % line_vectors<T> == 0) prefetch_nearest(at + next);
      step_output<T>(sum[v], error[v], Whole ? held(load(at)) : load_first(at, lanes), factor[q]);
    }
  }
  for (int v = 0; v < Vectors; ++v) {
    store(s + v * W, sum[v]);
    if (compensated<T>) store(c + v * W, error[v]);
  }
}

/// `Count` columns of a block for all outputs.
template <class T, int Count, bool First>
ACCUBLAS_INLINE void columns_pass(Index m, const T* a, Index ld, const double* x, double* s, double* c) {
  V factor[Count];
  for (int q = 0; q < Count; ++q) factor[q] = splat(x[q]);
  Index i = 0;
  const auto next = [&] { return entries_on(i, m, ahead<T>, Count * ld); };
  for (; i + strip * W <= m; i += strip * W)
    columns_strip<T, strip, true, Count, First>(a + i, ld, next(), factor, s + i, c + i);
  for (; i + W <= m; i += W) columns_strip<T, 1, true, Count, First>(a + i, ld, next(), factor, s + i, c + i);
  if (i < m) columns_strip<T, 1, false, Count, First>(a + i, ld, next(), factor, s + i, c + i, static_cast<int>(m - i));
}

template <class T>
void columns(Index m, Index k, Index block, const T* a, Index ld, const double* x, double* s, double* c,
             double* scratch) {
  double* const block_s = scratch;
  double* const block_c = scratch + round_up(m, 8);
  for (Index first = 0; first < k; first += block) {
    const Index end = first + block < k ? first + block : k;
    Index p = first;
    if (end - p >= pass) {
      columns_pass<T, pass, true>(m, a + p * ld, ld, x + p, block_s, block_c);
      p += pass;
    } else {
      columns_pass<T, 1, true>(m, a + p * ld, ld, x + p, block_s, block_c);
      p += 1;
    }
    for (; p + pass <= end; p += pass) columns_pass<T, pass, false>(m, a + p * ld, ld, x + p, block_s, block_c);
    for (; p < end; ++p) columns_pass<T, 1, false>(m, a + p * ld, ld, x + p, block_s, block_c);
    for (Index i = 0; i < m; i += W) {
      V sum = load(s + i);
      if constexpr (compensated<T>) {
        V error = load(c + i);
        combine(sum, error, load(block_s + i), load(block_c + i));
        store(c + i, error);
      } else {
        sum = add(sum, load(block_s + i));
      }
      store(s + i, sum);
    }
  }
}

/// Groups of W outputs, whose rows begin at a, all columns.
template <class T, int Groups>
ACCUBLAS_INLINE void rows_group(Index k, Index block, const T* a, Index ld, const double* x, double* s, double* c) {
  V total[Groups], total_error[Groups];
  for (int g = 0; g < Groups; ++g) {
    total[g] = load(s + g * W);
    total_error[g] = compensated<T> ? load(c + g * W) : zero();
  }
  for (Index first = 0; first < k; first += block) {
    const Index end = first + block < k ? first + block : k;
    V sum[Groups], error[Groups];
    for (int g = 0; g < Groups; ++g) sum[g] = error[g] = zero();
    Index p = first;
    for (; p + W <= end; p += W)
      for (int g = 0; g < Groups; ++g) {
        const T* const at = a + g * W * ld + p;
        V column[W];
        const Index next = entries_on(p, k, ahead<T>, Groups * W * ld);
        for (int q = 0; q < W; ++q) prefetch_nearest(at + q * ld + next);
        load_transposed(at, ld, column);
        for (int q = 0; q < W; ++q) step_output<T>(sum[g], error[g], column[q], splat(x[p + q]));
      }
    for (; p < end; ++p)
      for (int g = 0; g < Groups; ++g) {
        double entries[W];
        for (int i = 0; i < W; ++i) entries[i] = a[(g * W + i) * ld + p];
        step_output<T>(sum[g], error[g], load(entries), splat(x[p]));
      }
    for (int g = 0; g < Groups; ++g) {
      if constexpr (compensated<T>) {
        combine(total[g], total_error[g], sum[g], error[g]);
      } else {
        total[g] = add(total[g], sum[g]);
      }
    }
  }
  for (int g = 0; g < Groups; ++g) {
    store(s + g * W, total[g]);
    if (compensated<T>) store(c + g * W, total_error[g]);
  }
}

template <class T>
void rows(Index m, Index k, Index block, const T* a, Index ld, const double* x, double* s, double* c) {
  Index i = 0;
  for (; i + row_groups * W <= m; i += row_groups * W)
    rows_group<T, row_groups>(k, block, a + i * ld, ld, x, s + i, c + i);
  for (; i + W <= m; i += W) rows_group<T, 1>(k, block, a + i * ld, ld, x, s + i, c + i);
  if (i == m) return;
  if (m >= W) {
    // The last W rows once more, with the pairs of those not done yet in their lanes.
    double last_s[W] = {}, last_c[W] = {};
    const Index done = W - (m - i);
    for (Index l = done; l < W; ++l) {
      last_s[l] = s[i + l - done];
      if (compensated<T>) last_c[l] = c[i + l - done];
    }
    rows_group<T, 1>(k, block, a + (m - W) * ld, ld, x, last_s, last_c);
    for (Index l = done; l < W; ++l) {
      s[i + l - done] = last_s[l];
      if (compensated<T>) c[i + l - done] = last_c[l];
    }
    return;
  }
  // Fewer rows than lanes: a stride of zero gives every lane the same row.
  for (; i < m; ++i) {
    double one_s[W], one_c[W];
    for (int l = 0; l < W; ++l) {
      one_s[l] = s[i];
      one_c[l] = compensated<T> ? c[i] : 0;
    }
    rows_group<T, 1>(k, block, a + i * ld, 0, x, one_s, one_c);
    s[i] = one_s[0];
    if (compensated<T>) c[i] = one_c[0];
  }
}

/// W chains at a time whose entries begin at a and x, `ld` apart (0: W times the same chain).
template <class T>
ACCUBLAS_INLINE void chains(Index length, const T* a, const double* x, Index ld, V& s, V& c) {
  s = c = zero();
  for (Index p = 0; p < length; p += W) {
    V entry[W], factor[W];
    for (int q = 0; q < W; ++q) {  // the same place of the next W chains
      prefetch_near(a + (W + q) * ld + p);
      prefetch_near(x + (W + q) * ld + p);
    }
    load_transposed(a + p, ld, entry);
    load_transposed(x + p, ld, factor);
    for (int q = 0; q < W; ++q) {
      step_output<T>(s, c, entry[q], factor[q]);
    }
  }
}

template <class T>
void row_blocks(Index count, Index block, const T* a, const double* x, double* s, double* c) {
  V sum, error;
  Index b = 0;
  for (; b + W <= count; b += W) {
    chains(block, a + b * block, x + b * block, block, sum, error);
    store(s + b, sum);
    if (compensated<T>) store(c + b, error);
  }
  for (; b < count; ++b) {
    chains(block, a + b * block, x + b * block, 0, sum, error);
    double values[W];
    store(values, sum);
    s[b] = values[0];
    store(values, error);
    if (compensated<T>) c[b] = values[0];
  }
}

template <class T>
constexpr Dot2GemvKernels<T> table{columns<T>, rows<T>, row_blocks<T>};

}  // namespace

template <>
const Dot2GemvKernels<double>& kernels() {
  return table<double>;
}
template <>
const Dot2GemvKernels<float>& kernels() {
  return table<float>;
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
