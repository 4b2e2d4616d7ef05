// Code that the routines of the drop-in for cuBLAS share: whether accublas computes a call, in which context, and what
// happens if it fails.
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <type_traits>

#include "c_api/cublas/driver.hpp"
#include "c_api/cublas/real_cublas.hpp"
#include "c_api/private.hpp"
#include "lib/call/batch.hpp"
#include "lib/call/level1.hpp"
#include "lib/call/level2.hpp"
#include "lib/call/level3.hpp"

namespace accublas::cublas {

/// Converts cuBLAS's enums to accublas's; 0 for anything else.
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

// These functions make calls from their arguments. Factors, which may be in device memory, are passed separately. An
// operand that the routine lacks is null.
template <class E>
Level1<E> level1(const Level1Shape& shape, const void*, const void* x, const void* y, void* result) {
  return {shape, E{}, x, y, result};
}
template <class E>
Level2<E> level2(const Level2Shape& shape, const void*, const void* a, const void* x, const void* y, const void*,
                 void* c) {
  return {shape,
          E{1},
          static_cast<const E*>(a),
          static_cast<const E*>(x),
          static_cast<const E*>(y),
          E{1},
          static_cast<E*>(c)};
}
template <class E>
Level3<E> level3(const Level3Shape& shape, const void*, const void* a, const void* b, const void*, void* c) {
  return {shape, E{}, static_cast<const E*>(a), static_cast<const E*>(b), E{}, static_cast<E*>(c)};
}
template <class E, class Operand>
BatchCall<E> batched(const BatchShape& shape, const void*, Operand* a, Operand* b, const void*, const void* c) {
  return batch_call<E>(shape, a, b, c);
}
constexpr const char* no_factor = nullptr;  ///< of a routine that has no alpha or beta
/// Whether the routine has a factor and it is null.
template <class A>
bool is_missing(const A* factor) {
  return !std::is_same_v<A, char> && !factor;
}

/// Whether the arguments are valid and there is work to do; otherwise cuBLAS answers with its status. cuBLAS also
/// computes batches whose results overlap, and a TRMM whose C is B with another leading dimension.
constexpr bool has_work(const Level1Shape& s) { return s.n > 0 && (!is_norm(s.kind) || s.incx > 0); }
constexpr bool has_work(const BatchShape& s) {
  return !check_batch(ACCUBLAS_COL_MAJOR, s) && s.m > 0 && s.n > 0 && s.batch_count > 0;
}
template <class E>
bool has_work(const Level2<E>& l) {
  return !check_level2(ACCUBLAS_COL_MAJOR, l) && l.rows() > 0 && l.cols() > 0 && l.inner() > 0;
}
template <class E>
bool has_work(const Level3<E>& l) {
  const bool moves = l.kind == Operation::trmm;
  return !check_level3(ACCUBLAS_COL_MAJOR, l) && l.rows() > 0 && l.cols() > 0 &&
         (!moves || (l.ldc >= l.m && (l.b != l.c || l.ldb == l.ldc)));
}

/// A call on its way to accublas.
class Way {
 public:
  /// `call` is one of the calls above.
  Way(cublasHandle_t handle, Routine routine, const void* call) noexcept;
  /// Begins a call of cublasLt. The caller passes the stream and the pointer mode, which cublasLt's handle does not
  /// have.
  Way(cublasLtHandle_t handle, cudaStream_t stream, bool factors_on_device, Routine routine, const void* call) noexcept;

  /// Whether the real cuBLAS computes the call: the mode is native, or the handle's math mode asks for other arithmetic
  /// than the types'.
  bool forwarded() const { return !context_ && prepared_ == ACCUBLAS_SUCCESS; }
  /// This thread's context for the handle and its device, with the handle's stream and pointer mode.
  accublas_context* context() const { return context_; }
  cudaStream_t stream() const { return stream_; }
  /// Returns the error that prevented the context from being made or from taking the stream and the mode, or success.
  accublas_status prepared() const { return prepared_; }
  /// Whether factors are still in device memory.
  bool factors_on_device() const { return factors_on_device_; }
  /// Call this when the factors have been read.
  void factors_are_on_host() noexcept;

  /// Call this after a failure. Returns whether the real cuBLAS is to compute the call, as the failure handler decides;
  /// otherwise sets `status` to what the caller gets.
  bool falls_back(accublas_status failed, cublasStatus_t& status) const noexcept;

 private:
  void begin(const void* handle, Routine routine, const void* call) noexcept;

