// Small products of mode cr with pending elements. In results of up to 4096 elements a kernel of their own computes
// them, in larger ones the steps that all engines share. The bits must be the CPU's.
#include <cstring>

#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {
namespace {

template <class T>
class SmallGemm : public testing::Test {
 protected:
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};
  Random rng{47};

  void SetUp() override {
    cpu.set("cr");
    gpu.set("cr");
  }
};
using SmallGemmTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(SmallGemm, SmallGemmTypes);

/// A product whose elements in the first `rows` rows and `cols` columns are ties: 1 plus half of its last place. All
/// other elements are 1, and most terms are zero.
template <class T>
Problem<T> with_ties(Random& rng, Index m, Index n, Index k, Index rows, Index cols) {
  auto p = plain_problem<T>(rng, {Data::integers}, m, n, k);
  std::fill(p.a.begin(), p.a.end(), T(0));
  std::fill(p.b.begin(), p.b.end(), T(0));
  for (Index i = 0; i < m; ++i) {
    p.a[static_cast<std::size_t>(p.at_a.at(i, 0))] = 1;
    if (i < rows) p.a[static_cast<std::size_t>(p.at_a.at(i, k - 1))] = std::numeric_limits<T>::epsilon();
  }
  for (Index j = 0; j < n; ++j) {
    p.b[static_cast<std::size_t>(p.at_b.at(0, j))] = 1;
    if (j < cols) p.b[static_cast<std::size_t>(p.at_b.at(k - 1, j))] = T(0.5);
  }
  return p;
}

TYPED_TEST(SmallGemm, Ties) {
  using T = TypeParam;
  for (const auto& [m, n, k] : {std::array<Index, 3>{300, 290, 40}, {270, 260, 512}, {64, 64, 100}, {65, 64, 30}}) {
    for (const auto& [rows, cols] :
         {std::pair<Index, Index>{0, 0}, {1, 1}, {16, 16}, {257, 1}, {1, 257}, {43, 6}, {33, 60}, {270, 260}}) {
      const auto p = with_ties<T>(this->rng, m, n, k, std::min(rows, m), std::min(cols, n));
      expect_same(this->cpu, this->gpu, p, std::to_string(rows) + " x " + std::to_string(cols) + " ties");
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// Elements of lines with Inf or NaN, or without a nonzero term, beside ties.
TYPED_TEST(SmallGemm, SpecialElements) {
  using T = TypeParam;
  const T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  for (int number = 0; number < 12; ++number) {
    // A row of 90 elements is special.
    const Index m = number % 2 ? 200 : 40, n = 90, k = 77;
    auto p = with_ties<T>(this->rng, m, n, k, 3, 5);
    if (number % 3 == 1) p.alpha = T(-1.3), p.beta = T(0.7);
    if (number % 3 == 2) p.alpha = T(0.5), p.beta = T(-1);
    const T special = number % 4 == 0 ? infinity : number % 4 == 1 ? -infinity : nan;
    p.a[static_cast<std::size_t>(p.at_a.at(m - 2, number * 5))] = special;
    if (number > 6)
      for (Index q = 0; q < k; ++q) p.b[static_cast<std::size_t>(p.at_b.at(q, 7))] = 0;
    if (number > 8) p.b[static_cast<std::size_t>(p.at_b.at(number * 5, 11))] = -special;
    expect_same(this->cpu, this->gpu, p, "special", number > 5);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(SmallGemm, KindsOfData) {
  using T = TypeParam;
  for (const Kind& kind : {Kind{Data::phi, 0.5}, Kind{Data::phi, 6}, Kind{Data::graded}, Kind{Data::whole_range},
                           Kind{Data::ties}, Kind{Data::cancellation}, Kind{Data::subnormal}, Kind{Data::few_special},
                           Kind{Data::zero_lines}, Kind{Data::both_ends}})
    for (const Index order : {31, 64, 65, 130, 256, 380}) {
      auto p =
          packed_problem<T>(this->rng, kind, order, order - 1, order - 2,
                            order % 2 ? ACCUBLAS_ROW_MAJOR : ACCUBLAS_COL_MAJOR, ACCUBLAS_TRANS, ACCUBLAS_NO_TRANS, 3);
      if (order == 65) p.alpha = T(-1.3), p.beta = T(0.7);
      expect_same(this->cpu, this->gpu, p, "kind");
      if (testing::Test::HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace accublas::test
