// Operands and factors of calls that compute on the host, wherever the caller has them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "c_api/boundary.hpp"
#include "lib/accumulator/staging.hpp"
#include "lib/numerics/complex.hpp"
#include "lib/runtime/residence.hpp"

namespace accublas {

/// A stored matrix in host memory: the caller's own, or a copy of the caller's matrix in device memory.
template <class E>
class HostMatrix {
 public:
  HostMatrix() = default;
  HostMatrix(Context& context, const char* name, const void* pointer, accublas_layout layout, std::int64_t rows,
             std::int64_t cols, std::int64_t ld, bool reads = true)
      : context_(&context), there_(const_cast<void*>(pointer)), ld_(ld) {
    const Location location = locate(context, {name, pointer, sizeof(E)});
    data_ = static_cast<E*>(there_);
    if (!location.is_on_device()) return;
    device_ = location.device;
    width_ = layout == ACCUBLAS_COL_MAJOR ? rows : cols;
    lines_ = layout == ACCUBLAS_COL_MAJOR ? cols : rows;
    copy_.resize(static_cast<std::size_t>(width_ * lines_));
    data_ = copy_.data();
    ld_ = std::max<std::int64_t>(1, width_);
    of_device_ld_ = bytes(ld);
    if (reads && !copy_.empty())
      copy_lines(context, device_, data_, bytes(width_), there_, of_device_ld_, bytes(width_), lines_);
  }

  bool on_device() const { return device_ >= 0; }
  E* data() const { return data_; }
  std::int64_t ld() const { return ld_; }
  /// Writes a copy back to the device.
  void write_back() const {
    if (!copy_.empty())
      copy_lines(*context_, device_, there_, of_device_ld_, data_, bytes(width_), bytes(width_), lines_);
  }

 private:
  static std::size_t bytes(std::int64_t numbers) { return static_cast<std::size_t>(numbers) * sizeof(E); }

  Context* context_ = nullptr;
  void* there_ = nullptr;
  E* data_ = nullptr;
  std::int64_t ld_ = 1, width_ = 0, lines_ = 0;
  std::size_t of_device_ld_ = 0;
  int device_ = -1;
  std::vector<E> copy_;
};

/// Returns alpha or beta, from the memory that the pointer mode names.
template <class E>
E host_factor(Context& context, const char* name, const void* pointer) {
  const Location location = locate(context, {name, pointer, sizeof(E)});
  if (context.pointer_mode == ACCUBLAS_POINTER_HOST) {
    if (location.kind == MemoryKind::device) not_host(name);
    return *static_cast<const E*>(pointer);
  }
  if (!location.is_on_device())
    throw Error(ACCUBLAS_ERROR_POINTERS,
                std::string("argument ") + name + " is in host memory, but the pointer mode is device");
  E value{};
  copy_lines(context, location.device, &value, sizeof value, pointer, sizeof value, sizeof value, 1);
  return value;
}

}  // namespace accublas
