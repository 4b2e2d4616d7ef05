#include "lib/runtime/run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "lib/base/error.hpp"
#include "lib/base/exceptions.hpp"
#include "lib/base/stack.hpp"
#include "lib/call/accuracy.hpp"
#include "lib/runtime/counters.hpp"
#include "lib/runtime/operand_exceptions.hpp"
#include "lib/runtime/report.hpp"

namespace accublas {

namespace {

/// Returns addresses that stand for a user's buffer, whatever its size, in a rehearsal. They have its alignment.
/// Nothing accesses them, and no array has them: on x86-64 bits 56 to 63 of an address are equal, and on AArch64 bit 55
/// is the kernel's. They are not reserved, since a limit of the process (ulimit -v) may leave no room for so many.
std::span<std::byte> imagined_memory(const void* buffer) {
  constexpr std::uintptr_t begin = 0x40F0'0000'0000'0000;
  constexpr std::size_t more_than_any_call_takes = std::size_t{1} << 40;
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(buffer) % Workspace::device_alignment;
  return {reinterpret_cast<std::byte*>(begin + offset), more_than_any_call_takes};
}

}  // namespace

Run::Run(Context& context, Routine routine, const accublas_options* options)
    : context_(context),
      resolved_(options ? (own_ = context.resolved(routine, *options)) : context.resolved(routine)),
      report_(context.last.numbers),
      plan_(context.last.plan),
      routine_(routine),
      inner_(context.in_flow) {
  if (defined_environment(resolved_.plan)) environment_.emplace();
  context_.last.begin(resolved_.plan);
  report_.level = resolved_.settings.report_level;
  timed_ = report_.level >= 1 || shows();
  if (timed_) watch_.emplace();
}

Run::~Run() {
  if (finished_ || !shows()) return;
  try {
    print(false);
  } catch (...) {  // no memory for a line of log; the call's own error is on its way
  }
}

void Run::require_scalar(const Named& scalar) const {
  if (where(scalar).kind == MemoryKind::device && !scalars_on_device()) not_host(scalar.name);
}

void Run::operands(std::span<const Named> arrays, std::initializer_list<Named> scalars, const CallShape& sizes) {
  const Residence residence = residence_of(context_, arrays, resolved_.settings.backend);
  on_device_ = residence.on_device;
  const int device = residence.device;
  for (const Named& scalar : scalars) {
    if (scalars_on_device() != (where(scalar).kind == MemoryKind::device) &&
        where(scalar).kind != MemoryKind::managed) {
      if (!scalars_on_device()) not_host(scalar.name);
      throw Error(ACCUBLAS_ERROR_POINTERS,
                  std::string("argument ") + scalar.name + " is in host memory, and the pointer mode is device");
    }
  }
  if (scalars_on_device() && !on_device_)
    throw Error(ACCUBLAS_ERROR_POINTERS, "the pointer mode is device, and the operands are in host memory");
  if (!on_device_ && context_.host_operands_follow_stream) wait_for_stream();
  shape_ = sizes;
  if (!on_device_ && !plan_.by_shape()) return;
  shape_.on_device = on_device_, shape_.judged = resolved_.settings.target > 0;
  shape_.device = on_device_ && device >= 0 ? device : context_.device();
  plan_ = resolved_.plan_for(shape_);
  // GEMV and the inner products have kernels for operands that cuBLAS does not accept.
  const bool by_cublas = plan_.backend == ACCUBLAS_BACKEND_CUDA && is_complex_routine(routine_) &&
                         !bit_defined(mode()) && !(plan_.engine_forced && plan_.engine != ACCUBLAS_ENGINE_NATIVE);
  if (on_device_ && by_cublas && routine_.operation != Operation::gemv &&
      !between(routine_.operation, Operation::dotu, Operation::dotc)) {
    require_alignment(arrays);
    if (scalars_on_device()) require_alignment(std::span(scalars.begin(), scalars.size()));
  }
  if (plan_.backend == ACCUBLAS_BACKEND_CUDA) use_device(on_device_ ? device : -1);
}

void Run::wait_for_stream() {
  std::string message;
  if (cuda_backend().device_count(message) == 0) return;
  const accublas_status status = context_.state_on().synchronize(message);
  if (status != ACCUBLAS_SUCCESS) throw Error(status, message);
}

void Run::result_only(const Named& result) {
  if (scalars_on_device()) {
    operands({result}, {result}, {});
  } else if (where(result).kind == MemoryKind::device) {
    not_host(result.name);
  }
}

void Run::require_host_matrix(const char* matrices, Index i, const void* pointer) const {
  if (!cuda_backend().locate(pointer).is_on_device() && context_.host_memory.holds(pointer)) return;
  const std::string element = std::string(matrices) + "[" + std::to_string(i) + "]";
  if (where({element.c_str(), pointer}).kind == MemoryKind::device) not_host(element.c_str());
}

template <class T>
void Run::promise(Index k, T alpha) {
  const Bound bound = promised_bound(routine_, mode(), k, alpha);
  put_bound(report_, bound);
  const double target = resolved_.settings.target;
  const bool known = bound_is_a_priori(mode()) || k == 0 || alpha == 0;
  if (!(target > 0) || !known || keeps(bound, target)) return;
  const std::string word = mode_word(mode(), is_single(routine_)), wanted = scientific(target);
  const double promised = bound.relative + bound.componentwise;
  throw Error(ACCUBLAS_ERROR_ACCURACY, std::isfinite(promised)
                                           ? "mode " + word + " promises " + scientific(promised) +
                                                 " for k = " + std::to_string(k) + ", which misses the target " + wanted
                                           : "mode " + word + " promises no bound, and the target is " + wanted +
                                                 ": choose a mode that has one");
}
#define ACCUBLAS_INSTANTIATE(E) template void Run::promise(Index, E);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

/// The whole engine runs on a stack that suffices for the real BLAS, so that missing memory for a stack is an error
/// before anything is written.
void Run::serve(const AnyCall& call, accublas_engine engine, BackendState* state, Execution& execution) {
  Backend& backend = backend_of(plan_);
  call.engine = engine;
  std::function<void()> signal;
  if (plan_.backend != ACCUBLAS_BACKEND_CPU && !on_device_ && bit_defined(mode()))
    signal = watch_exceptions(call, execution);
  std::int64_t finite = 0;  // finite results signal nothing
  execution.finite_results = signal ? &finite : nullptr;
  with_stack(backend.stack(routine_, engine), [&] { backend.compute(call, state, execution); });
  if (signal && finite < report_.m * report_.n * report_.batch_count) signal();
}

void Run::compute_any(const AnyCall& call) {
  if (plan_.backend == ACCUBLAS_BACKEND_CUDA) use_device(-1);
  const std::size_t cap = workspace_cap();
  const bool own = users_workspace_serves();
  Workspace workspace(cap, own ? context_.workspace : nullptr, own ? context_.workspace_bytes : 0);
  Execution execution{lanes(workspace), cpu::detected_isa(), workspace, report_, resolved_.settings.target};
  execution.engine_forced = plan_.engine_forced;
  if (!on_device_) execution.devices = resolved_.settings.devices;
  context_.last.on_device = plan_.backend == ACCUBLAS_BACKEND_CUDA;
  try {
    serve(call, plan_.engine, context_.device_state.get(), execution);
  } catch (const Error& error) {
    if (!leaves_call_to_others(error)) throw;
    compute_otherwise(call, execution, cap, error);
  }
  if (plan_.backend == ACCUBLAS_BACKEND_CPU) {
    report_.threads = execution.threads;
    report_.workspace_bytes = static_cast<std::int64_t>(workspace.peak());
  }
}

void Run::compose_erased(const std::function<std::int64_t(Workspace&)>& body) {
  const bool own = users_workspace_serves();
  Workspace workspace(workspace_cap(), own ? context_.workspace : nullptr, own ? context_.workspace_bytes : 0);
  context_.last.on_device = on_device_;
  std::int64_t inner = 0;
  if (on_device_ && own) fit_flow(workspace, body);
  try {
    run_inner_calls([&] { inner = body(workspace); });
  } catch (const TooSmall&) {
    if (on_device_) throw;
    Workspace rehearsal(Workspace::unlimited(workspace.buffer()));
    run_inner_calls([&] { body(rehearsal); });
    refuse(workspace, rehearsal.peak());
  }
  report_.threads = threads_for(resolved_.settings);
  report_.workspace_bytes = static_cast<std::int64_t>(workspace.peak()) + inner;
}

/// Rethrows the current exception, which is `error`. If the flow `wrote` to a result, the status becomes
/// ACCUBLAS_ERROR_C_UNDEFINED. Otherwise a call that failed with that status has lost memory of the flow alone, and the
/// status becomes that of the failure itself.
void Run::fail_flow(const std::exception& error, bool wrote) const {
  const auto* const known = dynamic_cast<const Error*>(&error);
  const accublas_status cause = known ? known->cause() : ACCUBLAS_ERROR_MEMORY;
  if (wrote && !context_.rehearses) throw Error(ACCUBLAS_ERROR_C_UNDEFINED, error.what(), cause);
  if (known && known->status() != cause) throw Error(cause, error.what());
  throw;
}

/// Gives a flow of calls on a device, whose memory is the user's buffer, a plan that fits there with all of its calls:
/// its own, or else the least one. Throws TooSmall, with nothing done, if neither fits. Within a rehearsal the flow
/// takes the least plan, which it falls back to.
void Run::fit_flow(Workspace& workspace, const std::function<std::int64_t(Workspace&)>& body) {
  if (context_.rehearses) return workspace.restart_least(workspace.cap());
  // A rehearsal is a call with an imagined workspace that everything fits into.
  struct Imagined {
    Context& context;
    void* const users;
    const std::size_t users_bytes;
    ~Imagined() {
      context.rehearses = false;
      context.workspace = users;
      context.workspace_bytes = users_bytes;
    }
  };
  const std::span<std::byte> memory = imagined_memory(workspace.buffer());
  const auto bytes_of = [&](std::size_t cap) {
    const Imagined imagined{context_, context_.workspace, context_.workspace_bytes};
    context_.rehearses = true;
    context_.workspace = memory.data();
    context_.workspace_bytes = memory.size();
    Workspace plan(Workspace::Part{memory.data(), memory.size(), cap});
    const std::size_t of_calls =
        cuda_backend().rehearse(workspace.buffer(), memory, [&] { run_inner_calls([&] { body(plan); }); });
    return std::max(of_calls, Workspace::buffer_for(plan.peak()));
  };
  const std::size_t given = workspace.buffer_bytes();
  if (bytes_of(workspace.available()) <= given) return;
  const std::size_t needed = bytes_of(0);
  if (needed > given) Workspace::refuse_buffer(given, needed + Workspace::device_alignment - 1);
  workspace.restart_least(workspace.cap());
}

void Run::certify(Routine routine, const std::function<bool()>& body) {
  routine_ = plan_.routine = routine;
  put_bound(report_, {0, std::numeric_limits<double>::infinity(), 0});
  run_inner_calls([&] { certified_by_device_ = body(); });
  take_exceptions();  // an overflow of the algorithm makes a radius infinite, which the caller sees
  report_.threads = threads_for(resolved_.settings);
  plan_.backend = certified_by_device_ ? ACCUBLAS_BACKEND_CUDA : ACCUBLAS_BACKEND_CPU;
  on_device_ = false;  // nothing is under way any more
}

/// After `body`, also if it throws, report and plan are this call's again.
void Run::run_inner_calls(const std::function<void()>& body) {
  const LastCall mine = context_.last;
  try {
    body();
  } catch (...) {
    context_.last = mine;
    throw;
  }
  context_.last = mine;
}

/// Whether the engine did nothing because it lacks memory, the form of the call or the real BLAS, so that another
/// engine may compute the call.
bool Run::leaves_call_to_others(const Error& error) const {
  // A routine without other engines of a backend uses its flow of calls instead; see follows_native().
  return error.status() == ACCUBLAS_ERROR_MEMORY || error.status() == ACCUBLAS_ERROR_UNAVAILABLE ||
         (error.status() == ACCUBLAS_ERROR_NO_BLAS && plan_.backend == ACCUBLAS_BACKEND_CPU);
}

/// Tries an engine in a new workspace, with `least` by the least plan. Returns false if the engine does nothing.
bool Run::attempt(const AnyCall& call, accublas_engine engine, Execution& execution, std::size_t bytes, bool least) {
  least ? execution.workspace.restart_least(bytes) : execution.workspace.restart(bytes);
  execution.threads = least ? 1 : lanes(execution.workspace);
  try {
    serve(call, engine, context_.device_state.get(), execution);
  } catch (const Error& again) {
    if (!leaves_call_to_others(again)) throw;
    const bool too_small = dynamic_cast<const TooSmall*>(&again) != nullptr;
    if (least && too_small) too_small_ = true;
    if (least && !too_small && again.status() == ACCUBLAS_ERROR_MEMORY) no_memory_ = again;
    return false;
  }
  plan_.engine = engine;
  return true;
}

/// Tries the mode's other engines. A composed routine has none in a backend: compose() takes their place.
bool Run::attempt_others(const AnyCall& call, Execution& execution, std::size_t bytes, bool least) {
  if (plan_.engine_forced || kind_of(routine_) == RoutineKind::composed) return false;
  const accublas_engine tried = plan_.engine;
  for (accublas_engine engine : plan_.engines->on(plan_.backend))
    if (engine != tried && attempt(call, engine, execution, bytes, least)) return true;
  return false;
}

/// Whether the flow of calls takes over from the engine native.
bool Run::follows_native(const Error& error) {
  if (!leaves_call_to_others(error) || plan_.engine_forced ||
      !plan_.engines->on(plan_.backend).has(ACCUBLAS_ENGINE_SUMS))
    return false;
  plan_.engine = ACCUBLAS_ENGINE_SUMS;
  return true;
}

/// Falls back; nothing has been written yet. If memory is short, it tries the plan's engine in a sixteenth of the
/// workspace. Then it tries the mode's other engines, on the CPU the least plan of each, and from a device the CPU. If
/// all fail, an error of memory goes before other errors, since with more memory the call would succeed.
void Run::compute_otherwise(const AnyCall& call, Execution& execution, std::size_t cap, const Error& error) {
  const bool no_memory = error.status() == ACCUBLAS_ERROR_MEMORY;
  if (!no_memory && plan_.backend != ACCUBLAS_BACKEND_CPU)
    return compute_on_cpu(call, execution, error, "the GPU lacks this form of the call");
  const std::size_t less = no_memory ? cap / 16 : cap;
  if (no_memory) {
    Workspace::trim_pool();
    if (!execution.workspace.buffer() && attempt(call, plan_.engine, execution, less)) return;
  }
  if (attempt_others(call, execution, less)) return;
  if (plan_.backend == ACCUBLAS_BACKEND_CPU) {
    if (no_memory && attempt(call, plan_.engine, execution, cap, true)) return;
    if (attempt_others(call, execution, cap, true)) return;
    if (no_memory_) throw *no_memory_;
    if (too_small_) refuse(call, execution);
  }
  compute_on_cpu(call, execution, error, "the device has no memory left");
}

/// Throws an error that says how much memory the least plans of the engines need.
void Run::refuse(const AnyCall& call, const Execution& execution) {
  std::size_t needed = SIZE_MAX;
  const auto rehearse = [&](accublas_engine engine) {
    Workspace workspace(Workspace::unlimited(execution.workspace.buffer()));
    accublas_report_t report = report_;
    Execution with = execution.within(workspace, report);
    with.threads = 1;
    try {
      serve(call, engine, nullptr, with);
      needed = std::min(needed, workspace.peak());
    } catch (const Error&) {  // an engine that cannot serve the call at all
    }
  };
  rehearse(plan_.engine);
  if (!plan_.engine_forced && kind_of(routine_) != RoutineKind::composed)
    for (accublas_engine engine : plan_.engines->on(plan_.backend))
      if (engine != plan_.engine) rehearse(engine);
  if (needed == SIZE_MAX) execution.workspace.refuse();
  refuse(execution.workspace, needed);
}

void Run::refuse(const Workspace& workspace, std::size_t needed) const {
  const auto bytes = [](std::size_t count) { return std::to_string(count) + " bytes"; };
  if (workspace.buffer()) Workspace::refuse_buffer(workspace.buffer_bytes(), Workspace::buffer_for(needed));
  throw Error(ACCUBLAS_ERROR_MEMORY, "the workspace cap of " + bytes(workspace_cap()) +
                                         " is too small: " + bytes(Workspace::cap_for(needed)) + " are needed");
}

/// Computes host operands that were to be copied to a device on the CPU; throws `error` if the CPU cannot compute them
/// either.
void Run::compute_on_cpu(const AnyCall& call, Execution& execution, const Error& error, const char* reason) {
  if (plan_.backend != ACCUBLAS_BACKEND_CUDA || on_device_ || execution.workspace.buffer()) throw error;
  Settings settings = resolved_.settings;
  settings.backend = ACCUBLAS_BACKEND_CPU;
  try {
    plan_ = make_plan(routine_, settings, cpu_backend(), cuda_backend());
  } catch (const Error&) {
    throw error;  // an engine that only the device has
  }
  fit_plan(plan_, shape_, cpu_backend(), cuda_backend());
  plan_.backend_reason = reason;
  context_.last.on_device = false;
  const std::size_t cap = cpu_backend().default_workspace(0);
  if (!attempt(call, plan_.engine, execution, cap) && !attempt_others(call, execution, cap / 16)) throw error;
}

void Run::finish() {
  // No mode of the real BLAS promises bits, and its flags are the call's.
  if (environment_ && plan_.engine == ACCUBLAS_ENGINE_NATIVE && plan_.backend == ACCUBLAS_BACKEND_CPU)
    environment_->keep_flags();
  if (!inner_) count_call(routine_, plan_.engine, certified_by_device_ || context_.last.on_device);
  if (timed_ && !on_device_) report_.ms_total = watch_->milliseconds();
  if (shows()) print(true);
  finished_ = true;
}

/// Prints the line of verbose mode. It does not wait for a call that goes into a graph.
void Run::print(bool success) const {
  const bool captured = context_.last.on_device && context_.device_state && context_.device_state->captured();
  print_call(full_report(context_, !captured), success, inner_);
}

/// Returns the number of threads that the engines size their work by. Only on the CPU do the threads have their memory
/// in the workspace.
int Run::lanes(const Workspace& workspace) const {
  const int threads = threads_for(resolved_.settings);
  return plan_.backend == ACCUBLAS_BACKEND_CPU ? workspace.lanes(threads) : threads;
}

std::size_t Run::workspace_cap() const {
  const std::int64_t set = resolved_.settings.workspace_bytes;
  return set >= 0 ? static_cast<std::size_t>(set) : backend_of(plan_).default_workspace(context_.device());
}

/// The user's workspace is used by the backend that can read it: device memory by its device, host memory by the CPU.
/// Host operands that are copied to a device do not use it, since their work is not ordered with other users of the
/// workspace: replays of graphs, and other contexts on the stream.
bool Run::users_workspace_serves() const {
  if (!context_.workspace) return false;
  const Location location = cuda_backend().locate(context_.workspace);
  if (plan_.backend == ACCUBLAS_BACKEND_CPU) return location.kind != MemoryKind::device;
  return on_device_ && location.is_on_device() && location.device == context_.device();
}

}  // namespace accublas
