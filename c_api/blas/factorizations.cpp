// LAPACK's factorizations, the solutions and inverses by them under their LAPACK names. LAPACKE's routines call these.
#include <algorithm>
#include <string>

#include "c_api/blas/described.hpp"
#include "lib/call/factorization.hpp"
#include "lib/cpu/lapack_calls.hpp"

namespace accublas::blas {
namespace {

template <Operation kind, class E>
struct FactorizationCall : Factorization<E>, Names<E, Routine{kind, type_of<E>}> {
  /// An operand that the routine lacks is null. A solution or an inverse does not write the operands that it only
  /// reads.
  FactorizationCall(const FactorizationShape& shape, const E* a, const Pivots& pivots, E* b)
      : Factorization<E>{shape, {const_cast<E*>(a), 1, shape.lda}, {b, 1, shape.ldb}, pivots} {}
};

template <class Int>
Pivots pivots(const Int* ipiv) {
  return {const_cast<Int*>(ipiv), sizeof(Int) == sizeof(std::int32_t)};
}

/// Serves a routine without a workspace. LAPACK tells of a bad argument by -number in *info.
template <Operation kind, class E, class Int>
void lapack(Spelling spelling, const FactorizationCall<kind, E>& f, Int* info) {
  if (const int bad = check_factorization(ACCUBLAS_COL_MAJOR, f).number) {
    *info = static_cast<Int>(-bad);
    return f77_error(f.f77_name, bad, spelling);
  }
  std::int64_t result = 0;
  // Arrays of integers are the caller's: they must be as wide as the real BLAS's.
  const int integer_bytes = has_uplo(kind) ? 0 : f.pivots.narrow ? 4 : 8;
  const auto on_real = [&](const cpu::RealBlas& blas) {
    if (integer_bytes > 0 && integer_bytes != blas.integer_bytes())
      throw Error(ACCUBLAS_ERROR_NO_BLAS, "argument ipiv has integers of " + std::to_string(8 * integer_bytes) +
                                              " bits, those of the real BLAS have " +
                                              std::to_string(8 * blas.integer_bytes()));
    result = cpu::call_lapack(blas, f);
  };
  const bool small = cpu::fits_blas(f);
  const Index columns = has_solution(kind) ? f.nrhs : f.n;
  if (!small || !served_natively(f.served, f.rows(), columns, f.order(), integer_bytes, on_real))
    serve(
        f.served, true, small,
        [&](const accublas_options* options) {
          return accublas_private_factorization(f, is_single_precision<E>, f.a.data, f.pivots, f.b.data, &result,
                                                options);
        },
        on_real);
  *info = static_cast<Int>(result);
}

/// Serves GETRI, whose work only the real LAPACK needs. lwork = -1 asks how much is best for it, rounded up in work's
/// type.
template <class E, class Int>
void lapack(Spelling spelling, FactorizationCall<Operation::getri, E> f, Int* info, E* work, Int lwork) {
  const Index least = std::max<Index>(f.n, 1), best = cpu::lapack_work(f);
  int bad = check_factorization(ACCUBLAS_COL_MAJOR, f).number;
  if (bad == 0 && lwork != -1 && lwork < least) bad = 6;
  if (bad != 0) {
    *info = static_cast<Int>(-bad);
    return f77_error(f.f77_name, bad, spelling);
  }
  const E told{length_of<RealOf<E>>(best)};
  work[0] = told;
  *info = 0;
  if (lwork == -1) return;
  f.work = work;
  f.lwork = std::min<Index>(lwork, best) / least * least;
  lapack(spelling, f, info);
  work[0] = told;
}

}  // namespace

#include "c_api/blas/factorizations_names.inc"
#include "c_api/blas/inverses_names.inc"

}  // namespace accublas::blas
