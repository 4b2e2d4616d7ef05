// The maximum of what threads find.
#pragma once

#include <atomic>
#include <type_traits>

namespace accublas {

/// `to`, an atomic number or a reference to one, becomes at least x.
template <class Atomic>
void raise(Atomic&& to, typename std::remove_cvref_t<Atomic>::value_type x) {
  auto seen = to.load(std::memory_order_relaxed);
  while (x > seen && !to.compare_exchange_weak(seen, x, std::memory_order_relaxed)) {
  }
}

}  // namespace accublas
