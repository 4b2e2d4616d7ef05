// Checks whether an address is host memory that can be read, without touching it: a wrong or device pointer becomes a
// status.
#pragma once

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#endif
#include <cstdint>

namespace accublas {

/// Asks the kernel by a system call that has no side effects. The kernel copies a signal set from the address before it
/// finds that the requested operation does not exist: EFAULT for an address that cannot be read, EINVAL otherwise.
inline bool readable(const void* pointer) {
#if defined(__linux__)
  constexpr std::size_t set_bytes = 8;
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(pointer) & ~std::uintptr_t{set_bytes - 1};
  if (address == 0) return false;  // address 0 would mean that there is no set
  const int saved = errno;
  const long result = syscall(SYS_rt_sigprocmask, ~0, address, nullptr, set_bytes);
  const bool fault = result == -1 && errno == EFAULT;
  errno = saved;
  return !fault;
#else
  (void)pointer;
  return true;
#endif
}

/// Remembers the neighbourhoods (2 MiB) that were found readable, so that calls in a loop on the same arrays ask once.
/// No cache remembers whether readable memory is also a device's.
class HostMemory {
 public:
  bool holds(const void* pointer) {
    const std::uintptr_t region = reinterpret_cast<std::uintptr_t>(pointer) >> 21;
    std::uintptr_t& known = known_[region % slots];
    if (known == region && region != 0) return true;
    if (!readable(pointer)) return false;
    known = region;
    return true;
  }

 private:
  static constexpr std::uintptr_t slots = 32;
  std::uintptr_t known_[slots] = {};
};

}  // namespace accublas
