// GEMM under its names: plain, by three products, by types, batched.
#include "c_api/cublas/serve.hpp"

namespace accublas::cublas {
namespace {

/// By the element of the matrices: accublas's routine and the type of numbers that it declares.
template <class E>
struct GemmOf;
#define ACCUBLAS_GEMM_OF(E, declared, prefix)                                  \
  template <>                                                                  \
  struct GemmOf<E> {                                                           \
    using Number = declared;                                                   \
    static constexpr Routine routine = routine_named(#prefix "gemm");          \
    static constexpr Routine of_batch = routine_named(#prefix "gemm_batched"); \
    static constexpr auto one = accublas_##prefix##gemm;                       \
    static constexpr auto batched = accublas_##prefix##gemm_batched;           \
    static constexpr auto strided = accublas_##prefix##gemm_strided_batched;   \
  };
ACCUBLAS_GEMM_OF(double, double, d)
ACCUBLAS_GEMM_OF(float, float, s)
ACCUBLAS_GEMM_OF(cuDoubleComplex, void, z)
ACCUBLAS_GEMM_OF(cuComplex, void, c)

struct Strides {
  std::int64_t a, b, c;
};

/// The arguments that all forms share.
struct Shape {
  cublasHandle_t handle;
  accublas_transpose transa, transb;
  std::int64_t m, n, k, lda, ldb, ldc, count;
  Strides by{};
};

Request request(const Shape& s, Routine routine) {
  const bool good = !check_gemm(ACCUBLAS_COL_MAJOR, s.transa, s.transb, s.m, s.n, s.k, s.lda, s.ldb, s.ldc);
  return {s.handle, routine, s.m, s.n, s.k, good && s.m > 0 && s.n > 0 && s.count > 0};
}

template <class E>
struct Plain {
  using Number = typename GemmOf<E>::Number;
  static Request request(const Shape& s) { return cublas::request(s, GemmOf<E>::routine); }
  static accublas_status run(Call& call, const Shape& s, const void* alpha, const void* a, const void* b,
                             const void* beta, void* c) {
    return GemmOf<E>::one(call.context(), ACCUBLAS_COL_MAJOR, s.transa, s.transb, s.m, s.n, s.k,
                          static_cast<const Number*>(alpha), static_cast<const Number*>(a), s.lda,
                          static_cast<const Number*>(b), s.ldb, static_cast<const Number*>(beta),
                          static_cast<Number*>(c), s.ldc);
  }
};

template <class E>
struct Batched {
  using Number = typename GemmOf<E>::Number;
  static Request request(const Shape& s) { return cublas::request(s, GemmOf<E>::of_batch); }
  template <class In, class Out>
  static accublas_status run(Call& call, const Shape& s, const void* alpha, const In* const* a, const In* const* b,
                             const void* beta, Out* const* c) {
    return GemmOf<E>::batched(call.context(), ACCUBLAS_COL_MAJOR, s.transa, s.transb, s.m, s.n, s.k,
                              static_cast<const Number*>(alpha), reinterpret_cast<const Number* const*>(a), s.lda,
                              reinterpret_cast<const Number* const*>(b), s.ldb, static_cast<const Number*>(beta),
                              reinterpret_cast<Number* const*>(c), s.ldc, s.count);
  }
};

template <class E>
struct Strided {
  using Number = typename GemmOf<E>::Number;
  /// Results that lie over one another are cuBLAS's, too.
  static Request request(const Shape& s) {
    Request asked = cublas::request(s, GemmOf<E>::of_batch);
    asked.serves = asked.serves && !check_gemm_batch(ACCUBLAS_COL_MAJOR, s.m, s.n, s.ldc, &s.by.c, s.count);
    return asked;
  }
  static accublas_status run(Call& call, const Shape& s, const void* alpha, const void* a, const void* b,
                             const void* beta, void* c) {
    return GemmOf<E>::strided(call.context(), ACCUBLAS_COL_MAJOR, s.transa, s.transb, s.m, s.n, s.k,
                              static_cast<const Number*>(alpha), static_cast<const Number*>(a), s.lda, s.by.a,
                              static_cast<const Number*>(b), s.ldb, s.by.b, static_cast<const Number*>(beta),
                              static_cast<Number*>(c), s.ldc, s.by.c, s.count);
  }
};

struct Types {
  cudaDataType_t a, b, c;
  cublasComputeType_t compute;
};

/// Calls use(E{}) with the element of a call by types; use.none() where accublas has no such product: other types, or a
/// compute type that asks for other arithmetic than theirs.
template <class Use, class None>
cublasStatus_t with_element(const Types& types, Use use, None none) {
  if (types.a != types.b || types.a != types.c) return none();
  const bool single = types.compute == CUBLAS_COMPUTE_32F || types.compute == CUBLAS_COMPUTE_32F_PEDANTIC;
  const bool twice = types.compute == CUBLAS_COMPUTE_64F || types.compute == CUBLAS_COMPUTE_64F_PEDANTIC;
  if (types.a == CUDA_R_64F && twice) return use(double{});
  if (types.a == CUDA_C_64F && twice) return use(cuDoubleComplex{});
  if (types.a == CUDA_R_32F && single) return use(float{});
  if (types.a == CUDA_C_32F && single) return use(cuComplex{});
  return none();
}

}  // namespace
}  // namespace accublas::cublas

#define SHAPE(...) \
  Shape { handle, transpose_of(transa), transpose_of(transb), m, n, k, lda, ldb, ldc, __VA_ARGS__ }
#define RUN(Form) [&](Call& call) { return Form::run(call, shape, alpha, a, b, beta, c); }

#define DEFINE_GEMM(stem, name, Int, E)                                                                               \
  extern "C" ACCUBLAS_API cublasStatus_t name(                                                                        \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Int m, Int n, Int k, const E* alpha, \
      const E* a, Int lda, const E* b, Int ldb, const E* beta, E* c, Int ldc) {                                       \
    using namespace accublas::cublas;                                                                                 \
    ACCUBLAS_CUBLAS_REAL(name);                                                                                       \
    const Shape shape = SHAPE(1);                                                                                     \
    return serve(Plain<E>::request(shape), real, RUN(Plain<E>), handle, transa, transb, m, n, k, alpha, a, lda, b,    \
                 ldb, beta, c, ldc);                                                                                  \
  }
ACCUBLAS_CUBLAS_NAMES(DEFINE_GEMM, cublasDgemm_v2, double)
ACCUBLAS_CUBLAS_NAMES(DEFINE_GEMM, cublasSgemm_v2, float)
ACCUBLAS_CUBLAS_NAMES(DEFINE_GEMM, cublasZgemm_v2, cuDoubleComplex)
ACCUBLAS_CUBLAS_NAMES(DEFINE_GEMM, cublasCgemm_v2, cuComplex)
ACCUBLAS_CUBLAS_NAMES(DEFINE_GEMM, cublasZgemm3m, cuDoubleComplex)
ACCUBLAS_CUBLAS_NAMES(DEFINE_GEMM, cublasCgemm3m, cuComplex)

#define DEFINE_BATCHED(stem, name, Int, E)                                                                             \
  extern "C" ACCUBLAS_API cublasStatus_t name(                                                                         \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Int m, Int n, Int k, const E* alpha,  \
      const E* const* a, Int lda, const E* const* b, Int ldb, const E* beta, E* const* c, Int ldc, Int count) {        \
    using namespace accublas::cublas;                                                                                  \
    ACCUBLAS_CUBLAS_REAL(name);                                                                                        \
    const Shape shape = SHAPE(count);                                                                                  \
    return serve(Batched<E>::request(shape), real, RUN(Batched<E>), handle, transa, transb, m, n, k, alpha, a, lda, b, \
                 ldb, beta, c, ldc, count);                                                                            \
  }
ACCUBLAS_CUBLAS_NAMES(DEFINE_BATCHED, cublasDgemmBatched, double)
ACCUBLAS_CUBLAS_NAMES(DEFINE_BATCHED, cublasSgemmBatched, float)
ACCUBLAS_CUBLAS_NAMES(DEFINE_BATCHED, cublasZgemmBatched, cuDoubleComplex)
ACCUBLAS_CUBLAS_NAMES(DEFINE_BATCHED, cublasCgemmBatched, cuComplex)
ACCUBLAS_CUBLAS_NAMES(DEFINE_BATCHED, cublasCgemm3mBatched, cuComplex)

#define DEFINE_STRIDED(stem, name, Int, E)                                                                            \
  extern "C" ACCUBLAS_API cublasStatus_t name(                                                                        \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Int m, Int n, Int k, const E* alpha, \
      const E* a, Int lda, long long stride_a, const E* b, Int ldb, long long stride_b, const E* beta, E* c, Int ldc, \
      long long stride_c, Int count) {                                                                                \
    using namespace accublas::cublas;                                                                                 \
    ACCUBLAS_CUBLAS_REAL(name);                                                                                       \
    const Shape shape = SHAPE(count, {stride_a, stride_b, stride_c});                                                 \
    return serve(Strided<E>::request(shape), real, RUN(Strided<E>), handle, transa, transb, m, n, k, alpha, a, lda,   \
                 stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, count);                                          \
  }
ACCUBLAS_CUBLAS_NAMES(DEFINE_STRIDED, cublasDgemmStridedBatched, double)
ACCUBLAS_CUBLAS_NAMES(DEFINE_STRIDED, cublasSgemmStridedBatched, float)
ACCUBLAS_CUBLAS_NAMES(DEFINE_STRIDED, cublasZgemmStridedBatched, cuDoubleComplex)
ACCUBLAS_CUBLAS_NAMES(DEFINE_STRIDED, cublasCgemmStridedBatched, cuComplex)
ACCUBLAS_CUBLAS_NAMES(DEFINE_STRIDED, cublasCgemm3mStridedBatched, cuComplex)

/// By types. REST: arguments of the real function.
#define SERVE_BY_TYPES(Form, types, run, ...)                                                                      \
  with_element(                                                                                                    \
      types, [&](auto element) { return serve(Form<decltype(element)>::request(shape), real, run, __VA_ARGS__); }, \
      [&] { return real(__VA_ARGS__); })
#define RUN_TYPED(Form) [&](Call& call) { return Form<decltype(element)>::run(call, shape, alpha, a, b, beta, c); }

#define DEFINE_TYPED(stem, name, Int, E)                                                                              \
  extern "C" ACCUBLAS_API cublasStatus_t name(                                                                        \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Int m, Int n, Int k, const E* alpha, \
      const void* a, cudaDataType type_a, Int lda, const void* b, cudaDataType type_b, Int ldb, const E* beta,        \
      void* c, cudaDataType type_c, Int ldc) {                                                                        \
    using namespace accublas::cublas;                                                                                 \
    ACCUBLAS_CUBLAS_REAL(name);                                                                                       \
    const Shape shape = SHAPE(1);                                                                                     \
    const Types types{type_a, type_b, type_c, CUBLAS_COMPUTE_32F};                                                    \
    return SERVE_BY_TYPES(Plain, types, RUN_TYPED(Plain), handle, transa, transb, m, n, k, alpha, a, type_a, lda, b,  \
                          type_b, ldb, beta, c, type_c, ldc);                                                         \
  }
ACCUBLAS_CUBLAS_NAMES(DEFINE_TYPED, cublasSgemmEx, float)
ACCUBLAS_CUBLAS_NAMES(DEFINE_TYPED, cublasCgemmEx, cuComplex)
ACCUBLAS_CUBLAS_NAMES(DEFINE_TYPED, cublasCgemm3mEx, cuComplex)

#define DEFINE_GEMM_EX(stem, name, Int, unused)                                                                      \
  extern "C" ACCUBLAS_API cublasStatus_t name(                                                                       \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Int m, Int n, Int k,                \
      const void* alpha, const void* a, cudaDataType type_a, Int lda, const void* b, cudaDataType type_b, Int ldb,   \
      const void* beta, void* c, cudaDataType type_c, Int ldc, cublasComputeType_t compute, cublasGemmAlgo_t algo) { \
    using namespace accublas::cublas;                                                                                \
    ACCUBLAS_CUBLAS_REAL(name);                                                                                      \
    const Shape shape = SHAPE(1);                                                                                    \
    const Types types{type_a, type_b, type_c, compute};                                                              \
    return SERVE_BY_TYPES(Plain, types, RUN_TYPED(Plain), handle, transa, transb, m, n, k, alpha, a, type_a, lda, b, \
                          type_b, ldb, beta, c, type_c, ldc, compute, algo);                                         \
  }
ACCUBLAS_CUBLAS_NAMES(DEFINE_GEMM_EX, cublasGemmEx, )

#define DEFINE_BATCHED_EX(stem, name, Int, unused)                                                                    \
  extern "C" ACCUBLAS_API cublasStatus_t name(                                                                        \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Int m, Int n, Int k,                 \
      const void* alpha, const void* const* a, cudaDataType type_a, Int lda, const void* const* b,                    \
      cudaDataType type_b, Int ldb, const void* beta, void* const* c, cudaDataType type_c, Int ldc, Int count,        \
      cublasComputeType_t compute, cublasGemmAlgo_t algo) {                                                           \
    using namespace accublas::cublas;                                                                                 \
    ACCUBLAS_CUBLAS_REAL(name);                                                                                       \
    const Shape shape = SHAPE(count);                                                                                 \
    const Types types{type_a, type_b, type_c, compute};                                                               \
    return SERVE_BY_TYPES(Batched, types, RUN_TYPED(Batched), handle, transa, transb, m, n, k, alpha, a, type_a, lda, \
                          b, type_b, ldb, beta, c, type_c, ldc, count, compute, algo);                                \
  }
ACCUBLAS_CUBLAS_NAMES(DEFINE_BATCHED_EX, cublasGemmBatchedEx, )

#define DEFINE_STRIDED_EX(stem, name, Int, unused)                                                                    \
  extern "C" ACCUBLAS_API cublasStatus_t name(                                                                        \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, Int m, Int n, Int k,                 \
      const void* alpha, const void* a, cudaDataType type_a, Int lda, long long stride_a, const void* b,              \
      cudaDataType type_b, Int ldb, long long stride_b, const void* beta, void* c, cudaDataType type_c, Int ldc,      \
      long long stride_c, Int count, cublasComputeType_t compute, cublasGemmAlgo_t algo) {                            \
    using namespace accublas::cublas;                                                                                 \
    ACCUBLAS_CUBLAS_REAL(name);                                                                                       \
    const Shape shape = SHAPE(count, {stride_a, stride_b, stride_c});                                                 \
    const Types types{type_a, type_b, type_c, compute};                                                               \
    return SERVE_BY_TYPES(Strided, types, RUN_TYPED(Strided), handle, transa, transb, m, n, k, alpha, a, type_a, lda, \
                          stride_a, b, type_b, ldb, stride_b, beta, c, type_c, ldc, stride_c, count, compute, algo);  \
  }
ACCUBLAS_CUBLAS_NAMES(DEFINE_STRIDED_EX, cublasGemmStridedBatchedEx, )
