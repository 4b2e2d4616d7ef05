#include "lib/cpu/engines.hpp"
#include "lib/error.hpp"

namespace accublas::cpu {

namespace {
[[noreturn]] void not_built() { throw Error(ACCUBLAS_ERROR_INTERNAL, "int8 is not built yet"); }
}  // namespace

template <class T> void int8_gemm(const Gemm<T>&, const Mode&, Execution&) { not_built(); }
template void int8_gemm(const Gemm<double>&, const Mode&, Execution&);
template void int8_gemm(const Gemm<float>&, const Mode&, Execution&);

}  // namespace accublas::cpu
