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

/// The arrays that LAPACK works in. With lengths of -1 it returns the lengths that it wants in their first elements.
struct EigenWork {
  std::vector<double> work{0, 0}, rwork{0};
  std::vector<Index> iwork{0};  // as many integers of either width
  Index lwork = -1, lrwork = -1, liwork = -1;
};

template <class E>
void call_eigensystem(const RealBlas& blas, Index n, E* a, double* w, EigenWork& with) {
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

}  // namespace

template <class E>
void eigensystem(Index n, E* a, double* w) {
  const RealBlas& blas = real_blas();
  if (!blas.eigensystem[is_complex<E> ? 1 : 0])
    throw Error(ACCUBLAS_ERROR_NO_BLAS, std::string("the real BLAS has no ") + (is_complex<E> ? "zheevd" : "dsyevd") +
                                            ", nor has liblapack.so.3");
  if (const Index most = most_eigensystem(blas.narrow_integers); n > most)
    throw Error(ACCUBLAS_ERROR_UNAVAILABLE, "LAPACK computes eigenvectors of matrices of an order up to " +
                                                std::to_string(most) + "; the order is " + std::to_string(n));
  with_stack(stack_of_blas(Operation::getrf), [&] {
    EigenWork with;
    call_eigensystem(blas, n, a, w, with);
    with.lwork = std::max<Index>(1, static_cast<Index>(with.work[0]));
    with.lrwork = std::max<Index>(1, static_cast<Index>(with.rwork[0]));
    with.liwork = std::max<Index>(1, 3 + 5 * n);  // LAPACK's documented length, whatever the width of its integers
    with.work.resize(static_cast<std::size_t>(with.lwork) * (is_complex<E> ? 2 : 1));
    with.rwork.resize(static_cast<std::size_t>(with.lrwork));
    with.iwork.resize(static_cast<std::size_t>(with.liwork));
    call_eigensystem(blas, n, a, w, with);
  });
}

template void eigensystem(Index, double*, double*);
template void eigensystem(Index, Complex<double>*, double*);

}  // namespace accublas::cpu
