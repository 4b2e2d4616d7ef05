// Arguments that the certified routines have in common.
#pragma once

#include "c_api/boundary.hpp"
#include "c_api/views.hpp"

namespace accublas {

/// The arguments that all routines have; only posv_certified has `uplo`.
struct SystemShape {
  accublas_layout layout;
  bool symmetric;
  accublas_uplo uplo;
  std::int64_t n, nrhs, lda, ldb, ldx, ldr;
};

/// Returns the first bad argument. Its number is the one that LAPACK would give it, with x, ldx, radius and ldr after
/// ldb.
inline BadArgument check(const SystemShape& s) {
  const int first = s.symmetric ? 1 : 0;
  if (!valid(s.layout)) return {"layout", 0};
  if (s.symmetric && s.uplo != ACCUBLAS_UPPER && s.uplo != ACCUBLAS_LOWER) return {"uplo", first};
  if (s.n < 0) return {"n", first + 1};
  if (s.nrhs < 0) return {"nrhs", first + 2};
  if (bad_ld(s.layout, s.n, s.n, s.lda)) return {"lda", first + 4};
  const auto bad = [&](std::int64_t ld) { return bad_ld(s.layout, s.n, s.nrhs, ld); };
  if (bad(s.ldb)) return {"ldb", first + 6};
  if (bad(s.ldx)) return {"ldx", first + 8};
  if (bad(s.ldr)) return {"ldr", first + 10};
  return {};
}

/// Runs solve(result), and hands out what it wrote to *result unless it fails with another status than
/// ACCUBLAS_ERROR_NOT_CERTIFIED.
template <class Solve>
void with_certificate(accublas_certificate_t* certificate, Solve&& solve) {
  accublas_certificate_t result;
  const auto return_certificate = [&] {
    if (certificate) hand_out(result, certificate);
  };
  try {
    solve(&result);
  } catch (const Error& error) {
    if (error.status() == ACCUBLAS_ERROR_NOT_CERTIFIED) return_certificate();
    throw;
  }
  return_certificate();
}

}  // namespace accublas
