// A bad argument in the drop-in is told to the program's own error handler, as BLAS does it.
#pragma once

#include <cstdint>

#include "lib/call/blas_spellings.hpp"

namespace accublas::blas {

#define ACCUBLAS_BLAS_SPELLING(spelling, ...) spelling,
enum class Spelling { ACCUBLAS_BLAS_SPELLINGS(ACCUBLAS_BLAS_SPELLING) };

/// The complaint of a CBLAS routine about a bad argument.
struct CblasComplaint {
  int argument;      ///< position in the F77 call that CBLAS makes, plus one; 1 for the layout
  const char* form;  ///< format of netlib's message, "" for sizes
  int value;         ///< value for the format
};

/// Calls xerbla_, in the caller's spelling where there is one, with netlib's argument number; routine is six
/// characters, blank padded. The program's own definition wins, else the one of the BLAS in the program's scope, else
/// that of the real BLAS.
void f77_error(const char* routine, std::int64_t argument, Spelling spelling);

/// Calls cblas_xerbla with CBLAS's argument number: row-major calls swap the operands, and the numbers are swapped
/// back. The program's own cblas_xerbla wins, then its own xerbla_ (with F77's number), then whatever the BLAS in its
/// scope does.
void cblas_error(const char* routine, const char* f77_routine, CblasComplaint complaint, bool row_major,
                 Spelling spelling);

}  // namespace accublas::blas
