// LAPACK's factorizations and the solutions by them on the GPU in dp and sp: residuals, info, streams.
#include "test/gpu/factor_dp.hpp"

namespace accublas::test {
namespace {

TYPED_TEST_SUITE(FactorDp, FactorTypes);

TYPED_TEST(FactorDp, LuResiduals) {
  using E = TypeParam;
  const Index shapes[][2] = {{1, 1},    {1, 40},    {40, 1},     {33, 65},   {100, 100},   {130, 70},   {257, 257},
                             {300, 90}, {90, 1300}, {1300, 200}, {777, 777}, {1025, 1040}, {1301, 1301}};
  for (const auto& [m, n] : shapes)
    for (int data = 0; data < 2; ++data) {
      Stored<E> a(this->rng, m, n);
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < m; ++i) a(i, j) = data == 0 ? this->number() : this->integer();
      Stored<E> f = a;
      std::vector<std::int64_t> pivots;
      const std::int64_t info = this->factor(f, pivots, data == 1 && m < 800);
      if (data == 0) {
        ASSERT_EQ(info, 0);
      }
      this->expect_lu(a, f, pivots);
      ASSERT_FALSE(testing::Test::HasFailure()) << m << " x " << n << " data " << data;
    }
}

/// Columns of zeros stay that.
TYPED_TEST(FactorDp, ZeroPivots) {
  using E = TypeParam;
  const Index n = 200;
  Stored<E> a(this->rng, n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) a(i, j) = j == 70 || j == 150 ? E(0) : this->number();
  Stored<E> f = a;
  std::vector<std::int64_t> pivots;
  EXPECT_EQ(this->factor(f, pivots, false), 71);
  EXPECT_EQ(pivots[70], 71);
  this->expect_lu(a, f, pivots);
}

TYPED_TEST(FactorDp, CholeskyResiduals) {
  using E = TypeParam;
  for (const Index n : {5, 64, 65, 128, 200, 300, 777, 1301})
    for (const accublas_uplo uplo : {ACCUBLAS_UPPER, ACCUBLAS_LOWER}) {
      const Stored<E> a = this->positive(n, uplo);
      Stored<E> f = a;
      ASSERT_EQ(this->factor(f, uplo, n < 300), 0) << n;
      this->expect_cholesky(a, f, uplo, n);
      ASSERT_FALSE(testing::Test::HasFailure()) << n << " uplo " << uplo;
    }
  for (int round = 0; round < 6; ++round) {
    const Index n = 300, bad = below(this->rng, n);
    const accublas_uplo uplo = round % 2 ? ACCUBLAS_UPPER : ACCUBLAS_LOWER;
    Stored<E> a = this->positive(n, uplo);
    a(bad, bad) = E(round < 2 ? Real<E>(-1) : round < 4 ? Real<E>(0) : std::numeric_limits<Real<E>>::quiet_NaN());
    Stored<E> f = a;
    ASSERT_EQ(this->factor(f, uplo, round == 0), bad + 1);
    if (bad > 0) this->expect_cholesky(a, f, uplo, bad);
    ASSERT_FALSE(testing::Test::HasFailure()) << "not positive at " << bad << " uplo " << uplo;
  }
}

TYPED_TEST(FactorDp, Solutions) {
  using E = TypeParam;
  using T = Real<E>;
  Random& rng = this->rng;
  const auto dense = [](const Stored<E>& s) {
    Dense<E> out(s.rows, s.cols);
    for (Index j = 0; j < s.cols; ++j)
      for (Index i = 0; i < s.rows; ++i) out(i, j) = s(i, j);
    return out;
  };
  for (const int n : {1, 50, 129, 500})
    for (const Index nrhs : {1, n == 50 ? 1030 : 37})
      for (int round = 0; round < 5; ++round) {
        const bool cholesky = round == 4, posed = round >= 3;
        const accublas_transpose trans = round == 1   ? ACCUBLAS_TRANS
                                         : round == 2 ? ACCUBLAS_CONJ_TRANS
                                                      : ACCUBLAS_NO_TRANS;
        const accublas_uplo uplo = below(rng, 2) ? ACCUBLAS_UPPER : ACCUBLAS_LOWER;
        Stored<E> a = cholesky ? this->positive(n, uplo) : Stored<E>(rng, n, n), b(rng, n, nrhs);
        while (b.layout != a.layout) b = Stored<E>(rng, n, nrhs);
        if (!cholesky)
          for (Index j = 0; j < n; ++j)
            for (Index i = 0; i < n; ++i) a(i, j) = this->number();
        for (Index j = 0; j < nrhs; ++j)
          for (Index i = 0; i < n; ++i) b(i, j) = this->number();
        Stored<E> f = a, x = b;
        std::vector<std::int64_t> pivots(static_cast<std::size_t>(n), -7);
        std::int64_t info = 0;
        if (!posed) {
          ASSERT_EQ(this->factor(f, pivots, false), 0);
        }
        const DeviceArray<E> da(f.data), db(b.data);
        const DeviceArray<std::int64_t> dp(pivots);
        if (cholesky)
          ASSERT_EQ(ACCUBLAS_OF(E, posv)(this->gpu, a.layout, uplo, n, nrhs, da.data(), a.ld, db.data(), b.ld, &info),
                    ACCUBLAS_SUCCESS)
              << this->gpu.error();
        else if (posed)
          ASSERT_EQ(
              ACCUBLAS_OF(E, gesv)(this->gpu, a.layout, n, nrhs, da.data(), a.ld, dp.data(), db.data(), b.ld, &info),
              ACCUBLAS_SUCCESS)
              << this->gpu.error();
        else
          ASSERT_EQ(
              ACCUBLAS_OF(E, getrs)(this->gpu, a.layout, trans, n, nrhs, da.data(), a.ld, dp.data(), db.data(), b.ld),
              ACCUBLAS_SUCCESS)
              << this->gpu.error();
        ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->gpu.error();
        ASSERT_EQ(info, 0);
        f.data = da.values(), x.data = db.values(), pivots = dp.values();
        this->expect_poison(b, x);
        // abs(B - op(A) X) <= factor u op(P^T abs(L) abs(U)) abs(X)
        Dense<E> whole(n, n), l(n, n), u(n, n);
        if (cholesky) {
          for (Index j = 0; j < n; ++j)
            for (Index i = 0; i <= j; ++i) {
              const E of_a = uplo == ACCUBLAS_UPPER ? a(i, j) : a(j, i),
                      of_f = uplo == ACCUBLAS_UPPER ? f(i, j) : f(j, i);
              E other = of_a;
              if constexpr (Numbers<E>::complex) other = std::conj(other);
              whole(i, j) = uplo == ACCUBLAS_UPPER ? of_a : other;
              whole(j, i) = uplo == ACCUBLAS_UPPER ? other : of_a;
              if (i == j) whole(i, i) = E(std::real(of_a));
              u(i, j) = of_f;
              l(j, i) = of_f;
            }
        } else {
          this->split(f, l, u);
          whole = dense(a);
        }
        Dense<T> sizes_of_a = this->product(sizes(l), sizes(u), static_cast<Dense<T>*>(nullptr));
        if (!cholesky) {  // its rows back
          for (Index i = n; i-- > 0;)
            for (Index j = 0; j < n; ++j) std::swap(sizes_of_a(i, j), sizes_of_a(pivots[std::size_t(i)] - 1, j));
        }
        if (trans != ACCUBLAS_NO_TRANS) {
          const Dense<E> w = whole;
          const Dense<T> s = sizes_of_a;
          for (Index j = 0; j < n; ++j)
            for (Index i = 0; i < n; ++i) {
              whole(i, j) = w(j, i);
              if constexpr (Numbers<E>::complex)
                if (trans == ACCUBLAS_CONJ_TRANS) whole(i, j) = std::conj(w(j, i));
              sizes_of_a(i, j) = s(j, i);
            }
        }
        const Dense<E> solution = dense(x), right = dense(b);
        this->expect_within("B - A X", this->product(whole, solution, &right),
                            this->product(sizes_of_a, sizes(solution), static_cast<Dense<T>*>(nullptr)),
                            3 * this->terms_factor(n));
        ASSERT_FALSE(testing::Test::HasFailure())
            << "n " << n << " nrhs " << nrhs << " round " << round << " uplo " << uplo << " layout " << a.layout;
      }
}

/// Without factors B stays as it is.
TYPED_TEST(FactorDp, NoSolutions) {
  using E = TypeParam;
  const Index n = 90, nrhs = 7;
  Stored<E> a = this->positive(n, ACCUBLAS_UPPER), b(this->rng, n, nrhs);
  while (b.layout != a.layout) b = Stored<E>(this->rng, n, nrhs);
  for (Index j = 0; j < nrhs; ++j)
    for (Index i = 0; i < n; ++i) b(i, j) = this->number();
  a(70, 70) = E(-1);
  std::int64_t info = -1;
  const DeviceArray<E> da(a.data), db(b.data);
  ASSERT_EQ(ACCUBLAS_OF(E, posv)(this->gpu, a.layout, ACCUBLAS_UPPER, n, nrhs, da.data(), a.ld, db.data(), b.ld, &info),
            ACCUBLAS_SUCCESS)
      << this->gpu.error();
  EXPECT_EQ(info, 71);
  std::vector<E> got = db.values();
  EXPECT_EQ(std::memcmp(got.data(), b.data.data(), got.size() * sizeof(E)), 0);
  Stored<E> zeros(this->rng, n, n);
  while (zeros.layout != b.layout) zeros = Stored<E>(this->rng, n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) zeros(i, j) = j == 20 ? E(0) : this->number();
  const DeviceArray<E> dz(zeros.data);
  const DeviceArray<std::int64_t> pivots(static_cast<std::size_t>(n));
  ASSERT_EQ(ACCUBLAS_OF(E, gesv)(this->gpu, zeros.layout, n, nrhs, dz.data(), zeros.ld, pivots.data(), db.data(), b.ld,
                                 &info),
            ACCUBLAS_SUCCESS)
      << this->gpu.error();
  EXPECT_EQ(info, 21);
  got = db.values();
  EXPECT_EQ(std::memcmp(got.data(), b.data.data(), got.size() * sizeof(E)), 0);
}

/// Panels of a matrix that stays in host memory, where the workspace has no room for it.
TYPED_TEST(FactorDp, HostMatrices) {
  using E = TypeParam;
  const auto expect_there = [&] {
    const accublas_report_t report = this->gpu.report();
    ASSERT_NE(std::strstr(report.reason, "A stays in host memory"), nullptr) << report.reason;
  };
  const auto lu = [&](Index m, Index n, int mib, int data) {
    ASSERT_EQ(accublas_set_workspace_mib(this->gpu, mib), ACCUBLAS_SUCCESS) << this->gpu.error();
    Stored<E> a(this->rng, m, n);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < m; ++i)
        a(i, j) = data == 2 && (j == 70 || j == 150) ? E(0) : data == 1 ? this->integer() : this->number();
    Stored<E> f = a;
    std::vector<std::int64_t> pivots;
    const std::int64_t info = this->factor(f, pivots, true);
    if (data != 1) {
      ASSERT_EQ(info, data == 2 ? 71 : 0);
    }
    expect_there();
    this->expect_lu(a, f, pivots);
    ASSERT_FALSE(testing::Test::HasFailure()) << m << " x " << n << " cap " << mib << " data " << data;
  };
  const auto cholesky = [&](Index n, int mib, Index bad) {
    ASSERT_EQ(accublas_set_workspace_mib(this->gpu, mib), ACCUBLAS_SUCCESS) << this->gpu.error();
    for (const accublas_uplo uplo : {ACCUBLAS_UPPER, ACCUBLAS_LOWER}) {
      Stored<E> a = this->positive(n, uplo);
      if (bad >= 0) a(bad, bad) = E(-1);
      Stored<E> f = a;
      ASSERT_EQ(this->factor(f, uplo, true), bad + 1);
      expect_there();
      // Rows before those of the block that the column belongs to.
      this->expect_cholesky(a, f, uplo, bad < 0 ? n : bad / 64 * 64);
      ASSERT_FALSE(testing::Test::HasFailure()) << n << " cap " << mib << " bad " << bad << " uplo " << uplo;
    }
  };
  // More than half of a MiB, in panels of 64; their blocks have 32 columns.
  const auto least = static_cast<Index>(std::sqrt(6e5 / sizeof(E)));
  for (const Index n : {least, (least / 64 + 1) * 64, (least / 64 + 1) * 64 + 1}) {
    lu(n, n, 1, 0);
    lu(n + 50, n, 1, 1);
    lu(n, n + 150, 1, 0);
    cholesky(n, 1, -1);
  }
  lu(2 * least, 2 * least, 1, 2);
  cholesky(least, 1, 128);
  cholesky(least, 1, least - 1);
  lu(700, 700, 1, 0);
  lu(1300, 400, 1, 1);
  lu(400, 1300, 1, 0);
  cholesky(700, 1, -1);
  // Products by emulation where the type has them; a matrix that has many panels of some hundred columns.
  const Index n = scaled(1) > 1 ? 12000 : 1500;
  lu(n, n, scaled(1) > 1 ? 256 : 4, 0);
  cholesky(n, scaled(1) > 1 ? 256 : 4, -1);
}