  accublas_context* context_ = nullptr;
  cudaStream_t stream_ = nullptr;
  accublas_status prepared_ = ACCUBLAS_SUCCESS;
  bool factors_on_device_ = false;
};

/// A factor of a routine that takes it in host memory alone. It is read from the device if it is there.
template <class E>
class Factor {
 public:
  Factor(const Way& way, const E* where) : where_(where) {
    if (way.factors_on_device() && where && read_number(&value_, where, sizeof value_, way.stream())) where_ = &value_;
  }
  /// Whether the factor is in host memory, or the routine has none.
  bool is_on_host() const { return !where_ || where_ == &value_; }
  const void* where() const { return where_; }

 private:
  E value_;
  const E* where_;
};

/// Runs a call whose factors follow the pointer mode, except those of HER2K and of level 2 other than GEMV, which
/// accublas takes in host memory alone.
template <class Call, class A, class B>
accublas_status run_by_pointer_mode(Way& way, const Call& call, const A* alpha, const B* beta) {
  const Routine routine = call.routine();
  const auto run_with = [&](const void* a, const void* b) {
    return accublas_private_run_unchecked(way.context(), routine, &call, a, b);
  };
  if (!way.factors_on_device() || !(is_level2(routine) || routine == Operation::her2k)) return run_with(alpha, beta);
  const Factor<A> a(way, alpha);
  const Factor<B> b(way, beta);
  if (a.is_on_host() && b.is_on_host()) way.factors_are_on_host();
  return run_with(a.where(), b.where());
}

template <class Call, class A, class B>
accublas_status run(Way& way, const Call& call, const A* alpha, const B* beta) {
  return run_by_pointer_mode(way, call, alpha, beta);
}
/// cuBLAS's TRMM is out of place: B is copied to C if C is another matrix.
template <class E, class A, class B>
accublas_status run(Way& way, Level3<E> call, const A* alpha, const B* beta) {
  if (call.kind == Operation::trmm) {
    constexpr std::int64_t bytes = sizeof(E);
    if (call.b != call.c && call.b && call.c &&
        !copy_matrix(call.m * bytes, call.n, call.b, call.ldb * bytes, call.c, call.ldc * bytes, way.stream()))
      return accublas_set_last_error(way.context(), ACCUBLAS_ERROR_DEVICE, "TRMM: B could not be copied to C");
    call.b = nullptr;
    call.ldb = call.ldc;
  }
  return run_by_pointer_mode(way, call, alpha, beta);
}

/// Computes a call by accublas, or by the real function with the handle and `arguments`.
template <class Call, class A, class B, class... Arguments>
cublasStatus_t serve(Real& real, const Call& call, const A* alpha, const B* beta, cublasHandle_t handle,
                     Arguments... arguments) {
  if (!has_work(call)) return real(handle, arguments...);
  Way way(handle, call.routine(), &call);
  if (way.forwarded()) return real(handle, arguments...);
  if (is_missing(alpha) || is_missing(beta)) return CUBLAS_STATUS_INVALID_VALUE;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  const accublas_status failed = way.prepared() == ACCUBLAS_SUCCESS ? run(way, call, alpha, beta) : way.prepared();
  return failed != ACCUBLAS_SUCCESS && way.falls_back(failed, status) ? real(handle, arguments...) : status;
}

struct Types {
  cudaDataType_t a, b, c;
  cublasComputeType_t compute;
};

/// Returns use(E{}) for numbers E of a type, or otherwise() if accublas does not have their arithmetic: for other
/// types, or a compute type that asks for other arithmetic than the type's.
template <class Use, class Otherwise>
cublasStatus_t with_numbers(std::int32_t compute, std::int32_t type, Use&& use, Otherwise&& otherwise) {
  const bool single = compute == CUBLAS_COMPUTE_32F || compute == CUBLAS_COMPUTE_32F_PEDANTIC;
  const bool twice = compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC;
  if (type == CUDA_R_64F && twice) return use(double{});
  if (type == CUDA_C_64F && twice) return use(Complex<double>{});
  if (type == CUDA_R_32F && single) return use(float{});
  if (type == CUDA_C_32F && single) return use(Complex<float>{});
  return otherwise();
}

/// Computes a call that names its types; make(E{}) returns the call for numbers E. The real function computes it if
/// accublas has no such product: for other types, or a compute type that asks for other arithmetic than the types'.
template <class Make, class... Arguments>
cublasStatus_t serve_typed(Real& real, const Types& types, Make make, const void* alpha, const void* beta,
                           Arguments... arguments) {
  const auto with = [&](auto element) {
    using E = decltype(element);
    return serve(real, make(element), static_cast<const E*>(alpha), static_cast<const E*>(beta), arguments...);
  };
  const auto forward = [&] { return real(arguments...); };
  if (types.a != types.b || types.a != types.c) return forward();
  return with_numbers(types.compute, types.a, with, forward);
}

}  // namespace accublas::cublas
