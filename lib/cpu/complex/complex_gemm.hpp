// Complex GEMM on the CPU, in every mode but native.
#pragma once

#include "lib/call/execution.hpp"
#include "lib/call/mode.hpp"
#include "lib/call/problem.hpp"
#include "lib/numerics/complex.hpp"

namespace accublas::cpu {

/// A real GEMM in the mode, by the engine of the call.
template <class T>
using RealGemm = void (*)(const Gemm<T>&, const Mode&, accublas_engine, Execution&);

/// As products of components, by `real`. Contract of lib/cpu/engines.hpp.
template <class T>
void complex_gemm(const Gemm<Complex<T>>&, const Mode&, accublas_engine, RealGemm<T> real, Execution&);

/// Element by element.
template <class T>
void complex_elements(const Gemm<Complex<T>>&, const Mode&, Execution&);

}  // namespace accublas::cpu
