// Products are batch-invariant on operands in device memory.
#include "test/batch_invariance.hpp"

#include "test/gpu/device.hpp"

namespace accublas::test::invariance {
namespace {

template <class E>
class BatchInvarianceOnGpu : public testing::Test {
 protected:
  Context context_{ACCUBLAS_BACKEND_CUDA};
};
TYPED_TEST_SUITE(BatchInvarianceOnGpu, Types);

TYPED_TEST(BatchInvarianceOnGpu, SmallProducts) {
  check_small_products<TypeParam, DeviceArray>(this->context_, 11, 30, 24, 128, 128, 900);
}

// The whole product goes by tensor cores, and its rows by the kernels of GEMV.
TYPED_TEST(BatchInvarianceOnGpu, LargerProducts) {
  check_products<TypeParam, DeviceArray>(this->context_, 12, 10, [](Random& rng, int) {
    return std::array{130 + below(rng, 300), 130 + below(rng, 200), 200 + below(rng, 1500)};
  });
}

TYPED_TEST(BatchInvarianceOnGpu, LongInnerDimensions) {
  check_products<TypeParam, DeviceArray>(this->context_, 14, 5, [](Random& rng, int) {
    return std::array{1 + below(rng, 40), 1 + below(rng, 40), 5000 + below(rng, 30000)};
  });
}

TYPED_TEST(BatchInvarianceOnGpu, StructuredProductsAndSolutions) {
  check_structured_products<TypeParam, DeviceArray>(this->context_, 13, 10, 60, 400, 20);
}

}  // namespace
}  // namespace accublas::test::invariance
