// Products are batch-invariant on operands in host memory.
#include "test/batch_invariance.hpp"

namespace accublas::test::invariance {
namespace {

template <class E>
class BatchInvariance : public testing::Test {
 protected:
  Context context_;
};
TYPED_TEST_SUITE(BatchInvariance, Types);

TYPED_TEST(BatchInvariance, SmallProducts) {
  check_small_products<TypeParam, HostArray>(this->context_, 1, 60, 9, 40, 90, 700);
}

// The whole product is computed by other engines and in other blocks than its parts.
TYPED_TEST(BatchInvariance, LargerProducts) {
  check_products<TypeParam, HostArray>(this->context_, 2, 5, [](Random& rng, int) {
    return std::array{60 + below(rng, 30), 30 + below(rng, 30), 200 + below(rng, 200)};
  });
}

TYPED_TEST(BatchInvariance, LongInnerDimensions) {
  check_products<TypeParam, HostArray>(this->context_, 4, 5, [](Random& rng, int) {
    return std::array{1 + below(rng, 6), 1 + below(rng, 6), 3000 + below(rng, 4000)};
  });
}

TYPED_TEST(BatchInvariance, StructuredProductsAndSolutions) {
  check_structured_products<TypeParam, HostArray>(this->context_, 3, 15, 30, 150, 12);
}

}  // namespace
}  // namespace accublas::test::invariance
