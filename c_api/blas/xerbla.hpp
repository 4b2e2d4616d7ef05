// The drop-in reports a bad argument to the program's own error handler, as BLAS does.
#pragma once

#include <cstdint>

#include "lib/call/blas_spellings.hpp"

namespace accublas::blas {

#define ACCUBLAS_BLAS_SPELLING(spelling, ...) spelling,
enum class Spelling { ACCUBLAS_BLAS_SPELLINGS(ACCUBLAS_BLAS_SPELLING) };

/// The error of a CBLAS routine about a bad argument.
struct CblasComplaint {
  int argument;      ///< position in the F77 call that CBLAS makes, plus one; 1 for the layout
  const char* form;  ///< format of netlib's message, "" for sizes
  int value;         ///< value for the format
};

/// Calls xerbla_ (in the caller's spelling if there is one) with netlib's argument number. The routine's name has six
/// characters, padded with blanks. The program's own definition wins, then that of the BLAS in the program's scope,
/// then that of the real BLAS.
void f77_error(const char* routine, std::int64_t argument, Spelling spelling);

/// Calls cblas_xerbla with CBLAS's argument number. Row-major calls swap the operands, and this function swaps the
/// numbers back. The program's own cblas_xerbla wins, then its own xerbla_ (with F77's number), then the cblas_xerbla
/// of the BLAS in its scope.
void cblas_error(const char* routine, const char* f77_routine, CblasComplaint complaint, bool row_major,
                 Spelling spelling);

}  // namespace accublas::blas
