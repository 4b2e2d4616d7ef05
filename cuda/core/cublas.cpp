// This file finds, loads and calls cuBLAS.
#include "cuda/core/cublas.hpp"

#include <dlfcn.h>

#include <mutex>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

#include "cuda/core/check.hpp"
#include "cuda/core/rehearsal.hpp"
#include "cuda/core/scalar_argument.hpp"
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
  decltype(&cublasDgemm_v2_64) dgemm;
  decltype(&cublasSgemm_v2_64) sgemm;
  decltype(&cublasZgemm_v2_64) zgemm;
  decltype(&cublasCgemm_v2_64) cgemm;
  decltype(&cublasDgemmStridedBatched_64) dgemm_strided_batched;
  decltype(&cublasSgemmStridedBatched_64) sgemm_strided_batched;
  decltype(&cublasDgemmBatched_64) dgemm_batched;
  decltype(&cublasSgemmBatched_64) sgemm_batched;
  decltype(&cublasGemmEx_64) gemm_ex;
  decltype(&cublasDgemv_v2_64) dgemv;
  decltype(&cublasSgemv_v2_64) sgemv;
  decltype(&cublasDdot_v2_64) ddot;
  decltype(&cublasSdot_v2_64) sdot;
  decltype(&cublasDnrm2_v2_64) dnrm2;
  decltype(&cublasSnrm2_v2_64) snrm2;
  decltype(&cublasDasum_v2_64) dasum;
  decltype(&cublasSasum_v2_64) sasum;
  decltype(&cublasZgemv_v2_64) zgemv;
  decltype(&cublasCgemv_v2_64) cgemv;
  decltype(&cublasZdotu_v2_64) zdotu, zdotc;
  decltype(&cublasCdotu_v2_64) cdotu, cdotc;
  void* described[routine_count];  ///< the rest of levels 2 and 3, indexed by number_of; null for GEMMT
};

template <class Function>
bool find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

/// Fills `f` from one library and returns true. On failure, returns false and appends the reason to `tried`.
bool load(const char* name, Functions& f, std::string& tried) {
  tried += tried.empty() ? "" : "; ";
  tried += name;
  void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* const why = dlerror();
    tried += std::string(" (") + (why ? why : "cannot be loaded") + ")";
    return false;
  }
  bool complete = true;
  for (Routine routine : all_routines) {
    if (!(is_level3(routine) || is_level2(routine)) || routine.operation == Operation::gemmt) continue;
    std::string function = std::string("cublas") + routine_name(routine) + "_v2_64";
    function[6] = static_cast<char>(function[6] - 'a' + 'A');
    complete = complete && find(library, function.c_str(), &f.described[number_of(routine)]);
  }
  complete = complete && find(library, "cublasCreate_v2", &f.create) && find(library, "cublasDestroy_v2", &f.destroy) &&
             find(library, "cublasGetStatusString", &f.status_string) &&
             find(library, "cublasSetStream_v2", &f.set_stream) &&
             find(library, "cublasSetWorkspace_v2", &f.set_workspace) &&
             find(library, "cublasSetPointerMode_v2", &f.set_pointer_mode) &&
             find(library, "cublasSetMathMode", &f.set_math_mode) && find(library, "cublasDgemm_v2_64", &f.dgemm) &&
             find(library, "cublasSgemm_v2_64", &f.sgemm) && find(library, "cublasZgemm_v2_64", &f.zgemm) &&
             find(library, "cublasCgemm_v2_64", &f.cgemm) && find(library, "cublasGemmEx_64", &f.gemm_ex) &&
             find(library, "cublasDgemmStridedBatched_64", &f.dgemm_strided_batched) &&
             find(library, "cublasSgemmStridedBatched_64", &f.sgemm_strided_batched) &&
             find(library, "cublasDgemmBatched_64", &f.dgemm_batched) &&
             find(library, "cublasSgemmBatched_64", &f.sgemm_batched) && find(library, "cublasDgemv_v2_64", &f.dgemv) &&
             find(library, "cublasSgemv_v2_64", &f.sgemv) && find(library, "cublasZgemv_v2_64", &f.zgemv) &&
             find(library, "cublasCgemv_v2_64", &f.cgemv) && find(library, "cublasZdotu_v2_64", &f.zdotu) &&
             find(library, "cublasZdotc_v2_64", &f.zdotc) && find(library, "cublasCdotu_v2_64", &f.cdotu) &&
             find(library, "cublasCdotc_v2_64", &f.cdotc) && find(library, "cublasDdot_v2_64", &f.ddot) &&
             find(library, "cublasSdot_v2_64", &f.sdot) && find(library, "cublasDnrm2_v2_64", &f.dnrm2) &&
             find(library, "cublasSnrm2_v2_64", &f.snrm2) && find(library, "cublasDasum_v2_64", &f.dasum) &&
             find(library, "cublasSasum_v2_64", &f.sasum);
  if (complete) return true;  // the library stays loaded for the life of the process
  tried += " (lacks a function)";
  dlclose(library);
  return false;
}

