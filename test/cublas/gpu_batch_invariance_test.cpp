// Products are batch-invariant under cuBLAS's names on a GPU. The mode is the environment's.
#include "test/cublas/batch_invariance.hpp"
#include "test/cublas/gpu_memory.hpp"

namespace accublas::test::invariance {
namespace {

template <class E>
class BatchInvarianceOfCublas : public testing::Test {};
TYPED_TEST_SUITE(BatchInvarianceOfCublas, Types);

TYPED_TEST(BatchInvarianceOfCublas, Products) {
  const Handle handle;
  check_rounds<TypeParam, DeviceArray>(handle, 12, 30, 200, [] { require(cudaDeviceSynchronize(), "synchronize"); });
}

}  // namespace
}  // namespace accublas::test::invariance
