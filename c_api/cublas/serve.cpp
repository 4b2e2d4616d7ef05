#include "c_api/cublas/serve.hpp"

#include "c_api/cublas/contexts.hpp"

namespace accublas::cublas {
namespace {

/// Whether a math mode asks for products of other arithmetic than the type's: TF32, FP16 (which CUBLAS_TENSOR_OP_MATH
/// means) and BF16 in single precision, slices in double precision. Vectors have no such products.
bool asks_for_other_products(int mode, Routine routine) {
  constexpr int emulated_double = 8;  // CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH, which older headers lack
  constexpr int emulated_single = 4;  // CUBLAS_FP32_EMULATED_BF16X9_MATH
  mode &= ~static_cast<int>(CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
  if (!is_level3(routine) && !is_gemm(routine)) return false;
  if (!is_single(routine)) return mode == emulated_double;
  return mode == CUBLAS_TF32_TENSOR_OP_MATH || mode == CUBLAS_TENSOR_OP_MATH || mode == emulated_single;
}

}  // namespace

Way::Way(cublasHandle_t handle, Routine routine, const void* call) noexcept {
  static constinit Real get_stream("cublasGetStream_v2");
  static constinit Real get_pointer_mode("cublasGetPointerMode_v2");
  static constinit Real get_math_mode("cublasGetMathMode");
  if (!handle) return;
  cublasMath_t math{};
  cublasPointerMode_t pointers{};
  if (get_math_mode(handle, &math) != CUBLAS_STATUS_SUCCESS || get_stream(handle, &stream_) != CUBLAS_STATUS_SUCCESS ||
      get_pointer_mode(handle, &pointers) != CUBLAS_STATUS_SUCCESS || asks_for_other_products(math, routine))
    return;
  factors_on_device_ = pointers == CUBLAS_POINTER_MODE_DEVICE;
  begin(handle, routine, call);
}

Way::Way(cublasLtHandle_t handle, cudaStream_t stream, bool factors_on_device, Routine routine,
         const void* call) noexcept
    : stream_(stream), factors_on_device_(factors_on_device) {
  begin(handle, routine, call);
}

void Way::begin(const void* handle, Routine routine, const void* call) noexcept {
  accublas_context* const context = context_of(handle, prepared_);
  if (!context || accublas_private_left_to_cublas(context, routine, call)) return;
  context_ = context;
  prepared_ = accublas_set_stream(context, stream_);
  if (prepared_ == ACCUBLAS_SUCCESS)
    prepared_ =
        accublas_set_pointer_mode(context, factors_on_device_ ? ACCUBLAS_POINTER_DEVICE : ACCUBLAS_POINTER_HOST);
}

void Way::factors_are_on_host() noexcept {
  factors_on_device_ = false;
  accublas_set_pointer_mode(context_, ACCUBLAS_POINTER_HOST);
}

bool Way::falls_back(accublas_status failed, cublasStatus_t& status) const noexcept {
  switch (failed) {
    case ACCUBLAS_ERROR_ARGUMENT:
      status = CUBLAS_STATUS_INVALID_VALUE;
      return false;
    case ACCUBLAS_ERROR_MEMORY:
      status = CUBLAS_STATUS_ALLOC_FAILED;
      break;
    case ACCUBLAS_ERROR_DEVICE:
    case ACCUBLAS_ERROR_C_UNDEFINED:
      status = CUBLAS_STATUS_EXECUTION_FAILED;
      break;
    case ACCUBLAS_ERROR_INTERNAL:
      status = CUBLAS_STATUS_INTERNAL_ERROR;
      break;
    default:
      status = CUBLAS_STATUS_NOT_SUPPORTED;
  }
  return accublas_private_ask_handler(context_, failed) && failed != ACCUBLAS_ERROR_C_UNDEFINED;
}

}  // namespace accublas::cublas

extern "C" ACCUBLAS_API cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  using namespace accublas::cublas;
  static constinit Real real("cublasDestroy_v2");
  if (handle) forget(handle);
  return real(handle);
}

extern "C" ACCUBLAS_API cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  using namespace accublas::cublas;
  static constinit Real real("cublasLtDestroy");
  if (handle) forget(handle);
  return real(handle);
}