Functions load_first() {
  Functions f{};
  std::string tried;
  // A cuBLAS that the program has loaded is preferred, so that the process does not hold two versions.
  for (const bool by_program : {true, false})
    for (const char* name : {"libcublas.so.13", "libcublas.so.12"})
      if ((dlopen(name, RTLD_LAZY | RTLD_NOLOAD) != nullptr) == by_program && load(name, f, tried)) return f;
  throw Error(ACCUBLAS_ERROR_UNAVAILABLE, "cuBLAS could not be loaded; tried " + tried);
}

const Functions& functions() {
  static const Functions f = load_first();  // the first thread to get here loads; a failed load is tried again
  return f;
}

void check_cublas(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(status == CUBLAS_STATUS_ALLOC_FAILED ? ACCUBLAS_ERROR_MEMORY : ACCUBLAS_ERROR_DEVICE,
              std::string(what) + ": " + functions().status_string(status));
}

/// Keeps handles that no context uses, for the next contexts.
class SpareHandles {
 public:
  /// Returns a spare handle of the device, or null if there is none.
  cublasHandle_t take(int device) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto spare = spares_.begin(); spare != spares_.end(); ++spare)
      if (spare->device == device) {
        const cublasHandle_t handle = spare->handle;
        spares_.erase(spare);
        return handle;
      }
    return nullptr;
  }
  void give(int device, cublasHandle_t handle) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    try {
      spares_.push_back({device, handle});
    } catch (const std::bad_alloc&) {  // the handle is lost, not the process
    }
  }

 private:
  struct Spare {
    int device;
    cublasHandle_t handle;
  };
  std::mutex mutex_;
  std::vector<Spare> spares_;
};
SpareHandles& spare_handles() {
  static SpareHandles* const spares = new SpareHandles;
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
void Cublas::check_product(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_ALLOC_FAILED && products_ > 0)
    throw Error(ACCUBLAS_ERROR_C_UNDEFINED, std::string(what) + ": " + functions().status_string(status));
  check_cublas(status, what);
  ++products_;
}

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

void Cublas::gemm(Index m, Index n, Index k, const double* alpha, BlasMatrix<const double> a,
                  BlasMatrix<const double> b, const double* beta, double* c, Index ldc) {
  if (rehearses()) return;
  check_product(functions().dgemm(handle_, a.op, b.op, m, n, k, alpha, a.data, a.ld, b.data, b.ld, beta, c, ldc),
                "cublasDgemm");
}

void Cublas::gemm(Index m, Index n, Index k, const float* alpha, BlasMatrix<const float> a, BlasMatrix<const float> b,
                  const float* beta, float* c, Index ldc) {
  if (rehearses()) return;
  check_product(functions().sgemm(handle_, a.op, b.op, m, n, k, alpha, a.data, a.ld, b.data, b.ld, beta, c, ldc),
                "cublasSgemm");
}

void Cublas::gemm(Index m, Index n, Index k, const Complex<double>* alpha, BlasMatrix<const Complex<double>> a,
                  BlasMatrix<const Complex<double>> b, const Complex<double>* beta, Complex<double>* c, Index ldc) {
  if (rehearses()) return;
  const auto cast = [](const Complex<double>* x) { return reinterpret_cast<const cuDoubleComplex*>(x); };
  check_product(functions().zgemm(handle_, a.op, b.op, m, n, k, cast(alpha), cast(a.data), a.ld, cast(b.data), b.ld,
                                  cast(beta), reinterpret_cast<cuDoubleComplex*>(c), ldc),
                "cublasZgemm");
}

