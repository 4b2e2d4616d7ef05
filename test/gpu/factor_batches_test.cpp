// Batches of factorizations and solutions on the GPU: in the modes that define bits the CPU's bits of single calls, in
// dp and sp their backward errors.
#include "test/factor_batches.hpp"

#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {
namespace {

using factor_batches::Arrays;
using BatchKind = factor_batches::Kind;

template <class E>
class FactorBatches : public ::testing::Test {
 protected:
  using Batch = factor_batches::Batch<E>;
  static constexpr bool single = sizeof(typed::Real<E>) == 4;

  /// The arrays of a batch in device memory.
  struct OnDevice {
    DeviceArray<E> a, b, tau;
    DeviceArray<Index> pivots, info;
    explicit OnDevice(const Arrays<E>& x) : a(x.a), b(x.b), tau(x.tau), pivots(x.pivots), info(x.info) {}
    Arrays<E> values() const { return {a.values(), b.values(), tau.values(), pivots.values(), info.values()}; }
  };

  void expect_bits(const Batch& batch, const std::string& mode) {
    Context cpu(ACCUBLAS_BACKEND_CPU), gpu(ACCUBLAS_BACKEND_CUDA);
    cpu.set(mode), gpu.set(mode);
    Arrays<E> want = batch.given;
    ASSERT_EQ(batch.one_by_one(cpu, want), ACCUBLAS_SUCCESS) << cpu.error();
    const OnDevice strided(batch.given);
    ASSERT_EQ(batch.strided(gpu, strided.a.data(), strided.b.data(), strided.tau.data(), strided.pivots.data(),
                            strided.info.data()),
              ACCUBLAS_SUCCESS)
        << batch.text() << gpu.error();
    ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
    Arrays<E> got = strided.values();
    ASSERT_TRUE(got == want) << mode << " " << batch.text() << ": " << got.difference(want);
    EXPECT_EQ(gpu.report().batch_count, batch.count);

    // By pointers in device memory, info in host memory.
    const bool qr = batch.kind == BatchKind::geqrf;
    const OnDevice apart(batch.given);
    const std::vector<E*> at_a = batch.pointers(apart.a.data(), batch.stride_a),
                          at_b = batch.pointers(apart.b.data(), batch.stride_b);
    const DeviceArray<E*> a(at_a), b(at_b);
    std::vector<Index> info = batch.given.info;
    ASSERT_EQ(batch.by_pointers(gpu, qr ? at_a.data() : a.data(), qr ? at_b.data() : b.data(), apart.tau.data(),
                                apart.pivots.data(), info.data()),
              ACCUBLAS_SUCCESS)
        << batch.text() << gpu.error();
    ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
    got = apart.values();
    got.info = info;
    ASSERT_TRUE(got == want) << mode << " " << batch.text() << " by pointers: " << got.difference(want);
  }

