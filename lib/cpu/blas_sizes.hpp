// Which sizes every real BLAS takes: its integers may have 32 bits, and by them it finds the elements of a vector. The
// engine native and the drop-in ask here before a call.
#pragma once

#include <cstdint>
#include <limits>

#include "lib/call/batch.hpp"
#include "lib/call/factorization.hpp"
#include "lib/call/level1.hpp"
#include "lib/call/level2.hpp"
#include "lib/call/level3.hpp"
#include "lib/call/orthogonal.hpp"

namespace accublas::cpu {

constexpr Index int_max = std::numeric_limits<std::int32_t>::max();

/// Whether the real BLAS takes all of these sizes, leading dimensions or increments.
template <class... Sizes>
constexpr bool fits_integers(Sizes... sizes) {
  return ((sizes >= -int_max && sizes <= int_max) && ...);
}

/// Whether the real BLAS can step through n elements, complex ones by their components: OpenBLAS computes (1 - n) *
/// increment, and netlib's loops end beyond the last element, in 32 bits. An increment of 1 needs no product.
constexpr bool fits_vector(Index n, Index increment, bool complex) {
  if (!fits_integers(n, increment)) return false;
  const Index step = (increment < 0 ? -increment : increment) * (complex ? 2 : 1);
  return n <= 1 || increment == 1 || n * step < int_max;
}

/// Whether the real BLAS takes a call's arguments as they are.
constexpr bool fits_blas(const Level1Shape& s) {
  return fits_vector(s.n, s.incx, s.complex) && fits_vector(s.n, s.incy, s.complex);
}
constexpr bool fits_blas(const Level2Shape& s) {
  return fits_integers(s.m, s.n, s.lda) && fits_vector(length_of_x(s), s.incx, s.complex) &&
         fits_vector(length_of_y(s), s.incy, s.complex);
}
constexpr bool fits_blas(const Level3Shape& s) { return fits_integers(s.m, s.n, s.k, s.lda, s.ldb, s.ldc); }
constexpr bool fits_blas(const BatchShape& s) { return fits_integers(s.m, s.n, s.k, s.lda, s.ldb, s.ldc); }
constexpr bool fits_blas(const FactorizationShape& s) { return fits_integers(s.m, s.n, s.nrhs, s.lda, s.ldb); }
constexpr bool fits_blas(const OrthogonalShape& s) { return fits_integers(s.m, s.n, s.k, s.nrhs, s.lda, s.ldc); }

}  // namespace accublas::cpu
