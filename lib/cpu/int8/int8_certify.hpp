// The certificate over a whole call (docs/modes.md, dp): one product of 7-bit magnitudes, T* and the rejected elements.
#pragma once

#include "lib/cpu/int8/int8_call.hpp"

namespace accublas::cpu {

/// The result of the certificate.
struct Int8Verdict {
  int bits = 0;  ///< T*; 0 if every element is rejected or takes cr's value, or if nothing was certified
  std::int32_t* rejected = nullptr;  ///< per tile, elements; null: nothing was certified
  std::uint8_t* accepted = nullptr;  ///< accepted_bytes for every tile, a bit for every element, if some are rejected
  Index accepted_bytes = 0;

  /// Bits of a tile.
  std::uint8_t* accepted_in(Index tile) const { return accepted + tile * accepted_bytes; }
};

/// The memory of int8_certify, taken after take_arena.
template <class T>
Int8Verdict int8_take_verdict(const Int8Call<T>& call);

/// Takes the memory of the verdict, and counts rejected elements in the report. Call this after take_arena. If the
/// verdict has no T*, its counts and bits are not complete: the certificate stops when too many elements are rejected.
template <class T>
Int8Verdict int8_certify(const Int8Call<T>& call);

/// Upper bound of the error of fixed:t over abs(A) abs(B), by the certificate's sums: Inf where they say nothing.
template <class T>
double int8_componentwise_bound(const Int8Call<T>& call, int t);

}  // namespace accublas::cpu
