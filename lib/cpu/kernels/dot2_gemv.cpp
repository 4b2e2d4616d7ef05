// dot2's GEMV: one chain per output, k in blocks, the blocks combined left to right. A vector holds W outputs.
#include "lib/cpu/kernels/dot2_vector.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {

namespace {

template <class T>
constexpr bool compensated = sizeof(T) == sizeof(double);

/// Columns in a pass over the outputs: s and c are loaded and stored once for so many steps.
constexpr int pass = 8;

/// Bytes, as entries, that each of the rows read side by side is prefetched ahead: W streams are more than the hardware
/// follows well (n = 2000, beside a busy core: 26 in place of 13 GB/s).
template <class T>
constexpr Index ahead = 512 / sizeof(T);

/// `Count` columns of a block for all outputs; `First` starts the chains.
template <class T, int Count, bool First>
ACCUBLAS_INLINE void columns_pass(Index m, const T* a, Index ld, const double* x, double* s, double* c) {
  V factor[Count];
  for (int q = 0; q < Count; ++q) factor[q] = splat(x[q]);
  Index i = 0;
  for (; i + W <= m; i += W) {
    V sum = First ? zero() : load(s + i);
    V error = First || !compensated<T> ? zero() : load(c + i);
    for (int q = 0; q < Count; ++q) {
      const V entry = held(load(a + i + q * ld));
      prefetch_near(a + i + (q + Count) * ld);  // for the next pass
      if constexpr (compensated<T>) {
        step(sum, error, entry, factor[q]);
      } else {
        step(sum, entry, factor[q]);
      }
    }
    store(s + i, sum);
    if (compensated<T>) store(c + i, error);
  }
  if (i < m) {
    V sum = First ? zero() : load(s + i);
    V error = First || !compensated<T> ? zero() : load(c + i);
    for (int q = 0; q < Count; ++q) {
      const V entry = load_first(a + i + q * ld, static_cast<int>(m - i));
      if constexpr (compensated<T>) {
        step(sum, error, entry, factor[q]);
      } else {
        step(sum, entry, factor[q]);
      }
    }
    store(s + i, sum);
    if (compensated<T>) store(c + i, error);
  }
}

template <class T>
void columns(Index m, Index k, Index block, const T* a, Index ld, const double* x, double* s, double* c,
             double* scratch) {
  double* const block_s = scratch;
  double* const block_c = scratch + (m + 7) / 8 * 8;
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

/// W outputs whose rows begin at a, all columns.
template <class T>
ACCUBLAS_INLINE void rows_group(Index k, Index block, const T* a, Index ld, const double* x, double* s, double* c) {
  V total = load(s), total_error = compensated<T> ? load(c) : zero();
  for (Index first = 0; first < k; first += block) {
    const Index end = first + block < k ? first + block : k;
    V sum = zero(), error = zero();
    Index p = first;
    for (; p + W <= end; p += W) {
      V column[W];
      for (int q = 0; q < W; ++q) prefetch_nearest(a + q * ld + p + ahead<T>);
      load_transposed(a + p, ld, column);
      for (int q = 0; q < W; ++q) {
        if constexpr (compensated<T>) {
          step(sum, error, column[q], splat(x[p + q]));
        } else {
          step(sum, column[q], splat(x[p + q]));
        }
      }
    }
    for (; p < end; ++p) {
      double entries[W];
      for (int i = 0; i < W; ++i) entries[i] = a[i * ld + p];
      if constexpr (compensated<T>) {
        step(sum, error, load(entries), splat(x[p]));
      } else {
        step(sum, load(entries), splat(x[p]));
      }
    }
    if constexpr (compensated<T>) {
      combine(total, total_error, sum, error);
    } else {
      total = add(total, sum);
    }
  }
  store(s, total);
  if (compensated<T>) store(c, total_error);
}

template <class T>
void rows(Index m, Index k, Index block, const T* a, Index ld, const double* x, double* s, double* c) {
  Index i = 0;
  for (; i + W <= m; i += W) rows_group(k, block, a + i * ld, ld, x, s + i, c + i);
  if (i == m) return;
  if (m >= W) {
    // The last W rows once more, with the pairs of those not done yet in their lanes.
    double last_s[W] = {}, last_c[W] = {};
    const Index done = W - (m - i);
    for (Index l = done; l < W; ++l) {
      last_s[l] = s[i + l - done];
      if (compensated<T>) last_c[l] = c[i + l - done];
    }
    rows_group(k, block, a + (m - W) * ld, ld, x, last_s, last_c);
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
    rows_group(k, block, a + i * ld, 0, x, one_s, one_c);
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
      if constexpr (compensated<T>) {
        step(s, c, entry[q], factor[q]);
      } else {
        step(s, entry[q], factor[q]);
      }
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

}  // namespace

const Dot2GemvKernels<double>& dot2_dgemv() {
  static constexpr Dot2GemvKernels<double> table = {columns<double>, rows<double>, row_blocks<double>};
  return table;
}

const Dot2GemvKernels<float>& dot2_sgemv() {
  static constexpr Dot2GemvKernels<float> table = {columns<float>, rows<float>, row_blocks<float>};
  return table;
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
