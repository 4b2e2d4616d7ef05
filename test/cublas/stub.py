"""A libcublas for tests without a GPU: every served name notes that it was called, and the handle's settings are variables."""
import names

print("""// Made by test/cublas/stub.py.
#include <cublas_api.h>
extern "C" {
const char* stub_called = "";
cublasMath_t stub_math = CUBLAS_DEFAULT_MATH;
cublasPointerMode_t stub_pointers = CUBLAS_POINTER_MODE_HOST;
cublasStatus_t cublasGetStream_v2(cublasHandle_t, cudaStream_t* stream) { return *stream = nullptr, CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t, cublasPointerMode_t* mode) { return *mode = stub_pointers, CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasGetMathMode(cublasHandle_t, cublasMath_t* mode) { return *mode = stub_math, CUBLAS_STATUS_SUCCESS; }
}""")
# Their arguments do not matter, and a C function takes any: no callee pops them.
for name in sorted(names.EXPORTED - names.OF_LT - {"dlsym"}):
    print(f'extern "C" int stub_{name}() asm("{name}");\nint stub_{name}() {{ return stub_called = "{name}", CUBLAS_STATUS_LICENSE_ERROR; }}')
