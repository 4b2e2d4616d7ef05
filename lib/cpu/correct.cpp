#include "lib/cpu/engines.hpp"
#include "lib/error.hpp"

namespace accublas::cpu {

namespace {
[[noreturn]] void not_built() { throw Error(ACCUBLAS_ERROR_INTERNAL, "correct is not built yet"); }
}  // namespace

template <class T> void cr_gemv(const Gemv<T>&, Execution&) { not_built(); }
template void cr_gemv(const Gemv<double>&, Execution&);
template void cr_gemv(const Gemv<float>&, Execution&);
template <class T> void cr_dot(const Dot<T>&, Execution&) { not_built(); }
template void cr_dot(const Dot<double>&, Execution&);
template void cr_dot(const Dot<float>&, Execution&);

}  // namespace accublas::cpu
