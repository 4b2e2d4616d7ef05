// A complex product as real ones (docs/modes.md, "Complex types"). A row of op(A) becomes a line of 2 k real numbers,
//   Re a(0), Im a(0), Re a(1), Im a(1), ...
// and a column of op(B) becomes two lines, one for each component of the results:
//   for Re: Re b(0), -Im b(0), Re b(1), -Im b(1), ...    for Im: Im b(0), Re b(0), Im b(1), Re b(1), ...
// Conjugations change signs of the lines. Products of such lines are the components of the complex ones, term by term
// in the order that dot2 prescribes.
#pragma once

#include "lib/call/execution.hpp"
#include "lib/call/mode.hpp"
#include "lib/call/product.hpp"
#include "lib/numerics/complex.hpp"

namespace accublas::cpu {

/// Returns the line of a row, or of its conjugate, as entries that are read in place.
template <class T>
Entries<T> row_entries(Vector<const Complex<T>> x, bool conjugate = false) {
  return component_entries(x, false, false, conjugate);
}
/// Returns the line of a column, or of its conjugate, for one component, as entries that are read in place. If the row
/// is to be conjugated but its line is not (`conjugate_row`), the column's line has the signs.
template <class T>
Entries<T> column_entries(Vector<const Complex<T>> y, bool imaginary, bool conjugate_row, bool conjugate = false) {
  const bool negate_odd = imaginary ? conjugate_row : conjugate_row == conjugate;
  return component_entries(y, imaginary, imaginary && conjugate, negate_odd);
}

/// A line of real numbers, indexed by its terms.
template <class E>
struct RealLine {
  const ProductLines<E>& lines;
  Index line;
  E operator[](Index p) const { return lines(line, p); }
};

/// The line of a complex row, indexed by its terms.
template <class T>
struct RowLine {
  const ProductLines<Complex<T>>& lines;
  Index line;
  bool transposed = false;  ///< swaps the two terms of each p, for the imaginary parts of a transposed product
  /// Returns the part of the line whose numbers are x, or its conjugate, as entries that are read in place.
  Entries<T> entries(Vector<const Complex<T>> x, bool conjugate) const {
    return component_entries(x, transposed, transposed && conjugate, !transposed && conjugate);
  }
  T operator[](Index term) const {
    const Complex<T> z = lines(line, term / 2);
    return (term % 2 == 0) != transposed ? z.re : z.im;
  }
};

/// The line of a complex column for one component, indexed by its terms. With `conjugate_row` the row is conjugated but
/// its line is not, and this line has the signs.
template <class T>
struct ColumnLine {
  const ProductLines<Complex<T>>& lines;
  Index line;
  bool imaginary, transposed = false, conjugate_row = false;
  /// Returns the part of the line whose numbers are x, or its conjugate, as entries that are read in place.
  Entries<T> entries(Vector<const Complex<T>> x, bool conjugate) const {
    if (imaginary && transposed) return component_entries(x, false, conjugate_row, conjugate);
    return column_entries(x, imaginary, conjugate_row, conjugate);
  }
  T operator[](Index term) const {
    const Complex<T> z = lines(line, term / 2);
    if ((term % 2 == 0) != (transposed && imaginary)) return imaginary ? z.im : z.re;
    const T entry = imaginary ? z.re : z.im;
    return imaginary == conjugate_row ? -entry : entry;
  }
};

/// Computes a product element by element, in every bit-defined mode (elements.cpp).
template <class E>
void product_by_elements(const Product<E>&, const Mode&, Execution&);
/// Computes element (i, j) of a product in dot2 without any workspace. The product must not be in place.
template <class E>
void dot2_product_element(const Product<E>&, Index i, Index j, Execution&);

}  // namespace accublas::cpu
