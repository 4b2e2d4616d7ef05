#include "perf/gpu/peers.hpp"

#include <cublasLt.h>
#include <cublas_v2.h>

#include <limits>
#include <stdexcept>

#include "perf/gpu/device.hpp"
#include "perf/gpu/library.hpp"

namespace gpu_bench {
namespace {

void require_cublas(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw std::runtime_error(std::string(what) + ": cuBLAS status " + std::to_string(static_cast<int>(status)));
}

struct CuBlasFunctions {
  Library library{"libcublas"};
  decltype(&cublasCreate_v2) create;
  decltype(&cublasDestroy_v2) destroy;
  decltype(&cublasSetStream_v2) set_stream;
  decltype(&cublasSetMathMode) set_math_mode;
  decltype(&cublasDgemm_v2_64) dgemm;
  decltype(&cublasSgemm_v2_64) sgemm;
  decltype(&cublasZgemm_v2_64) zgemm;
  decltype(&cublasCgemm_v2_64) cgemm;
  decltype(&cublasGemmEx_64) gemm_ex;
  decltype(&cublasDgemmStridedBatched_64) dgemm_batched;
  decltype(&cublasSgemmStridedBatched_64) sgemm_batched;
  decltype(&cublasSetPointerMode_v2) set_pointer_mode;
  decltype(&cublasDdot_v2_64) ddot;
  decltype(&cublasSdot_v2_64) sdot;
  decltype(&cublasDnrm2_v2_64) dnrm2;
  decltype(&cublasSnrm2_v2_64) snrm2;
  decltype(&cublasDasum_v2_64) dasum;
  decltype(&cublasSasum_v2_64) sasum;
  decltype(&cublasDgemv_v2_64) dgemv;
  decltype(&cublasSgemv_v2_64) sgemv;
  decltype(&cublasZdotc_v2_64) zdotc;
  decltype(&cublasCdotc_v2_64) cdotc;
  decltype(&cublasZgemv_v2_64) zgemv;
  decltype(&cublasCgemv_v2_64) cgemv;
  decltype(&cublasDsymv_v2_64) dsymv;
  decltype(&cublasSsymv_v2_64) ssymv;
  decltype(&cublasDtrmv_v2_64) dtrmv;
  decltype(&cublasStrmv_v2_64) strmv;
  decltype(&cublasZhemv_v2_64) zhemv;
  decltype(&cublasChemv_v2_64) chemv;
  decltype(&cublasZtrmv_v2_64) ztrmv;
  decltype(&cublasCtrmv_v2_64) ctrmv;
  decltype(&cublasGetVersion_v2) get_version;
  CuBlasFunctions() {
    library.get(create, "cublasCreate_v2");
    library.get(destroy, "cublasDestroy_v2");
    library.get(set_stream, "cublasSetStream_v2");
    library.get(set_math_mode, "cublasSetMathMode");
    library.get(dgemm, "cublasDgemm_v2_64");
    library.get(sgemm, "cublasSgemm_v2_64");
    library.get(zgemm, "cublasZgemm_v2_64");
    library.get(cgemm, "cublasCgemm_v2_64");
    library.get(gemm_ex, "cublasGemmEx_64");
    library.get(dgemm_batched, "cublasDgemmStridedBatched_64");
    library.get(sgemm_batched, "cublasSgemmStridedBatched_64");
    library.get(set_pointer_mode, "cublasSetPointerMode_v2");
    library.get(ddot, "cublasDdot_v2_64");
    library.get(sdot, "cublasSdot_v2_64");
    library.get(dnrm2, "cublasDnrm2_v2_64");
    library.get(snrm2, "cublasSnrm2_v2_64");
    library.get(dasum, "cublasDasum_v2_64");
    library.get(sasum, "cublasSasum_v2_64");
    library.get(dgemv, "cublasDgemv_v2_64");
    library.get(sgemv, "cublasSgemv_v2_64");
    library.get(zdotc, "cublasZdotc_v2_64");
    library.get(cdotc, "cublasCdotc_v2_64");
    library.get(zgemv, "cublasZgemv_v2_64");
    library.get(cgemv, "cublasCgemv_v2_64");
    library.get(dsymv, "cublasDsymv_v2_64");
    library.get(ssymv, "cublasSsymv_v2_64");
    library.get(dtrmv, "cublasDtrmv_v2_64");
    library.get(strmv, "cublasStrmv_v2_64");
    library.get(zhemv, "cublasZhemv_v2_64");
    library.get(chemv, "cublasChemv_v2_64");
    library.get(ztrmv, "cublasZtrmv_v2_64");
    library.get(ctrmv, "cublasCtrmv_v2_64");
    library.get(get_version, "cublasGetVersion_v2");
  }
};
const CuBlasFunctions& cublas() {
  static const CuBlasFunctions functions;
  return functions;
}

struct LtFunctions {
  Library library{"libcublasLt"};
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtDestroy) destroy;
  decltype(&cublasLtMatmul) matmul;
  decltype(&cublasLtMatmulDescCreate) desc_create;
  decltype(&cublasLtMatmulDescDestroy) desc_destroy;
  decltype(&cublasLtMatmulDescSetAttribute) desc_set;
  decltype(&cublasLtMatrixLayoutCreate) layout_create;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic;
  LtFunctions() {
    library.get(create, "cublasLtCreate");
    library.get(destroy, "cublasLtDestroy");
    library.get(matmul, "cublasLtMatmul");
    library.get(desc_create, "cublasLtMatmulDescCreate");
    library.get(desc_destroy, "cublasLtMatmulDescDestroy");
    library.get(desc_set, "cublasLtMatmulDescSetAttribute");
    library.get(layout_create, "cublasLtMatrixLayoutCreate");
    library.get(layout_destroy, "cublasLtMatrixLayoutDestroy");
    library.get(preference_create, "cublasLtMatmulPreferenceCreate");
    library.get(preference_destroy, "cublasLtMatmulPreferenceDestroy");
    library.get(preference_set, "cublasLtMatmulPreferenceSetAttribute");
    library.get(heuristic, "cublasLtMatmulAlgoGetHeuristic");
  }
};
const LtFunctions& lt() {
  static const LtFunctions functions;
  return functions;
}

}  // namespace

