// Steps of flows in host memory.
#pragma once

#include "lib/base/workspace.hpp"
#include "lib/call/element_steps.hpp"

namespace accublas::cpu {

template <class E>
class HostSteps final : public ElementSteps<E> {
 public:
  explicit HostSteps(Workspace& workspace) : workspace_(workspace) {}

  std::byte* take_bytes(std::size_t bytes) override { return workspace_.take<std::byte>(bytes); }
  void run(const ElementStep<E>& step, Index rows, Index cols) override {
    std::visit(
        [&](const auto& one) {
          for (Index j = 0; j < cols; ++j)
            for (Index i = 0; i < rows; ++i) one(i, j);
        },
        step);
  }
  Index first(const ElementQuestion<E>& question, Index rows, Index cols) override {
    for (Index j = 0; j < cols; ++j)
      for (Index i = 0; i < rows; ++i)
        if (question(i, j)) return i + j * rows;
    return -1;
  }
  E read(const E* from) override { return *from; }
  void reflect(const ReflectorsOfColumns<E>& made) override {
    for (Index j = 0; j < made.count; ++j) {
      made.pivot(j);
      for (Index k = j; k < made.columns; ++k) made.turn(j, k);
      for (Index i = j + 1; i < made.count; ++i) made.divide(i, j);
      for (Index k = j + 1; k < made.count; ++k)
        for (Index i = j + 1; i < made.count; ++i) made.subtract(i, k, j);
    }
  }
  void put(std::int64_t* to, std::int64_t value) override { *to = value; }
  using ElementSteps<E>::put;
  void exchange(const Matrix<E>& b, Index columns, const Pivots& pivots, Index count, bool backwards) override {
    swap_rows(b, 0, columns, pivots, 0, count, backwards);
  }

 private:
  Workspace& workspace_;
};

}  // namespace accublas::cpu
