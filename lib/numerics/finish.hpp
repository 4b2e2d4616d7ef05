// The one place where an exact inner product meets alpha, beta and c and is rounded, for every mode and engine.
// docs/modes.md, "Special values" and RN, says what is returned.
#pragma once

#include "lib/numerics/wide.hpp"

namespace accublas {

/// RN(alpha S 2^exponent + beta c), exactly, for a finite S; alpha, beta and c are arbitrary (Inf, NaN). beta == 0: c is ignored.
template <class T, int L>
ACCUBLAS_HD T finish(T alpha, const Wide<L>& s, int exponent, T beta, T c);

/// The same for a real number known to lie in [S - error, S + error] 2^exponent, error >= 0 finite: true, with the result in
/// *out, if all of the interval rounds to one value (the sign of zero included); false if the interval does not decide.
template <class T, int L>
ACCUBLAS_HD bool finish_within(T alpha, const Wide<L>& s, double error, int exponent, T beta, T c, T* out);

/// RN(alpha (s + c) + beta y) for finite s and c (dot2's pair).
template <class T>
ACCUBLAS_HD T finish_pair(T alpha, double s, double c, T beta, T y);

/// alpha S + beta c for S = +Inf, -Inf or NaN.
template <class T>
ACCUBLAS_HD T finish_special(T alpha, T s, T beta, T c);

/// The IEEE product beta c of a call with alpha = 0 or k = 0 (+0 where beta = 0), NaN canonical.
template <class T>
ACCUBLAS_HD T finish_scaled(T beta, T c);

}  // namespace accublas
