// This file finds, loads and calls cuBLAS.
#include "cuda/core/cublas.hpp"

#include <string>

#include "cuda/core/rehearsal.hpp"
#include "cuda/core/scalar_argument.hpp"
#include "cuda/core/spare_handles.hpp"
#include "cuda/core/vendor_library.hpp"
#include "lib/base/error.hpp"
#include "lib/call/cublas_environment.hpp"

namespace accublas::cuda {
namespace {

/// The functions of cuBLAS that accublas calls. The 64-bit entry points came with version 12, so version 11 is not
/// enough.
struct Functions {
  decltype(&cublasCreate_v2) create;
  decltype(&cublasDestroy_v2) destroy;
  decltype(&cublasGetStatusString) status_string;
  decltype(&cublasSetStream_v2) set_stream;
  decltype(&cublasSetWorkspace_v2) set_workspace;
  decltype(&cublasSetPointerMode_v2) set_pointer_mode;
  decltype(&cublasSetMathMode) set_math_mode;
  void *gemm_ex, *strided_batched[2], *batched[2];  ///< batches in double and in single precision
  void* routine[routine_count];                     ///< indexed by number_of; null for those that are not called
};

/// Returns whether accublas calls cuBLAS's routine.
bool is_called(Routine routine) {
  const Operation operation = routine.operation;
  if (is_norm(operation)) return !is_complex_routine(routine);
  return operation == Operation::gemm || operation == Operation::gemv || operation == Operation::dot ||
         is_level2(operation) || between(operation, Operation::dotu, Operation::dotc) ||
         (is_level3(operation) && operation != Operation::gemmt);
}

/// Fills `f` from a library. Returns false if that lacks a function.
bool find_all(void* library, Functions& f) {
  bool complete = find_function(library, "cublasCreate_v2", &f.create) &&
                  find_function(library, "cublasDestroy_v2", &f.destroy) &&
                  find_function(library, "cublasGetStatusString", &f.status_string) &&
                  find_function(library, "cublasSetStream_v2", &f.set_stream) &&
                  find_function(library, "cublasSetWorkspace_v2", &f.set_workspace) &&
                  find_function(library, "cublasSetPointerMode_v2", &f.set_pointer_mode) &&
                  find_function(library, "cublasSetMathMode", &f.set_math_mode) &&
                  find_function(library, "cublasGemmEx_64", &f.gemm_ex) &&
                  find_function(library, "cublasDgemmStridedBatched_64", &f.strided_batched[0]) &&
                  find_function(library, "cublasSgemmStridedBatched_64", &f.strided_batched[1]) &&
                  find_function(library, "cublasDgemmBatched_64", &f.batched[0]) &&
                  find_function(library, "cublasSgemmBatched_64", &f.batched[1]);
  for (Routine routine : all_routines) {
    if (!is_called(routine)) continue;
    std::string function = std::string("cublas") + routine_name(routine) + "_v2_64";
    function[6] = static_cast<char>(function[6] - 'a' + 'A');
    complete = complete && find_function(library, function.c_str(), &f.routine[number_of(routine)]);
  }
  return complete;
}

const Functions& functions() {
  // The first thread to get here loads; a failed load is tried again.
  static const Functions f = load_vendor_library<Functions>("cuBLAS", {"libcublas.so.13", "libcublas.so.12"}, find_all);
  return f;
}

void check_cublas(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(status == CUBLAS_STATUS_ALLOC_FAILED ? ACCUBLAS_ERROR_MEMORY : ACCUBLAS_ERROR_DEVICE,
              std::string(what) + ": " + functions().status_string(status));
}

SpareHandles<cublasHandle_t>& spare_handles() {
  static SpareHandles<cublasHandle_t>* const spares = new SpareHandles<cublasHandle_t>;
  return *spares;
}

}  // namespace

Cublas::Cublas(int device) : device_(device) {
  const Functions& f = functions();
  handle_ = spare_handles().take(device);
  if (handle_) return;
  check_cublas(f.create(&handle_), "cublasCreate");
  // The pedantic mode costs up to 27 % (DGEMM, n = 4096: 2.9 against 2.3 ms, with equal bits), so it is set only if the
  // environment asks for emulation.
  if (!environment_asks_for_emulation()) return;
  try {
    check_cublas(f.set_math_mode(handle_, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
  } catch (...) {
    f.destroy(handle_);
    throw;
  }
}

Cublas::~Cublas() { spare_handles().give(device_, handle_); }

/// A failed allocation leaves the result untouched only in the first product of a call. In a later product this
/// function throws ACCUBLAS_ERROR_C_UNDEFINED.
void Cublas::check_product(cublasStatus_t status, const char* name) {
  if (status == CUBLAS_STATUS_SUCCESS) {
    ++products_;
    return;
  }
  const std::string what = std::string("cuBLAS's ") + name;
  if (status == CUBLAS_STATUS_ALLOC_FAILED && products_ > 0)
    throw Error(ACCUBLAS_ERROR_C_UNDEFINED, what + ": " + functions().status_string(status), ACCUBLAS_ERROR_MEMORY);
  check_cublas(status, what.c_str());
}

void* Cublas::function_of(Routine routine) { return functions().routine[number_of(routine)]; }

void Cublas::begin(cudaStream_t stream, void* workspace, std::size_t bytes) {
  if (rehearses()) return;
  products_ = 0;
  if (begun_ && stream == stream_ && !workspace && !workspace_) return;
  begun_ = false;
  // Setting the stream resets the workspace to the handle's own, so the order matters.
  check_cublas(functions().set_stream(handle_, stream), "cublasSetStream");
  if (workspace) check_cublas(functions().set_workspace(handle_, workspace, bytes), "cublasSetWorkspace");
  stream_ = stream;
  workspace_ = workspace;
  begun_ = true;
}

void Cublas::scalars_on_device(bool on_device) {
  if (rehearses()) return;
  check_cublas(functions().set_pointer_mode(handle_, on_device ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST),
               "cublasSetPointerMode");
}

/// Returns cuBLAS's name of a transposition. For real types a conjugate transposition is a transposition, as in BLAS.
template <class E>
static cublasOperation_t operation_of(accublas_transpose trans) {
  if (trans == ACCUBLAS_NO_TRANS) return CUBLAS_OP_N;
  return is_complex<E> && trans == ACCUBLAS_CONJ_TRANS ? CUBLAS_OP_C : CUBLAS_OP_T;
}
static cublasFillMode_t fill_mode(Triangle part) {
  return part == Triangle::upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
}
static cublasDiagType_t diagonal_type(accublas_diag diag) {
  return diag == ACCUBLAS_UNIT ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
}

template <class E>
void Cublas::level3(const Level3<E>& l, const E* alpha_there, const E* beta_there) {
  // HERK takes real numbers, which lie first.
  const AlignedNumber<E> alpha{l.alpha}, beta{unsigned_zero(l.beta)};
  const cublasSideMode_t side = l.side == ACCUBLAS_LEFT ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
  const cublasFillMode_t part = fill_mode(l.part());
  const cublasDiagType_t diag = diagonal_type(l.diag);
  const cublasOperation_t op = operation_of<E>(l.transa);
  const Index m = l.m, n = l.n, k = l.k;
  const E *const a = l.a, *const b = l.b, *const of_alpha = alpha_there ? alpha_there : &alpha.number,
                 *const of_beta = beta_there ? beta_there : &beta.number;
  E* const c = l.c;
  if (is_symm(l.kind))
    call<E>(l.kind, side, part, m, n, of_alpha, a, l.lda, b, l.ldb, of_beta, c, l.ldc);
  else if (is_syrk(l.kind))
    call<E>(l.kind, part, op, n, k, of_alpha, a, l.lda, of_beta, c, l.ldc);
  else if (is_syr2k(l.kind))
    call<E>(l.kind, part, op, n, k, of_alpha, a, l.lda, b, l.ldb, of_beta, c, l.ldc);
  else if (l.kind == Operation::trmm)
    call<E>(l.kind, side, part, op, diag, m, n, of_alpha, a, l.lda, c, l.ldb, c, l.ldb);
  else
    call<E>(l.kind, side, part, op, diag, m, n, of_alpha, a, l.lda, c, l.ldb);
}
#define ACCUBLAS_INSTANTIATE(E) template void Cublas::level3(const Level3<E>&, const E*, const E*);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

template <class E>
void Cublas::level2(const Level2<E>& l) {
  // HER takes a real number, which lies first.
  const AlignedNumber<E> alpha{l.alpha}, beta{unsigned_zero(l.beta)};
  const cublasFillMode_t part = fill_mode(l.part());
  const Index m = l.m, n = l.n;
  const E *const a = l.a, *const x = l.x, *const y = l.y, *const of_alpha = &alpha.number,
                 *const of_beta = &beta.number;
  E* const c = l.c;
  if (is_ger(l.kind))
    call<E>(l.kind, m, n, of_alpha, x, l.incx, y, l.incy, c, l.lda);
  else if (is_symv(l.kind))
    call<E>(l.kind, part, n, of_alpha, a, l.lda, x, l.incx, of_beta, c, l.incy);
  else if (is_triangular(l.kind))
    call<E>(l.kind, part, operation_of<E>(l.trans), diagonal_type(l.diag), n, a, l.lda, c, l.incx);
  else if (is_syr2(l.kind))
    call<E>(l.kind, part, n, of_alpha, x, l.incx, y, l.incy, c, l.lda);
  else
    call<E>(l.kind, part, n, of_alpha, x, l.incx, c, l.lda);
}
#define ACCUBLAS_INSTANTIATE(E) template void Cublas::level2(const Level2<E>&);
ACCUBLAS_FOR_ALL_TYPES(ACCUBLAS_INSTANTIATE)
#undef ACCUBLAS_INSTANTIATE

template <class T>
void Cublas::gemm_batched(Index m, Index n, Index k, const T* alpha, const Batch<T>& x, const T* beta) {
  call_function(functions().strided_batched[is_single_precision<T>], "GEMM of strided batches", x.a.op, x.b.op, m, n, k,
                alpha, x.a.data, x.a.ld, x.stride_a, x.b.data, x.b.ld, x.stride_b, beta, x.c, x.ldc, x.stride_c,
                x.count);
}
template <class T>
void Cublas::gemm_batched(Index m, Index n, Index k, const T* alpha, const PointerBatch<T>& x, const T* beta) {
  call_function(functions().batched[is_single_precision<T>], "GEMM of batches", x.a.op, x.b.op, m, n, k, alpha,
                x.a.data, x.a.ld, x.b.data, x.b.ld, beta, x.c, x.ldc, x.count);
}
template void Cublas::gemm_batched(Index, Index, Index, const double*, const Batch<double>&, const double*);
template void Cublas::gemm_batched(Index, Index, Index, const float*, const Batch<float>&, const float*);
template void Cublas::gemm_batched(Index, Index, Index, const double*, const PointerBatch<double>&, const double*);
template void Cublas::gemm_batched(Index, Index, Index, const float*, const PointerBatch<float>&, const float*);

void Cublas::gemm_half(Index m, Index n, Index k, const float* alpha, BlasMatrix<const std::uint16_t> a,
                       BlasMatrix<const std::uint16_t> b, const float* beta, float* c, Index ldc) {
  call_function(functions().gemm_ex, "GemmEx", a.op, b.op, m, n, k, alpha, a.data, CUDA_R_16F, a.ld, b.data, CUDA_R_16F,
                b.ld, beta, c, CUDA_R_32F, ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

void Cublas::gemm_tf32(Index m, Index n, Index k, const float* alpha, BlasMatrix<const float> a,
                       BlasMatrix<const float> b, const float* beta, float* c, Index ldc) {
  call_function(functions().gemm_ex, "GemmEx", a.op, b.op, m, n, k, alpha, a.data, CUDA_R_32F, a.ld, b.data, CUDA_R_32F,
                b.ld, beta, c, CUDA_R_32F, ldc, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_GEMM_DEFAULT);
}

}  // namespace accublas::cuda
