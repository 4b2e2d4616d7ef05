// Finds where the operands of a call are.
#pragma once

#include <cstddef>
#include <span>

#include "lib/call/backend.hpp"
#include "lib/runtime/context.hpp"

namespace accublas {

/// An operand under the name of its argument.
struct Named {
  const char* name;
  const void* pointer;
  std::size_t number = 1;  ///< bytes of one of its numbers, or 1
};

/// The memory space of the operands of a call.
struct Residence {
  bool on_device = false;
  int device = -1;  ///< of device and managed memory
};

/// Throws the error of an address that is not in host memory but must be.
[[noreturn]] void not_host(const char* name);

/// Returns the memory space of an argument. Throws Error if it is NULL or neither host nor device memory.
Location locate(Context& context, const Named& argument);

/// Returns where the arguments are: all in host memory or all in the memory of one device. Throws
/// Error(ACCUBLAS_ERROR_POINTERS) otherwise. Managed memory alone is used in place by the device, unless the backend
/// `asked` for is the CPU.
Residence residence_of(Context& context, std::span<const Named> arrays, accublas_backend asked);

/// Requires that a complex number in device memory is aligned to its size, because cuBLAS loads it at once. Throws
/// Error(ACCUBLAS_ERROR_UNAVAILABLE) otherwise.
void require_alignment(std::span<const Named> arguments);

}  // namespace accublas
