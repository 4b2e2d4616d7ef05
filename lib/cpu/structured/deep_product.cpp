// Structured products with a long inner dimension, by lib/cpu/sums/deep_gemm.cpp, which reads some terms of its lines
// at a time. Lines of operands without structure are read in place; parts of the others are copied.
#include "lib/cpu/engines.hpp"
#include "lib/cpu/structured/written_lines.hpp"

namespace accublas::cpu {

namespace {

/// Returns the lines of one side of a product as deep_gemm reads them.
template <class E>
DeepLines<RealOf<E>> deep_lines(const Product<E>& p, const ProductLines<E>& lines) {
  using T = RealOf<E>;
  constexpr Index components = is_complex<E> ? 2 : 1;
  const Operand<E>&first = lines.first, &second = lines.second;
  const auto stored = [](const Matrix<const E>& x) {
    return Matrix<const T>{components_of(x.data), components * x.row_stride, components * x.col_stride};
  };
  const auto general = [](const Operand<E>& x) { return x.structure == Structure::general; };
  if (!p.two_pairs && general(first)) return {.stored = stored(first.stored), .conjugate = first.conjugate};
  if (p.two_pairs && general(first) && general(second) && first.conjugate == second.conjugate)
    return {.stored = stored(first.stored),
            .second = stored(second.stored),
            .terms = components * p.k,
            .conjugate = first.conjugate};
  return {.copy = [lines](Index line, Index count, Index begin, Index terms, T* to, Index stride) {
    for (Index i = 0; i < count; ++i) {
      if constexpr (is_complex<E>)
        copy_line<E>(RowLine<T>{lines, line + i}, begin, terms, to + i * stride);
      else
        copy_line<E>(RealLine<E>{lines, line + i}, begin, terms, to + i * stride);
    }
  }};
}

}  // namespace

template <class E>
bool deep_product(const Product<E>& p, const Mode& mode, Execution& execution) {
  using T = RealOf<E>;
  constexpr Index components = is_complex<E> ? 2 : 1;
  DeepGemm<T> g{p.m,
                p.n,
                components * p.pairs() * p.k,
                real_part(p.alpha),
                deep_lines(p, rows_of(p)),
                deep_lines(p, columns_of(p)),
                real_part(p.beta)};
  g.c = {components_of(p.c.data), components * p.c.row_stride, components * p.c.col_stride};
  g.complex = is_complex<E>;
  g.wanted = p.wanted;
  g.imaginary_shift = imaginary_shift(p);
  if (!deep_gemm<T>(g, mode, execution)) return false;
  if (p.hermitian) clear_diagonal(p, 0, p.m, 0, p.n);
  return true;
}

template bool deep_product(const Product<double>&, const Mode&, Execution&);
template bool deep_product(const Product<float>&, const Mode&, Execution&);
template bool deep_product(const Product<Complex<double>>&, const Mode&, Execution&);
template bool deep_product(const Product<Complex<float>>&, const Mode&, Execution&);

}  // namespace accublas::cpu
