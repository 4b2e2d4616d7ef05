// A GEMM call of engine int8 under way: its plan, its arrays, and the steps that the flows share. Everything goes on
// the call's stream without waiting for the host.
//
// int8_plan.hpp chooses what the host chooses, int8_flows.hpp has a function for each way of a call, int8_pass.hpp one
// pass over C.
#pragma once

#include "cuda/core/call_group.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/core/state.hpp"
#include "cuda/exact/combined_parts.hpp"
#include "cuda/exact/engine_call.hpp"
#include "cuda/exact/exact.hpp"
#include "cuda/int8/int8_plan.hpp"
#include "cuda/native/native_offer.hpp"
#include "lib/call/execution.hpp"

namespace accublas::cuda {

/// How lines are measured (cuda/scaling/measure.hpp).
enum class Measures {
  scales,  ///< no lambda: fixed:T
  all,
  bounds,  ///< in less time, where no bits follow from the lines
};

template <class T>
struct Int8Call {
  /// Makes the plan. sum_moduli: Int8Request's. `grouped`: a group takes no slabs.
  Int8Call(State& of_context, const Call<Gemm<T>, T>& call, Execution& call_execution, const NativeOffer* native_offer,
           int sum_moduli = 0, bool grouped = false);

  /// Returns the distance of the arrays of a group's products, which is a whole number of groups of lines of residues
  /// and of the certificate's bytes.
  Index product_bytes() const;

  /// Starts the call in `memory`, which has plan.bytes, or product_bytes() for each product of a group: the report's
  /// bound is that of a result that is rounded once.
  void begin(std::byte* memory);
  void measure_lines(Measures);
  /// Resolves open elements that no term contributes to, before pass index + 1 is planned for them.
  void resolve_zeros(int index);
  /// Computes by exact accumulators what the passes left open. Where alpha, in device memory, is zero, C = beta C.
  void compute_open_elements();
  void phase(double accublas_report_t::*member) { state.phase(member); }
  /// Ends the call. The products of a group add their counts to it.
  void end();
  ExactArguments<T> open_elements() const;

  State& state;
  const DeviceModel& model;
  cudaStream_t stream;
  const Call<Gemm<T>, T>& as_made;
  Execution& execution;
  const NativeOffer* offer;          ///< null: none
  const CombinedParts<T>* combined;  ///< null: alpha and beta are real
  const EngineCall<T> in_engine;
  const Int8Plan plan;
  CallGroup<T> group{};  ///< the products that the next call of begin() starts
  Int8Arrays arrays{};   ///< in a group: of the first product
  CallState* device = nullptr;
  CallState* of_context = nullptr;  ///< the call's state that the context reads
};

}  // namespace accublas::cuda
