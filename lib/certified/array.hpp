// Memory that a certified solution needs as a whole. It does not come from Workspace, whose cap serves to choose
// blocks.
#pragma once

#include <cstdlib>
#include <memory>
#include <new>

#include "lib/base/aligned_memory.hpp"
#include "lib/call/place.hpp"

namespace accublas::certified {

/// Numbers in host memory.
class Array {
 public:
  Array() = default;
  /// Allocates numbers that are not initialised.
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

/// Numbers in the memory space of the matrices.
class Placed {
 public:
  Placed() = default;
  /// Allocates numbers that are not initialised.
  Placed(Place& place, Index numbers)
      : memory_(static_cast<double*>(place.take(static_cast<std::size_t>(numbers > 0 ? numbers : 1) * sizeof(double))),
                GiveBack{&place}) {}
  double* data() const { return memory_.get(); }

 private:
  struct GiveBack {
    Place* place;
    void operator()(double* memory) const { place->give_back(memory); }
  };
  std::unique_ptr<double[], GiveBack> memory_;
};

/// Numbers that loops of the host and calls in the memory space of the matrices both work with. In host memory it is
/// one array, otherwise two.
class Mirrored {
 public:
  Mirrored(Place& place, Index numbers)
      : place_(place), bytes_(static_cast<std::size_t>(numbers) * sizeof(double)), here_(numbers) {
    if (place.on_device()) there_ = Placed(place, numbers);
  }
  double* data() const { return here_.data(); }
  double& operator[](Index i) const { return here_[i]; }
  double* there() const { return there_.data() ? there_.data() : here_.data(); }
  void send() const { copy(there_.data(), here_.data()); }
  void fetch() const { copy(here_.data(), there_.data()); }

 private:
  void copy(double* to, const double* from) const {
    if (there_.data() && bytes_ > 0) place_.copy(to, bytes_, from, bytes_, bytes_, 1);
  }

  Place& place_;
  std::size_t bytes_;
  Array here_;
  Placed there_{};
};

}  // namespace accublas::certified
