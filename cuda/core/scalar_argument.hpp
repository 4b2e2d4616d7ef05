// Scalars of a call as kernels take them.
#pragma once

#include "cuda/core/operand.hpp"
#include "lib/call/backend.hpp"

namespace accublas::cuda {

template <class T>
Scalar<T> device_scalar(const ScalarArgument<T>& argument) {
  return argument.on_device ? Scalar<T>{T(0), argument.pointer} : Scalar<T>{*argument.pointer, nullptr};
}

}  // namespace accublas::cuda
