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

/// dp:repro of a call that is computed in blocks, whose T* belongs to all of them: an engine that is measuring raises
/// `bits` to the block's T* and does not write C; afterwards it takes `bits` for the block's.
struct SharedBits {
  bool measuring = true;
  int bits = 0;
  /// Measuring, of engines sums and int8 alone: the elements of the block that count, where the diagonal of C lies
  /// `diagonal` columns to its right.
  Triangle elements = Triangle::all;
  Index diagonal = 0;

  bool counts(Index i, Index j) const { return holds(elements, i + diagonal, j); }

  /// The T* that a block is computed with, `own` (0: no element of it has one) being that of the block alone; after
  /// measuring, nothing is to be computed.
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
  /// T* of a block: its own, where it is the whole call.
  int bits_of_block(int own) const { return shared ? shared->of_block(own) : own; }

  /// This execution in another workspace.
  Execution within(Workspace& other) const { return within(other, report); }
  Execution within(Workspace& other, accublas_report_t& to) const {
    return {threads, isa, other, to, target, engine_forced, shared};
  }
};

/// serve(workspace) in a part of a call's workspace; where its plan does not fit, once more with the least plan.
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
