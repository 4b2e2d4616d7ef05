// Products are batch-invariant under cuBLAS's names on operands in host memory, without a GPU. The mode is the
// environment's.
#include "test/cublas/batch_invariance.hpp"

extern "C" const char* stub_called;

namespace accublas::test::invariance {
namespace {

template <class E>
class BatchInvarianceOfCublas : public testing::Test {};
TYPED_TEST_SUITE(BatchInvarianceOfCublas, Types);

TYPED_TEST(BatchInvarianceOfCublas, Products) {
  const cublasHandle_t handle = reinterpret_cast<cublasHandle_t>(&stub_called);  // any address
  check_rounds<TypeParam, HostArray>(handle, 10, 12, 50, [] {});
}

}  // namespace
}  // namespace accublas::test::invariance
