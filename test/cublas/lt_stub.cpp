// A stub of libcublasLt for tests without a GPU. Its descriptors keep their attributes, and cublasLtMatmul notes that
// it was called.
#include <cublasLt.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

namespace {

using Attributes = std::map<int, std::vector<char>>;

template <class T>
void put(Attributes& to, int which, T value) {
  const char* const bytes = reinterpret_cast<const char*>(&value);
  to[which].assign(bytes, bytes + sizeof value);
}
cublasStatus_t put(void* to, int which, const void* from, std::size_t bytes) {
  (*static_cast<Attributes*>(to))[which].assign(static_cast<const char*>(from), static_cast<const char*>(from) + bytes);
  return CUBLAS_STATUS_SUCCESS;
}
/// Reads an attribute. The stub does not know attributes that were never set, as an older version would not.
cublasStatus_t get(void* from, int which, void* to, std::size_t bytes, std::size_t* written) {
  const Attributes& all = *static_cast<Attributes*>(from);
  const auto found = all.find(which);
  if (found == all.end() || found->second.size() != bytes) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(to, found->second.data(), bytes);
  *written = bytes;
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

extern "C" {
const char* stub_called = "";

size_t cublasLtGetVersion() { return 1; }
cublasStatus_t cublasLtDestroy(cublasLtHandle_t) {
  return stub_called = "cublasLtDestroy", CUBLAS_STATUS_LICENSE_ERROR;
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t, const void*, const void*, cublasLtMatrixLayout_t,
                              const void*, cublasLtMatrixLayout_t, const void*, const void*, cublasLtMatrixLayout_t,
                              void*, cublasLtMatrixLayout_t, const cublasLtMatmulAlgo_t*, void*, size_t, cudaStream_t) {
  return stub_called = "cublasLtMatmul", CUBLAS_STATUS_LICENSE_ERROR;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t compute, cudaDataType_t scale) {
  auto* const all = new Attributes;
  put(*all, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, std::int32_t{compute});
  put(*all, CUBLASLT_MATMUL_DESC_SCALE_TYPE, std::int32_t{scale});
  put(*all, CUBLASLT_MATMUL_DESC_TRANSA, std::int32_t{CUBLAS_OP_N});
  put(*all, CUBLASLT_MATMUL_DESC_TRANSB, std::int32_t{CUBLAS_OP_N});
  put(*all, CUBLASLT_MATMUL_DESC_EPILOGUE, std::uint32_t{CUBLASLT_EPILOGUE_DEFAULT});
  *made = reinterpret_cast<cublasLtMatmulDesc_t>(all);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
  delete reinterpret_cast<Attributes*>(description);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description, cublasLtMatmulDescAttributes_t which,
                                              const void* from, size_t bytes) {
  return put(description, which, from, bytes);
}
cublasStatus_t cublasLtMatmulDescGetAttribute(cublasLtMatmulDesc_t description, cublasLtMatmulDescAttributes_t which,
                                              void* to, size_t bytes, size_t* written) {
  return get(description, which, to, bytes, written);
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType type, uint64_t rows, uint64_t cols,
                                          int64_t ld) {
  auto* const all = new Attributes;
  put(*all, CUBLASLT_MATRIX_LAYOUT_TYPE, static_cast<std::uint32_t>(type));
  put(*all, CUBLASLT_MATRIX_LAYOUT_ROWS, rows);
  put(*all, CUBLASLT_MATRIX_LAYOUT_COLS, cols);
  put(*all, CUBLASLT_MATRIX_LAYOUT_LD, ld);
  put(*all, CUBLASLT_MATRIX_LAYOUT_ORDER, std::int32_t{CUBLASLT_ORDER_COL});
  *made = reinterpret_cast<cublasLtMatrixLayout_t>(all);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete reinterpret_cast<Attributes*>(layout);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t which,
                                                const void* from, size_t bytes) {
  return put(layout, which, from, bytes);
}
cublasStatus_t cublasLtMatrixLayoutGetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t which,
                                                void* to, size_t bytes, size_t* written) {
  return get(layout, which, to, bytes, written);
}
}
