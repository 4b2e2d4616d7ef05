// Products are batch-invariant on operands in host memory.
#include "test/batch_invariance.hpp"

#include <complex>

namespace accublas::test::invariance {
namespace {

template <class E>
class BatchInvariance : public testing::Test {};
using Types = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(BatchInvariance, Types);

TYPED_TEST(BatchInvariance, SmallProducts) {
  Context context;
  Random rng(1);
  for (int round = 0; round < 60 && !this->HasFailure(); ++round) {
    const Index most = round % 3 ? 9 : 40;
    const Index m = 1 + below(rng, most), n = round % 2 ? m : 1 + below(rng, most);
    check_gemm<TypeParam, HostArray>(context, rng, mode_of(rng, round), m, n, 1 + below(rng, round % 4 ? 90 : 700));
  }
}

// The whole product is computed by other engines and in other blocks than its parts.
TYPED_TEST(BatchInvariance, LargerProducts) {
  Context context;
  Random rng(2);
  for (int round = 0; round < 5 && !this->HasFailure(); ++round)
    check_gemm<TypeParam, HostArray>(context, rng, mode_of(rng, round), 60 + below(rng, 30), 30 + below(rng, 30),
                                     200 + below(rng, 200));
}

TYPED_TEST(BatchInvariance, LongInnerDimensions) {
  Context context;
  Random rng(4);
  for (int round = 0; round < 5 && !this->HasFailure(); ++round)
    check_gemm<TypeParam, HostArray>(context, rng, mode_of(rng, round), 1 + below(rng, 6), 1 + below(rng, 6),
                                     3000 + below(rng, 4000));
}

TYPED_TEST(BatchInvariance, StructuredProductsAndSolutions) {
  Context context;
  Random rng(3);
  for (int round = 0; round < 20 && !this->HasFailure(); ++round)
    check_structured<TypeParam, HostArray>(context, rng, mode_of(rng, round), 1 + below(rng, round < 15 ? 30 : 150),
                                           1 + below(rng, 12));
}

}  // namespace
}  // namespace accublas::test::invariance
