#include "c_api/blas/xerbla.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <cstring>

#include "c_api/private.hpp"

// Weak references. A reference is null if nobody defines the symbol. Otherwise it is the program's definition if it has
// one, else that of the BLAS in its scope. A linker that sees these references exports the program's handlers from the
// executable, even if no BLAS is linked. CBLAS's handler may read an int32, because the number is in a register.
extern "C" {
using F77Handler = void(const char* routine, const void* argument, std::size_t length);
using CblasHandler = void(std::int64_t argument, const char* routine, const char* form, ...);
#define ACCUBLAS_HANDLERS(spelling, Int, prefix, f77_suffix, cblas_suffix) \
  [[gnu::weak]] F77Handler prefix##xerbla##f77_suffix;                     \
  [[gnu::weak]] CblasHandler prefix##cblas_xerbla##cblas_suffix;
ACCUBLAS_BLAS_SPELLINGS(ACCUBLAS_HANDLERS)

// netlib's cblas_xerbla renumbers the arguments of row-major calls if this variable says that the call is one. netlib's
// library has the variable, or the program (netlib's test programs define it).
[[gnu::weak]] extern int RowMajorStrg;
}

namespace accublas::blas {
namespace {

// The handlers in the order of Spelling.
#define ACCUBLAS_F77_HANDLER(spelling, Int, prefix, f77_suffix, cblas_suffix) prefix##xerbla##f77_suffix,
#define ACCUBLAS_CBLAS_HANDLER(spelling, Int, prefix, f77_suffix, cblas_suffix) prefix##cblas_xerbla##cblas_suffix,

bool has_narrow_integers(Spelling spelling) {
#define ACCUBLAS_IS_NARROW(spelling, Int, prefix, f77_suffix, cblas_suffix) sizeof(Int) == 4,
  constexpr bool narrow[] = {ACCUBLAS_BLAS_SPELLINGS(ACCUBLAS_IS_NARROW)};
  return narrow[static_cast<int>(spelling)];
}

F77Handler* f77_handler(Spelling spelling) {
  F77Handler* const own[] = {ACCUBLAS_BLAS_SPELLINGS(ACCUBLAS_F77_HANDLER)};
  if (F77Handler* handler = own[static_cast<int>(spelling)]) return handler;
  if (spelling == Spelling::suffix_64 && xerbla_64_) return xerbla_64_;  // OpenBLAS has dgemm_64_ with cblas_dgemm64_
  return xerbla_;
}

CblasHandler* cblas_handler(Spelling spelling) {
  CblasHandler* const own[] = {ACCUBLAS_BLAS_SPELLINGS(ACCUBLAS_CBLAS_HANDLER)};
  CblasHandler* const handler = own[static_cast<int>(spelling)];
  return handler ? handler : cblas_xerbla;
}

/// Whether a handler is the program's own. If the library that it is in defines other names of BLAS, it is a BLAS's.
template <class Handler>
bool is_own(Handler* handler) {
  Dl_info of_handler, of_neighbour;
  if (!handler || !dladdr(reinterpret_cast<void*>(handler), &of_handler)) return false;
  constexpr const char* neighbours[] = {"dscal_", "openblas_get_config"};
  for (const char* name : neighbours) {
    void* neighbour = dlsym(RTLD_DEFAULT, name);
    if (neighbour && dladdr(neighbour, &of_neighbour) && of_neighbour.dli_fbase == of_handler.dli_fbase) return false;
  }
  return true;
}

/// Returns the number that an argument has in the caller's order, where a row-major call has swapped the numbers.
int renumber(const char* routine, int argument) {
  const auto swap = [argument](int one, int other) {
    return argument == one ? other : argument == other ? one : argument;
  };
  const auto is = [routine](const char* name) { return std::strstr(routine, name) != nullptr; };
  if (is("gemv")) return swap(3, 4);
  if (is("ger")) return argument <= 3 ? swap(2, 3) : swap(6, 8);
  if (is("her2") && !is("her2k")) return swap(6, 8);
  if (is("symm") || is("hemm")) return swap(4, 5);
  if (is("trmm") || is("trsm")) return swap(6, 7);
  if (is("gemm_batch_strided")) return argument <= 5 ? swap(4, 5) : swap(9, 12);
  if (is("gemmt")) return argument <= 4 ? swap(3, 4) : swap(9, 11);
  if (!is("gemm")) return argument;
  return argument <= 5 ? swap(4, 5) : swap(9, 11);
}

}  // namespace

void f77_error(const char* routine, std::int64_t argument, Spelling spelling) {
  F77Handler* handler = f77_handler(spelling);
  // xerbla_, which may take the place of a missing handler, has 32-bit integers whatever the spelling has.
  bool narrow = has_narrow_integers(spelling) || handler == xerbla_;
  // Python and others load their BLAS with local scope, where only the real BLAS has the handler.
  if (const cpu::RealBlas* blas = handler ? nullptr : accublas_private_real_blas()) {
    handler = blas->xerbla;
    narrow = blas->narrow_in_blas;
  }
  const cpu::BlasInteger number(argument, narrow);
  if (handler) handler(routine, number.address(), std::strlen(routine));
}

void cblas_error(const char* routine, const char* f77_routine, CblasComplaint complaint, bool row_major,
                 Spelling spelling) {
  CblasHandler* handler = cblas_handler(spelling);
  const bool netlib = &RowMajorStrg != nullptr;
  const int number = row_major ? renumber(routine, complaint.argument) : complaint.argument;
  if (is_own(handler) || (handler && netlib && !is_own(f77_handler(spelling)))) {
    // netlib does not have ?gemm_batch_strided, whose arguments have other numbers than GEMM's.
    const bool renumbers = netlib && row_major && !std::strstr(routine, "gemm_batch_strided");
    if (netlib) RowMajorStrg = renumbers;
    handler(renumbers ? complaint.argument : number, routine, complaint.form, complaint.value);
    if (netlib) RowMajorStrg = 0;
  } else {
    f77_error(f77_routine, number - 1, spelling);  // OpenBLAS's way: its cblas_ routines call xerbla_
  }
}

}  // namespace accublas::blas
