// dot2's GEMV: one chain per output, k in blocks, the blocks combined left to right. A vector holds W outputs.
#include "lib/cpu/kernels/dot2_vector.hpp"

namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE {

namespace {

template <class T>
constexpr bool compensated = sizeof(T) == sizeof(double);

/// Columns in a pass over the outputs: s and c are loaded and stored once for so many steps.
constexpr int pass = 8;

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
      if constexpr (compensated<T>) {
        step(sum, error, load(a + i + q * ld), factor[q]);
      } else {
        step(sum, load(a + i + q * ld), factor[q]);
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

}  // namespace

const Dot2GemvKernels<double>& dot2_dgemv() {
  static constexpr Dot2GemvKernels<double> table = {columns<double>, rows<double>};
  return table;
}

const Dot2GemvKernels<float>& dot2_sgemv() {
  static constexpr Dot2GemvKernels<float> table = {columns<float>, rows<float>};
  return table;
}

}  // namespace accublas::cpu::ACCUBLAS_ISA_NAMESPACE
