// Matrices that a certified solution needs whole: not Workspace, whose cap is there to be blocked under.
#pragma once

#include <cstdlib>
#include <memory>
#include <new>

#include "lib/base/aligned_memory.hpp"
#include "lib/call/problem.hpp"

namespace accublas::certified {

class Array {
 public:
  Array() = default;
  /// Not initialised.
  explicit Array(Index numbers) {
    std::size_t bytes = static_cast<std::size_t>(numbers > 0 ? numbers : 1) * sizeof(double);
    memory_.reset(static_cast<double*>(allocate_aligned(bytes)));
    if (!memory_) throw std::bad_alloc();
  }
  double* data() const { return memory_.get(); }
  double& operator[](Index i) const { return memory_.get()[i]; }

 private:
  struct Free {
    void operator()(double* memory) const { std::free(memory); }
  };
  std::unique_ptr<double[], Free> memory_;
};

}  // namespace accublas::certified