struct CuBlas::Handle {
  cublasHandle_t handle = nullptr;
};

CuBlas::CuBlas(cudaStream_t stream) : handle_(std::make_unique<Handle>()) {
  require_cublas(cublas().create(&handle_->handle), "cublasCreate");
  require_cublas(cublas().set_stream(handle_->handle, stream), "cublasSetStream");
  require_cublas(cublas().set_math_mode(handle_->handle, CUBLAS_DEFAULT_MATH), "cublasSetMathMode");
}
CuBlas::~CuBlas() { cublas().destroy(handle_->handle); }

void CuBlas::gemm(std::int64_t m, std::int64_t n, std::int64_t k, const double* a, const double* b, double* c) {
  const double one = 1, zero = 0;
  require_cublas(cublas().dgemm(handle_->handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, m, b, k, &zero, c, m),
                 "cublasDgemm");
}
void CuBlas::gemm_batched(std::int64_t n, const double* a, const double* b, double* c, std::int64_t count) {
  const double one = 1, zero = 0;
  require_cublas(cublas().dgemm_batched(handle_->handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, n * n, b, n,
                                        n * n, &zero, c, n, n * n, count),
                 "cublasDgemmStridedBatched");
}
void CuBlas::gemm_batched(std::int64_t n, const float* a, const float* b, float* c, std::int64_t count) {
  const float one = 1, zero = 0;
  require_cublas(cublas().sgemm_batched(handle_->handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, n * n, b, n,
                                        n * n, &zero, c, n, n * n, count),
                 "cublasSgemmStridedBatched");
}
void CuBlas::gemm(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b, float* c) {
  const float one = 1, zero = 0;
  require_cublas(cublas().sgemm(handle_->handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, m, b, k, &zero, c, m),
                 "cublasSgemm");
}

namespace {

void run_products(cublasHandle_t handle, std::int64_t m, std::int64_t n, std::int64_t k, const void* a, const void* b,
                  cudaDataType type, cublasComputeType_t compute, float* c, int products) {
  const float one = 1, zero = 0;
  for (int i = 0; i < products; ++i)
    require_cublas(cublas().gemm_ex(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, type, m, b, type, k,
                                    i == 0 ? &zero : &one, c, CUDA_R_32F, m, compute, CUBLAS_GEMM_DEFAULT),
                   "cublasGemmEx");
}

}  // namespace

void CuBlas::complex_gemm(std::int64_t m, std::int64_t n, std::int64_t k, const double* a, const double* b, double* c) {
  const cuDoubleComplex one{1, 0}, zero{0, 0};
  const auto numbers = [](const double* x) { return reinterpret_cast<const cuDoubleComplex*>(x); };
  require_cublas(cublas().zgemm(handle_->handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, numbers(a), m, numbers(b), k,
                                &zero, reinterpret_cast<cuDoubleComplex*>(c), m),
                 "cublasZgemm");
}

void CuBlas::complex_gemm(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b, float* c) {
  const cuComplex one{1, 0}, zero{0, 0};
  const auto numbers = [](const float* x) { return reinterpret_cast<const cuComplex*>(x); };
  require_cublas(cublas().cgemm(handle_->handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, numbers(a), m, numbers(b), k,
                                &zero, reinterpret_cast<cuComplex*>(c), m),
                 "cublasCgemm");
}

