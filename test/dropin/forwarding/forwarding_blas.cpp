// A BLAS that forwards to the drop-in, as FlexiBLAS does whose backend it is. Compiled with LOADING it is FlexiBLAS
// while that loads its backend: its routines crash.
#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>

#define EXPORT extern "C" [[gnu::visibility("default")]]
#define ROUTINE(name)                     \
  EXPORT void name##_() { std::abort(); } \
  static_assert(true)

ROUTINE(sgemm);
ROUTINE(dgemm);
ROUTINE(cgemm);
ROUTINE(zgemm);
ROUTINE(sgemv);
ROUTINE(dgemv);
ROUTINE(cgemv);
ROUTINE(zgemv);
ROUTINE(sdot);
ROUTINE(ddot);
ROUTINE(dsdot);
ROUTINE(sdsdot);
ROUTINE(cdotu);
ROUTINE(cdotc);
ROUTINE(zdotu);
ROUTINE(zdotc);
ROUTINE(snrm2);
ROUTINE(dnrm2);
ROUTINE(scnrm2);
ROUTINE(dznrm2);
ROUTINE(sasum);
ROUTINE(dasum);
ROUTINE(scasum);
ROUTINE(dzasum);

#ifdef LOADING
ROUTINE(isamax);
EXPORT std::ptrdiff_t flexiblas_list_loaded(char*, std::size_t, std::ptrdiff_t) { return 0; }
#else
EXPORT int isamax_(const int* n, const float* x, const int* incx) {
  return reinterpret_cast<decltype(&isamax_)>(dlsym(RTLD_DEFAULT, "isamax_"))(n, x, incx);
}
#endif
