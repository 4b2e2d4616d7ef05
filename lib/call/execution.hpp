// How a call runs: everything an engine may use besides the problem and the mode. None of it changes the bits of a
// bit-defined mode.
#pragma once

#include "lib/base/error.hpp"
#include "lib/base/isa.hpp"
#include "lib/base/phase_timer.hpp"
#include "lib/base/thread_pool.hpp"
#include "lib/base/workspace.hpp"
#include "lib/call/mode.hpp"
#include "lib/call/product.hpp"

namespace accublas {

/// The state of a dp:repro call that is computed in blocks, because T* belongs to all of them. While it is measuring,
/// an engine raises `bits` to the block's T* and does not write C. Afterwards the engine takes `bits` as the block's
/// T*.
struct SharedBits {
  bool measuring = true;
  int bits = 0;
  /// The elements of the block that count while measuring; the diagonal of C lies `diagonal` columns to the right of
  /// the block's. Only the engines sums and int8 measure.
  Triangle elements = Triangle::all;
  Index diagonal = 0;

  bool counts(Index i, Index j) const { return holds(elements, i + diagonal, j); }

  /// Returns the T* that a block is computed with. `own` is the T* of the block alone, 0 if no element has one. An
  /// engine that is measuring computes nothing after this call.
  int of_block(int own) {
    if (measuring && own > bits) bits = own;
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
  bool engine_forced = false;    ///< the caller named the engine: a backend may not take another one after all
  SharedBits* shared = nullptr;  ///< null: the problem is the whole call

  bool measuring() const { return shared && shared->measuring; }
  /// Returns the T* of a block, which is its own if the block is the whole call.
  int bits_of_block(int own) const { return shared ? shared->of_block(own) : own; }

  /// Returns this execution with another workspace.
  Execution within(Workspace& other) const { return within(other, report); }
  Execution within(Workspace& other, accublas_report_t& to) const {
    return {threads, isa, other, to, target, engine_forced, shared};
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