  /// Replaces A by its factors for a kind that reads them.
  void prepare(Batch& batch) {
    Context cpu(ACCUBLAS_BACKEND_CPU);
    cpu.set("cr");
    if (!factor_batches::factors(batch.kind)) ASSERT_EQ(batch.factor(cpu), ACCUBLAS_SUCCESS) << cpu.error();
  }
};
using BatchTypes = ::testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(FactorBatches, BatchTypes);

TYPED_TEST(FactorBatches, BitsOfSmallOnes) {
  unsigned seed = 0;
  for (const BatchKind kind : factor_batches::kinds)
    for (auto [m, n, nrhs, count] : {std::array<Index, 4>{1, 1, 1, 9},
                                     {2, 2, 3, 33},
                                     {4, 4, 1, 100},
                                     {9, 5, 2, 17},
                                     {8, 8, 2, 35},
                                     {16, 13, 1, 21},
                                     {5, 11, 2, 16},
                                     {31, 32, 2, 16},
                                     {32, 32, 1, 13},
                                     {33, 33, 1, 9},
                                     {40, 33, 5, 11},
                                     {64, 64, 3, 9},
                                     {100, 70, 1, 8}})
      for (const bool rows : {false, true}) {
        if (kind == BatchKind::geqrf && (n > 11 || count > 40)) continue;  // single calls, which wait for every column
        ++seed;
        factor_batches::Batch<TypeParam> batch(kind, rows, m, n, nrhs, count, seed % 3, seed % 5, seed);
        if (seed % 4 < 2) batch.uplo = ACCUBLAS_LOWER;
        batch.trans = seed % 3 == 0 ? ACCUBLAS_NO_TRANS : seed % 3 == 1 ? ACCUBLAS_TRANS : ACCUBLAS_CONJ_TRANS;
        this->prepare(batch);
        this->expect_bits(batch, seed % 2 ? "cr" : this->single ? "sp:repro" : "dp:repro");
        if (::testing::Test::HasFatalFailure()) return;
      }
}

/// Both sides of the largest matrices whose systems one kernel solves.
TYPED_TEST(FactorBatches, BitsOfLargerOnes) {
  for (const BatchKind kind : {BatchKind::getrf, BatchKind::gesv, BatchKind::posv, BatchKind::potrs})
    for (auto [m, n] : {std::array<Index, 2>{96, 97}, {128, 128}, {129, 97}}) {
      factor_batches::Batch<TypeParam> batch(kind, false, m, n, 2, 4, 1, 3, 77);
      this->prepare(batch);
      this->expect_bits(batch, "cr");
      if (::testing::Test::HasFatalFailure()) return;
    }
}

/// Both sides of the largest matrices that a thread block factors, all kinds of matrices in those below.
TYPED_TEST(FactorBatches, BitsOfTheLargestOnes) {
  for (const BatchKind kind : {BatchKind::getrf, BatchKind::potrf})
    for (auto [m, n, count] :
         {std::array<Index, 3>{131, 190, 8}, {257, 225, 3}, {512, 511, 2}, {384, 512, 1}, {513, 513, 1}})
      for (const accublas_uplo uplo : {ACCUBLAS_UPPER, ACCUBLAS_LOWER}) {
        if (kind == BatchKind::getrf && uplo == ACCUBLAS_LOWER) continue;
        factor_batches::Batch<TypeParam> batch(kind, m == 257, m, n, 0, count, 1, 3, 78);
        batch.uplo = uplo;
        this->expect_bits(batch, "cr");
        if (::testing::Test::HasFatalFailure()) return;
      }
}

using FactorBatchesOfDoubles = FactorBatches<double>;

/// Four thread blocks factor each of so many matrices.
TEST_F(FactorBatchesOfDoubles, BitsOfThirtyLargeOnes) {
  factor_batches::Batch<double> batch(BatchKind::potrf, false, 512, 512, 0, 30, 1, 3, 80);
  expect_bits(batch, "cr");
}

/// Elements of U far above those of A, elements far below the products that they are the sums of, and bands, whose
/// other elements have products that are all zero.
TYPED_TEST(FactorBatches, BitsOfGrowingAndDecayingOnes) {
  using T = typed::Real<TypeParam>;
  for (const BatchKind kind : {BatchKind::getrf, BatchKind::potrf})
    for (const Index n : {7, 16, 30, 32, 61, 150}) {
      factor_batches::Batch<TypeParam> batch(kind, n % 2 != 0, n, n, 0, 6, 1, 3, 79);
      std::mt19937_64 random(static_cast<unsigned>(n));
      std::uniform_real_distribution<T> noise(T(0.5), T(1));
      for (Index i = 0; i < batch.count; ++i)
        for (Index r = 0; r < n; ++r)
          for (Index c = 0; c < n; ++c) {
            const bool cholesky = kind == BatchKind::potrf;
            const Index apart = std::abs(r - c);
            T x = 0;
            if (cholesky && r < c) continue;
            if (i % 3 == 0 && !cholesky)  // Wilkinson's matrix: the last column doubles in every step
              x = c == n - 1 ? noise(random) : r == c ? T(1) : r > c ? -noise(random) : T(0);
            else if (i % 3 == 0 || i % 3 == 1)
              x = static_cast<T>(std::pow(i % 3 == 0 ? 0.1 : 0.8, apart)) * noise(random) + (r == c ? T(1) : T(0));
            else
              x = apart > 3 ? T(0) : r == c ? T(8) : noise(random);
            batch.a(batch.given.a, i, r, c) = x;
            if (cholesky) batch.a(batch.given.a, i, c, r) = x;
          }
      batch.uplo = n % 3 == 0 ? ACCUBLAS_LOWER : ACCUBLAS_UPPER;
      this->expect_bits(batch, "cr");
      if (::testing::Test::HasFatalFailure()) return;
    }
}

TYPED_TEST(FactorBatches, BackwardErrorsWithoutPromisedBits) {
  for (const BatchKind kind : {BatchKind::getrf, BatchKind::potrf})
    for (const accublas_uplo uplo : {ACCUBLAS_UPPER, ACCUBLAS_LOWER})
      for (const Index n : {1, 3, 7, 13, 29, 32, 33, 61, 128, 200, 301}) {
        Context gpu(ACCUBLAS_BACKEND_CUDA);
        gpu.set(this->single ? "sp" : "dp");
        factor_batches::Batch<TypeParam> batch(kind, n % 2 == 0, n + 3, n, 1, n > 200 ? 2 : n > 100 ? 7 : 16, 1, 3, 8);
        batch.uplo = uplo;
        const typename TestFixture::OnDevice arrays(batch.given);
        ASSERT_EQ(batch.strided(gpu, arrays.a.data(), nullptr, nullptr, arrays.pivots.data(), arrays.info.data()),
                  ACCUBLAS_SUCCESS)
            << gpu.error();
        ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
        const double error = batch.backward_error(batch.given, arrays.values());
        EXPECT_GE(error, 0) << batch.text();
        EXPECT_LE(error, 4 * (static_cast<double>(n) + 3 + 6 * 8)) << batch.text();
      }
}

/// GESV in dp and cr gives nearly the same solutions.
TYPED_TEST(FactorBatches, SolutionsWithoutPromisedBits) {
  for (const BatchKind kind : {BatchKind::gesv, BatchKind::posv}) {
    factor_batches::Batch<TypeParam> batch(kind, false, 30, 30, 40, 2, 0, 0, 5);
    batch.count = 1;
    const auto solve = [&](const char* mode) {
      Context gpu(ACCUBLAS_BACKEND_CUDA);
      gpu.set(mode);
      const typename TestFixture::OnDevice arrays(batch.given);
      EXPECT_EQ(batch.strided(gpu, arrays.a.data(), arrays.b.data(), nullptr, arrays.pivots.data(), arrays.info.data()),
                ACCUBLAS_SUCCESS)
          << gpu.error();
      EXPECT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
      return arrays.b.values();
    };
    const std::vector<TypeParam> want = solve("cr"), got = solve(this->single ? "sp" : "dp");
    double norm = 0, difference = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
      norm = std::max(norm, static_cast<double>(std::abs(want[i])));
      difference = std::max(difference, static_cast<double>(std::abs(want[i] - got[i])));
    }
    EXPECT_LE(difference, norm * (this->single ? 0.05 : 1e-7)) << batch.text();
  }
}

/// Without rows there is info alone; an empty batch does nothing.
TEST(FactorBatch, NothingToDoOnTheDevice) {
  Context gpu(ACCUBLAS_BACKEND_CUDA);
  gpu.set("cr");
  const DeviceArray<Index> info(std::vector<Index>{7, 7, 7});
  EXPECT_EQ(accublas_dgetrf_strided_batched(gpu, ACCUBLAS_COL_MAJOR, 0, 3, nullptr, 1, 0, nullptr, info.data(), 3),
            ACCUBLAS_SUCCESS)
      << gpu.error();
  EXPECT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS);
  EXPECT_EQ(info.values(), (std::vector<Index>{0, 0, 0}));
  EXPECT_EQ(accublas_dgetrf_strided_batched(gpu, ACCUBLAS_COL_MAJOR, 3, 3, nullptr, 3, 9, nullptr, info.data(), 0),
            ACCUBLAS_SUCCESS);
}

}  // namespace
}  // namespace accublas::test
