// Entries side by side, as kernels read them.
#pragma once

#include "lib/call/problem.hpp"

namespace accublas::cpu {

/// to[i] = entry first + i, i < n; `first` is even.
template <class T>
void copy_entries(const Entries<T>& entries, Index first, Index n, T* to) {
  const Entries<T> from = entries.from(first);
  const Index stride = from.stride;
  if (!from.pairs) {
    for (Index i = 0; i < n; ++i) to[i] = from.data[i * stride];
    return;
  }
  const T *even = from.data + from.swapped, *odd = from.data + !from.swapped;
  const T even_sign = from.negated[0] ? -1 : 1, odd_sign = from.negated[1] ? -1 : 1;
  const auto copy = [=](Index step) {
    for (Index i = 0; i < n / 2; ++i) {
      to[2 * i] = even_sign * even[i * step];
      to[2 * i + 1] = odd_sign * odd[i * step];
    }
  };
  stride == 2 ? copy(2) : copy(stride);
  if (n % 2 == 1) to[n - 1] = even_sign * even[n / 2 * stride];
}

}  // namespace accublas::cpu
