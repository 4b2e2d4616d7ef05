// GEMM by INT8 residue products and the Chinese remainder theorem (Ozaki scheme II): fixed:T, dp and sp reproducible,
// cr.
//
// The entries of op(A) and op(B) become integers a', b' over a power of two per row and column. Modulo pairwise coprime
// p <= 256 their products are INT8 products; from the residues of a tile of C the integer S = sum a' b' is
// reconstructed and rounded once with alpha and beta c. fixed:T prescribes the integers. cr chooses them and knows how
// far S may be from the exact sum: Ziv's test rounds both ends, and what they do not decide is computed again with more
// bits, then by sums, at last by an exact accumulator. Sums of rounded entries also compute fixed:T* for the elements
// that the certificate accepts, if these are few.
#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "lib/base/integers.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/cpu/int8/int8_certify.hpp"
#include "lib/cpu/int8/int8_moduli.hpp"
#include "lib/cpu/int8/int8_pass.hpp"
#include "lib/cpu/tuning/fixed_choice.hpp"
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
  put_fixed_bound(call.execution.report, t, u, bound, target);
  int8_run_pass(call, Int8Verdict{}, {false, Elements::all, t, t, moduli, false});
}

/// Sums the elements of the wanted tiles that pending(row, col, tile, at) selects, in the memory of the passes: those
/// of cr, or, with `rounded`, those of fixed:T. `at` is the element's place in the tile. Returns false, with nothing
/// done, if that memory is too small.
template <class T, class Pending>
bool run_sums(Int8Call<T>& call, const RoundedLines* rounded, Pending&& pending) {
  Workspace workspace(Workspace::Part{call.arena, call.arena_bytes, call.arena_bytes});
  Execution execution = call.execution.within(workspace);
  const Int8Tiling& tiling = call.tiling;
  return cr_pending<T>(
      call.problem,
      [&](Index row, Index col, Index count, bool along_row) {
        if (call.transposed) std::swap(row, col), along_row = !along_row;
        Index tile = tiling.tile_of(row, col), r = row % tiling.rows, c = col % tiling.cols;
        std::uint64_t bits = 0;
        for (Index i = 0; i < count; ++i) {
          if (call.wanted[tile]) bits |= std::uint64_t{pending(row, col, tile, r * tiling.cols + c)} << i;
          if (along_row) {
            ++col;
            if (++c == tiling.cols) c = 0, ++tile;
          } else {
            ++row;
            if (++r == tiling.rows) r = 0, tile += tiling.across;
          }
        }
        return bits;
      },
      rounded, execution);
}

/// Returns whether the certificate rejected an element that has a term, and whose lines are finite.
template <class T>
bool is_rejected(const Int8Call<T>& call, const Int8Verdict& verdict, Index row, Index col, Index tile, Index at) {
  const bool accepted = verdict.rejected[tile] == 0 || (verdict.accepted_in(tile)[at / 8] >> at % 8 & 1) != 0;
  return !accepted && !call.rows.lines.special[row] && !call.cols.lines.special[col] && !call.structural_zero(row, col);
}

/// Returns the share of the groups of 8 adjacent elements of the wanted tiles that hold an element which the
/// certificate accepted, or rejected. Sums take time in this proportion.
template <class T>
double share_of(const Int8Call<T>& call, const Int8Verdict& verdict, bool accepted) {
  const Int8Tiling& tiling = call.tiling;
  const std::uint8_t none = accepted ? 0 : 0xFF;
  Index groups = 0, held = 0;
  for (Index tile = 0; tile < tiling.count(); ++tile) {
    if (!call.wanted[tile]) continue;
    const Index rows = std::min(tiling.rows, call.rows.operand.count - tile / tiling.across * tiling.rows),
                cols = std::min(tiling.cols, call.cols.operand.count - tile % tiling.across * tiling.cols) / 8;
    groups += rows * cols;
    if (verdict.rejected[tile] == 0) held += accepted ? rows * cols : 0;
    for (Index r = 0; verdict.rejected[tile] > 0 && r < rows; ++r) {
      const std::uint8_t* const bits = verdict.accepted_in(tile) + r * tiling.cols / 8;
      held += cols - std::count(bits, bits + cols, none);
    }
  }
  return groups == 0 ? 1 : static_cast<double>(held) / static_cast<double>(groups);
}

