// How several devices share the columns of a factorization. Code without CUDA, so that it is tested without a GPU.
#pragma once

#include <algorithm>

#include "lib/base/integers.hpp"
#include "lib/call/problem.hpp"

namespace accublas::cuda {

/// The devices take panels of columns in turn. A device has what the panels before its own contribute to these, and
/// factors each panel when the device before it has factored the previous one.
struct PanelShares {
  Index n = 0;        ///< columns of the matrix
  Index order = 0;    ///< columns that are factored; the others are right-hand sides
  Index columns = 0;  ///< of a panel; 0: one device has all columns
  Index devices = 0;

  /// Panels of fewer columns are not worth their own products, and wider ones leave devices idle at the end.
  static constexpr Index least_columns = 512, most_columns = 2048, step = 256;
  /// The number of columns is a multiple of this, so that blocks of unknowns (solve_block_unknowns) end with a panel.
  static constexpr Index least_step = 64;
  /// Panels of a device, unless that makes them too narrow or too wide.
  static constexpr Index wanted = 6;

  /// Plans a factorization for at most `devices` devices. `most`: columns whose panel fits a device's workspace.
  static PanelShares plan(Index n, Index order, Index devices, Index most) {
    const Index equal = round_up(ceil_div(order, wanted * devices), step);
    Index columns = std::min(std::clamp(equal, least_columns, most_columns), most / step * step);
    // A panel of a single column has no order, and its complex products would have no name in BLAS.
    while (columns > 0 && n % columns == 1) columns -= least_step;
    PanelShares shares{n, order, columns, devices};
    if (columns == 0) return shares;
    shares.devices = std::min(devices, shares.panels());
    if (shares.devices < 2) shares.columns = 0;
    return shares;
  }

  Index panels() const { return ceil_div(n, columns); }
  /// Returns the number of panels that have columns of L.
  Index blocks() const { return ceil_div(order, columns); }
  Index device_of(Index panel) const { return panel % devices; }
  Index first_of(Index panel) const { return panel * columns; }
  Index end_of(Index panel) const { return std::min(n, (panel + 1) * columns); }
  /// Returns how many columns of a panel are factored.
  Index factored(Index panel) const { return std::max(std::min(end_of(panel), order) - first_of(panel), Index{0}); }
  /// Whether a device has panels after this one.
  bool needs(Index device, Index panel) const {
    for (Index later = panel + 1; later < std::min(panel + 1 + devices, panels()); ++later)
      if (device_of(later) == device) return true;
    return false;
  }
  /// Calls body(first, end) for the blocks before a panel, in groups. The first group has those that were factored when
  /// the panel's device had factored its previous panel. The others follow one by one, since they are factored
  /// meanwhile. So products do not depend on times.
  template <class Body>
  void for_groups(Index panel, Body&& body) const {
    const Index known = std::min(panel, blocks());
    for (Index first = 0, end = 0; first < known; first = end) {
      end = std::min(first == 0 ? std::max(panel - devices + 1, Index{1}) : first + 1, known);
      body(first, end);
    }
  }
};

}  // namespace accublas::cuda
