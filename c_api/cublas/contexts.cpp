#include "c_api/cublas/contexts.hpp"

#include <atomic>
#include <new>

#include "c_api/cublas/driver.hpp"
#include "c_api/private.hpp"

namespace accublas::cublas {
namespace {

/// An entry of a list of contexts that only grows, so that threads walk it without a lock. An entry belongs to one
/// thread, which alone fills it. When that thread ends, the next thread that needs a context for this handle and device
/// takes the entry over, because captured graphs use a context's memory for as long as the handle exists.
struct Place {
  std::atomic<bool> taken{true};
  std::atomic<const void*> handle{nullptr};  ///< null: there is no context
  int device = -1;
  std::atomic<accublas_context*> context{nullptr};
  Place* next = nullptr;
  Place* next_own = nullptr;

  bool is_of(const void* wanted, int on_device) const {
    return handle.load(std::memory_order_acquire) == wanted && device == on_device;
  }
};
constinit std::atomic<Place*> places{nullptr};
constinit thread_local Place* own = nullptr;

void take(Place* place) {
  place->next_own = own;
  own = place;
}

struct LeaveAll {
  ~LeaveAll() {
    while (Place* const place = own) {
      own = place->next_own;
      place->taken.store(false, std::memory_order_release);
    }
  }
  void at_the_end_of_the_thread() const {}
};
thread_local const LeaveAll leave_all;

/// Returns the thread's entry with that context, or else an empty one; null if there is no memory.
Place* place_of(const void* handle, int device) noexcept {
  Place* empty = nullptr;
  for (Place* place = own; place; place = place->next_own) {
    if (place->is_of(handle, device)) return place;
    if (place->is_of(nullptr, place->device)) empty = place;
  }
  leave_all.at_the_end_of_the_thread();
  for (Place* place = places.load(std::memory_order_acquire); place; place = place->next) {
    if (place->taken.load(std::memory_order_relaxed) || place->taken.exchange(true, std::memory_order_acquire))
      continue;
    if (place->is_of(handle, device)) return take(place), place;
    if (!empty && place->is_of(nullptr, place->device))
      take(empty = place);
    else
      place->taken.store(false, std::memory_order_release);
  }
  if (empty) return empty;
  Place* const made = new (std::nothrow) Place;
  if (!made) return nullptr;
  made->next = places.load(std::memory_order_relaxed);
  while (!places.compare_exchange_weak(made->next, made, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return take(made), made;
}

}  // namespace

accublas_context* context_of(const void* handle, accublas_status& status) noexcept {
  const int device = current_device();
  Place* const place = place_of(handle, device);
  if (!place) return nullptr;
  if (accublas_context* const known = place->context.load(std::memory_order_relaxed)) return known;
  accublas_context* made = nullptr;
  status = accublas_create(&made);
  if (status != ACCUBLAS_SUCCESS) return nullptr;
  accublas_private_follow_stream(made);
  accublas_private_let_operands_overlap(made, true);
  if (device >= 0) accublas_set_device(made, device);
  place->device = device;
  place->context.store(made, std::memory_order_relaxed);
  place->handle.store(handle, std::memory_order_release);
  return made;
}

void forget(const void* handle) noexcept {
  for (Place* place = places.load(std::memory_order_acquire); place; place = place->next) {
    if (place->handle.load(std::memory_order_acquire) != handle) continue;
    accublas_destroy(place->context.exchange(nullptr, std::memory_order_relaxed));
    place->handle.store(nullptr, std::memory_order_release);
  }
}

}  // namespace accublas::cublas
