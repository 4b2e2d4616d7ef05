// A complex product as real ones (docs/modes.md, "Complex types"). A row of op(A) becomes a line of 2 k real numbers,
//   Re a(0), Im a(0), Re a(1), Im a(1), ...
// and a column of op(B) two of them, one for each component of the results:
//   for Re: Re b(0), -Im b(0), Re b(1), -Im b(1), ...    for Im: Im b(0), Re b(0), Im b(1), Re b(1), ...
// with the signs of conjugation. Products of such lines are the components of the complex ones, term by term in the
// order that dot2 prescribes.
#pragma once

#include "lib/call/execution.hpp"
#include "lib/call/mode.hpp"
#include "lib/call/problem.hpp"
#include "lib/numerics/complex.hpp"

namespace accublas::cpu {

/// Element (line, p) of op(A) by rows, or of op(B) by columns.
template <class T>
struct ComplexLines {
  Matrix<const Complex<T>> view;
  bool conjugate;
  Index count, k;
  Complex<T> operator()(Index line, Index p) const {
    const Complex<T> z = view(line, p);
    return {z.re, conjugate ? -z.im : z.im};
  }
};

template <class T>
ComplexLines<T> lines_of_a(const Gemm<Complex<T>>& g) {
  return {g.a, g.conjugate_a, g.m, g.k};
}
template <class T>
ComplexLines<T> lines_of_b(const Gemm<Complex<T>>& g) {
  return {g.b.transposed(), g.conjugate_b, g.n, g.k};
}

/// A row's line.
template <class T>
struct RowLine {
  const ComplexLines<T>& lines;
  Index line;
  T operator[](Index term) const {
    const Complex<T> z = lines(line, term / 2);
    return term % 2 == 0 ? z.re : z.im;
  }
};

/// A column's line for one component.
template <class T>
struct ColumnLine {
  const ComplexLines<T>& lines;
  Index line;
  bool imaginary;
  T operator[](Index term) const {
    const Complex<T> z = lines(line, term / 2);
    return term % 2 == 0 ? (imaginary ? z.im : z.re) : (imaginary ? z.re : -z.im);
  }
};

/// complex_elements.cpp: complex GEMM element by element, in every bit-defined mode.
template <class T>
void complex_elements(const Gemm<Complex<T>>&, const Mode&, Execution&);

}  // namespace accublas::cpu
