// Code that the names of the drop-in share: netlib's letters, calls of the library, and errors for bad arguments.
#pragma once

#include <cstdint>

#include "c_api/blas/xerbla.hpp"
#include "c_api/private.hpp"
#include "lib/call/batch.hpp"
#include "lib/call/level1.hpp"
#include "lib/call/level2.hpp"
#include "lib/call/level3.hpp"

namespace accublas::blas {

/// netlib's letters in either case; 0 for anything else. The hidden lengths that Fortran passes at the end of its
/// arguments are not declared anywhere in the drop-in: callers that pass none leave no room for them, and a compiler
/// may reuse the stack slots of declared arguments.
inline std::int32_t letter_of(char c, char first, std::int32_t of_first, char second, std::int32_t of_second) {
  const char capital = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return capital == first ? of_first : capital == second ? of_second : 0;
}
inline accublas_side f77_side(char c) { return letter_of(c, 'L', ACCUBLAS_LEFT, 'R', ACCUBLAS_RIGHT); }
inline accublas_uplo f77_uplo(char c) { return letter_of(c, 'U', ACCUBLAS_UPPER, 'L', ACCUBLAS_LOWER); }
inline accublas_diag f77_diag(char c) { return letter_of(c, 'N', ACCUBLAS_NON_UNIT, 'U', ACCUBLAS_UNIT); }
inline accublas_transpose f77_transpose(char c) {
  return c == 'C' || c == 'c' ? ACCUBLAS_CONJ_TRANS : letter_of(c, 'N', ACCUBLAS_NO_TRANS, 'T', ACCUBLAS_TRANS);
}

template <class Call>
void serve_unchecked(const Call& call) {
  accublas_private_serve_unchecked(call.routine(), &call);
}

/// Serves an inner product or a norm, which have no bad argument, and returns its result.
template <class Result, class E>
Result returned(Level1<E> call) {
  Result result{};
  call.result = &result;
  serve_unchecked(call);
  return result;
}

/// Returns a complex number in the way in which gfortran's functions return it.
template <class T>
cpu::F77Complex<T> f77_complex(Complex<T> value) {
  cpu::F77Complex<T> result;
  __real__ result = value.re;
  __imag__ result = value.im;
  return result;
}

/// Returns netlib's number of the first bad argument of a column-major call, or 0 if there is none.
constexpr int first_bad(const Level2Shape& s) { return check_level2(ACCUBLAS_COL_MAJOR, s).number; }
constexpr int first_bad(const Level3Shape& s) { return check_level3(ACCUBLAS_COL_MAJOR, s).number; }
constexpr int first_bad(const BatchShape& s) { return check_batch(ACCUBLAS_COL_MAJOR, s).number; }

/// Returns CBLAS's error for an invalid side, triangle, transposition or diagonal. Its argument is 0 if all are valid.
inline CblasComplaint bad_option(const Level2Shape& s) {
  if (is_ger(s.kind)) return {};
  const bool of_gemv = s.kind == Operation::gemv;
  if (!of_gemv && !valid_uplo(s.uplo)) return {2, "Illegal Uplo setting, %d\n", s.uplo};
  if ((of_gemv || is_triangular(s.kind)) && !valid_transpose(s.trans))
    return {of_gemv ? 2 : 3, "Illegal TransA setting, %d\n", s.trans};
  if (is_triangular(s.kind) && !valid_diag(s.diag)) return {4, "Illegal Diag setting, %d\n", s.diag};
  return {};
}
template <class Shape>
CblasComplaint bad_option_of_gemm(const Shape& s) {
  if (!valid_transpose(s.transa)) return {2, "Illegal TransA setting, %d\n", s.transa};
  if (!valid_transpose(s.transb)) return {3, "Illegal TransB setting, %d\n", s.transb};
  return {};
}
inline CblasComplaint bad_option(const BatchShape& s) { return bad_option_of_gemm(s); }
inline CblasComplaint bad_option(const Level3Shape& s) {
  if (s.kind == Operation::gemm) return bad_option_of_gemm(s);
  int number = 1;
  if (is_symm(s.kind) || is_in_place(s.kind))
    if (++number; !valid_side(s.side)) return {number, "Illegal Side setting, %d\n", s.side};
  if (++number; !valid_uplo(s.uplo)) return {number, "Illegal Uplo setting, %d\n", s.uplo};
  if (!is_symm(s.kind))
    if (++number; !valid_transpose_a(s)) return {number, "Illegal Trans setting, %d\n", s.transa};
  if (s.kind == Operation::gemmt)
    if (++number; !valid_transpose(s.transb)) return {number, "Illegal Trans setting, %d\n", s.transb};
  if (is_in_place(s.kind))
    if (++number; !valid_diag(s.diag)) return {number, "Illegal Diag setting, %d\n", s.diag};
  return {};
}

/// Serves a routine of level 2 or 3 under an F77 name; `name` is the routine's name for xerbla.
template <class Call>
void f77(Spelling spelling, const char* name, const Call& call) {
  if (const int bad = first_bad(call))
    f77_error(name, bad, spelling);
  else
    serve_unchecked(call);
}

/// Makes the call of a CBLAS caller column-major, and returns CBLAS's error for the first bad argument. The argument of
/// the error is 0 if all are good.
template <class Call>
CblasComplaint made_column_major(accublas_layout layout, Call& call) {
  if (!valid(layout)) return {1, "Illegal layout setting, %d\n", layout};
  if (const CblasComplaint bad = bad_option(call); bad.argument != 0) return bad;
  if (layout == ACCUBLAS_ROW_MAJOR) call.transpose();
  const int bad = first_bad(call);
  return {bad == 0 ? 0 : bad + 1, "", 0};
}

/// Serves the routine under a CBLAS name; the arguments are as the caller gave them.
template <class Call>
void cblas(Spelling spelling, const char* name, const char* f77_name, accublas_layout layout, Call call) {
  if (const CblasComplaint bad = made_column_major(layout, call); bad.argument != 0)
    cblas_error(name, f77_name, bad, layout == ACCUBLAS_ROW_MAJOR, spelling);
  else
    serve_unchecked(call);
}

}  // namespace accublas::blas
