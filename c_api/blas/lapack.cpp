// LAPACK's names of its factorizations, of solutions and inverses that use them, of QR and of least squares. LAPACKE's
// routines call these. LAPACK reports a bad argument by -number in *info.
#include <algorithm>
#include <cmath>
#include <limits>

#include "c_api/blas/serve.hpp"
#include "lib/call/factorization.hpp"
#include "lib/call/orthogonal.hpp"

namespace accublas::blas {
namespace {

/// Returns a number of elements as LAPACK reports it in a workspace. It is not rounded down.
template <class E>
E length_of(std::int64_t numbers) {
  const auto length = static_cast<RealOf<E>>(numbers);
  return E{static_cast<std::int64_t>(length) < numbers
               ? std::nextafter(length, std::numeric_limits<RealOf<E>>::infinity())
               : length};
}

template <class Int>
Pivots pivots(const Int* ipiv) {
  return {const_cast<Int*>(ipiv), sizeof(Int) == sizeof(std::int32_t)};
}

// These functions make calls from their arguments. An operand that the routine lacks is null. The routines do not write
// the operands that they only read.
template <class E>
Factorization<E> factorization(const FactorizationShape& shape, const E* a, const Pivots& pivots, E* b) {
  return {shape, {const_cast<E*>(a), 1, shape.lda}, {b, 1, shape.ldb}, pivots};
}
template <class E>
Orthogonal<E> orthogonal(const OrthogonalShape& shape, const E* a, const E* tau, E* c) {
  return {shape, {const_cast<E*>(a), 1, shape.lda}, {c, 1, shape.ldc}, false, const_cast<E*>(tau)};
}

/// Serves a call unless an argument is bad or `query` holds, and returns whether all are good.
template <class Call, class Int>
bool served(Spelling spelling, const char* name, int bad, bool query, Call& call, Int* info) {
  std::int64_t result = -bad;
  call.info = &result;
  if (bad == 0 && !query) serve_unchecked(call);
  *info = static_cast<Int>(result);
  if (bad != 0) f77_error(name, bad, spelling);
  return bad == 0;
}

/// Serves a routine without a workspace.
template <class E, class Int>
void lapack(Spelling spelling, const char* name, Factorization<E> f, Int* info) {
  served(spelling, name, check_factorization(ACCUBLAS_COL_MAJOR, f).number, false, f, info);
}

/// Serves GETRI, whose work only the real LAPACK needs. lwork = -1 asks how much is best for it, rounded up in work's
/// type.
template <class E, class Int>
void lapack(Spelling spelling, const char* name, Factorization<E> f, Int* info, E* work, Int lwork) {
  const Index least = std::max<Index>(f.n, 1), best = f.best_work();
  int bad = check_factorization(ACCUBLAS_COL_MAJOR, f).number;
  if (bad == 0 && lwork != -1 && lwork < least) bad = 6;
  f.work = work;
  f.lwork = std::min<Index>(lwork, best) / least * least;
  if (served(spelling, name, bad, lwork == -1, f, info)) work[0] = length_of<E>(best);
}

/// Serves a routine of QR. lwork = -1 asks how much workspace is best.
template <class E, class Int>
void lapack(Spelling spelling, const char* name, Orthogonal<E> o, Int* info, E* work, Int lwork) {
  o.work = work;
  o.lwork = lwork;
  const int bad = check_orthogonal(ACCUBLAS_COL_MAJOR, o, lwork != -1 && lwork < o.least_work()).number;
  if (served(spelling, name, bad, lwork == -1, o, info)) work[0] = length_of<E>(o.work_for_blocks());
}

}  // namespace

#include "c_api/blas/factorizations_names.inc"
#include "c_api/blas/inverses_names.inc"
#include "c_api/blas/orthogonal_names.inc"

}  // namespace accublas::blas
