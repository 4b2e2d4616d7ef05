// Instruction sets and aligned arrays for the tests of the int8 engine's kernels.
#pragma once

#include <cstdlib>
#include <cstring>
#include <vector>

#include "lib/base/integers.hpp"
#include "lib/base/isa.hpp"

namespace accublas_test {

/// The instruction sets of this machine that have kernels.
inline std::vector<accublas::cpu::Isa> levels() {
  std::vector<accublas::cpu::Isa> r;
  using accublas::cpu::Isa;
  for (Isa isa : {Isa::avx2, Isa::avx512, Isa::avx512_vnni, Isa::amx, Isa::neon, Isa::dotprod, Isa::i8mm})
    if (isa <= accublas::cpu::detected_isa()) r.push_back(isa);
  return r;
}

template <class T>
struct Aligned {
  explicit Aligned(std::size_t n)
      : data(static_cast<T*>(std::aligned_alloc(64, accublas::round_up(n * sizeof(T), 64)))) {
    std::memset(static_cast<void*>(data), 0, n * sizeof(T));
  }
  ~Aligned() { std::free(data); }
  Aligned(const Aligned&) = delete;
  T* data;
};

}  // namespace accublas_test
