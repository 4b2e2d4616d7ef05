#include "lib/context.hpp"

#include "lib/error.hpp"
#include "lib/thread_pool.hpp"

using accublas::Resolved;
using accublas::Routine;

namespace {

Resolved make_resolved(Routine routine, const accublas::Level* call, const accublas::Level& context) {
  const accublas::Environment& environment = accublas::environment();
  if (!environment.error.empty()) throw accublas::Error(ACCUBLAS_ERROR_ENVIRONMENT, environment.error);
  Resolved made;
  made.settings = accublas::resolve(routine, call, context, environment.level, accublas::build_settings());
  made.plan = accublas::make_plan(routine, made.settings, {}, accublas::cpu_backend(), accublas::cuda_backend());
  made.valid = true;
  return made;
}

}  // namespace

accublas_context::accublas_context() {
  // The program's OpenMP runtime may have been loaded since the last look.
  accublas::in_openmp_parallel_region(true);
}

Resolved accublas_context::resolved(Routine routine, const accublas_options& options) {
  const accublas::Level call = accublas::call_level(options);
  return make_resolved(routine, &call, level);
}

const Resolved& accublas_context::resolve_again(Routine routine) {
  return cache_[static_cast<int>(routine)] = make_resolved(routine, nullptr, level);
}

void accublas_context::settings_changed() noexcept {
  for (Resolved& known : cache_) known.valid = false;
}

namespace accublas {

namespace {

// Two variables: the plain pointer needs no guard at each access; the owner frees the context when the thread ends.
thread_local Context* current = nullptr;

struct Owner {
  ~Owner() {
    delete current;
    current = nullptr;
  }
};

Context& make_default_context() {
  static thread_local Owner owner;
  (void)owner;
  current = new Context;
  return *current;
}

}  // namespace

Context& default_context() { return current ? *current : make_default_context(); }

}  // namespace accublas
