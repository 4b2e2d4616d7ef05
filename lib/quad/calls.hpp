// The calls that the C interface makes of products beyond double precision. All operands are in host memory.
#pragma once

#include "lib/call/steps_call.hpp"
#include "lib/quad/number.hpp"

namespace accublas::quad {

/// How a call runs, and what it reports.
struct QuadCall {
  StepsCall steps;
  accublas_engine wanted;  ///< int8, sums or auto
  accublas_engine used = ACCUBLAS_ENGINE_SUMS;
};

/// C = alpha A B + beta C with the special cases of docs/modes.md: without terms A and B are not read.
void multiply(const Product& product, QuadCall& call);

/// *result = the Euclidean norm of n numbers of binary128, the entries (i, 0) of x.
void norm(Index n, const Operand& x, const Results& result);

/// op(A) X = alpha B, where X overwrites B, m x n; A is triangular of order m, after op. All are binary128.
struct Solve {
  Index m, n;
  bool upper, unit;
  Number alpha;
  Operand a;
  Results b;
};
/// Every unknown is the exact quotient of the exact sum and the pivot, rounded once.
void solve(const Solve& solve, int threads);

}  // namespace accublas::quad
