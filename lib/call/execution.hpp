// How a call runs: everything an engine may use besides the problem and the mode. None of it changes the bits of a
// bit-defined mode.
#pragma once

#include <span>

#include "lib/base/error.hpp"
#include "lib/base/isa.hpp"
#include "lib/base/phase_timer.hpp"
#include "lib/base/thread_pool.hpp"
#include "lib/base/workspace.hpp"
#include "lib/call/mode.hpp"
#include "lib/call/product.hpp"
#include "lib/numerics/certificate.hpp"

namespace accublas {

/// The state of a dp:repro call that is computed in blocks, because T* and the number of rejected elements belong to
/// all of them. While it is measuring, an engine raises `bits` to the block's T*, adds to `rejected` and does not write
/// C. Afterwards the engine takes `bits` as the block's T*; if the certificate fails, the blocks are calls of cr.
struct SharedBits {
  bool measuring = true;
  int bits = 0;
  std::int64_t all = 0;  ///< elements of the call
  std::int64_t rejected = 0;
  /// The elements of the block that count while measuring; the diagonal of C lies `diagonal` columns to the right of
  /// the block's. Only the engines sums and int8 measure.
  Triangle elements = Triangle::all;
  Index diagonal = 0;

  bool counts(Index i, Index j) const { return holds(elements, i + diagonal, j); }

  bool fails() const { return certificate_fails(rejected, all); }

  /// Returns the T* that a block is computed with. `own` is the T* of the block alone, 0 if no element has one. An
  /// engine that is measuring computes nothing after this call.
  int of_block(int own, std::int64_t own_rejected) {
    if (measuring) {
      if (own > bits) bits = own;
      rejected += own_rejected;
    }
    return own == 0 ? 0 : bits;
  }
};

struct Execution {
  int threads;   ///< for parallel_for
  cpu::Isa isa;  ///< highest instruction set that may be used
  Workspace& workspace;
  accublas_report_t& report;  ///< engines add: bits, moduli, rejected, undecided, copied_bytes, ms_*, bounds
  double target = 0;          ///< > 0: an engine whose bound depends on the data throws ACCUBLAS_ERROR_ACCURACY, before
                              ///< writing C, where it cannot promise `target` componentwise
  bool engine_forced = false;      ///< the caller named the engine: a backend may not take another one after all
  SharedBits* shared = nullptr;    ///< null: the problem is the whole call
  std::span<const int> devices{};  ///< devices that share large products of host operands; fewer than two: no others
  /// An engine adds the number of elements of C that it has found to be finite, if it looks. Null: nobody asks.
  std::int64_t* finite_results = nullptr;

  bool measuring() const { return shared && shared->measuring; }
  /// Returns how many elements of a problem of so many the certificate may reject. An engine that has found more may
  /// stop counting.
  std::int64_t most_rejected(std::int64_t elements) const {
    if (!shared) return most_rejected_of(elements);
    return shared->measuring ? most_rejected_of(shared->all) - shared->rejected : INT64_MAX;
  }
  /// Takes the findings of the certificate about a problem of so many elements, and counts the rejected ones in the
  /// report. Returns T*, which is the problem's own if it is the whole call, or 0 if all elements take cr's values.
  int certified_bits(int own, std::int64_t rejected, std::int64_t elements) const {
    const bool fails = !shared && certificate_fails(rejected, elements);
    report.rejected += fails ? elements : rejected;
    if (shared) return shared->of_block(own, rejected);
    return fails ? 0 : own;
  }

  /// Returns this execution with another workspace.
  Execution within(Workspace& other) const { return within(other, report); }
  Execution within(Workspace& other, accublas_report_t& to) const {
    return {threads, isa, other, to, target, engine_forced, shared, devices};
  }
};

/// Calls serve(workspace) in a part of a call's workspace. If its plan does not fit, calls it once more with the least
/// plan.
template <class Serve>
void serve_in(Workspace::Part part, Serve&& serve) {
  {
    Workspace workspace(part);
    try {
      return serve(workspace);
    } catch (const Error& error) {
      if (error.status() != ACCUBLAS_ERROR_MEMORY || workspace.least()) throw;
    }
  }
  part.cap = 0;
  Workspace least(part);
  serve(least);
}

}  // namespace accublas