void Cublas::gemm(Index m, Index n, Index k, const Complex<float>* alpha, BlasMatrix<const Complex<float>> a,
                  BlasMatrix<const Complex<float>> b, const Complex<float>* beta, Complex<float>* c, Index ldc) {
  if (rehearses()) return;
  const auto cast = [](const Complex<float>* x) { return reinterpret_cast<const cuComplex*>(x); };
  check_product(functions().cgemm(handle_, a.op, b.op, m, n, k, cast(alpha), cast(a.data), a.ld, cast(b.data), b.ld,
                                  cast(beta), reinterpret_cast<cuComplex*>(c), ldc),
                "cublasCgemm");
}

/// Returns cuBLAS's name of a transposition. For real types a conjugate transposition is a transposition, as in BLAS.
template <class E>
static cublasOperation_t operation_of(accublas_transpose trans) {
  if (trans == ACCUBLAS_NO_TRANS) return CUBLAS_OP_N;
  return is_complex<E> && trans == ACCUBLAS_CONJ_TRANS ? CUBLAS_OP_C : CUBLAS_OP_T;
}

template <class E>
void Cublas::level3(const Level3<E>& l, const E* alpha_there, const E* beta_there) {
  if (rehearses()) return;
  void* const routine = functions().described[number_of(l.routine())];
  // cuBLAS loads numbers aligned to their size, which Complex is not. Their real part, which HERK takes, lies first.
  struct alignas(sizeof(E)) Aligned {
    E number;
  };
  const Aligned alpha{l.alpha}, beta{unsigned_zero(l.beta)};
  const cublasSideMode_t side = l.side == ACCUBLAS_LEFT ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
  const cublasFillMode_t part = l.part() == Triangle::upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  const cublasDiagType_t diag = l.diag == ACCUBLAS_UNIT ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
  const cublasOperation_t op = operation_of<E>(l.transa);
  using In = const void*;
  using Size = std::int64_t;
  const auto call = [&]<class... Types>(Types... arguments) {
    const auto function = reinterpret_cast<cublasStatus_t (*)(Types...)>(routine);
    check_product(function(arguments...), routine_name(l.routine()));
  };
  const Size m = l.m, n = l.n, k = l.k;
  const In a = l.a, b = l.b, of_alpha = alpha_there ? In{alpha_there} : &alpha,
           of_beta = beta_there ? In{beta_there} : &beta;
  void* const c = l.c;
  if (is_symm(l.kind))
    call(handle_, side, part, m, n, of_alpha, a, l.lda, b, l.ldb, of_beta, c, l.ldc);
  else if (is_syrk(l.kind))
    call(handle_, part, op, n, k, of_alpha, a, l.lda, of_beta, c, l.ldc);
  else if (is_syr2k(l.kind))
    call(handle_, part, op, n, k, of_alpha, a, l.lda, b, l.ldb, of_beta, c, l.ldc);
  else if (l.kind == Operation::trmm)
    call(handle_, side, part, op, diag, m, n, of_alpha, a, l.lda, In{c}, l.ldb, c, l.ldb);
  else
    call(handle_, side, part, op, diag, m, n, of_alpha, a, l.lda, c, l.ldb);
}
template void Cublas::level3(const Level3<double>&, const double*, const double*);
template void Cublas::level3(const Level3<float>&, const float*, const float*);
template void Cublas::level3(const Level3<Complex<double>>&, const Complex<double>*, const Complex<double>*);
template void Cublas::level3(const Level3<Complex<float>>&, const Complex<float>*, const Complex<float>*);

