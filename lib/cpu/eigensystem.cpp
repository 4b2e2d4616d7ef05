#include "lib/cpu/eigensystem.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "lib/base/stack.hpp"
#include "lib/cpu/blas_sizes.hpp"
#include "lib/cpu/real_blas.hpp"

namespace accublas::cpu {

namespace {

/// SYEVD has no array of real workspace beside `work`; HEEVD has one, with its length, before the integers.
using Syevd = void(const char* jobz, const char* uplo, const void* n, void* a, const void* lda, double* w, void* work,
                   const void* lwork, void* iwork, const void* liwork, void* info);
using Heevd = void(const char* jobz, const char* uplo, const void* n, void* a, const void* lda, double* w, void* work,
                   const void* lwork, double* rwork, const void* lrwork, void* iwork, const void* liwork, void* info);
using Sygvd = void(const void* itype, const char* jobz, const char* uplo, const void* n, void* a, const void* lda,
                   void* b, const void* ldb, double* w, void* work, const void* lwork, void* iwork, const void* liwork,
                   void* info);
using Hegvd = void(const void* itype, const char* jobz, const char* uplo, const void* n, void* a, const void* lda,
                   void* b, const void* ldb, double* w, void* work, const void* lwork, double* rwork,
                   const void* lrwork, void* iwork, const void* liwork, void* info);
using RealGesdd = void(const char* jobz, const void* m, const void* n, void* a, const void* lda, double* s, void* u,
                       const void* ldu, void* vt, const void* ldvt, void* work, const void* lwork, void* iwork,
                       void* info);
using ComplexGesdd = void(const char* jobz, const void* m, const void* n, void* a, const void* lda, double* s, void* u,
                          const void* ldu, void* vt, const void* ldvt, void* work, const void* lwork, double* rwork,
                          void* iwork, void* info);

/// The arrays that LAPACK works in. With lengths of -1 it returns the lengths that it wants in their first elements.
struct LapackWork {
  std::vector<double> work{0, 0}, rwork{0};
  std::vector<Index> iwork{0};  // as many integers of either width
  Index lwork = -1, lrwork = -1, liwork = -1;

