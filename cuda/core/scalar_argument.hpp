// Scalars of a call as kernels take them.
#pragma once

#include "cuda/core/operand.hpp"
#include "lib/call/backend.hpp"

namespace accublas::cuda {

/// Of a zero +0: beside a beta of -0 cuBLAS may read C.
template <class T>
T unsigned_zero(T value) {
  return value == 0 ? T(0) : value;
}

template <class T>
Scalar<T> device_scalar(const ScalarArgument<T>& argument) {
  return argument.on_device ? Scalar<T>{T(0), argument.pointer} : Scalar<T>{unsigned_zero(*argument.pointer), nullptr};
}

}  // namespace accublas::cuda
