// Solutions of systems whose right-hand sides are independent of each other, as in every mode that defines bits. Each
// process solves for its share of them with the whole matrix A. So each of P processes needs memory for A and for 1/P
// of B.
#pragma once

#include <algorithm>

#include "c_api/pblas/exchange.hpp"
#include "c_api/pblas/local.hpp"
#include "lib/base/integers.hpp"

namespace accublas::pblas {

/// The right-hand sides are the columns of B, or its rows unless `left`. A is sent only if the call `reads` it.
/// solve(A, right-hand sides) makes the local call on a process that has some.
template <class E, class Solve>
void solve_by_shares(const Caller& by, const Team& team, bool left, bool reads, const Part& a, const Mask& mask,
                     const Part& b, Solve&& solve) {
  const int m = b.rows.count, n = b.cols.count, sides = left ? n : m, order = left ? m : n;
  const int share = ceil_div(sides, team.size());
  Axis shares{sides, By::rank, {}, {}};
  for (int i = 0; i < sides; ++i) shares.owner.push_back(i / share);
  const std::int64_t own = std::clamp(sides - team.rank * std::int64_t{share}, std::int64_t{0}, std::int64_t{share});

  Buffer<E> unknowns(by.name, left ? m : own, left ? own : n);
  Part of_unknowns{Axis::all(m), Axis::all(n), unknowns.data.get(), unknowns.ld()};
  (left ? of_unknowns.cols : of_unknowns.rows) = shares;
  Exchange sides_in(team, b, of_unknowns, sizeof(E));

  Buffer<E> whole;
  Axis everything{order, By::rank, {}, {}};
  for (int rank = 0; rank < team.size(); ++rank) everything.members.push_back(rank * std::int64_t{share} < sides);
  if (reads) {
    if (own > 0) whole = Buffer<E>(by.name, order, order);
    Exchange(team, a, {everything, everything, whole.data.get(), std::max(order, 1)}, sizeof(E), mask).finish();
  }
  sides_in.finish();
  if (own > 0) solve(whole, unknowns);
  Exchange(team, of_unknowns, b, sizeof(E)).finish();
}

}  // namespace accublas::pblas
