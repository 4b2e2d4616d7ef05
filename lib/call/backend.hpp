// The interface between the library and a backend: the CPU, a CUDA device, or a stub without a device. No CUDA type
// appears here. The stub is a Backend whose functions report that it is not available.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <variant>

#include "lib/base/error.hpp"
#include "lib/call/batch.hpp"
#include "lib/call/element_steps.hpp"
#include "lib/call/engines.hpp"
#include "lib/call/execution.hpp"
#include "lib/call/factorization_batch.hpp"
#include "lib/call/level2.hpp"
#include "lib/call/level3.hpp"
#include "lib/call/orthogonal_batch.hpp"
#include "lib/call/problem.hpp"
#include "lib/call/routine.hpp"
#include "lib/numerics/complex.hpp"

namespace accublas {

enum class MemoryKind { host, device, managed };

/// The memory space of an address.
struct Location {
  MemoryKind kind;
  int device;  ///< of device and managed memory
  bool is_on_device() const { return kind != MemoryKind::host; }
};

/// Properties of a call, besides the settings, on which the choice of backend and engine may depend: sizes
/// (gemm_batched: of a matrix; gemv: m outputs, k terms; dot, nrm2, asum: k terms), and whether the operands are on the
/// device.
struct CallShape {
  CallShape() = default;
  CallShape(Index m, Index n, Index k, bool on_device = false) : m(m), n(n), k(k), on_device(on_device) {}

  Index m = 0, n = 0, k = 0;
  bool on_device = false;
  int device = 0;
  bool judged = false;  ///< the call has a target (accublas_set_target)

