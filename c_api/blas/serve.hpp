// Code that the drop-in's routines share: reading a transposition, complaints about arguments, and the failure of a
// call that has no status.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <exception>

#include "c_api/blas/xerbla.hpp"
#include "c_api/private.hpp"
#include "include/accublas.h"
#include "lib/call/arguments.hpp"
#include "lib/cpu/blas_calls.hpp"
#include "lib/cpu/blas_sizes.hpp"

namespace accublas::blas {

/// netlib's CHARACTER*1 transposition, N, T or C in either case; 0 for anything else. The hidden lengths that Fortran
/// passes at the end of its arguments are not declared anywhere in the drop-in: callers that pass none leave no room
/// for them, and a compiler may reuse the stack slots of declared arguments.
inline accublas_transpose f77_transpose(char c) {
  switch (c) {
    case 'N':
    case 'n':
      return ACCUBLAS_NO_TRANS;
    case 'T':
    case 't':
      return ACCUBLAS_TRANS;
    case 'C':
    case 'c':
      return ACCUBLAS_CONJ_TRANS;
  }
  return 0;
}

/// Takes the short way of a call, `real(blas)`. False where there is none (accublas_private_native), and where `real`
/// finds memory for copies or a routine of the real BLAS missing, before it has written anything.
template <class Real>
bool served_natively(Routine routine, std::int64_t m, std::int64_t n, std::int64_t k, int integer_bytes,
                     const Real& real) {
  const cpu::RealBlas* const blas = accublas_private_native(routine, m, n, k, integer_bytes);
  if (!blas) return false;
  try {
    real(*blas);
    return true;
  } catch (const std::exception&) {  // serve reports it: no exception leaves a BLAS name
    return false;
  }
}

/// Calls real(blas) where there is stack enough for it; accublas_private_by_real_blas has the contract.
template <class Real>
accublas_status by_real_blas(Routine routine, const Real& real) {
  return accublas_private_by_real_blas(
      routine, [](void* body, const cpu::RealBlas& blas) { (*static_cast<const Real*>(body))(blas); },
      const_cast<Real*>(&real));
}

/// Serves a call that has no status to return. `run(options)` runs it by the mode, `real(blas)` on the real BLAS, where
/// accublas_private_next_attempt says so. `reads_result`: beta is not zero; `small`: the real BLAS takes the sizes
/// (lib/cpu/blas_sizes.hpp).
template <class Run, class Real>
void serve(Routine routine, bool reads_result, bool small, Run run, const Real& real) {
  accublas_options on_cpu = ACCUBLAS_OPTIONS_INIT;
  on_cpu.backend = ACCUBLAS_BACKEND_CPU;
  Attempt attempt = Attempt::as_set;
  do {
    accublas_private_let_operands_overlap(nullptr, true);
    const accublas_status status = run(attempt == Attempt::on_cpu ? &on_cpu : nullptr);
    accublas_private_let_operands_overlap(nullptr, false);
    if (status == ACCUBLAS_SUCCESS) return;
    attempt = accublas_private_next_attempt(nullptr, attempt, status, reads_result);
  } while (attempt == Attempt::on_cpu);
  if (attempt != Attempt::native || !small) std::abort();
  const accublas_status status = by_real_blas(routine, real);
  if (status == ACCUBLAS_SUCCESS) return;
  accublas_private_next_attempt(nullptr, attempt, status, reads_result);  // runs the failure handler
  std::abort();
}

/// Serves a routine of level 2 or 3 under an F77 name. Call holds the arguments as column-major F77 has them, with the
/// routine's f77_name and cblas_name. It has the members
///   bad_option()  CBLAS's complaint about a side, a triangle, a transposition or a diagonal that is none; its argument
///                 is 0 where all are good
///   transpose()   turns the arguments of a row-major call into those of the column-major one
///   first_bad()   netlib's number of the first bad argument, 0 if there is none
///   run()
template <class Call>
void f77(Spelling spelling, const Call& call) {
  if (const int bad = call.first_bad())
    f77_error(Call::f77_name, bad, spelling);
  else
    call.run();
}

/// Serves the routine under a CBLAS name; the arguments are as the caller gave them.
template <class Call>
void cblas(Spelling spelling, accublas_layout layout, Call call) {
  const bool row_major = layout == ACCUBLAS_ROW_MAJOR;
  const auto complain = [&](const CblasComplaint& complaint) {
    cblas_error(Call::cblas_name, Call::f77_name, complaint, row_major, spelling);
  };
  if (!valid(layout)) return complain({1, "Illegal layout setting, %d\n", layout});
  if (const CblasComplaint bad = call.bad_option(); bad.argument != 0) return complain(bad);
  if (row_major) call.transpose();
  if (const int bad = call.first_bad())
    complain({bad + 1, "", 0});
  else
    call.run();
}

}  // namespace accublas::blas