void CuBlas::gemm_tf32(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b, float* c,
                       int products) {
  run_products(handle_->handle, m, n, k, a, b, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, c, products);
}
void CuBlas::gemm_half(std::int64_t m, std::int64_t n, std::int64_t k, const std::uint16_t* a, const std::uint16_t* b,
                       float* c, int products) {
  run_products(handle_->handle, m, n, k, a, b, CUDA_R_16F, CUBLAS_COMPUTE_32F, c, products);
}

namespace {

void results_on_device(cublasHandle_t handle, bool on_device) {
  require_cublas(cublas().set_pointer_mode(handle, on_device ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST),
                 "cublasSetPointerMode");
}

template <class T, class Gemv>
void run_gemv(cublasHandle_t handle, Gemv gemv, bool transposed, std::int64_t m, std::int64_t n, const T* a, const T* x,
              T* y) {
  const T one = 1, zero = 0;
  results_on_device(handle, false);
  require_cublas(gemv(handle, transposed ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, &one, a, m, x, 1, &zero, y, 1),
                 "cublas gemv");
}

}  // namespace

#define ACCUBLAS_PEER_VECTORS(T, p)                                                                                  \
  void CuBlas::dot(std::int64_t n, const T* x, const T* y, T* result) {                                              \
    results_on_device(handle_->handle, true);                                                                        \
    require_cublas(cublas().p##dot(handle_->handle, n, x, 1, y, 1, result), "cublas dot");                           \
  }                                                                                                                  \
  void CuBlas::nrm2(std::int64_t n, const T* x, T* result) {                                                         \
    results_on_device(handle_->handle, true);                                                                        \
    require_cublas(cublas().p##nrm2(handle_->handle, n, x, 1, result), "cublas nrm2");                               \
  }                                                                                                                  \
  void CuBlas::asum(std::int64_t n, const T* x, T* result) {                                                         \
    results_on_device(handle_->handle, true);                                                                        \
    require_cublas(cublas().p##asum(handle_->handle, n, x, 1, result), "cublas asum");                               \
  }                                                                                                                  \
  void CuBlas::gemv(bool transposed, std::int64_t m, std::int64_t n, const T* a, const T* x, T* y) {                 \
    run_gemv(handle_->handle, cublas().p##gemv, transposed, m, n, a, x, y);                                          \
  }                                                                                                                  \
  void CuBlas::symv(std::int64_t n, const T* a, const T* x, T* y) {                                                  \
    const T one = 1, zero = 0;                                                                                       \
    results_on_device(handle_->handle, false);                                                                       \
    require_cublas(cublas().p##symv(handle_->handle, CUBLAS_FILL_MODE_UPPER, n, &one, a, n, x, 1, &zero, y, 1),      \
                   "cublas symv");                                                                                   \
  }                                                                                                                  \
  void CuBlas::trmv(std::int64_t n, const T* a, T* x) {                                                              \
    require_cublas(                                                                                                  \
        cublas().p##trmv(handle_->handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n, a, n, x, 1), \
        "cublas trmv");                                                                                              \
  }
ACCUBLAS_PEER_VECTORS(double, d)
ACCUBLAS_PEER_VECTORS(float, s)
#undef ACCUBLAS_PEER_VECTORS

#define ACCUBLAS_PEER_COMPLEX_VECTORS(T, p, number)                                                                 \
  void CuBlas::complex_dot(std::int64_t n, const T* x, const T* y, T* result) {                                     \
    results_on_device(handle_->handle, true);                                                                       \
    require_cublas(cublas().p##dotc(handle_->handle, n, reinterpret_cast<const number*>(x), 1,                      \
                                    reinterpret_cast<const number*>(y), 1, reinterpret_cast<number*>(result)),      \
                   "cublas dotc");                                                                                  \
  }                                                                                                                 \
  void CuBlas::complex_gemv(char op, std::int64_t m, std::int64_t n, const T* a, const T* x, T* y) {                \
    const number one{1, 0}, zero{0, 0};                                                                             \
    results_on_device(handle_->handle, false);                                                                      \
    require_cublas(cublas().p##gemv(handle_->handle,                                                                \
                                    op == 'N'   ? CUBLAS_OP_N                                                       \
                                    : op == 'T' ? CUBLAS_OP_T                                                       \
                                                : CUBLAS_OP_C,                                                      \
                                    m, n, &one, reinterpret_cast<const number*>(a), m,                              \
                                    reinterpret_cast<const number*>(x), 1, &zero, reinterpret_cast<number*>(y), 1), \
                   "cublas gemv");                                                                                  \
  }                                                                                                                 \
  void CuBlas::hemv(std::int64_t n, const T* a, const T* x, T* y) {                                                 \
    const number one{1, 0}, zero{0, 0};                                                                             \
    results_on_device(handle_->handle, false);                                                                      \
    require_cublas(                                                                                                 \
        cublas().p##hemv(handle_->handle, CUBLAS_FILL_MODE_UPPER, n, &one, reinterpret_cast<const number*>(a), n,   \
                         reinterpret_cast<const number*>(x), 1, &zero, reinterpret_cast<number*>(y), 1),            \
        "cublas hemv");                                                                                             \
  }                                                                                                                 \
  void CuBlas::complex_trmv(std::int64_t n, const T* a, T* x) {                                                     \
    require_cublas(cublas().p##trmv(handle_->handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n,  \
                                    reinterpret_cast<const number*>(a), n, reinterpret_cast<number*>(x), 1),        \
                   "cublas trmv");                                                                                  \
  }
