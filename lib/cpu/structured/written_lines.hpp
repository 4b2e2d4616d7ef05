// Functions that write the lines of a structured product to memory, some terms at a time.
#pragma once

#include <algorithm>
#include <type_traits>

#include "lib/base/integers.hpp"
#include "lib/base/thread_pool.hpp"
#include "lib/cpu/entries.hpp"
#include "lib/cpu/structured/components.hpp"

namespace accublas::cpu {

/// Returns the real part of a number.
template <class E>
RealOf<E> real_part(const E& x) {
  if constexpr (is_complex<E>)
    return x.re;
  else
    return x;
}
/// Returns an array of numbers as the array of their components.
template <class E>
auto* components_of(E* x) {
  if constexpr (is_complex<std::remove_const_t<E>>)
    return &x->re;
  else
    return x;
}

/// Copies terms first .. first + count - 1 of a line. Each operand contributes up to three runs: entries that are
/// stored, or mirrored, or no terms, and an entry of the diagonal between them.
template <class E, class Line, class T>
void copy_line(const Line& line, Index first, Index count, T* to) {
  constexpr Index components = is_complex<E> ? 2 : 1;
  const Index i = line.line, k = line.lines.k, end = (first + count) / components;
  for (Index p = first / components, next; p < end; p = next) {
    const Operand<E>& x = p < k ? line.lines.first : line.lines.second;
    const Index before = p < k ? 0 : k, q = p - before;
    const bool plain = x.structure == Structure::general, held = holds(x.part, i, q);
    next = p < k ? std::min(end, k) : end;
    if (!plain && q <= i) next = std::min(next, before + std::max(i, q + 1));
    T* const out = to + p * components - first;
    const Index terms = (next - p) * components;
    if (!plain && q == i) {
      for (Index t = 0; t < terms; ++t) out[t] = line[p * components + t];
    } else if (!x.is_term(i, q)) {
      std::fill_n(out, terms, T(0));
    } else {
      const Vector<const E> entries = held ? x.stored.block(0, q).row(i) : x.stored.block(q, 0).col(i);
      const bool conjugate = x.conjugate != (x.structure == Structure::hermitian && !held);
      if constexpr (is_complex<E>)
        copy_entries(line.entries(entries, conjugate), 0, terms, out);
      else
        copy_entries(Entries<T>(entries), 0, terms, out);
    }
  }
}

/// Writes lines first .. first + count - 1 to `to`, each with `terms` contiguous numbers. line(number) returns a line.
template <class E, class T, class Line>
Matrix<const T> write_lines(Index first, Index count, Index terms, int threads, T* to, Line&& line) {
  // A task writes some terms of some lines, a few terms of all its lines at a time, because elements of one p may be
  // adjacent in memory.
  constexpr Index chunk = 1 << 14, group = 16, few = 64;
  const Index chunks = ceil_div(terms, chunk);
  parallel_for(ceil_div(count, group) * chunks, threads, [&](Index task, int) {
    const Index line0 = task / chunks * group, line1 = std::min(count, line0 + group);
    const Index begin = task % chunks * chunk, end = std::min(terms, begin + chunk);
    for (Index t0 = begin; t0 < end; t0 += few)
      for (Index i = line0; i < line1; ++i) {
        const auto entries = line(first + i);
        const Index n = std::min(few, end - t0);
        T* const out = to + i * terms + t0;
        if constexpr (std::is_same_v<std::remove_const_t<decltype(entries)>, Entries<T>>)
          copy_entries(entries, t0, n, out);
        else
          copy_line<E>(entries, t0, n, out);
      }
  });
  return {to, terms, 1};
}

/// Returns whether a component of a result has terms with both components of the inner product, or of C.
template <class E>
bool combines_components(const Product<E>& p) {
  if constexpr (is_complex<E>)
    return p.alpha.im != 0 || p.beta.im != 0;
  else
    return false;
}

/// Returns how many rows the wanted triangle moves down for imaginary parts, because those of a Hermitian result's
/// diagonal are not computed.
template <class E>
Index imaginary_shift(const Product<E>& p) {
  return !p.hermitian ? 0 : p.wanted == Triangle::upper ? 1 : -1;
}

/// Clears the imaginary parts of the diagonal of a Hermitian result, in a block of it.
template <class E>
void clear_diagonal(const Product<E>& p, Index row, Index m, Index col, Index n) {
  if constexpr (is_complex<E>)
    for (Index d = std::max(row, col); d < std::min(row + m, col + n); ++d) p.c(d, d).im = 0;
}

/// Computes the whole product by deep_gemm (deep_product.cpp), which has all modes but dot2 and slices. Returns false,
/// with nothing done, if the workspace is too small.
template <class E>
bool deep_product(const Product<E>&, const Mode&, Execution&);

}  // namespace accublas::cpu