  /// Makes room for what LAPACK wants. The length of iwork is LAPACK's documented one, whatever the width of its
  /// integers.
  template <class E>
  void resize(Index wanted_rwork, Index wanted_iwork) {
    lwork = std::max<Index>(1, static_cast<Index>(work[0]));
    lrwork = std::max<Index>(1, wanted_rwork);
    liwork = std::max<Index>(1, wanted_iwork);
    work.resize(static_cast<std::size_t>(lwork) * (is_complex<E> ? 2 : 1));
    rwork.resize(static_cast<std::size_t>(lrwork));
    iwork.resize(static_cast<std::size_t>(liwork));
  }
};

template <class E>
void call_eigensystem(const RealBlas& blas, Index n, E* a, double* w, LapackWork& with) {
  const FpControl control;
  const auto integer = [&](Index x) { return blas.lapack_integer(x); };
  const BlasInteger order = integer(n), ld = integer(std::max<Index>(n, 1)), lwork = integer(with.lwork),
                    lrwork = integer(with.lrwork), liwork = integer(with.liwork);
  BlasInteger info = integer(0);
  if constexpr (is_complex<E>)
    reinterpret_cast<Heevd*>(blas.eigensystem[1])("V", "U", order.address(), a, ld.address(), w, with.work.data(),
                                                  lwork.address(), with.rwork.data(), lrwork.address(),
                                                  with.iwork.data(), liwork.address(), info.address());
  else
    reinterpret_cast<Syevd*>(blas.eigensystem[0])("V", "U", order.address(), a, ld.address(), w, with.work.data(),
                                                  lwork.address(), with.iwork.data(), liwork.address(), info.address());
}

template <class E>
void call_general_eigensystem(const RealBlas& blas, Index n, E* a, E* b, double* w, LapackWork& with) {
  const FpControl control;
  const auto integer = [&](Index x) { return blas.lapack_integer(x); };
  const BlasInteger order = integer(n), ld = integer(std::max<Index>(n, 1)), lwork = integer(with.lwork),
                    lrwork = integer(with.lrwork), liwork = integer(with.liwork), itype = integer(1);
  BlasInteger info = integer(0);
  if constexpr (is_complex<E>)
    reinterpret_cast<Hegvd*>(blas.general[1])(itype.address(), "V", "U", order.address(), a, ld.address(), b,
                                              ld.address(), w, with.work.data(), lwork.address(), with.rwork.data(),
                                              lrwork.address(), with.iwork.data(), liwork.address(), info.address());
  else
    reinterpret_cast<Sygvd*>(blas.general[0])(itype.address(), "V", "U", order.address(), a, ld.address(), b,
                                              ld.address(), w, with.work.data(), lwork.address(), with.iwork.data(),
                                              liwork.address(), info.address());
}

template <class E>
void call_singular_system(const RealBlas& blas, Index m, Index n, E* a, double* s, E* u, E* vt, LapackWork& with) {
  const FpControl control;
  const auto integer = [&](Index x) { return blas.lapack_integer(x); };
  const BlasInteger rows = integer(m), cols = integer(n), lwork = integer(with.lwork);
  BlasInteger info = integer(0);
  if constexpr (is_complex<E>)
    reinterpret_cast<ComplexGesdd*>(blas.singular_values[1])(
        "S", rows.address(), cols.address(), a, rows.address(), s, u, rows.address(), vt, cols.address(),
        with.work.data(), lwork.address(), with.rwork.data(), with.iwork.data(), info.address());
  else
    reinterpret_cast<RealGesdd*>(blas.singular_values[0])("S", rows.address(), cols.address(), a, rows.address(), s, u,
                                                          rows.address(), vt, cols.address(), with.work.data(),
                                                          lwork.address(), with.iwork.data(), info.address());
}

void require_lapack(const void* routine, bool complex, const char* of_reals, const char* of_complex) {
  if (!routine)
    throw Error(ACCUBLAS_ERROR_NO_BLAS,
                std::string("the real BLAS has no ") + (complex ? of_complex : of_reals) + ", nor has liblapack.so.3");
}

void require_order(Index n, const RealBlas& blas) {
  if (const Index most = most_eigensystem(blas.narrow_integers); n > most)
    throw Error(ACCUBLAS_ERROR_UNAVAILABLE, "LAPACK computes eigenvectors of matrices of an order up to " +
                                                std::to_string(most) + "; the order is " + std::to_string(n));
}

}  // namespace

void require_eigensystem(Index n, bool complex, bool general) {
  const RealBlas& blas = real_blas();
  if (general)
    require_lapack(blas.general[complex ? 1 : 0], complex, "dsygvd", "zhegvd");
  else
    require_lapack(blas.eigensystem[complex ? 1 : 0], complex, "dsyevd", "zheevd");
  require_order(n, blas);
}

void require_singular_system(Index m, Index n, bool complex) {
  const RealBlas& blas = real_blas();
  require_lapack(blas.singular_values[complex ? 1 : 0], complex, "dgesdd", "zgesdd");
  const Index most = most_singular_values(blas.narrow_integers), all = most_singular_elements(blas.narrow_integers);
  if (n > most || m > all / std::max<Index>(n, 1))
    throw Error(ACCUBLAS_ERROR_UNAVAILABLE, "LAPACK computes at most " + std::to_string(most) +
                                                " singular values, of matrices of at most " + std::to_string(all) +
                                                " elements; the matrix is " + std::to_string(m) + " x " +
                                                std::to_string(n) + " or its transpose");
}

template <class E>
void general_eigensystem(Index n, E* a, E* b, double* w) {
  const RealBlas& blas = real_blas();
  require_eigensystem(n, is_complex<E>, true);
  with_stack(stack_of_blas(Operation::getrf), [&] {
    LapackWork with;
    call_general_eigensystem(blas, n, a, b, w, with);
    with.resize<E>(static_cast<Index>(with.rwork[0]), 3 + 5 * n);
    call_general_eigensystem(blas, n, a, b, w, with);
  });
}

template <class E>
void eigensystem(Index n, E* a, double* w) {
  const RealBlas& blas = real_blas();
  require_eigensystem(n, is_complex<E>, false);
  with_stack(stack_of_blas(Operation::getrf), [&] {
    LapackWork with;
    call_eigensystem(blas, n, a, w, with);
    with.resize<E>(static_cast<Index>(with.rwork[0]), 3 + 5 * n);
    call_eigensystem(blas, n, a, w, with);
  });
}

template <class E>
void singular_system(Index m, Index n, E* a, double* s, E* u, E* vt) {
  const RealBlas& blas = real_blas();
  require_singular_system(m, n, is_complex<E>);
  with_stack(stack_of_blas(Operation::getrf), [&] {
    LapackWork with;
    call_singular_system(blas, m, n, a, s, u, vt, with);
    with.resize<E>(is_complex<E> ? n * std::max(5 * n + 7, 2 * m + 2 * n + 1) : 0, 8 * n);
    call_singular_system(blas, m, n, a, s, u, vt, with);
  });
}

template void eigensystem(Index, double*, double*);
template void eigensystem(Index, Complex<double>*, double*);
template void general_eigensystem(Index, double*, double*, double*);
template void general_eigensystem(Index, Complex<double>*, Complex<double>*, double*);
template void singular_system(Index, Index, double*, double*, double*, double*);
template void singular_system(Index, Index, Complex<double>*, double*, Complex<double>*, Complex<double>*);

}  // namespace accublas::cpu
