// Products are batch-invariant under cuBLAS's names on operands in host memory, without a GPU. The mode is the
// environment's.
#include "test/cublas/batch_invariance.hpp"

extern "C" const char* stub_called;

namespace accublas::test::invariance {
namespace {

template <class E>
class BatchInvarianceOfCublas : public testing::Test {};
using InvariantTypes = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(BatchInvarianceOfCublas, InvariantTypes);

TYPED_TEST(BatchInvarianceOfCublas, Products) {
  const std::string mode = invariant_mode();
  if (mode.empty()) GTEST_SKIP() << "products are not batch-invariant in this mode";
  const cublasHandle_t handle = reinterpret_cast<cublasHandle_t>(&stub_called);  // any address
  Random rng(22);
  for (int round = 0; round < 10 && !this->HasFailure(); ++round)
    check_cublas<TypeParam, HostArray>(handle, rng, mode, round % 2 ? 12 : 50, [] {});
}

}  // namespace
}  // namespace accublas::test::invariance
