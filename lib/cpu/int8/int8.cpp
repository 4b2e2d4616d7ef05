// GEMM by INT8 residue products and the Chinese remainder theorem (Ozaki scheme II): fixed:T, dp and sp reproducible,
// cr.
//
// The entries of op(A) and op(B) become integers a', b' over a power of two per row and column. Modulo pairwise coprime
// p <= 256 their products are INT8 products; from the residues of a tile of C the integer S = sum a' b' is
// reconstructed and rounded once with alpha and beta c. fixed:T prescribes the integers. cr chooses them and knows how
// far S may be from the exact sum: Ziv's test rounds both ends, and what they do not decide is computed again with more
// bits, then by sums, at last by an exact accumulator.
#include <limits>
#include <utility>

#include "lib/base/error.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/int8/int8_certify.hpp"
#include "lib/cpu/int8/int8_moduli.hpp"
#include "lib/cpu/int8/int8_pass.hpp"
#include "lib/cpu/tuning/tuning.hpp"
#include "lib/numerics/bounds.hpp"
#include "lib/numerics/certificate.hpp"
#include "lib/numerics/escalation.hpp"

namespace accublas::cpu {

namespace {

using Elements = Int8Pass::Elements;

template <class T>
void run_fixed(Int8Call<T>& call, int t) {
  const int moduli = int8_fewest_moduli(call, t);
  call.take_arena(moduli);
  bool exact = true;
  for (Index i = 0; i < call.rows.lines.count && exact; ++i) exact = call.rows.lines.needed_bits(i) <= t;
  for (Index j = 0; j < call.cols.lines.count && exact; ++j) exact = call.cols.lines.needed_bits(j) <= t;
  const double u = unit_roundoff<T>(), target = call.execution.target;
  // RN moves the result by u abs(result) <= u (abs(exact) + error).
  double bound = exact ? 0 : std::numeric_limits<double>::infinity();
  if (!exact && target > 0) bound = int8_componentwise_bound(call, t) * (1 + 2 * u);
  call.execution.report.bound_componentwise = bound;
  if (target > 0 && !(u + bound <= target))
    throw Error(ACCUBLAS_ERROR_ACCURACY, "fixed:" + std::to_string(t) + " cannot promise the target on this data");
  int8_run_pass(call, Int8Verdict{}, {false, Elements::all, t, t, moduli, false});
}

/// cr by sums for the elements of the wanted tiles, in the memory of the passes. False, with nothing done, where that
/// is too small.
template <class T>
bool run_sums(Int8Call<T>& call, const Int8Verdict& verdict, Elements elements) {
  Workspace workspace(Workspace::Part{call.arena, call.arena_bytes, call.arena_bytes});
  Execution execution = call.execution.within(workspace);
  return cr_pending<T>(
      call.problem,
      [&](Index row, Index col) {
        if (call.transposed) std::swap(row, col);
        const Index tile = call.tiling.tile_of(row, col);
        if (!call.wanted[tile]) return false;
        if (elements == Elements::all) return true;
        const Index at = row % call.tiling.rows * call.tiling.cols + col % call.tiling.cols;
        const bool accepted = (verdict.accepted_in(tile)[at / 8] >> at % 8 & 1) != 0;
        // The pass before wrote these too.
        return !accepted && !call.rows.lines.special[row] && !call.cols.lines.special[col] &&
               !call.structural_zero(row, col);
      },
      execution);
}

/// Returns whether sums are faster than residues. This happens if the engine was chosen for a larger product, of which
/// this one is a part, or for another mode.
template <class T>
bool sums_are_faster(const Int8Call<T>& call) {
  const Gemm<T>& g = call.problem;
  const EngineTuning& most = tuning(call.execution.isa).engine;
  const double terms = static_cast<double>(g.m) * static_cast<double>(g.n) * static_cast<double>(g.k);
  return !call.execution.engine_forced && terms <= (sizeof(T) == sizeof(float) ? most.sgemm_cr : most.dgemm_cr);
}

/// cr for the elements of the wanted tiles.
template <class T>
void run_cr(Int8Call<T>& call, const Int8Verdict& verdict, Elements elements) {
  bool escalates = true;
  const bool small = sums_are_faster(call);
  for (int least = first_moduli<T>();;) {
    int moduli = 0;
    {
      PhaseTimer timer(call.execution, &accublas_report_t::ms_convert);
      moduli = small && escalates ? 0 : int8_cr_moduli(call, least);
    }
    if (!call.arena) call.take_arena(moduli > 0 ? moduli : first_moduli<T>());
    if (moduli == 0) {
      if (run_sums(call, verdict, elements)) return;
      moduli = max_moduli;
      escalates = false;
    }
    Int8Pass pass{true, elements, 0, 0, moduli, escalates};
    int8_split_bits(moduli, call.problem.k, pass.row_bits, pass.col_bits);
    int8_run_pass(call, verdict, pass);
    if (!call.any_wanted()) return;
    least = moduli < max_moduli ? next_moduli(moduli) : max_moduli + 1;
  }
}

template <class T>
void run_certified(Int8Call<T>& call) {
  constexpr CertificateRungs rungs = certificate_rungs<T>();
  call.take_arena(int8_fixed_moduli(call, rungs.t[rungs.count - 1]));
  const Int8Verdict verdict = int8_certify(call);
  call.execution.report.bound_componentwise = certificate_bound(call.problem.k, unit_roundoff<T>());
  const int t = call.execution.bits_of_block(verdict.bits);
  if (call.execution.measuring()) return;
  if (t == 0) return run_cr(call, verdict, Elements::all);
  int8_run_pass(call, verdict, {false, Elements::accepted, t, t, int8_fewest_moduli(call, t), false});
  if (call.any_wanted()) run_cr(call, verdict, Elements::rejected);
}

}  // namespace

template <class T>
void int8_gemm(const Gemm<T>& problem, const Mode& mode, Execution& execution) {
  Int8Call<T> call(problem, mode, execution);
  if (execution.workspace.rehearses()) {
    call.take_arena(max_moduli);
    if (mode.kind != ACCUBLAS_MODE_FIXED && mode.kind != ACCUBLAS_MODE_CR) int8_take_verdict(call);
    return;
  }
  call.measure();
  put_bound(execution.report, rounded_once<T>());
  if (mode.kind == ACCUBLAS_MODE_FIXED) {
    run_fixed(call, mode.parameter);
  } else if (mode.kind == ACCUBLAS_MODE_CR) {
    run_cr(call, Int8Verdict{}, Elements::all);
  } else {
    run_certified(call);
  }
  for (int t = 0; t < call.threads; ++t) execution.report.undecided += call.counts[t].undecided;
}

template void int8_gemm(const Gemm<double>&, const Mode&, Execution&);
template void int8_gemm(const Gemm<float>&, const Mode&, Execution&);

}  // namespace accublas::cpu
