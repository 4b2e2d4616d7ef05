// GEMM by INT8 residue products on the device (Ozaki scheme II): the same algorithm as lib/cpu/int8/int8.cpp, and the
// same bits wherever a mode promises bits, laid out so that the host never waits. How many bits and moduli a pass
// takes, which elements it computes and how C is cut into blocks is decided on the device (PassPlan); the host launches
// as many blocks and passes as could be needed (Int8Plan), and a kernel whose block or pass is not needed returns at
// once. What no pass decides is computed by exact accumulators.
#include "cuda/int8/gemm_int8.hpp"

#include "cuda/core/memory.hpp"
#include "cuda/int8/int8_call.hpp"
#include "cuda/int8/int8_flows.hpp"

namespace accublas::cuda {

template <class T>
void int8_gemm(State& state, const Call<Gemm<T>, T>& as_made, Execution& execution, const NativeOffer* offer) {
  Int8Call<T> call(state, as_made, execution, offer);
  const CallMemory memory(state, execution.workspace, call.plan.bytes);
  if (call.plan.flow == Int8Flow::fixed) return run_fixed(call, memory.data());
  if (call.plan.flow == Int8Flow::cr) return run_cr(call, memory.data());
  run_grade(call, memory.data());
}

namespace {

/// A product whose sums are wanted, as a call of cr: C, alpha and beta play no part.
template <class T>
struct SumsProduct {
  explicit SumsProduct(const Gemm<T>& problem) : gemm(problem) {
    gemm.c = {nullptr, gemm.n + 1, 1};  // rows of A stay rows
    mode.kind = ACCUBLAS_MODE_CR;
  }
  SumsProduct(const SumsProduct&) = delete;
  SumsProduct& operator=(const SumsProduct&) = delete;

  Gemm<T> gemm;
  T one = 1, zero = 0;
  Mode mode{};
  Call<Gemm<T>, T> call{gemm, {&one, false}, {&zero, false}, true, true, mode, ACCUBLAS_ENGINE_INT8};
};

}  // namespace

template <class T>
std::size_t int8_sums_bytes(State& state, const Gemm<T>& problem, int moduli, Execution& execution) {
  const SumsProduct<T> product(problem);
  return Int8Call<T>(state, product.call, execution, nullptr, moduli).plan.bytes;
}

template <class T>
void int8_sums(State& state, const Gemm<T>& problem, int moduli, const PairSums& sums, std::byte* memory,
               Execution& execution) {
  const SumsProduct<T> product(problem);
  Int8Call<T> call(state, product.call, execution, nullptr, moduli);
  run_sums(call, sums, memory);
}

#define ACCUBLAS_INSTANTIATE(T)                                                             \
  template void int8_gemm(State&, const Call<Gemm<T>, T>&, Execution&, const NativeOffer*); \
  template std::size_t int8_sums_bytes(State&, const Gemm<T>&, int, Execution&);            \
  template void int8_sums(State&, const Gemm<T>&, int, const PairSums&, std::byte*, Execution&);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