/// cr for the elements of the wanted tiles.
template <class T>
void run_cr(Int8Call<T>& call, const Int8Verdict& verdict, Elements elements) {
  bool escalates = true;
  const bool small = sums_are_faster(call.problem, call.execution);
  const double share = elements == Elements::all ? 1 : share_of(call, verdict, false);
  for (int least = first_moduli<T>();;) {
    int moduli = 0;
    {
      PhaseTimer timer(call.execution, &accublas_report_t::ms_convert);
      moduli = small && escalates ? 0 : int8_cr_moduli(call, least, share);
    }
    if (!call.arena) call.take_arena(moduli > 0 ? moduli : first_moduli<T>());
    if (moduli == 0) {
      // The pass before wrote all but the rejected elements.
      const auto pending = [&](Index row, Index col, Index tile, Index at) {
        return elements == Elements::all || is_rejected(call, verdict, row, col, tile, at);
      };
      if (run_sums(call, nullptr, pending)) return;
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

/// Computes by sums the elements that a pass with so many moduli would compute: all but the rejected ones. Returns
/// false, with nothing done, if that pass is faster, or if the workspace is too small.
template <class T>
bool sum_accepted(Int8Call<T>& call, const Int8Verdict& verdict, int bits, int moduli) {
  const Int8Tuning& int8 = tuning(call.execution.isa).int8;
  const double most =
      share_of(call, verdict, true) * (sizeof(T) == sizeof(float) ? int8.sgemm_accepted : int8.dgemm_accepted);
  const Gemm<T>& g = call.problem;
  const bool small = fixed_sums_are_faster(g.m, g.n, g.k, bits, sizeof(T) == sizeof(float), call.execution.isa);
  if (call.execution.engine_forced || (!small && moduli <= most && !int8_at_ends(call))) return false;
  RoundedLines rounded{bits, call.rows.lines.exponent, call.cols.lines.exponent};
  if (call.transposed) std::swap(rounded.rows, rounded.cols);
  const auto rejected = [&](Index row, Index col, Index tile, Index at) {
    return is_rejected(call, verdict, row, col, tile, at);
  };
  if (!run_sums(call, &rounded, std::not_fn(rejected))) return false;
  call.execution.report.bits = std::max(call.execution.report.bits, bits);
  const Int8Tiling& tiling = call.tiling;
  parallel_for(tiling.count(), call.threads, [&](Index tile, int) {
    const Index row = tile / tiling.across * tiling.rows, col = tile % tiling.across * tiling.cols;
    const Index rows = std::min(tiling.rows, call.rows.operand.count - row),
                cols = std::min(tiling.cols, call.cols.operand.count - col);
    bool wanted = false;
    for (Index r = 0; r < rows && !wanted; ++r)
      for (Index c = 0; c < cols && !wanted; ++c) wanted = rejected(row + r, col + c, tile, r * tiling.cols + c);
    call.wanted[tile] = wanted;
  });
  return true;
}

template <class T>
void run_certified(Int8Call<T>& call) {
  constexpr CertificateRungs rungs = certificate_rungs<T>();
  call.take_arena(int8_fixed_moduli(call, rungs.t[rungs.count - 1]));
  const Int8Verdict verdict = int8_certify(call);
  call.execution.report.bound_componentwise = certificate_bound(call.problem.k, unit_roundoff<T>());
  if (call.execution.measuring()) return;
  const int t = verdict.bits;
  if (t == 0) return run_cr(call, verdict, Elements::all);
  if (!sum_accepted(call, verdict, t, int8_fixed_moduli(call, t)))
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
