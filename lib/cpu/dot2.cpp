#include "lib/cpu/engines.hpp"
#include "lib/error.hpp"

namespace accublas::cpu {

namespace {
[[noreturn]] void not_built() { throw Error(ACCUBLAS_ERROR_INTERNAL, "dot2 is not built yet"); }
}  // namespace

template <class T> void dot2_gemm(const Gemm<T>&, Execution&) { not_built(); }
template void dot2_gemm(const Gemm<double>&, Execution&);
template void dot2_gemm(const Gemm<float>&, Execution&);
template <class T> void dot2_gemv(const Gemv<T>&, Execution&) { not_built(); }
template void dot2_gemv(const Gemv<double>&, Execution&);
template void dot2_gemv(const Gemv<float>&, Execution&);
template <class T> void dot2_dot(const Dot<T>&, Execution&) { not_built(); }
template void dot2_dot(const Dot<double>&, Execution&);
template void dot2_dot(const Dot<float>&, Execution&);

}  // namespace accublas::cpu
