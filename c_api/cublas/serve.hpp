// Code that the routines of the drop-in share: whether accublas serves a call, in which context, and what follows when
// it fails.
#pragma once

#include <cublas_api.h>

#include <cstdint>
#include <type_traits>

#include "c_api/cublas/driver.hpp"
#include "c_api/cublas/real_cublas.hpp"
#include "include/accublas.h"
#include "lib/call/arguments.hpp"
#include "lib/call/routine.hpp"

namespace accublas::cublas {

/// cuBLAS's words as accublas's; 0 for anything else.
constexpr accublas_transpose transpose_of(cublasOperation_t op) {
  return op == CUBLAS_OP_N   ? ACCUBLAS_NO_TRANS
         : op == CUBLAS_OP_T ? ACCUBLAS_TRANS
         : op == CUBLAS_OP_C ? ACCUBLAS_CONJ_TRANS
                             : 0;
}
constexpr accublas_uplo uplo_of(cublasFillMode_t uplo) {
  return uplo == CUBLAS_FILL_MODE_UPPER ? ACCUBLAS_UPPER : uplo == CUBLAS_FILL_MODE_LOWER ? ACCUBLAS_LOWER : 0;
}
constexpr accublas_side side_of(cublasSideMode_t side) {
  return side == CUBLAS_SIDE_LEFT ? ACCUBLAS_LEFT : side == CUBLAS_SIDE_RIGHT ? ACCUBLAS_RIGHT : 0;
}
constexpr accublas_diag diag_of(cublasDiagType_t diag) {
  return diag == CUBLAS_DIAG_NON_UNIT ? ACCUBLAS_NON_UNIT : diag == CUBLAS_DIAG_UNIT ? ACCUBLAS_UNIT : 0;
}

/// Traits of numbers as cuBLAS has them.
template <class E>
constexpr bool complex_numbers = std::is_same_v<E, cuDoubleComplex> || std::is_same_v<E, cuComplex>;

/// The call that accublas would be asked for; sizes as the report has them.
struct Request {
  cublasHandle_t handle;
  Routine routine;
  std::int64_t m, n, k;
  bool serves;  ///< the arguments are good, and there is something to do; else cuBLAS answers, with its status
};

/// A call on its way to accublas.
class Call {
 public:
  explicit Call(const Request&) noexcept;

  /// The real cuBLAS serves it: the request is for nothing, the mode is cuBLAS's own, or the handle's math mode asks
  /// for other arithmetic than the types have.
  bool forwarded() const { return !context_ && prepared_ == ACCUBLAS_SUCCESS; }
  /// This thread's context for the handle and its device, with the handle's stream and pointer mode.
  accublas_context* context() const { return context_; }
  cudaStream_t stream() const { return stream_; }
  /// The error that kept the context from being made, or from taking the stream and the mode; else success.
  accublas_status prepared() const { return prepared_; }
  /// Whether factors lie in device memory still.
  bool factors_on_device() const { return factors_on_device_; }
  /// They were read.
  void factors_are_on_host() noexcept;

  /// After a failure: whether the real cuBLAS is to serve the call, as the failure handler says; else `status` is what
  /// the caller is told.
  bool falls_back(accublas_status failed, cublasStatus_t& status) const noexcept;

 private:
  accublas_context* context_ = nullptr;
  cudaStream_t stream_ = nullptr;
  accublas_status prepared_ = ACCUBLAS_SUCCESS;
  bool factors_on_device_ = false;
};

/// A factor of a routine that takes it in host memory alone: read from the device where it lies there.
template <class E>
class Factor {
 public:
  Factor(Call& call, const E* where) : where_(where) {
    if (!call.factors_on_device() || !where || !read_number(&value_, where, sizeof value_, call.stream())) return;
    where_ = &value_;
  }
  bool read() const { return where_ == &value_; }
  operator const E*() const { return where_; }

 private:
  E value_;
  const E* where_;
};

/// Runs `run(call)`, an accublas_status, or calls the real function with `arguments`.
template <class Run, class... Arguments>
cublasStatus_t serve(const Request& request, Real& real, Run run, Arguments... arguments) {
  Call call(request);
  if (call.forwarded()) return real(arguments...);
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  const accublas_status failed = call.prepared() == ACCUBLAS_SUCCESS ? run(call) : call.prepared();
  return failed != ACCUBLAS_SUCCESS && call.falls_back(failed, status) ? real(arguments...) : status;
}

/// Serves routines that take their factors in host memory alone; otherwise the contract of the function above.
template <class E, class B, class Run>
accublas_status with_factors(Call& call, const E* alpha, const B* beta, Run run) {
  const Factor<E> a(call, alpha);
  const Factor<B> b(call, beta);
  if (a.read() && (b.read() || !beta)) call.factors_are_on_host();
  return run(static_cast<const E*>(a), static_cast<const B*>(b));
}

}  // namespace accublas::cublas

/// Both forms of every name: DEFINE is a macro (name, suffix, integer type, ...) that defines one entry point.
#define ACCUBLAS_CUBLAS_NAMES(DEFINE, name, ...) \
  DEFINE(name, name, std::int32_t, __VA_ARGS__)  \
  DEFINE(name, name##_64, std::int64_t, __VA_ARGS__)

/// The real function behind an entry point.
#define ACCUBLAS_CUBLAS_REAL(symbol) static constinit Real real(#symbol)
