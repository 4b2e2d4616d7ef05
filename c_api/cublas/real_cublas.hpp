// Finds the cuBLAS that the program has loaded, behind the names that the drop-in serves, and answers programs that
// open cuBLAS and look names up themselves.
#pragma once

#include <cublas_api.h>

#include <atomic>

namespace accublas::cublas {

/// Returns the real function of a name, or null if no cuBLAS is loaded or it lacks the name. It uses RTLD_NEXT, or else
/// the first libcublas.so of the process, because Python's packages load theirs with local scope. For names of cublasLt
/// it uses libcublasLt.so.
void* real_symbol(const char* name) noexcept;

/// Returns whether an address is in the code of cuBLAS, which itself calls cublasLt.
bool is_in_cublas(const void* address) noexcept;

/// A function of the real cuBLAS, looked up at its first use.
class Real {
 public:
  explicit constexpr Real(const char* name) : name_(name) {}
  /// Whether the function exists.
  explicit operator bool() noexcept {
    void* known = known_.load(std::memory_order_relaxed);
    if (!known) known_.store(known = real_symbol(name_), std::memory_order_relaxed);
    return known != nullptr;
  }
  /// Calls the function; the arguments must have exactly its types.
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