  friend bool operator==(const CallShape&, const CallShape&) = default;
};

/// Per-context state that a backend keeps (stream, cuBLAS handle, device-side error flag, workspace in graph capture).
class BackendState {
 public:
  virtual ~BackendState() = default;
  virtual int device() const = 0;
  /// Whether the last call was captured into a graph: results that only the device knows are not available before the
  /// graph runs.
  virtual bool captured() const = 0;
  /// Waits for the last call and fills in the fields that only the device knows.
  virtual void complete(accublas_report_t& report) = 0;
  virtual void set_stream(void* stream) = 0;
  virtual void* stream() const = 0;
  /// Waits for the stream and for calls on earlier streams; returns and clears the first asynchronous error.
  virtual accublas_status synchronize(std::string& message) = 0;
  /// Waits like `synchronize`, but for the calls of this state alone. The context calls it at its end, when the user's
  /// stream may be gone.
  virtual accublas_status finish(std::string& message) = 0;
};

/// A scalar lives on the host, by value, or on the device, by address (read on the stream).
template <class T>
struct ScalarArgument {
  const T* pointer;
  bool on_device;
};

/// A routine call as a backend sees it. The operands are all on the host or all on the device; scalars are passed by
/// reference. With device operands the call may only scale C (alpha = 0 or k = 0) or write a zero (DOT with n = 0).
template <class Problem, class T>
struct Call {
  const Problem& problem;  ///< alpha and beta inside are valid only where the scalars are on the host
  ScalarArgument<T> alpha, beta;
  bool operands_on_device;
  bool result_on_device;  ///< DOT, NRM2, ASUM: where *result lives
  const Mode& mode;
  accublas_engine engine;  ///< one of the table's (lib/call/engines.hpp)
};

/// The list of the problems that backends compute: first those of numbers of any type, then those of real numbers
/// alone. A new problem needs an entry in this list and a function of each backend.
template <class E>
using CallsOf = std::tuple<Call<Gemm<E>, E>*, Call<GemmBatch<E>, E>*, Call<Gemv<E>, E>*, Call<Dot<E>, E>*,
                           Call<Level2<E>, E>*, Call<Level3<E>, E>*, Call<Factorization<E>, E>*,
                           Call<Orthogonal<E>, E>*, Call<FactorizationBatch<E>, E>*, Call<OrthogonalBatch<E>, E>*>;
template <class T>
using RealCallsOf = std::tuple<Call<MixedDot<T>, T>*, Call<Reduction<T>, T>*>;

namespace detail {
template <class... One>
std::variant<One...> one_of(std::tuple<One...>);
}  // namespace detail

/// A call of any problem of the list.
struct AnyCall {
  decltype(detail::one_of(std::tuple_cat(CallsOf<double>(), CallsOf<float>(), CallsOf<Complex<double>>(),
                                         CallsOf<Complex<float>>(), RealCallsOf<double>(), RealCallsOf<float>()))) call;
  accublas_engine& engine;  ///< the call's
};

/// The memory that receives a call's element steps, which are of the type of its numbers.
template <class E>
using StepsPlace = std::unique_ptr<ElementSteps<E>>*;
using AnySteps =
    std::variant<StepsPlace<double>, StepsPlace<float>, StepsPlace<Complex<double>>, StepsPlace<Complex<float>>>;

/// Whether a call has no product to compute: its sums have no terms, or alpha is known to be zero. The engines, and the
/// real BLAS and cuBLAS, never see such a call. With k = 0 they may want larger leading dimensions than the caller has
/// to give.
template <class E>
bool no_product(Index terms, const ScalarArgument<E>& alpha) {
  return terms == 0 || (!alpha.on_device && *alpha.pointer == 0);
}
template <class E>
bool no_product(const Call<Gemm<E>, E>& call) {
  return no_product(call.problem.k, call.alpha);
}

/// The engine for a call that requests no engine.
struct Choice {
  accublas_engine engine;
  bool by_shape = false;  ///< another shape may have another one
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual const char* name() const noexcept = 0;
  /// Returns the number of devices that can be used now. If there is none, `reason` says why. The CPU counts as one
  /// device.
  virtual int device_count(std::string& reason) const = 0;
  /// Whether there were devices before this process was forked.
  virtual bool lost_by_fork() const { return false; }
  virtual std::string device_name(int device) const = 0;
  /// Returns the memory space of an address. An address that is not in a device's memory counts as the host's. The
  /// function never faults, whatever the address. The answer holds for this call only: memory that was the host's may
  /// be a device's later.
  virtual Location locate(const void* pointer) const = 0;
  /// Chooses one of `engines`, this backend's list for routine and mode.
  virtual Choice choose(const EngineList& engines, Routine, const Mode&, const CallShape&) const {
    return {engines.first()};
  }
  /// Whether this backend computes on host operands of this shape faster than the CPU, copies included.
  virtual bool worth_copying(Routine, const Mode&, const CallShape&) const { return false; }
  /// Returns how many bytes of stack the functions below may need for a routine by an engine, 0 if they keep to the 64
  /// KiB that accublas asks of its callers.
  virtual std::size_t stack(Routine, accublas_engine) const { return 0; }
  /// Returns the cap of a call's workspace in bytes if none is set.
  virtual std::size_t default_workspace(int device) const = 0;
  virtual std::unique_ptr<BackendState> make_state(int device) = 0;
  /// Runs body(), in which calls of this thread compute nothing and take memory in appearance only, by their least
  /// plans. `memory` stands for the user's buffer: addresses that nobody may access, and that the backend locates where
  /// the buffer is. Returns how many bytes from `memory` on the calls take at most. Only backends whose flows of calls
  /// (lib/lapack) have the user's buffer implement it.
  virtual std::size_t rehearse(const void* /*buffer*/, std::span<std::byte> /*memory*/,
                               const std::function<void()>& /*body*/) {
    throw Error(ACCUBLAS_ERROR_INTERNAL, "a flow of calls is rehearsed on a backend that has no rehearsals");
  }

  /// Computes a call by its engine, on host operands or on this backend's. A form of the call that the engine lacks is
  /// Error(ACCUBLAS_ERROR_UNAVAILABLE), thrown before anything is changed. Of a batch all matrices are computed, or
  /// none if memory is missing; one that misses the target is unchanged, and the others are computed.
  virtual void compute(const AnyCall&, BackendState*, Execution&) = 0;

  /// Sets up the element steps that the flows of lib/lapack/ run in this backend's memory, for the length of one call,
  /// with its workspace and its report level.
  virtual void begin_steps(AnySteps, BackendState*, Workspace&, int level) = 0;
};

Backend& cpu_backend();
/// Returns the CUDA backend, or a stub that answers "not in this build" or "no device".
Backend& cuda_backend();

}  // namespace accublas