ACCUBLAS_PEER_COMPLEX_VECTORS(double, z, cuDoubleComplex)
ACCUBLAS_PEER_COMPLEX_VECTORS(float, c, cuComplex)
#undef ACCUBLAS_PEER_COMPLEX_VECTORS

std::string CuBlas::version() const {
  int version = 0;
  require_cublas(cublas().get_version(handle_->handle, &version), "cublasGetVersion");
  return std::to_string(version);
}

struct Int8Product::Plan {
  static constexpr std::size_t workspace_bytes = std::size_t{64} << 20;
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t a_layout = nullptr, b_layout = nullptr, c_layout = nullptr;
  cublasLtMatmulAlgo_t algorithm;
  DeviceArray<unsigned char> workspace{workspace_bytes};
  const std::int8_t *a, *b;
  std::int32_t* c;
  cudaStream_t stream;

  void run(const cublasLtMatmulAlgo_t& how) {
    const std::int32_t one = 1, zero = 0;
    require_cublas(lt().matmul(handle, product, &one, a, a_layout, b, b_layout, &zero, c, c_layout, c, c_layout, &how,
                               workspace.data(), workspace_bytes, stream),
                   "cublasLtMatmul");
  }
  ~Plan() {
    if (c_layout) lt().layout_destroy(c_layout);
    if (b_layout) lt().layout_destroy(b_layout);
    if (a_layout) lt().layout_destroy(a_layout);
    if (product) lt().desc_destroy(product);
    if (handle) lt().destroy(handle);
  }
};

Int8Product::Int8Product(std::int64_t m, std::int64_t n, std::int64_t k, const std::int8_t* a, const std::int8_t* b,
                         std::int32_t* c, cudaStream_t stream)
    : plan_(std::make_unique<Plan>()) {
  Plan& p = *plan_;
  p.a = a, p.b = b, p.c = c, p.stream = stream;
  require_cublas(lt().create(&p.handle), "cublasLtCreate");
  require_cublas(lt().desc_create(&p.product, CUBLAS_COMPUTE_32I, CUDA_R_32I), "cublasLtMatmulDescCreate");
  const cublasOperation_t transposed = CUBLAS_OP_T;
  require_cublas(lt().desc_set(p.product, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed),
                 "transposition");
  require_cublas(lt().layout_create(&p.a_layout, CUDA_R_8I, k, m, k), "layout");
  require_cublas(lt().layout_create(&p.b_layout, CUDA_R_8I, k, n, k), "layout");
  require_cublas(lt().layout_create(&p.c_layout, CUDA_R_32I, m, n, m), "layout");
  cublasLtMatmulPreference_t preference = nullptr;
  require_cublas(lt().preference_create(&preference), "preference");
  require_cublas(lt().preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &Plan::workspace_bytes,
                                     sizeof Plan::workspace_bytes),
                 "preference");
  cublasLtMatmulHeuristicResult_t found[4];
  int count = 0;
  const cublasStatus_t status =
      lt().heuristic(p.handle, p.product, p.a_layout, p.b_layout, p.c_layout, p.c_layout, preference, 4, found, &count);
  lt().preference_destroy(preference);
  require_cublas(status, "cublasLtMatmulAlgoGetHeuristic");
  if (count == 0) throw std::runtime_error("cublasLt has no INT8 product of this shape");
  double best = std::numeric_limits<double>::infinity();
  for (int q = 0; q < count; ++q) {
    const Event start, end;
    p.run(found[q].algo);
    start.record(stream);
    for (int round = 0; round < 3; ++round) p.run(found[q].algo);
    end.record(stream);
    const double ms = end.since(start);
    if (ms < best) best = ms, p.algorithm = found[q].algo;
  }
}
Int8Product::~Int8Product() = default;
void Int8Product::run() { plan_->run(plan_->algorithm); }

}  // namespace gpu_bench
