#include "lib/runtime/context.hpp"

#include <pthread.h>

#include <new>

#include "lib/base/error.hpp"
#include "lib/base/fork_safe.hpp"
#include "lib/base/thread_pool.hpp"

using accublas::Resolved;
using accublas::Routine;

namespace {

Resolved make_resolved(Routine routine, const accublas::Level* call, const accublas::Level& context) {
  Resolved made;
  made.settings =
      accublas::resolve(routine, call, context, accublas::valid_environment().level, accublas::build_settings());
  made.plan = accublas::make_plan(routine, made.settings, accublas::cpu_backend(), accublas::cuda_backend());
  made.valid = true;
  return made;
}

}  // namespace

accublas_context::accublas_context() {
  // The program may have loaded its OpenMP runtime since the last look.
  accublas::in_openmp_parallel_region(true);
}

Resolved accublas_context::resolved(Routine routine, const accublas_options& options) {
  const accublas::Level call = accublas::call_level(options);
  return make_resolved(routine, &call, level);
}

const Resolved& accublas_context::resolve_again(Routine routine) {
  return cache_[number_of(routine)] = make_resolved(routine, nullptr, level);
}

int accublas_context::device() const {
  if (device_state) return device_state->device();
  const accublas::Level& environment = accublas::valid_environment().level;
  const int set = level.device >= 0 ? level.device : environment.device;
  if (set >= 0) return set;
  const std::vector<int>& devices = level.devices.empty() ? environment.devices : level.devices;
  return devices.empty() ? 0 : devices.front();
}

accublas::BackendState& accublas_context::state_on(int wanted, const char* what) {
  if (!device_state) {
    const bool set = level.device >= 0 || accublas::valid_environment().level.device >= 0;
    device_state = accublas::cuda_backend().make_state(wanted >= 0 && !set ? wanted : device());
  }
  if (wanted >= 0 && wanted != device_state->device())
    throw accublas::Error(ACCUBLAS_ERROR_POINTERS, std::string(what) + " on device " + std::to_string(wanted) +
                                                       ", the context works on device " +
                                                       std::to_string(device_state->device()));
  return *device_state;
}

void accublas_context::leave_device() {
  if (!device_state) return;
  std::string message;
  const accublas_status status = device_state->finish(message);
  device_state.reset();
  if (status != ACCUBLAS_SUCCESS) throw accublas::Error(status, message);
}

void accublas_context::settings_changed() noexcept {
  for (Resolved& known : cache_) known.valid = false;
}

namespace accublas {

namespace {

struct DefaultContext {
  Context context;
  bool thread_ends = false;
};

/// The key of the threads' default contexts. A thread_local variable would not do: its destructor would run before
/// those of the program's keys, which may call the library again, and glibc aborts if it has no memory to register it.
/// The key is never deleted, since the library is never unloaded; the main thread's context lives until the process
/// ends.
struct Key {
  Key() {
    if (pthread_key_create(&key, [](void* own) { end_of_thread(own); }) != 0)
      throw Error(ACCUBLAS_ERROR_MEMORY, "no pthread key is left for the threads' default contexts");
  }
  ~Key() { pthread_key_delete(key); }  // another thread's is used
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;

  static void end_of_thread(void* own);

  pthread_key_t key;
};
constinit Lazy<const Key> default_key;

/// Destructors of keys run in rounds, up to PTHREAD_DESTRUCTOR_ITERATIONS if values are set again. The context outlives
/// the first round, so that the program's destructors find their thread's settings. If a later destructor makes another
/// context, that one goes in a later round.
void Key::end_of_thread(void* own) {
  auto* const mine = static_cast<DefaultContext*>(own);
  if (!mine->thread_ends) {
    mine->thread_ends = true;
    if (pthread_setspecific(default_key.known()->key, mine) == 0) return;
  }
  delete mine;
}

Context& make_default_context(pthread_key_t key) {
  auto made = std::make_unique<DefaultContext>();
  if (pthread_setspecific(key, made.get()) != 0) throw std::bad_alloc();
  return made.release()->context;
}

}  // namespace

Context& default_context() {
  const pthread_key_t key = default_key.get().key;
  void* const mine = pthread_getspecific(key);
  return mine ? static_cast<DefaultContext*>(mine)->context : make_default_context(key);
}

}  // namespace accublas
