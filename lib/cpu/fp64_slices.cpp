#include "lib/cpu/engines.hpp"
#include "lib/error.hpp"

namespace accublas::cpu {

namespace {
[[noreturn]] void not_built() { throw Error(ACCUBLAS_ERROR_INTERNAL, "fp64_slices is not built yet"); }
}  // namespace

template <class T> void fp64_gemm(const Gemm<T>&, const Mode&, Execution&) { not_built(); }
template void fp64_gemm(const Gemm<double>&, const Mode&, Execution&);
template void fp64_gemm(const Gemm<float>&, const Mode&, Execution&);
template <class T> void slices_gemv(const Gemv<T>&, const Mode&, Execution&) { not_built(); }
template void slices_gemv(const Gemv<double>&, const Mode&, Execution&);
template void slices_gemv(const Gemv<float>&, const Mode&, Execution&);
template <class T> void slices_dot(const Dot<T>&, const Mode&, Execution&) { not_built(); }
template void slices_dot(const Dot<double>&, const Mode&, Execution&);
template void slices_dot(const Dot<float>&, const Mode&, Execution&);

}  // namespace accublas::cpu
