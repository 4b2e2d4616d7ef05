// Products are batch-invariant under cuBLAS's names on a GPU. The mode is the environment's.
#include "test/cublas/batch_invariance.hpp"
#include "test/cublas/gpu_memory.hpp"

namespace accublas::test::invariance {
namespace {

template <class E>
class BatchInvarianceOfCublas : public testing::Test {};
using InvariantTypes = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(BatchInvarianceOfCublas, InvariantTypes);

TYPED_TEST(BatchInvarianceOfCublas, Products) {
  const std::string mode = invariant_mode();
  if (mode.empty()) GTEST_SKIP() << "products are not batch-invariant in this mode";
  const Handle handle;
  Random rng(21);
  for (int round = 0; round < 12 && !this->HasFailure(); ++round)
    check_cublas<TypeParam, DeviceArray>(handle, rng, mode, round % 2 ? 30 : 200,
                                         [] { require(cudaDeviceSynchronize(), "synchronize"); });
}

}  // namespace
}  // namespace accublas::test::invariance
