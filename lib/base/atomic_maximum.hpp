// The maximum of numbers that several threads find.
#pragma once

#include <atomic>
#include <type_traits>

namespace accublas {

/// Raises `to`, an atomic number or a reference to one, to at least x.
template <class Atomic>
void raise(Atomic&& to, typename std::remove_cvref_t<Atomic>::value_type x) {
  auto seen = to.load(std::memory_order_relaxed);
  while (x > seen && !to.compare_exchange_weak(seen, x, std::memory_order_relaxed)) {
  }
}

}  // namespace accublas
