// The narrow interface between the library and a place to compute: the CPU, a CUDA device, or none. No CUDA type appears
// here; a backend that is not there is a value that answers so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "lib/execution.hpp"
#include "lib/mode.hpp"
#include "lib/problem.hpp"
#include "lib/routine.hpp"

namespace accublas {

enum class MemoryKind { host, device, managed };

/// Per-context state that a backend keeps (stream, cuBLAS handle, device-side error flag, workspace in graph capture).
class BackendState {
 public:
  virtual ~BackendState() = default;
  virtual void set_stream(void* stream) = 0;
  virtual void* stream() const = 0;
  /// Waits for the stream; returns and clears the first asynchronous error.
  virtual accublas_status synchronize(std::string& message) = 0;
};

/// Where a scalar lives: on the host by value, or on the device by address (read on the stream).
template <class T>
struct ScalarArgument {
  const T* pointer;
  bool on_device;
};

/// A routine call as a backend sees it: operands all host or all device, scalars by reference.
template <class Problem, class T>
struct Call {
  const Problem& problem;  ///< alpha and beta inside are valid only where the scalars are on the host
  ScalarArgument<T> alpha, beta;
  bool operands_on_device;
  bool result_on_device;  ///< DOT: where *result lives
  const Mode& mode;
  accublas_engine engine;  ///< one of engines(routine, mode)
};

/// Engines that serve a routine in a mode, the one that runs where none is asked for first.
struct EngineList {
  accublas_engine engines[4] = {};
  int count = 0;

  constexpr EngineList() = default;
  template <class... E>
  constexpr explicit EngineList(accublas_engine first, E... rest) : engines{first, rest...}, count(1 + sizeof...(rest)) {}
  constexpr const accublas_engine* begin() const { return engines; }
  constexpr const accublas_engine* end() const { return engines + count; }
  constexpr bool has(accublas_engine engine) const {
    for (accublas_engine e : *this)
      if (e == engine) return true;
    return false;
  }
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual const char* name() const noexcept = 0;
  /// Devices that can be used now; why there is none goes to `reason`. The CPU is one device.
  virtual int device_count(std::string& reason) const = 0;
  virtual std::string device_name(int device) const = 0;
  /// Where a pointer lives. Never faults, whatever the address.
  virtual MemoryKind memory_kind(const void* pointer) const = 0;
  /// Empty where the backend lacks the mode.
  virtual EngineList engines(Routine routine, const Mode& mode) const = 0;
  virtual std::unique_ptr<BackendState> make_state(int device) = 0;

  virtual void gemm(const Call<Gemm<double>, double>&, BackendState*, Execution&) = 0;
  virtual void gemm(const Call<Gemm<float>, float>&, BackendState*, Execution&) = 0;
  virtual void gemv(const Call<Gemv<double>, double>&, BackendState*, Execution&) = 0;
  virtual void gemv(const Call<Gemv<float>, float>&, BackendState*, Execution&) = 0;
  virtual void dot(const Call<Dot<double>, double>&, BackendState*, Execution&) = 0;
  virtual void dot(const Call<Dot<float>, float>&, BackendState*, Execution&) = 0;
};

Backend& cpu_backend();
/// The CUDA backend, or the one that answers "not in this build" or "no device".
Backend& cuda_backend();

}  // namespace accublas
