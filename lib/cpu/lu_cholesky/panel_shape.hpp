// The shape of LU's panels (panel.hpp) in a given workspace: columns, and rows that a thread takes at a time.
#pragma once

#include <algorithm>

#include "lib/base/workspace.hpp"
#include "lib/cpu/lu_cholesky/pivot_candidate.hpp"
#include "lib/cpu/trsm/line_sums.hpp"
#include "lib/cpu/tuning/tuning.hpp"

namespace accublas::cpu {

struct PanelShape {
  Index width, together;
  bool by_columns;  ///< there is no room for the sums of all rows
};

/// Returns how many rows of L with so many terms a thread takes at a time, at most.
template <class E>
Index most_rows_together(Index terms) {
  return std::clamp<Index>(tuning().triangular.cached / LineSums<E>::numbers(terms), 4,
                           TriangularTuning::most_together);
}

/// Returns the shape of panels of at most `edge` columns, in a matrix of m rows whose columns up to `order` they
/// factor.
template <class E>
PanelShape panel_shape(Index m, Index order, Index edge, Index threads, const Workspace& workspace) {
  using T = RealOf<E>;
  constexpr Index parts = parts_of<E>, alignment = 64 * 12;
  PanelShape shape{std::clamp<Index>(edge, 1, order), most_rows_together<E>(order), false};
  const auto each = [&] { return (parts + shape.together) * LineSums<E>::numbers(order); };
  const auto bytes_of = [&](Index width) {
    return m * (width + 1) * parts * Index{sizeof(TripleSum)} + width * Index{sizeof(double)} +
           (m + width + 2 * parts) * LineSums<E>::numbers(width) * Index{sizeof(T)};
  };
  const Index fixed = threads * each() * Index{sizeof(T)} + m * Index{sizeof(Index) + sizeof(double) + sizeof(int)};
  // A quarter of the workspace is for the Sweep that solves with the panels.
  const Index available = static_cast<Index>(workspace.available()) / 4 * 3, least = tuning().triangular.least_columns;
  while (shape.width > least && fixed + bytes_of(shape.width) > available)
    shape.width = std::max(least, shape.width / 2);
  shape.by_columns =
      workspace.least() || static_cast<std::size_t>(fixed + bytes_of(shape.width) + alignment) > workspace.left();
  if (!shape.by_columns) return shape;
  shape.width = 1;
  const auto bytes = [&] {
    return threads * (each() * Index{sizeof(T)} + parts * shape.together * Index{sizeof(TripleSum)});
  };
  while (shape.together > 1 && bytes() > available) shape.together /= 2;
  return shape;
}

}  // namespace accublas::cpu
