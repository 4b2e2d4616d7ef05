// GEMM by INT8 residue products on the device (Ozaki scheme II): the same algorithm as lib/cpu/int8/int8.cpp, and the
// same bits wherever a mode promises bits, laid out so that the host never waits. How many bits and moduli a pass
// takes, which elements it computes and how C is cut into blocks is decided on the device (PassPlan); the host launches
// as many blocks and passes as could be needed (Int8Plan), and a kernel whose block or pass is not needed returns at
// once. What no pass decides is computed by exact accumulators.
#include "cuda/int8/gemm_int8.hpp"

#include <algorithm>

#include "cuda/core/inner_calls.hpp"
#include "cuda/core/memory.hpp"
#include "cuda/int8/int8_call.hpp"
#include "cuda/int8/int8_flows.hpp"

namespace accublas::cuda {

namespace {

template <class T>
void run(Int8Call<T>& call, std::byte* memory) {
  if (call.plan.flow == Int8Flow::fixed) return run_fixed(call, memory);
  if (call.plan.flow == Int8Flow::cr) return run_cr(call, memory);
  run_grade(call, memory);
}

}  // namespace

template <class T>
void int8_gemm(State& state, const Call<Gemm<T>, T>& as_made, Execution& execution, const NativeOffer* offer) {
  Int8Call<T> call(state, as_made, execution, offer);
  const CallMemory memory(state, execution.workspace, call.plan.bytes);
  run(call, memory.data());
}

namespace {

/// Returns the arrays from product `first` on.
template <class T>
BatchArray<T> from(const BatchArray<T>& x, Index first) {
  return {x.pointers ? x.base : x.base + first * x.stride, x.stride, x.pointers ? x.pointers + first : nullptr};
}

/// Returns whether a plan needs one block of C with all terms, in every pass and for the certificate.
template <class T>
bool is_one_block(const EngineCall<T>& call, const Int8Plan& plan) {
  const auto one = [](const PassLaunch& launched) { return launched.row_blocks == 1 && launched.col_blocks == 1; };
  if (plan.chunks != 1 || !one(plan.first) || (plan.passes > 1 && !one(plan.further))) return false;
  const CertificateBlocks& certificate = plan.certificate;
  return plan.flow != Int8Flow::grade || (certificate.rows >= call.rows.count && certificate.cols >= call.cols.count &&
                                          certificate.chunk >= certificate_terms(call.rows.k, plan.certificate_stride));
}

}  // namespace

template <class T>
bool int8_batch(State& state, const Call<Gemm<T>, T>& shape, Index count, const BatchOperands<T>& operands,
                Execution& execution) {
  Int8Call<T> call(state, shape, execution, nullptr, 0, true);
  const EngineCall<T>& engine = call.in_engine;
  constexpr Index most = 65535;  // of gridDim.y
  const Index bytes = call.product_bytes();
  const Index room = static_cast<Index>(execution.workspace.cap()) / bytes;
  if (std::min(room, count) < 2 || !is_one_block(engine, call.plan)) return false;
  const Index groups = ceil_div(count, std::min({room, count, most})), together = ceil_div(count, groups);
  const CallMemory memory(state, execution.workspace, static_cast<std::size_t>(together * bytes));
  BatchScope scope(state, execution.report.level);
  for (Index first = 0; first < count; first += together) {
    call.group.count = std::min(together, count - first);
    call.group.bytes = bytes;
    call.group.rows = from(engine.transposed ? operands.b : operands.a, first);
    call.group.cols = from(engine.transposed ? operands.a : operands.b, first);
    call.group.at = from(operands.c, first);
    run(call, memory.data());
  }
  scope.end();
  execution.report.workspace_bytes = together * bytes;
  return true;
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

#define ACCUBLAS_INSTANTIATE(T)                                                                          \
  template void int8_gemm(State&, const Call<Gemm<T>, T>&, Execution&, const NativeOffer*);              \
  template bool int8_batch(State&, const Call<Gemm<T>, T>&, Index, const BatchOperands<T>&, Execution&); \
  template std::size_t int8_sums_bytes(State&, const Gemm<T>&, int, Execution&);                         \
  template void int8_sums(State&, const Gemm<T>&, int, const PairSums&, std::byte*, Execution&);
ACCUBLAS_FOR_REAL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

}  // namespace accublas::cuda
