// Structured products with a long inner dimension, by lib/cpu/sums/deep_gemm.cpp, which reads some terms of its lines
// at a time. Lines of operands without structure are read in place; parts of the others are copied.
#include "lib/call/accuracy.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/structured/written_lines.hpp"
#include "lib/numerics/result_exceptions.hpp"

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

/// Adds the parts of a number to the operands of a result.
template <class E>
void add_parts(OperandKinds& operands, const E& number) {
  for (int part = 0; part < (is_complex<E> ? 2 : 1); ++part) operands.add(components_of(&number)[part]);
}

/// Computes the rows with an Inf or a NaN of a product with a triangular operand once more, over their terms alone. The
/// lines of the operand have zeros for entries that are no terms. These rows have cr's values in every mode, but the
/// report keeps the mode's bound. If the products had exceptions, those of the other rows are signalled here. Products
/// with triangular operands have beta = 0.
template <class E>
void compute_special_rows(const Product<E>& p, bool had_exceptions, Execution& execution) {
  const Bound bound = bound_of(execution.report);
  for (Index i = 0; i < p.m; ++i) {
    OperandKinds of_row;
    for (Index q = 0; q < p.k; ++q) add_parts<E>(of_row, p.a(i, q));
    if (!of_row.all_finite) {
      Product<E> row = p;
      row.m = 1;
      row.a.stored = p.a.stored.block(i, 0);
      row.c = p.c.block(i, 0);
      product_by_elements(row, Mode{ACCUBLAS_MODE_CR}, execution);
    } else if (had_exceptions) {
      for (Index j = 0; j < p.n; ++j) {
        OperandKinds operands;
        add_parts<E>(operands, p.alpha);
        for (Index q = 0; q < p.k; ++q) add_parts<E>(operands, p.b(q, j));
        const E result = p.c(i, j);
        for (int part = 0; part < (is_complex<E> ? 2 : 1); ++part)
          signal_exceptions(operands.exceptions_of(components_of(&result)[part]));
      }
    }
  }
  put_bound(execution.report, bound);
}

}  // namespace

template <class E>
bool deep_product(const Product<E>& p, const Mode& mode, Execution& execution) {
  using T = RealOf<E>;
  constexpr Index components = is_complex<E> ? 2 : 1;
  if (p.in_place) {
    // C overwrites the rows of A, so they are copied first.
    const std::size_t count = static_cast<std::size_t>(p.m * p.k);
    if (count > execution.workspace.available() / 2 / sizeof(E)) return false;
    E* const kept = execution.workspace.template take<E>(count);
    for (Index i = 0; i < p.m; ++i)
      for (Index q = 0; q < p.k; ++q) kept[i * p.k + q] = p.a(i, q);
    Product<E> apart = p;
    apart.a = {{kept, p.k, 1}};
    apart.in_place = false;
    return deep_product(apart, mode, execution);
  }
  DeepGemm<T> g{.m = p.m,
                .n = p.n,
                .k = components * p.pairs() * p.k,
                .rows = deep_lines(p, rows_of(p)),
                .cols = deep_lines(p, columns_of(p))};
  if constexpr (is_complex<E>) {
    g.conjugate_second = p.hermitian && p.two_pairs && !is_zero(p.alpha.im);
    g.alpha = p.alpha, g.beta = p.beta;
  } else {
    g.alpha = {p.alpha}, g.beta = {p.beta};
  }
  g.c = {components_of(p.c.data), components * p.c.row_stride, components * p.c.col_stride};
  g.complex = is_complex<E>;
  g.wanted = p.wanted;
  g.imaginary_shift = imaginary_shift(p);
  const bool triangular = p.b.structure == Structure::triangular;
  bool served = false;
  const auto multiply = [&] { served = deep_gemm<T>(g, mode, execution); };
  const unsigned of_products = triangular ? collect_exceptions(multiply) : (multiply(), exceptions::none);
  if (!served) return false;
  if (triangular) compute_special_rows(p, of_products != exceptions::none, execution);
  if (p.hermitian) clear_diagonal(p, 0, p.m, 0, p.n);
  return true;
}

#define ACCUBLAS_INSTANTIATE(E) template bool deep_product(const Product<E>&, const Mode&, Execution&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cpu