template <class E>
void Cublas::level2(const Level2<E>& l) {
  if (rehearses()) return;
  void* const routine = functions().described[number_of(l.routine())];
  // cuBLAS loads numbers aligned to their size, which Complex is not. HER takes the real part, which lies first.
  struct alignas(sizeof(E)) Aligned {
    E number;
  };
  const Aligned alpha{l.alpha}, beta{unsigned_zero(l.beta)};
  const cublasFillMode_t part = l.part() == Triangle::upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  const cublasDiagType_t diag = l.diag == ACCUBLAS_UNIT ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
  const cublasOperation_t op = operation_of<E>(l.trans);
  using In = const void*;
  const auto call = [&]<class... Types>(Types... arguments) {
    const auto function = reinterpret_cast<cublasStatus_t (*)(Types...)>(routine);
    check_product(function(arguments...), routine_name(l.routine()));
  };
  const std::int64_t m = l.m, n = l.n;
  const In a = l.a, x = l.x, y = l.y, of_alpha = &alpha, of_beta = &beta;
  void* const c = l.c;
  if (is_ger(l.kind))
    call(handle_, m, n, of_alpha, x, l.incx, y, l.incy, c, l.lda);
  else if (is_symv(l.kind))
    call(handle_, part, n, of_alpha, a, l.lda, x, l.incx, of_beta, c, l.incy);
  else if (is_triangular(l.kind))
    call(handle_, part, op, diag, n, a, l.lda, c, l.incx);
  else if (is_syr2(l.kind))
    call(handle_, part, n, of_alpha, x, l.incx, y, l.incy, c, l.lda);
  else
    call(handle_, part, n, of_alpha, x, l.incx, c, l.lda);
}
template void Cublas::level2(const Level2<double>&);
template void Cublas::level2(const Level2<float>&);
template void Cublas::level2(const Level2<Complex<double>>&);
template void Cublas::level2(const Level2<Complex<float>>&);

void Cublas::gemm_batched(Index m, Index n, Index k, const double* alpha, const Batch<double>& x, const double* beta) {
  if (rehearses()) return;
  check_product(functions().dgemm_strided_batched(handle_, x.a.op, x.b.op, m, n, k, alpha, x.a.data, x.a.ld, x.stride_a,
                                                  x.b.data, x.b.ld, x.stride_b, beta, x.c, x.ldc, x.stride_c, x.count),
                "cublasDgemmStridedBatched");
}

void Cublas::gemm_batched(Index m, Index n, Index k, const double* alpha, const PointerBatch<double>& x,
                          const double* beta) {
  if (rehearses()) return;
  check_product(functions().dgemm_batched(handle_, x.a.op, x.b.op, m, n, k, alpha, x.a.data, x.a.ld, x.b.data, x.b.ld,
                                          beta, x.c, x.ldc, x.count),
                "cublasDgemmBatched");
}

void Cublas::gemm_batched(Index m, Index n, Index k, const float* alpha, const Batch<float>& x, const float* beta) {
  if (rehearses()) return;
  check_product(functions().sgemm_strided_batched(handle_, x.a.op, x.b.op, m, n, k, alpha, x.a.data, x.a.ld, x.stride_a,
                                                  x.b.data, x.b.ld, x.stride_b, beta, x.c, x.ldc, x.stride_c, x.count),
                "cublasSgemmStridedBatched");
}

void Cublas::gemm_batched(Index m, Index n, Index k, const float* alpha, const PointerBatch<float>& x,
                          const float* beta) {
  if (rehearses()) return;
  check_product(functions().sgemm_batched(handle_, x.a.op, x.b.op, m, n, k, alpha, x.a.data, x.a.ld, x.b.data, x.b.ld,
                                          beta, x.c, x.ldc, x.count),
                "cublasSgemmBatched");
}

