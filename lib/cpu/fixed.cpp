#include "lib/cpu/engines.hpp"
#include "lib/error.hpp"

namespace accublas::cpu {

namespace {
[[noreturn]] void not_built() { throw Error(ACCUBLAS_ERROR_INTERNAL, "fixed is not built yet"); }
}  // namespace

template <class T> void fixed_gemv(const Gemv<T>&, const Mode&, Execution&) { not_built(); }
template void fixed_gemv(const Gemv<double>&, const Mode&, Execution&);
template void fixed_gemv(const Gemv<float>&, const Mode&, Execution&);
template <class T> void fixed_dot(const Dot<T>&, const Mode&, Execution&) { not_built(); }
template void fixed_dot(const Dot<double>&, const Mode&, Execution&);
template void fixed_dot(const Dot<float>&, const Mode&, Execution&);

}  // namespace accublas::cpu
