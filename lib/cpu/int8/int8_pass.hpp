// One pass over C: scaling of the lines, residues and products; int8_finish.hpp has the rest.
#pragma once

#include "lib/cpu/int8/int8_call.hpp"
#include "lib/cpu/int8/int8_certify.hpp"

namespace accublas::cpu {

/// One pass over (some tiles of) C.
struct Int8Pass {
  enum class Elements { all, accepted, rejected };  ///< by the certificate
  bool interval;  ///< cr: the sum is known up to an error, Ziv's test decides; else fixed:T
  Elements elements;
  int row_bits, col_bits;  ///< fixed: T. cr: every line is scaled to a norm of at most 2^bits
  int moduli;
  bool may_escalate;  ///< tiles with too many undecided elements are left to the next pass, or to sums
};

/// Computes the pass's elements of the wanted tiles; wanted are then the tiles that are left to another pass.
template <class T>
void int8_run_pass(Int8Call<T>& call, const Int8Verdict& verdict, const Int8Pass& pass);

}  // namespace accublas::cpu