void Cublas::gemm_half(Index m, Index n, Index k, const float* alpha, BlasMatrix<const std::uint16_t> a,
                       BlasMatrix<const std::uint16_t> b, const float* beta, float* c, Index ldc) {
  if (rehearses()) return;
  check_product(functions().gemm_ex(handle_, a.op, b.op, m, n, k, alpha, a.data, CUDA_R_16F, a.ld, b.data, CUDA_R_16F,
                                    b.ld, beta, c, CUDA_R_32F, ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                "cublasGemmEx");
}

void Cublas::gemm_tf32(Index m, Index n, Index k, const float* alpha, BlasMatrix<const float> a,
                       BlasMatrix<const float> b, const float* beta, float* c, Index ldc) {
  if (rehearses()) return;
  check_product(functions().gemm_ex(handle_, a.op, b.op, m, n, k, alpha, a.data, CUDA_R_32F, a.ld, b.data, CUDA_R_32F,
                                    b.ld, beta, c, CUDA_R_32F, ldc, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_GEMM_DEFAULT),
                "cublasGemmEx");
}

void Cublas::gemv(Index m, Index n, const double* alpha, BlasMatrix<const double> a, const double* x, Index incx,
                  const double* beta, double* y, Index incy) {
  if (rehearses()) return;
  check_product(functions().dgemv(handle_, a.op, m, n, alpha, a.data, a.ld, x, incx, beta, y, incy), "cublasDgemv");
}

void Cublas::gemv(Index m, Index n, const float* alpha, BlasMatrix<const float> a, const float* x, Index incx,
                  const float* beta, float* y, Index incy) {
  if (rehearses()) return;
  check_product(functions().sgemv(handle_, a.op, m, n, alpha, a.data, a.ld, x, incx, beta, y, incy), "cublasSgemv");
}

void Cublas::dot(Index n, const double* x, Index incx, const double* y, Index incy, double* result) {
  if (rehearses()) return;
  check_cublas(functions().ddot(handle_, n, x, incx, y, incy, result), "cublasDdot");
}

void Cublas::dot(Index n, const float* x, Index incx, const float* y, Index incy, float* result) {
  if (rehearses()) return;
  check_cublas(functions().sdot(handle_, n, x, incx, y, incy, result), "cublasSdot");
}

namespace {

template <class T>
auto* cuda_numbers(const Complex<T>* x) {
  return reinterpret_cast<const std::conditional_t<sizeof(T) == 8, cuDoubleComplex, cuComplex>*>(x);
}
template <class T>
auto* cuda_numbers(Complex<T>* x) {
  return reinterpret_cast<std::conditional_t<sizeof(T) == 8, cuDoubleComplex, cuComplex>*>(x);
}

}  // namespace

template <class T>
void Cublas::gemv(Index m, Index n, const Complex<T>* alpha, BlasMatrix<const Complex<T>> a, const Complex<T>* x,
                  Index incx, const Complex<T>* beta, Complex<T>* y, Index incy) {
  if (rehearses()) return;
  const auto call = [&](auto function, const char* what) {
    check_product(function(handle_, a.op, m, n, cuda_numbers(alpha), cuda_numbers(a.data), a.ld, cuda_numbers(x), incx,
                           cuda_numbers(beta), cuda_numbers(y), incy),
                  what);
  };
  if constexpr (sizeof(T) == 8)
    call(functions().zgemv, "cublasZgemv");
  else
    call(functions().cgemv, "cublasCgemv");
}
template void Cublas::gemv(Index, Index, const Complex<double>*, BlasMatrix<const Complex<double>>,
                           const Complex<double>*, Index, const Complex<double>*, Complex<double>*, Index);
template void Cublas::gemv(Index, Index, const Complex<float>*, BlasMatrix<const Complex<float>>, const Complex<float>*,
                           Index, const Complex<float>*, Complex<float>*, Index);

template <class T>
void Cublas::dot(bool conjugate_x, Index n, const Complex<T>* x, Index incx, const Complex<T>* y, Index incy,
                 Complex<T>* result) {
  if (rehearses()) return;
  const auto call = [&](auto function, const char* what) {
    check_cublas(function(handle_, n, cuda_numbers(x), incx, cuda_numbers(y), incy, cuda_numbers(result)), what);
  };
  if constexpr (sizeof(T) == 8)
    call(conjugate_x ? functions().zdotc : functions().zdotu, conjugate_x ? "cublasZdotc" : "cublasZdotu");
  else
    call(conjugate_x ? functions().cdotc : functions().cdotu, conjugate_x ? "cublasCdotc" : "cublasCdotu");
}
template void Cublas::dot(bool, Index, const Complex<double>*, Index, const Complex<double>*, Index, Complex<double>*);
template void Cublas::dot(bool, Index, const Complex<float>*, Index, const Complex<float>*, Index, Complex<float>*);

void Cublas::nrm2(Index n, const double* x, Index incx, double* result) {
  if (rehearses()) return;
  check_cublas(functions().dnrm2(handle_, n, x, incx, result), "cublasDnrm2");
}

void Cublas::nrm2(Index n, const float* x, Index incx, float* result) {
  if (rehearses()) return;
  check_cublas(functions().snrm2(handle_, n, x, incx, result), "cublasSnrm2");
}

void Cublas::asum(Index n, const double* x, Index incx, double* result) {
  if (rehearses()) return;
  check_cublas(functions().dasum(handle_, n, x, incx, result), "cublasDasum");
}

void Cublas::asum(Index n, const float* x, Index incx, float* result) {
  if (rehearses()) return;
  check_cublas(functions().sasum(handle_, n, x, incx, result), "cublasSasum");
}

}  // namespace accublas::cuda