/// Products by emulation between the halves.
TYPED_TEST(FactorDp, DeepProducts) {
  using E = TypeParam;
  const Index n = Numbers<E>::complex ? 4100 : sizeof(E) == 8 ? 6200 : 1500;
  Stored<E> a(this->rng, n, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i) a(i, j) = this->number();
  Stored<E> f = a;
  std::vector<std::int64_t> pivots;
  ASSERT_EQ(this->factor(f, pivots, false), 0);
  this->expect_lu(a, f, pivots);
  if (testing::Test::HasFailure()) return;
  const Stored<E> c = this->positive(n, ACCUBLAS_LOWER);
  f = c;
  ASSERT_EQ(this->factor(f, ACCUBLAS_LOWER, false), 0);
  this->expect_cholesky(c, f, ACCUBLAS_LOWER, n);
}

/// Two contexts at once, with panels of a grid and some beside products; then both routines in a graph, twice.
TEST(FactorDpOnStreams, AtOnceAndInGraphs) {
  constexpr Index m = 9000, n = 600;
  Random rng{5};
  std::vector<double> matrix(std::size_t{m * n});
  for (double& x : matrix) x = uniform(rng);
  const DeviceArray<std::int64_t> pivots(std::size_t{2 * n}), info(std::vector<std::int64_t>{-1, -1});
  const DeviceArray<double> once(matrix), first(matrix), second(matrix);
  Context contexts[2];
  cudaStream_t streams[2] = {};
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking), cudaSuccess);
    contexts[i].set("dp");
    ASSERT_EQ(accublas_set_backend(contexts[i], ACCUBLAS_BACKEND_CUDA), ACCUBLAS_SUCCESS);
    ASSERT_EQ(accublas_set_stream(contexts[i], streams[i]), ACCUBLAS_SUCCESS);
  }
  const auto run = [&](int i, double* a) {
    return accublas_dgetrf(contexts[i], ACCUBLAS_COL_MAJOR, m, n, a, m, pivots.data() + i * n, info.data() + i);
  };
  ASSERT_EQ(run(0, once.data()), ACCUBLAS_SUCCESS) << contexts[0].error();
  ASSERT_EQ(accublas_sync(contexts[0]), ACCUBLAS_SUCCESS) << contexts[0].error();
  for (int round = 0; round < 5; ++round) {
    ASSERT_EQ(run(0, first.data()), ACCUBLAS_SUCCESS) << contexts[0].error();
    ASSERT_EQ(run(1, second.data()), ACCUBLAS_SUCCESS) << contexts[1].error();
    for (Context& context : contexts) ASSERT_EQ(accublas_sync(context), ACCUBLAS_SUCCESS) << context.error();
    const std::vector<double> want = once.values(), a = first.values(), b = second.values();
    ASSERT_EQ(std::memcmp(a.data(), want.data(), want.size() * sizeof(double)), 0) << round;
    ASSERT_EQ(std::memcmp(b.data(), want.data(), want.size() * sizeof(double)), 0) << round;
    ASSERT_EQ(info.values(), (std::vector<std::int64_t>{0, 0}));
    const std::vector<std::int64_t> p = pivots.values();
    ASSERT_TRUE(std::equal(p.begin(), p.begin() + n, p.begin() + n));
    ASSERT_EQ(cudaMemcpy(first.data(), matrix.data(), matrix.size() * sizeof(double), cudaMemcpyDefault), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(second.data(), matrix.data(), matrix.size() * sizeof(double), cudaMemcpyDefault), cudaSuccess);
  }
  constexpr Index order = 200;  // of what is positive definite
  std::vector<double> positive(std::size_t{order * order}, 0.25);
  for (Index i = 0; i < order; ++i) positive[static_cast<std::size_t>(i * (order + 1))] = 2;
  const DeviceArray<double> p(positive);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_EQ(run(0, first.data()), ACCUBLAS_SUCCESS) << contexts[0].error();
  EXPECT_EQ(accublas_dpotrf(contexts[0], ACCUBLAS_COL_MAJOR, ACCUBLAS_LOWER, order, p.data(), order, info.data() + 1),
            ACCUBLAS_SUCCESS)
      << contexts[0].error();
  ASSERT_EQ(cudaStreamEndCapture(streams[0], &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
  for (int round = 0; round < 2; ++round) {
    ASSERT_EQ(cudaMemcpy(first.data(), matrix.data(), matrix.size() * sizeof(double), cudaMemcpyDefault), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(p.data(), positive.data(), positive.size() * sizeof(double), cudaMemcpyDefault), cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(replay, streams[0]), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(streams[0]), cudaSuccess);
    const std::vector<double> want = once.values(), a = first.values(), x = p.values();
    for (std::size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(a[i], want[i], 1e-9) << round << " at " << i;
    for (Index j = 0; j < order; ++j)
      for (Index i = j; i < order; ++i) {
        double sum = 0;
        for (Index k = 0; k <= j; ++k)
          sum += x[static_cast<std::size_t>(i + k * order)] * x[static_cast<std::size_t>(j + k * order)];
        ASSERT_NEAR(sum, i == j ? 2 : 0.25, 1e-13) << round << " at " << i << ", " << j;
      }
    ASSERT_EQ(info.values(), (std::vector<std::int64_t>{0, 0}));
  }
  cudaGraphExecDestroy(replay);
  cudaGraphDestroy(graph);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(accublas_set_stream(contexts[i], nullptr), ACCUBLAS_SUCCESS);
    cudaStreamDestroy(streams[i]);
  }
}

}  // namespace
}  // namespace accublas::test
