// LAPACK's QR factorization, what is made of its reflectors, and least squares under their LAPACK names. LAPACKE's
// routines call these.
#include "lib/call/orthogonal.hpp"

#include <algorithm>
#include <vector>

#include "c_api/blas/described.hpp"
#include "lib/cpu/lapack_calls.hpp"

namespace accublas::blas {
namespace {

template <Operation kind, class E>
struct OrthogonalCall : Orthogonal<E>, Names<E, Routine{kind, type_of<E>}> {
  /// An operand that the routine lacks is null. The routine does not write the operands that it only reads.
  OrthogonalCall(const OrthogonalShape& shape, const E* a, const E* tau, E* c) : Orthogonal<E>{shape} {
    this->a = {const_cast<E*>(a), 1, shape.lda};
    this->c = {c, 1, shape.ldc};
    this->tau = const_cast<E*>(tau);
  }
};

/// Serves a routine. LAPACK tells of a bad argument by -number in *info, and lwork = -1 asks how much workspace is
/// best.
template <Operation kind, class E, class Int>
void lapack(Spelling spelling, OrthogonalCall<kind, E> o, Int* info, E* work, Int lwork) {
  o.work = work;
  o.lwork = lwork;
  const bool query = lwork == -1;
  if (const int bad = check_orthogonal(ACCUBLAS_COL_MAJOR, o, !query && o.lwork < o.least_work()).number) {
    *info = static_cast<Int>(-bad);
    return f77_error(o.f77_name, bad, spelling);
  }
  std::int64_t result = 0;
  if (!query) {
    o.info = &result;
    const bool small = cpu::fits_blas(o) && cpu::fits_integers(o.lwork);
    // LAPACK's ORMQR writes into A for a while, which is the caller's to read alone: it has a copy, and the engine,
    // which copies less at a time, goes first.
    constexpr bool reads_a = kind == Operation::ormqr;
    const auto on_real = [&](const cpu::RealBlas& blas) {
      OrthogonalCall<kind, E> call = o;
      std::vector<E> copy;
      if constexpr (reads_a) {
        call.lda = std::max<Index>(o.a_rows(), 1);
        for (Index j = 0; j < o.k; ++j) copy.insert(copy.end(), &o.a(0, j), &o.a(0, j) + call.lda);
        call.a = {copy.data(), 1, call.lda};
      }
      result = cpu::call_lapack(blas, call);
    };
    const std::int64_t inner = kind == Operation::gels ? o.nrhs : o.reflectors();
    if (reads_a || !small || !served_natively(o.served, o.m, o.n, inner, 0, on_real))
      serve(
          o.served, true, small,
          [&](const accublas_options* options) {
            return accublas_private_orthogonal(o, is_single_precision<E>, o.a.data, o.tau, o.c.data, &result, options);
          },
          on_real);
  }
  o.work[0] = E{length_of<RealOf<E>>(o.work_for_blocks())};
  *info = static_cast<Int>(result);
}

}  // namespace

#include "c_api/blas/orthogonal_names.inc"

}  // namespace accublas::blas
