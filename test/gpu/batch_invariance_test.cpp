// Products are batch-invariant on operands in device memory.
#include "test/batch_invariance.hpp"

#include <complex>

#include "test/gpu/device.hpp"

namespace accublas::test::invariance {
namespace {

template <class E>
class BatchInvarianceOnGpu : public testing::Test {};
using InvariantTypes = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(BatchInvarianceOnGpu, InvariantTypes);

// Orders up to 128 have kernels of their own, in batches too.
TYPED_TEST(BatchInvarianceOnGpu, SmallProducts) {
  Context context(ACCUBLAS_BACKEND_CUDA);
  Random rng(11);
  for (int round = 0; round < 30 && !this->HasFailure(); ++round) {
    const Index most = round % 3 ? 24 : 128;
    const Index m = 1 + below(rng, most), n = round % 2 ? m : 1 + below(rng, most);
    check_gemm<TypeParam, DeviceArray>(context, rng, mode_of(rng, round), m, n, 1 + below(rng, round % 4 ? 128 : 900));
  }
}

// The whole product goes by tensor cores, and its rows by the kernels of GEMV.
TYPED_TEST(BatchInvarianceOnGpu, LargerProducts) {
  Context context(ACCUBLAS_BACKEND_CUDA);
  Random rng(12);
  for (int round = 0; round < 10 && !this->HasFailure(); ++round)
    check_gemm<TypeParam, DeviceArray>(context, rng, mode_of(rng, round), 130 + below(rng, 300), 130 + below(rng, 200),
                                       200 + below(rng, 1500));
}

TYPED_TEST(BatchInvarianceOnGpu, LongInnerDimensions) {
  Context context(ACCUBLAS_BACKEND_CUDA);
  Random rng(14);
  for (int round = 0; round < 5 && !this->HasFailure(); ++round)
    check_gemm<TypeParam, DeviceArray>(context, rng, mode_of(rng, round), 1 + below(rng, 40), 1 + below(rng, 40),
                                       5000 + below(rng, 30000));
}

TYPED_TEST(BatchInvarianceOnGpu, StructuredProductsAndSolutions) {
  Context context(ACCUBLAS_BACKEND_CUDA);
  Random rng(13);
  for (int round = 0; round < 20 && !this->HasFailure(); ++round)
    check_structured<TypeParam, DeviceArray>(context, rng, mode_of(rng, round), 1 + below(rng, round < 10 ? 60 : 400),
                                             1 + below(rng, 20));
}

}  // namespace
}  // namespace accublas::test::invariance
