// Operands measured on the device, and plans of passes, for tests of what is done with them.
#pragma once

#include <utility>
#include <vector>

#include "cuda/core/call_state.hpp"
#include "cuda/scaling/measure.hpp"
#include "test/gpu/operands.hpp"

namespace accublas::test {

using cuda::PassPlan;

/// An operand, its lines as measured, and their copies.
template <class T>
struct MeasuredOperand {
  TestOperand<T> x;
  TestLines device;
  HostLines host;
  MeasuredOperand(std::vector<std::vector<T>> lines, Index k, const Layout& layout)
      : x(std::move(lines), k, layout), device(x.operand().count, k, false), host(measured()) {}

 private:
  const TestLines& measured() {
    DeviceArray<cuda::CallState> state(1);
    state.zero();
    const Operand<T> none{nullptr, 1, 1, 0, x.operand().k};
    cuda::measure(device_model(), x.operand(), device.lines(), none, Lines{}, true, state.data(), nullptr);
    return device;
  }
};

inline PassPlan plan_of(bool interval, int row_bits, int col_bits, int moduli, Index block_rows, Index block_cols) {
  PassPlan plan{};
  plan.active = 1;
  plan.interval = interval;
  plan.row_bits = row_bits;
  plan.col_bits = col_bits;
  plan.row_peak = row_bits;
  plan.col_peak = col_bits;
  plan.moduli = moduli;
  plan.block_rows = block_rows;
  plan.block_cols = block_cols;
  return plan;
}

}  // namespace accublas::test
