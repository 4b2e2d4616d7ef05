// Operands measured on the device, and plans of passes, for tests of what is done with them.
#pragma once

#include <utility>
#include <vector>

#include "cuda/core/call_state.hpp"
#include "cuda/int8/whole_pass.hpp"
#include "cuda/scaling/measure.hpp"
#include "test/gpu/operands.hpp"

namespace accublas::test {

using cuda::PassPlan, cuda::whole_pass;

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

}  // namespace accublas::test
