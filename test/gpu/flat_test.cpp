// Flat products of mode cr are compared with the CPU bit by bit. They take digits of rows and columns where that is
// faster than residues. They are larger than small products, and their sums have at most 128 terms.
#include <cstring>

#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {
namespace {

template <class T>
class Flat : public testing::Test {
 protected:
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};
  Random rng{41};

  void SetUp() override {
    cpu.set("cr");
    gpu.set("cr");
  }
  void expect_flat(const Problem<T>& p, const std::string& what) {
    expect_same(cpu, gpu, p, what);
    // Digits have 10 parts in double and 6 in single precision; other engines need more, or moduli.
    if (!testing::Test::HasFatalFailure() && p.alpha != T(0) && std::min(p.m, p.n) > 10) {
      EXPECT_EQ(gpu.report().parts, static_cast<int>(sizeof(T)) + 2) << p.describe();
      EXPECT_STREQ(gpu.report().engine, "int8");
    }
  }
};
using FlatTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(Flat, FlatTypes);

TYPED_TEST(Flat, KindsOfData) {
  using T = TypeParam;
  for (const Kind& kind : kinds_of_digits)
    for (const Index k : {37, 64, 128}) {
      auto p = plain_problem<T>(this->rng, kind, 530 + below(this->rng, 200), 520 + below(this->rng, 200), k);
      if (k == 37) p.alpha = T(-1.3), p.beta = T(0.7);
      this->expect_flat(p, "kind");
      if (testing::Test::HasFatalFailure()) return;
    }
}

TYPED_TEST(Flat, EdgesOfTilesAndTerms) {
  using T = TypeParam;
  for (const Index k : {1, 2, 31, 32, 33, 63, 65, 96, 97, 127, 128})
    for (const auto& [m, n] :
         {std::pair<Index, Index>{513, 640}, {576, 575}, {577, 641}, {1, 1500}, {1500, 1}, {16, 900}, {700, 17}}) {
      this->expect_flat(plain_problem<T>(this->rng, {Data::phi, 1}, m, n, k), "edges");
      if (testing::Test::HasFatalFailure()) return;
    }
}

TYPED_TEST(Flat, LayoutsAndTranspositions) {
  using T = TypeParam;
  for (const accublas_layout layout : {ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR})
    for (const accublas_transpose transa : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS, ACCUBLAS_CONJ_TRANS})
      for (const accublas_transpose transb : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS, ACCUBLAS_CONJ_TRANS})
        for (const Index extra : {0, 3}) {
          this->expect_flat(
              packed_problem<T>(this->rng, {Data::cancellation}, 515 + below(this->rng, 100),
                                30 + below(this->rng, 600), 1 + below(this->rng, 128), layout, transa, transb, extra),
              "layout");
          if (testing::Test::HasFatalFailure()) return;
        }
}

