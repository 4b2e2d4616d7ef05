// Batches whose products share their launches: the bits of the CPU's calls one by one.
#include <cmath>

#include "test/gpu/gemm_batch.hpp"

namespace accublas::test {
namespace {

template <class T>
class GemmGroups : public GemmBatched<T> {};
using GroupTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(GemmGroups, GroupTypes);

// Batches that take groups, which share their launches: in one group, in several, and in a workspace that holds no
// group. Every second matrix may have hard data beside ordinary ones. The report tells the ways apart. The kernels for
// small matrices compute none of these shapes.
TYPED_TEST(GemmGroups, OneOrSeveral) {
  using T = TypeParam;
  Random rng(63);
  std::vector<Kind> decaying, mixed;
  for (const char* name : matrix_names()) decaying.push_back({Data::named, 0, name});
  for (const Kind& kind : hard_batches) mixed.insert(mixed.end(), {kind, {Data::phi, 0}});
  const Index sizes[] = {130, 191, 192, 193, 255, 256, 257, 300};
  const auto size = [&] { return sizes[below(rng, 8)]; };
  enum class Room { all, two_products, one_product };
  int round = 0;
  for (const char* mode : {"cr", "fixed:53", "dp:repro", "fixed:20", "cr", "fixed:90"})
    for (const std::vector<Kind>& kinds : {ordinary_batches, hard_batches, mixed, decaying}) {
      this->set(mode);
      const Room room = static_cast<Room>(round % 3);
      const int trans = round / 3 % 4;
      ++round;
      Index m = size(), n = size();
      const Index k = size(), count = 5 + below(rng, 5);
      (round % 2 ? m : n) = 520;
      // Approximate bytes of a product: residues modulo all moduli.
      const auto padded = [](Index lines) { return (lines + 255) / 256 * 256; };
      const Index product = 49 * ((padded(m) + padded(n)) * ((k + 127) / 128 * 128) + padded(m) * padded(n));
      const Index mib = 1 << 20;
      const Index cap = room == Room::all ? 0 : (room == Room::one_product ? 3 * product / 2 : 5 * product / 2) / mib;
      ASSERT_EQ(accublas_set_workspace_mib(this->gpu, cap), ACCUBLAS_SUCCESS);
      Batch<T> x(rng, kinds, count, m, n, k, round % 2 ? ACCUBLAS_COL_MAJOR : ACCUBLAS_ROW_MAJOR, trans, below(rng, 3));
      const T alphas[] = {T(1), T(1), T(-1), T(0.3), T(-0x1p-90), std::numeric_limits<T>::infinity()};
      const T betas[] = {T(0), T(0), T(1), T(-0.7), std::numeric_limits<T>::quiet_NaN()};
      const T alpha = alphas[below(rng, 6)], beta = betas[below(rng, 5)];
      const bool device_scalars = below(rng, 2);
      x.scalars(alpha, beta);
      this->expect_same(x, std::string(mode) + " in " + std::to_string(cap) + " MiB", device_scalars);
      if (testing::Test::HasFatalFailure()) return;
      const std::int64_t taken = this->gpu.report().workspace_bytes;
      if (std::isnan(beta) && !device_scalars) {  // C is scaled by NaN, without a product
        EXPECT_EQ(taken, 0) << mode << " " << x.describe();
        continue;
      }
      if (room == Room::all) {
        EXPECT_GT(taken, count * product) << mode << " " << x.describe();
      }
      if (room == Room::two_products) {
        EXPECT_GT(taken, 2 * product) << mode << " " << x.describe();
      }
      if (cap != 0) {
        EXPECT_LE(taken, (cap + 2) * mib) << mode << " " << x.describe();
      }
    }
  ASSERT_EQ(accublas_set_workspace_mib(this->gpu, 0), ACCUBLAS_SUCCESS);
}

// Flat, tall and small matrices in groups, whose lines fill up a block. The kernels for small matrices compute some of
// the shapes in cr, and none in fixed:66.
TYPED_TEST(GemmGroups, AnyShape) {
  using T = TypeParam;
  Random rng(64);
  for (const auto& [m, n, k] : {std::array<Index, 3>{1, 1, 129},
                                {1, 300, 200},
                                {300, 1, 200},
                                {7, 30, 1000},
                                {600, 20, 130},
                                {20, 600, 1000},
                                {513, 129, 257},
                                {140, 200, 256},
                                {140, 513, 512},
                                {200, 140, 513},
                                {40, 40, 1024}})
    for (const char* mode : {"cr", "fixed:66"}) {
      this->set(mode);
      for (const int trans : {0, 1, 2, 3}) {
        Batch<T> x(rng, trans % 2 ? ordinary_batches : hard_batches, 6, m, n, k,
                   trans > 1 ? ACCUBLAS_COL_MAJOR : ACCUBLAS_ROW_MAJOR, trans, trans);
        x.scalars(T(-1.25), T(trans == 3 ? 0 : 0.5));
        this->expect_same(x, mode, trans == 2);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
}

// Products of large groups plan their passes from fewer samples, and accept more pending elements. There are more
// products than clusters of thread blocks, which multiply parts of several products with different plans.
TYPED_TEST(GemmGroups, ManyProducts) {
  using T = TypeParam;
  Random rng(66);
  std::vector<Kind> mixed = hard_batches;
  for (const char* name : matrix_names()) mixed.push_back({Data::named, 0, name});
  this->set("cr");
  for (const std::vector<Kind>& kinds : {ordinary_batches, mixed}) {
    Batch<T> x(rng, kinds, 70, 520, 17, 90, ACCUBLAS_COL_MAJOR, 0, 0);
    x.scalars(T(1), T(0));
    this->expect_same(x, "cr", false);
    if (testing::Test::HasFatalFailure()) return;
  }
  // Sums of one to eight steps of the product's kernel, and lines of the largest groups.
  for (const Index k : {Index{100}, Index{128}, Index{129}, Index{300}, Index{500}, Index{600}, Index{900}}) {
    Batch<T> x(rng, k == 300 ? mixed : ordinary_batches, 70, 520, 9, k, ACCUBLAS_COL_MAJOR, 0, 0);
    x.scalars(T(1), T(0));
    this->expect_same(x, "cr", false);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Groups of a thousand tiny products, and of a few large ones: products with one thread block in a kernel, and with
// many.
TYPED_TEST(GemmGroups, TinyAndLarge) {
  using T = TypeParam;
  Random rng(67);
  std::vector<Kind> mixed = hard_batches;
  for (const char* name : matrix_names()) mixed.push_back({Data::named, 0, name});
  struct Shape {
    Index count, m, n, k;
  };
  for (const auto& [count, m, n, k] :
       {Shape{1300, 3, 20, 520}, Shape{130, 5, 7, 530}, Shape{7, 129, 131, 600}, Shape{2, 1000, 257, 150}})
    for (const char* mode : {"cr", "fixed:66"}) {
      this->set(mode);
      Batch<T> x(rng, mixed, count, m, n, k, count % 3 ? ACCUBLAS_COL_MAJOR : ACCUBLAS_ROW_MAJOR, 0, 0);
      x.scalars(T(1), T(count == 7 ? 0.5 : 0));
      this->expect_same(x, mode, false);
      if (testing::Test::HasFatalFailure()) return;
    }
}

// Rows and columns as long as the entries that a thread or a warp keeps, and one term more (measure_short).
TYPED_TEST(GemmGroups, KeptEntries) {
  using T = TypeParam;
  Random rng(68);
  for (const Index k : {Index{129}, Index{255}, Index{256}, Index{257}, Index{512}, Index{513}, Index{1024}})
    for (const int trans : {0, 1, 2, 3}) {
      this->set("fixed:66");
      Batch<T> x(rng, k % 2 ? ordinary_batches : hard_batches, 4, 21, 18, k, ACCUBLAS_COL_MAJOR, trans, trans % 2);
      x.scalars(T(1), T(0));
      this->expect_same(x, "fixed:66", false);
      if (testing::Test::HasFatalFailure()) return;
    }
}

// The report of a group is the report of the CPU's calls together.
TYPED_TEST(GemmGroups, Report) {
  using T = TypeParam;
  Random rng(65);
  for (const char* mode : {"fixed:66", "fixed:80"})
    for (const Kind& kind : {Kind{Data::phi, 0}, Kind{Data::phi, 2}, Kind{Data::integers}, Kind{Data::phi, 10}}) {
      this->set(mode);
      const Batch<T> x(rng, {kind, {Data::phi, 0.5}}, 5, 70, 90, 300, ACCUBLAS_COL_MAJOR, 0, 0);
      std::int64_t rejected = 0;
      double bound = 0;
      for (const Problem<T>& p : x.problems) {
        std::vector<T> c;
        ASSERT_EQ(on_host(this->cpu, p, c), ACCUBLAS_SUCCESS);
        rejected += this->cpu.report().rejected;
        bound = std::max(bound, this->cpu.report().bound_componentwise);
      }
      const BatchOnDevice<T> operands(x);
      ASSERT_EQ(operands.run(this->gpu, x, false, false), ACCUBLAS_SUCCESS) << this->gpu.error();
      const accublas_report_t report = this->gpu.report();
      EXPECT_STREQ(report.engine, "int8");
      EXPECT_EQ(report.rejected, rejected) << mode << " " << kind.name();
      EXPECT_EQ(report.bound_componentwise, bound) << mode << " " << kind.name();
    }
}

}  // namespace
}  // namespace accublas::test
