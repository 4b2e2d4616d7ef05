// The PBLAS's names for each type of numbers: pblas::gemm(E{}, ...) is PZGEMM where E is std::complex<double>.
#pragma once

#include <complex>

namespace pblas {

#define PBLAS_OF_TYPE(type, name, symbol)  \
  template <class... A>                    \
  void name(type, const A&... arguments) { \
    call(symbol, arguments...);            \
  }
#define PBLAS_OF(name, of_reals, of_complex)                   \
  extern "C" void pd##of_reals##_(...);                        \
  extern "C" void ps##of_reals##_(...);                        \
  extern "C" void pz##of_complex##_(...);                      \
  extern "C" void pc##of_complex##_(...);                      \
  PBLAS_OF_TYPE(double, name, pd##of_reals##_)                 \
  PBLAS_OF_TYPE(float, name, ps##of_reals##_)                  \
  PBLAS_OF_TYPE(std::complex<double>, name, pz##of_complex##_) \
  PBLAS_OF_TYPE(std::complex<float>, name, pc##of_complex##_)
// A function without a prototype may get pointers only.
template <class... A>
void call(void (*function)(...), const A*... arguments) {
  reinterpret_cast<void (*)(const A*...)>(function)(arguments...);
}
PBLAS_OF(gemm, gemm, gemm)
PBLAS_OF(symm, symm, symm)
PBLAS_OF(hemm, symm, hemm)
PBLAS_OF(syrk, syrk, syrk)
PBLAS_OF(herk, syrk, herk)
PBLAS_OF(trmm, trmm, trmm)
PBLAS_OF(trsm, trsm, trsm)
PBLAS_OF(gemv, gemv, gemv)
PBLAS_OF(dot, dot, dotu)
PBLAS_OF(dotc, dot, dotc)
PBLAS_OF(potrf, potrf, potrf)
PBLAS_OF(potrs, potrs, potrs)
PBLAS_OF(posv, posv, posv)
PBLAS_OF(getrf, getrf, getrf)
PBLAS_OF(getrs, getrs, getrs)
PBLAS_OF(gesv, gesv, gesv)
extern "C" void pdnrm2_(...);
extern "C" void psnrm2_(...);
extern "C" void pdznrm2_(...);
extern "C" void pscnrm2_(...);
PBLAS_OF_TYPE(double, nrm2, pdnrm2_)
PBLAS_OF_TYPE(float, nrm2, psnrm2_)
PBLAS_OF_TYPE(std::complex<double>, nrm2, pdznrm2_)
PBLAS_OF_TYPE(std::complex<float>, nrm2, pscnrm2_)

}  // namespace pblas