TYPED_TEST(Flat, AnyStrides) {
  using T = TypeParam;
  for (int number = 0; number < scaled(10); ++number) {
    const Index m = 513 + below(this->rng, 140), n = 1 + below(this->rng, 140), k = 1 + below(this->rng, 128);
    Problem<T> p;
    p.m = m, p.n = n, p.k = k, p.general = true;
    p.at_a = strided(this->rng, m, k, true), p.at_b = strided(this->rng, k, n, true);
    p.at_c = strided(this->rng, m, n, false);
    p.beta = below(this->rng, 2) ? T{0.5} : T{0};
    fill(p, make_entries<T>({Data::phi, 1}, m, n, k, this->rng));
    this->expect_flat(p, "strides");
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(Flat, ScalarsOnHostAndDevice) {
  using T = TypeParam;
  for (const T alpha : {T(1), T(0), T(-0.5), T(1.3), std::numeric_limits<T>::infinity(), std::numeric_limits<T>::min()})
    for (const T beta : {T(0), T(1), T(-0.7), std::numeric_limits<T>::quiet_NaN()})
      for (const bool device : {false, true}) {
        auto p = plain_problem<T>(this->rng, {Data::few_special}, 520, 530, 60);
        p.alpha = alpha, p.beta = beta;
        expect_same(this->cpu, this->gpu, p, "scalars", device);
        if (testing::Test::HasFatalFailure()) return;
      }
}

/// Products with few rows or columns are computed by GEMVs (engine sums), unless the caller names the engine.
TYPED_TEST(Flat, FewRowsOrColumns) {
  using T = TypeParam;
  for (const Kind& kind : {Kind{Data::phi, 1}, Kind{Data::few_special}, Kind{Data::ties}, Kind{Data::cancellation}})
    for (const auto& [m, n, k] :
         {std::array<Index, 3>{1, 1, 700}, {1, 300, 40}, {500, 1, 1}, {2, 6000, 900}, {7000, 3, 800}, {3, 2, 9}})
      for (const char* engine : {"auto", "int8"}) {
        auto p = plain_problem<T>(this->rng, kind, m, n, k);
        if (k % 3 == 0) p.alpha = T(-1.3), p.beta = T(0.7);
        this->gpu.set("cr", engine);
        expect_same(this->cpu, this->gpu, p, engine, k % 2 == 0);
        if (testing::Test::HasFatalFailure()) return;
        if (std::string(engine) == "int8") {
          EXPECT_STREQ(this->gpu.report().engine, "int8") << p.describe();
        } else if (std::min(m, n) == 1) {
          EXPECT_STREQ(this->gpu.report().engine, "sums") << p.describe();
          EXPECT_NE(std::strstr(this->gpu.report().reason, "GEMV"), nullptr) << this->gpu.report().reason;
        }
      }
  this->gpu.set("cr", "auto");
}

/// Products with few rows or columns and a large operand take nine digits of double precision if that is faster than
/// residues, which need more moduli.
TEST(SkinnyProducts, HaveTheBitsOfTheCpu) {
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};
  Random rng{43};
  cpu.set("cr");
  gpu.set("cr");
  for (const Kind& kind : {Kind{Data::phi, 1}, Kind{Data::phi, 4}, Kind{Data::few_special}, Kind{Data::cancellation},
                           Kind{Data::graded}, Kind{Data::integers}})
    for (const bool wide : {false, true}) {
      const auto trans = [&] { return below(rng, 2) ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS; };
      const Index few = 20 + below(rng, 44), many = 12000 + below(rng, 500), k = 2900 + below(rng, 300);
      auto p = packed_problem<double>(rng, kind, wide ? few : many, wide ? many : few, k,
                                      below(rng, 2) ? ACCUBLAS_COL_MAJOR : ACCUBLAS_ROW_MAJOR, trans(), trans(),
                                      below(rng, 2) ? 3 : 0);
      if (below(rng, 2)) p.alpha = -1.3, p.beta = 0.7;
      expect_same(cpu, gpu, p, "skinny", below(rng, 2) == 0);
      if (testing::Test::HasFatalFailure()) return;
      EXPECT_STREQ(gpu.report().engine, "int8");
      cudaDeviceProp properties;
      require(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
      if (properties.major == 9) EXPECT_EQ(gpu.report().parts, 9) << p.describe();
    }
}

/// The host does not know that alpha is zero.
TEST(SkinnyProducts, AlphaZeroInDeviceMemory) {
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};
  Random rng{44};
  cpu.set("cr");
  gpu.set("cr");
  for (const double beta : {0.0, 1.0, -2.5}) {
    auto p = plain_problem<double>(rng, {Data::few_special}, 12100, 40, 2950);
    p.alpha = 0, p.beta = beta;
    expect_same(cpu, gpu, p, "alpha is zero", true);
  }
}

/// Without room for the digits, residues compute the product, with the same bits.
TYPED_TEST(Flat, SmallWorkspace) {
  using T = TypeParam;
  const auto p = plain_problem<T>(this->rng, {Data::ties}, 1200, 900, 100);
  for (const std::int64_t mebibytes : {1, 2, 8}) {
    ASSERT_EQ(accublas_set_workspace_mib(this->gpu, mebibytes), ACCUBLAS_SUCCESS);
    expect_same(this->cpu, this->gpu, p, std::to_string(mebibytes) + " MiB");
    if (testing::Test::HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace accublas::test
