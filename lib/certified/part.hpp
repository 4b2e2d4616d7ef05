// The part of a spectrum that a call returns, and the proof of how many eigenvalues lie in an interval
// (docs/eigenvalues.md).
#pragma once

#include "lib/certified/array.hpp"
#include "lib/certified/eigenvalues.hpp"

namespace accublas::certified {

/// Eigenvalues from number `first` to number `end` - 1, counted from 0 in ascending order.
struct Part {
  Index first, end;
  bool proved = true;  ///< false: one of them may lie outside of the interval

  Index count() const { return end - first; }
};

/// The eigenvalues that a call returns. The library works on a matrix that is divided by 2^exponent.
class Wanted {
 public:
  Wanted(const EigenRange& range, Index n, int exponent) : range_(range), n_(n), exponent_(exponent) {}

  /// Returns all eigenvalues that may be wanted, if eigenvalue k lies within radius[k] of center[k].
  Part part(const Array& center, const Array& radius) const;

 private:
  /// How many eigenvalues are at most x: from `least` to `most`.
  struct Count {
    Index least, most;
  };
  Count count_up_to(double x, const Array& center, const Array& radius) const;

  EigenRange range_;
  Index n_;
  int exponent_;
};

}  // namespace accublas::certified
