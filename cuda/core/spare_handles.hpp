// Handles of NVIDIA's libraries that no call uses.
#pragma once

#include <mutex>
#include <new>
#include <vector>

namespace accublas::cuda {

/// Keeps handles that are given back, for the next users.
template <class Handle>
class SpareHandles {
 public:
  /// Returns a spare handle of the device, or null if there is none.
  Handle take(int device) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto spare = spares_.begin(); spare != spares_.end(); ++spare)
      if (spare->device == device) {
        const Handle handle = spare->handle;
        spares_.erase(spare);
        return handle;
      }
    return nullptr;
  }
  void give(int device, Handle handle) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    try {
      spares_.push_back({device, handle});
    } catch (const std::bad_alloc&) {  // the handle is lost, not the process
    }
  }

 private:
  struct Spare {
    int device;
    Handle handle;
  };
  std::mutex mutex_;
  std::vector<Spare> spares_;
};

}  // namespace accublas::cuda
