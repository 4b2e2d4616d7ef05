#include "lib/cpu/engines.hpp"
#include "lib/error.hpp"

namespace accublas::cpu {

namespace {
[[noreturn]] void not_built() { throw Error(ACCUBLAS_ERROR_INTERNAL, "exact is not built yet"); }
}  // namespace

template <class T> T exact_element(Index, T, Vector<const T>, Vector<const T>, T, const T*) { not_built(); }
template double exact_element(Index, double, Vector<const double>, Vector<const double>, double, const double*);
template float exact_element(Index, float, Vector<const float>, Vector<const float>, float, const float*);
template <class T> void exact_gemm(const Gemm<T>&, Execution&) { not_built(); }
template void exact_gemm(const Gemm<double>&, Execution&);
template void exact_gemm(const Gemm<float>&, Execution&);
template <class T> void exact_gemv(const Gemv<T>&, Execution&) { not_built(); }
template void exact_gemv(const Gemv<double>&, Execution&);
template void exact_gemv(const Gemv<float>&, Execution&);
template <class T> void exact_dot(const Dot<T>&, Execution&) { not_built(); }
template void exact_dot(const Dot<double>&, Execution&);
template void exact_dot(const Dot<float>&, Execution&);

}  // namespace accublas::cpu
