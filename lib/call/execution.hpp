// How a call runs: everything an engine may use besides the problem and the mode. None of it changes the bits of a
// bit-defined mode.
#pragma once

#include "lib/base/isa.hpp"
#include "lib/base/phase_timer.hpp"
#include "lib/base/thread_pool.hpp"
#include "lib/base/workspace.hpp"
#include "lib/call/mode.hpp"

namespace accublas {

struct Execution {
  int threads;   ///< for parallel_for
  cpu::Isa isa;  ///< highest instruction set that may be used
  Workspace& workspace;
  accublas_report_t& report;  ///< engines add: bits, moduli, rejected, undecided, copied_bytes, ms_*, bounds
  double target = 0;          ///< > 0: an engine whose bound depends on the data throws ACCUBLAS_ERROR_ACCURACY, before
                              ///< writing C, where it cannot promise `target` componentwise
  bool engine_forced = false;  ///< the caller named the engine: a backend may not take another one after all

  /// The same in another workspace.
  Execution within(Workspace& other) const { return {threads, isa, other, report, target, engine_forced}; }
};

}  // namespace accublas
