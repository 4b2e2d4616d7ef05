// TRSM on a device.
#pragma once

#include "cuda/core/staging.hpp"
#include "lib/call/level3.hpp"

namespace accublas::cuda {

/// Unknowns that cuBLAS takes at a time where products are the emulation's, and from how many on that pays: measured on
/// an H200 in double precision, right-hand sides as many as unknowns (accublas-gpu-bench --level3 dtrsm).
template <class E>
inline constexpr Index most_unknowns_at_once = is_complex<E> ? 1024 : 2048;
constexpr Index least_unknowns_by_halves(bool complex) { return complex ? 4096 : 8192; }

/// dp and sp with device operands: halves of the unknowns one after the other, and the product between them by `serve`;
/// the last halves by `native`, cuBLAS's routine. Within (n + 3) u abs(A) abs(X) of alpha B (docs/modes.md, "TRSM").
template <class E>
void solve_by_halves(State&, const Call<Level3<E>, E>&, Execution&, DeviceGemmFunction<E> serve,
                     void (*native)(State&, const Level3<E>&, Execution&));

}  // namespace accublas::cuda
