// Converts scalar arguments of a call to the form that kernels take.
#pragma once

#include "cuda/core/operand.hpp"
#include "lib/call/backend.hpp"

namespace accublas::cuda {

/// Returns the value, with +0 for any zero: if beta is -0, cuBLAS may read C.
template <class T>
T unsigned_zero(T value) {
  return value == 0 ? T(0) : value;
}

template <class T>
Scalar<T> device_scalar(const ScalarArgument<T>& argument) {
  return argument.on_device ? Scalar<T>{T(0), argument.pointer} : Scalar<T>{unsigned_zero(*argument.pointer), nullptr};
}

}  // namespace accublas::cuda
