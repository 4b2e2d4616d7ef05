// Deliberate defects of the CUDA backend's host code: what lib/base/test_hooks.hpp is for the other routines.
// ACCUBLAS_TEST_MUTANT=gpu_* runs the test build with one of them, and the GPU's suite proves
// (test/mutants/suite_mutants.py) that its tests catch every one. In the library that is installed the query is the
// constant false.
#pragma once

#include "lib/base/hooked_source.hpp"

namespace accublas {

/// The name of each defect, which ACCUBLAS_TEST_MUTANT has with gpu_ before it, and its effect. Defects with `fused` in
/// their names affect only kernels for compute capability 9.0.
#define ACCUBLAS_GPU_MUTANTS(X)                                                              \
  X(multiword_second_word, "multiword: first words alone are multiplied")                    \
  X(multiword_open, "multiword: elements that are left open stay as they were")              \
  X(multiword_alpha_zero, "multiword: C stays as it was where alpha is zero on the device")  \
  X(multiword_chunk, "multiword by cuBLAS: the sums of a chunk replace those before it")     \
  X(multiword_product, "multiword by cuBLAS: the product w2 v1 is missing")                  \
  X(multiword_fused_range, "multiword, fused: lines out of FP16's range multiplied as FP16") \
  X(multiword_fused_rest, "multiword, fused: tiles of lines out of FP16's range are left out")

#define ACCUBLAS_ENUMERATOR(name, what) name,
enum class GpuMutant { none, ACCUBLAS_GPU_MUTANTS(ACCUBLAS_ENUMERATOR) };
#undef ACCUBLAS_ENUMERATOR

#ifdef ACCUBLAS_TEST_HOOKS
bool mutant(GpuMutant which) noexcept;  ///< whether ACCUBLAS_TEST_MUTANT names this one
#else
constexpr bool mutant(GpuMutant) noexcept { return false; }
#endif

}  // namespace accublas
