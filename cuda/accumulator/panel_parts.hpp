// A panel in the memory of a device, in parts of its terms if operands in host memory do not fit as a whole.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "cuda/accumulator/steps.hpp"
#include "cuda/core/pool_memory.hpp"
#include "cuda/core/staged_matrix.hpp"
#include "lib/accumulator/calls.hpp"
#include "lib/base/error.hpp"

namespace accublas::cuda {

/// Throws Error(ACCUBLAS_ERROR_MEMORY): `cap` bytes of temporary memory are too few for `what`, and `needed` suffice.
[[noreturn]] inline void refuse_cap(std::size_t cap, std::size_t needed, const char* what) {
  throw Error(ACCUBLAS_ERROR_MEMORY, "the workspace of " + std::to_string(cap) + " bytes is too small for " + what +
                                         " on a device; " + std::to_string(needed) + " bytes suffice");
}

/// Shares of the workspace of a call: one over these numbers. What waits for a product outlives the call and counts in
/// every call. In the first round copies of operands take the rest, in the second one as much as the exact sums.
inline constexpr std::size_t waiting_share = 2, second_round_share = 4;

/// The least number of real terms of a part, except of a panel's last: conversion stores panels in multiples of it.
inline constexpr Index panel_step = 16;

template <class E>
class PanelParts {
 public:
  /// Takes at most `room` bytes of device memory for a part of the operands that are in host memory.
  PanelParts(const AccumulatorPanel<E>& panel, Index m, Index n, const DeviceUse& use, std::size_t room,
             const OrderedStream& steps)
      : panel_(panel), m_(m), n_(n), stages_a_(!use.space.a_there), stages_b_(!use.space.b_there), steps_(steps) {
    terms_ = panel.k;
    if (!stages_a_ && !stages_b_) return;
    const std::size_t term = static_cast<std::size_t>((stages_a_ ? m : 0) + (stages_b_ ? n : 0)) * sizeof(E),
                      ends = 2 * alignment;
    const Index fits = room > ends ? static_cast<Index>((room - ends) / term) : 0;
    if (fits < panel.k) terms_ = fits / panel_step * panel_step;
    const std::size_t share = room < use.cap / waiting_share ? second_round_share : waiting_share;
    if (terms_ == 0) refuse_cap(use.cap, share * (panel_step * term + ends), "a part of a panel");
    AccumulatorPanel<E> first = panel;
    first.k = terms_;
    bytes_ = staged_a(first).bytes() + staged_b(first).bytes();
    memory_.emplace(use.device, steps.stream(), bytes_);
  }

  Index count() const { return ceil_div(panel_.k, terms_); }
  std::size_t bytes() const { return bytes_; }
  /// Returns part i. Its operands are copied unless they are those of the last call. They stay until the next call, in
  /// the stream's order.
  const AccumulatorPanel<E>& at(Index i) {
    if (i == current_) return part_;
    current_ = i;
    const Index first = i * terms_, k = std::min(terms_, panel_.k - first);
    part_ = panel_;
    part_.k = k;
    part_.a = panel_.a.block(0, first);
    part_.b = panel_.b.block(first, 0);
    StagedMatrix<E> a = staged_a(part_), b = staged_b(part_);
    std::byte* next = memory_ ? memory_->data() : nullptr;
    if (stages_a_) part_.a = read_only(a.take(next)), a.copy_in(steps_.stream());
    if (stages_b_) part_.b = read_only(b.take(next)), b.copy_in(steps_.stream());
    return part_;
  }

 private:
  static constexpr std::size_t alignment = 256;  ///< of StagedMatrix

  static Matrix<E> here(const Matrix<const E>& x, bool wanted) {
    return {wanted ? const_cast<E*>(x.data) : nullptr, x.row_stride, x.col_stride};
  }
  /// Host operands are copied in a whole number of columns or rows.
  StagedMatrix<E> staged_a(const AccumulatorPanel<E>& part) const { return {here(part.a, stages_a_), m_, part.k}; }
  StagedMatrix<E> staged_b(const AccumulatorPanel<E>& part) const { return {here(part.b, stages_b_), part.k, n_}; }

  const AccumulatorPanel<E>& panel_;
  const Index m_, n_;
  const bool stages_a_, stages_b_;
  const OrderedStream& steps_;
  Index terms_;  ///< of a part
  std::size_t bytes_ = 0;
  std::optional<PoolMemory> memory_;
  Index current_ = -1;
  AccumulatorPanel<E> part_{};
};

}  // namespace accublas::cuda
