// The cuBLAS that the program has loaded, past the names that the drop-in serves, and the look-up of names by programs
// that open cuBLAS themselves.
#pragma once

#include <cublas_api.h>

#include <atomic>

namespace accublas::cublas {

/// The real function of a name; null where no cuBLAS is loaded, or it lacks the name. Found by RTLD_NEXT, else in the
/// first libcublas.so that the process has: Python's packages load theirs out of sight.
void* real_symbol(const char* name) noexcept;

/// A function of the real cuBLAS, looked up at its first use.
class Real {
 public:
  explicit constexpr Real(const char* name) : name_(name) {}
  /// Whether there is one.
  explicit operator bool() noexcept {
    void* known = known_.load(std::memory_order_relaxed);
    if (!known) known_.store(known = real_symbol(name_), std::memory_order_relaxed);
    return known != nullptr;
  }
  /// Arguments of exactly the function's types.
  template <class... Arguments>
  cublasStatus_t operator()(Arguments... arguments) noexcept {
    if (!*this) return CUBLAS_STATUS_NOT_INITIALIZED;
    return reinterpret_cast<cublasStatus_t (*)(Arguments...)>(known_.load(std::memory_order_relaxed))(arguments...);
  }

 private:
  const char* name_;
  std::atomic<void*> known_{nullptr};
};

}  // namespace accublas::cublas
