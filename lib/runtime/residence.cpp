#include "lib/runtime/residence.hpp"

#include <cstdint>
#include <string>

#include "lib/base/error.hpp"

namespace accublas {

void not_host(const char* name) {
  std::string reason;
  if (cuda_backend().device_count(reason) == 0)
    throw Error(ACCUBLAS_ERROR_NO_DEVICE, std::string("argument ") + name + " is not in host memory, and " + reason);
  throw Error(ACCUBLAS_ERROR_POINTERS,
              std::string("argument ") + name + " is in device memory, others are in host memory");
}

Location locate(Context& context, const Named& argument) {
  if (!argument.pointer) throw Error(ACCUBLAS_ERROR_ARGUMENT, std::string("argument ") + argument.name + " is NULL");
  const Location location = cuda_backend().locate(argument.pointer);
  if (!location.is_on_device() && !context.host_memory.holds(argument.pointer)) {
    std::string reason;
    // Memory that the host cannot read can only be meant for a device.
    if (cuda_backend().device_count(reason) == 0) not_host(argument.name);
    throw Error(ACCUBLAS_ERROR_POINTERS,
                std::string("argument ") + argument.name + " is neither in host nor in device memory");
  }
  return location;
}

Residence residence_of(Context& context, std::span<const Named> arrays, accublas_backend asked) {
  Residence residence;
  bool any_host = false;
  const Named* on_device = nullptr;  // the first such
  for (const Named& array : arrays) {
    const Location location = locate(context, array);
    any_host |= !location.is_on_device();
    if (location.kind == MemoryKind::device && !on_device) on_device = &array;
    if (!location.is_on_device()) continue;
    if (residence.device >= 0 && location.device != residence.device)
      throw Error(ACCUBLAS_ERROR_POINTERS, std::string("argument ") + array.name + " is on another device than others");
    residence.device = location.device;
  }
  if (any_host && on_device) not_host(on_device->name);
  residence.on_device = on_device || (residence.device >= 0 && !any_host && asked != ACCUBLAS_BACKEND_CPU);
  return residence;
}

void require_alignment(std::span<const Named> arguments) {
  for (const Named& argument : arguments)
    if (reinterpret_cast<std::uintptr_t>(argument.pointer) % argument.number != 0)
      throw Error(ACCUBLAS_ERROR_UNAVAILABLE,
                  std::string("argument ") + argument.name +
                      " is at an address in device memory that is not a multiple of " +
                      std::to_string(argument.number) +
                      " bytes, the size of its numbers, as cuBLAS needs; the modes that define bits take it");
}

}  // namespace accublas
