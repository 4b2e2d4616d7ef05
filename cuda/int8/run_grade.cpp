#include <algorithm>

#include "cuda/core/check.hpp"
#include "cuda/int8/certificate_call.hpp"
#include "cuda/int8/first_look.hpp"
#include "cuda/int8/int8_flows.hpp"
#include "cuda/int8/int8_pass.hpp"
#include "cuda/int8/plan.hpp"
#include "cuda/native/native_behind.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/float_bits.hpp"

namespace accublas::cuda {

namespace {

/// Returns how many elements the certificate judges together; INT64_MAX: it may reject any number of them.
template <class T>
Index elements_of_call(const Int8Call<T>& call) {
  if (!call.as_made.mode.reproducible) return INT64_MAX;
  const SharedBits* const shared = call.execution.shared;
  if (!shared) return certified_elements(call.in_engine);
  return shared->measuring ? shared->all : INT64_MAX;
}

/// Returns the number of bits with which lines need no certificate: the first rung suffices for all elements if it
/// drops nothing, and T* is this rung. The rounded sums are then those of cr. 0: all lines need it.
template <class T>
int bits_without_certificate(const Int8Call<T>& call) {
  return call.as_made.mode.reproducible && !call.execution.shared ? certificate_rungs<T>().t[0] : 0;
}

/// Replaces the part's own T* by that of the call. The rung is a byte of a word whose other bytes are zero.
template <class T>
void take_rung(Int8Call<T>& call, const SharedBits& shared) {
  constexpr CertificateRungs rungs = certificate_rungs<T>();
  const auto* const rung = std::find(rungs.t, rungs.t + rungs.count, shared.bits);
  if (rung == rungs.t + rungs.count) return;  // no element of the call has a T*
  check(cudaMemsetAsync(&call.device->largest_rung, static_cast<int>(rung - rungs.t) + 1, 1, call.stream),
        "cudaMemsetAsync");
}

/// T* (or the number of moduli) of the call, and the bits of the elements that it does not suffice for.
template <class T>
void certify_call(Int8Call<T>& call) {
  const EngineCall<T>& in_engine = call.in_engine;
  const Int8Arrays& arrays = call.arrays;
  const Buffers& buffers = call.plan.buffers;
  const CertificateMemory memory{arrays.row_residues, arrays.col_residues, buffers.rows_bytes, buffers.cols_bytes,
                                 reinterpret_cast<std::int32_t*>(arrays.result)};
  certify_all(call.state, in_engine, arrays.rows, arrays.cols, call.plan.ladder, call.plan.certificate, memory,
              elements_of_call(call), arrays.open, call.device, arrays.nonzero, bits_without_certificate(call),
              call.group);
  if (call.execution.measuring()) return;
  if (call.execution.shared) take_rung(call, *call.execution.shared);
  if (call.combined)
    combine_rejected(call.model, *call.combined, in_engine.rows.count, in_engine.cols.count, arrays.open, call.device,
                     call.stream);
}

/// The pass for the elements that the certificate accepts.
template <class T>
void run_accepted(Int8Call<T>& call) {
  if (call.as_made.mode.reproducible) return run_cr_pass(call, 0);
  const Int8Arrays& arrays = call.arrays;
  const PassLaunch& launched = call.plan.first;
  if (call.plan.ladder.kind == CertificateRungKind::moduli) {
    plan_moduli<T>(call.model, 0, arrays.rows, arrays.cols, launched, call.plan.spare_moduli, call.in_engine.alpha,
                   call.offer, call.device, call.stream);
  } else {
    plan_fixed<T>(call.model, 0, 0, arrays.rows, arrays.cols, launched, 0, call.in_engine.alpha, call.offer,
                  call.device, call.stream);
  }
  run_pass(call, 0);
}

}  // namespace

template <class T>
void run_grade(Int8Call<T>& call, std::byte* memory) {
  const EngineCall<T>& in_engine = call.in_engine;
  call.begin(memory);
  call.execution.report.bound_componentwise = certificate_bound(in_engine.rows.k, unit_roundoff<T>());
  if (call.offer)
    first_look(call.model, in_engine.rows, in_engine.cols, in_engine.alpha, call.plan.certificate_stride, *call.offer,
               call.plan.residues, call.device, call.stream);
  const bool by_moduli = call.plan.ladder.kind == CertificateRungKind::moduli;
  call.measure_lines(by_moduli ? Measures::bounds : Measures::all);
  certify_call(call);
  if (call.execution.measuring()) return call.end();
  run_accepted(call);
  // In run_cr tiles skip these zeros if slabs are launched. Rejected elements are too few for tiles.
  if (call.plan.passes == 1) call.resolve_zeros(0);
  for (int index = 1; index < call.plan.passes; ++index) {
    call.resolve_zeros(index - 1);
    run_cr_pass(call, index);
  }
  call.compute_open_elements();
  if (call.offer) {
    call.phase(&accublas_report_t::ms_product);
    native_behind(call.state, call.as_made, call.device);
  }
  call.end();
}

template void run_grade(Int8Call<double>&, std::byte*);
template void run_grade(Int8Call<float>&, std::byte*);

}  // namespace accublas::cuda
