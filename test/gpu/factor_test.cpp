// LAPACK's factorizations and the solutions by them on the GPU: the CPU's bits in all of A's and B's buffers, its
// pivots and its info, in cr and dp:repro.
#include "test/gpu/factor_test.hpp"

#include <cmath>
#include <cstring>

#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {
namespace {

TYPED_TEST_SUITE(Factor, Types);

TYPED_TEST(Factor, SmallOnes) {
  for (const char* mode : {"cr", sizeof(TypeParam) == 8 ? "dp:repro" : "sp:repro"}) {
    this->cpu.set(mode);
    this->gpu.set(mode);
    for (const Kind kind : kinds)
      for (const Data data : all_data)
        for (const Index parts : {1, 2})
          for (int i = 0; i < scaled(2); ++i) {
            // Where exact sums decide most elements, few of them.
            const bool hard = data == Data::tiny || data == Data::special || data == Data::wild;
            const Index most = hard ? 12 : i == 0 ? 40 : 200, n = 1 + below(this->rng, most);
            const Index m = kind == Kind::getrf ? 1 + below(this->rng, most) : n;
            this->expect_same(this->make(kind, data, parts, m, n, 1 + below(this->rng, 40)), i == 0);
            if (testing::Test::HasFatalFailure()) return;
          }
  }
}

/// Products between blocks by the INT8 engine, and panels of more rows than thread blocks take at once.
TYPED_TEST(Factor, LargeOnes) {
  this->cpu.set("cr");
  this->gpu.set("cr");
  for (const Kind kind : kinds)
    for (const Data data : {Data::tame, Data::graded})
      for (const Index parts : {1, 2}) {
        const Index n = (parts == 1 ? 1300 : 700) + below(this->rng, 100);
        this->expect_same(this->make(kind, data, parts, n, n, 900), false);
        if (testing::Test::HasFatalFailure()) return;
      }
  this->expect_same(this->make(Kind::getrf, Data::tame, 1, 60000, 70, 1), false);
  if (testing::Test::HasFatalFailure()) return;
  this->expect_same(this->make(Kind::getrf, Data::tame, 1, 90, 3000, 1), false);
}

/// Cancellation, underflow and zeros: in panels and blocks, and in products between blocks, whose sums are refined.
TYPED_TEST(Factor, DecayingOnes) {
  this->cpu.set("cr");
  this->gpu.set("cr");
  for (const char* name :
       {"identity", "poisson1d", "gauss:0.05", "gauss:0.02", "gauss:0.3", "decay:0.9", "decay:0.1"}) {
    this->matrix = name;
    for (const Kind kind : {Kind::potrf, Kind::getrf, Kind::gesv})
      for (const Index parts : {1, 2}) {
        const Index n = (parts == 1 ? 330 : 140) + below(this->rng, 70);
        this->expect_same(this->make(kind, Data::named, parts, kind == Kind::getrf ? n + 40 : n, n, 40), parts == 1);
        if (testing::Test::HasFatalFailure()) return;
      }
  }
  // Products by the INT8 engine. Numbers near underflow cost the CPU too much time here.
  for (const char* name : {"poisson1d", "gauss:0.05", "decay:0.9"}) {
    this->matrix = name;
    for (const Kind kind : {Kind::potrf, Kind::getrf}) {
      this->expect_same(this->make(kind, Data::named, 1, 840, 840, 1), false);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// Writes A = [I X; W 0], where I has the order `known`, so that the numerators after `known` steps are -W X. Terms of
/// a level, some 2^-50 (single precision: 2^-20) of the level before, cancel in pairs, except for those of the last
/// level. Every other row has one pair of the last level: a number and half of its last bit, which make a tie.
template <class T>
void make_cancelling(Matrices<T>& p, Index known, int levels, int exponent, Random& rng) {
  constexpr int step = sizeof(T) == 8 ? 50 : 20;
  constexpr T half = std::numeric_limits<T>::epsilon() / 2;
  const auto at = [&](Index i, Index j) {
    return &p.a[static_cast<std::size_t>(p.parts * (p.layout == ACCUBLAS_ROW_MAJOR ? i * p.lda + j : i + j * p.lda))];
  };
  const auto number = [&] { return static_cast<T>(uniform(rng) - 0.5); };
  for (Index i = 0; i < p.m; ++i)
    for (Index j = 0; j < p.n; ++j)
      for (Index part = 0; part < p.parts; ++part) at(i, j)[part] = i == j && i < known && part == 0;
  for (Index q = 0; q + 1 < known; q += 2) {
    const int level = q < 4 ? levels - 1 : static_cast<int>(below(rng, levels));
    const bool last = level == levels - 1;
    for (Index part = 0; part < p.parts; ++part) {
      for (Index j = known; j < p.n; ++j) {
        const T x = static_cast<T>(std::ldexp(1 + uniform(rng), exponent - step * level));
        at(q, j)[part] = x;
        at(q + 1, j)[part] = last ? static_cast<T>(std::ldexp(1, exponent - step * level)) : x;
      }
      for (Index i = known; i < p.m; ++i) {
        const bool tie = i % 2 == 0;
        const T w = last && tie ? (q == 0 && part == 0 ? T(1) : T(0)) : number();
        at(i, q)[part] = w;
        at(i, q + 1)[part] = !last ? -w : tie ? w * half : number();
      }
    }
  }
}

/// Elements cancel by up to 100 to 300 bits, and are decided by four or six words or exactly: in panels, in blocks, and
/// in sums that are refined between them. Some of them are ties, or lie at the ends of the range.
TYPED_TEST(Factor, CancellingOnes) {
  this->cpu.set("cr");
  this->gpu.set("cr");
  for (const char* name : {"vandermonde", "hilbert"}) {
    this->matrix = name;
    for (const Kind kind : {Kind::getrf, Kind::gesv})
      for (const Index parts : {1, 2}) {
        const Index n = (parts == 1 ? 400 : 170) + below(this->rng, 70);
        this->expect_same(this->make(kind, Data::named, parts, kind == Kind::getrf ? n + 40 : n, n, 40), parts == 1);
        if (testing::Test::HasFatalFailure()) return;
      }
  }
  constexpr bool wide = sizeof(TypeParam) == 8;
  for (const Index parts : {1, 2})
    for (const int levels : {2, 3, 4, 5, 7})
      for (const int exponent : {0, wide ? 960 : 110, wide ? -620 : -20, wide ? -880 : -60}) {
        const Index known = parts == 1 ? 200 : 90, n = known + 40 + below(this->rng, 60);
        Matrices<TypeParam> p = this->make(Kind::getrf, Data::tame, parts, n, n, 1);
        make_cancelling(p, known, levels, exponent, this->rng);
        this->expect_same(p, false);
        if (testing::Test::HasFatalFailure()) return;
      }
}

/// So many right-hand sides that their rows change places all at once.
TYPED_TEST(Factor, ManySides) {
  this->cpu.set("cr");
  this->gpu.set("cr");
  for (const Kind kind : {Kind::getrs, Kind::gesv})
    for (const Index parts : {1, 2})
      for (int i = 0; i < scaled(3); ++i) {
        this->expect_same(
            this->make(kind, Data::tame, parts, 0, 20 + below(this->rng, 40), 1030 + below(this->rng, 90)), false);
        if (testing::Test::HasFatalFailure()) return;
      }
}

/// Panels of columns that the workspace has room for.
TYPED_TEST(Factor, SmallWorkspace) {
  this->cpu.set("cr");
  this->gpu.set("cr");
  for (const int mib : {16, 48})
    for (const Index parts : {1, 2})
      for (const Kind kind : {Kind::potrf, Kind::gesv, Kind::getrf}) {
        ASSERT_EQ(accublas_set_workspace_mib(this->gpu, mib), ACCUBLAS_SUCCESS) << this->gpu.error();
        const Index n = 1000 + below(this->rng, 60);
        this->expect_same(this->make(kind, Data::tame, parts, kind == Kind::getrf ? n - 300 : n, n, 300), false);
        if (testing::Test::HasFatalFailure()) return;
      }
}

/// Panels of a matrix that stays in host memory, where the workspace has no room for it.
TYPED_TEST(Factor, HostMatrices) {
  const auto expect = [&](Kind kind, Data data, Index parts, Index m, Index n, int mib) {
    ASSERT_EQ(accublas_set_workspace_mib(this->gpu, mib), ACCUBLAS_SUCCESS) << this->gpu.error();
    const Matrices<TypeParam> p = this->make(kind, data, parts, m, n, 1);
    Matrices<TypeParam> want = p;
    std::int64_t info = 0;
    ASSERT_EQ(call(this->cpu, p, want.a.data(), want.pivots.data(), want.b.data(), &info), ACCUBLAS_SUCCESS)
        << this->cpu.error();
    this->expect_staged(p, want, info);
    const accublas_report_t report = this->gpu.report();
    EXPECT_NE(std::strstr(report.reason, "A stays in host memory"), nullptr) << report.reason << " " << p.describe();
    EXPECT_GT(report.workspace_bytes, 0);
    EXPECT_GE(report.copied_bytes, m * n * parts * static_cast<Index>(sizeof(TypeParam)));
  };
  for (const char* mode : {"cr", sizeof(TypeParam) == 8 ? "dp:repro" : "sp:repro"}) {
    this->cpu.set(mode);
    this->gpu.set(mode);
    for (const Index parts : {1, 2})
      for (const Data data : {Data::tame, Data::graded, Data::integers, Data::singular, Data::named})
        for (int i = 0; i < scaled(1); ++i) {
          // More than half of a MiB, in panels of 64 or 128.
          const auto least = static_cast<Index>(std::sqrt(6e5 / double(sizeof(TypeParam) * parts)));
          const Index n = least + below(this->rng, 30);
          expect(Kind::potrf, data, parts, n, n, 1);
          expect(Kind::getrf, data, parts, n + 5, n, 1);
          expect(Kind::getrf, data, parts, n, n + 5, 1);
          if (testing::Test::HasFailure()) return;
        }
  }
  for (const Index parts : {1, 2}) {
    expect(Kind::potrf, Data::tame, parts, 700, 700, 1);
    expect(Kind::getrf, Data::tame, parts, 700, 700, 1);
    expect(Kind::getrf, Data::graded, parts, 1100, 500, 1);
    expect(Kind::getrf, Data::tame, parts, 500, 1100, 1);
    // Products by the INT8 engine.
    const int mib = parts == 1 ? 40 : 96;
    expect(Kind::potrf, Data::tame, parts, 2600, 2600, mib);
    expect(Kind::getrf, Data::tame, parts, 2600, 2600, mib);
    if (testing::Test::HasFailure()) return;
  }
  // A large one, whose bits are those of the matrix on the device.
  if (scaled(1) == 1) return;
  for (const Kind kind : {Kind::potrf, Kind::getrf}) {
    Matrices<TypeParam> out = this->make(kind, Data::tame, 1, 9000, 9000, 1), in = out;
    std::int64_t info[2] = {-1, -1};
    ASSERT_EQ(accublas_set_workspace_mib(this->gpu, 0), ACCUBLAS_SUCCESS) << this->gpu.error();
    ASSERT_EQ(call(this->gpu, in, in.a.data(), in.pivots.data(), in.b.data(), &info[0]), ACCUBLAS_SUCCESS);
    ASSERT_EQ(std::strstr(this->gpu.report().reason, "A stays"), nullptr);
    ASSERT_EQ(accublas_set_workspace_mib(this->gpu, 400), ACCUBLAS_SUCCESS) << this->gpu.error();
    ASSERT_EQ(call(this->gpu, out, out.a.data(), out.pivots.data(), out.b.data(), &info[1]), ACCUBLAS_SUCCESS);
    ASSERT_NE(std::strstr(this->gpu.report().reason, "A stays"), nullptr);
    ASSERT_EQ(info[0], info[1]);
    ASSERT_EQ(in.pivots, out.pivots);
    ASSERT_EQ(std::memcmp(in.a.data(), out.a.data(), in.a.size() * sizeof(TypeParam)), 0) << out.describe();
  }
}

/// An info that is on the device alone goes into a graph, and so do solutions, which have none; one of the host's does
/// not.
TEST(FactorInGraph, InfoOnTheDevice) {
  Context gpu(ACCUBLAS_BACKEND_CUDA);
  gpu.set("cr");
  constexpr Index n = 300;
  Random rng{3};
  std::vector<double> matrix(n * n);
  for (double& x : matrix) x = uniform(rng);
  const std::vector<double> side(matrix.begin(), matrix.begin() + n);
  const DeviceArray<double> a(matrix), once(matrix), b(side), solved(side);
  const DeviceArray<std::int64_t> pivots(std::vector<std::int64_t>(std::size_t{n})),
      info(std::vector<std::int64_t>{-1});
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(accublas_set_stream(gpu, stream), ACCUBLAS_SUCCESS);
  ASSERT_EQ(accublas_dgetrf(gpu, ACCUBLAS_COL_MAJOR, n, n, once.data(), n, pivots.data(), info.data()),
            ACCUBLAS_SUCCESS);
  const auto solve = [&](const DeviceArray<double>& factors, const DeviceArray<double>& sides) {
    EXPECT_EQ(accublas_dgetrs(gpu, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, n, 1, factors.data(), n, pivots.data(),
                              sides.data(), n),
              ACCUBLAS_SUCCESS)
        << gpu.error();
    EXPECT_EQ(accublas_dpotrs(gpu, ACCUBLAS_COL_MAJOR, ACCUBLAS_UPPER, n, 1, factors.data(), n, sides.data(), n),
              ACCUBLAS_SUCCESS)
        << gpu.error();
  };
  solve(once, solved);
  ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
  const std::vector<double> want = once.values(), solution = solved.values();
  cudaGraph_t graph = nullptr;
  std::int64_t host_info = 0;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_NE(accublas_dgetrf(gpu, ACCUBLAS_COL_MAJOR, n, n, a.data(), n, pivots.data(), &host_info), ACCUBLAS_SUCCESS);
  EXPECT_EQ(accublas_dgetrf(gpu, ACCUBLAS_COL_MAJOR, n, n, a.data(), n, pivots.data(), info.data()), ACCUBLAS_SUCCESS)
      << gpu.error();
  solve(a, b);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  cudaGraphExec_t run = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&run, graph, 0), cudaSuccess);
  for (int again = 0; again < 2; ++again) {
    ASSERT_EQ(cudaMemcpy(a.data(), matrix.data(), matrix.size() * sizeof(double), cudaMemcpyDefault), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(b.data(), side.data(), side.size() * sizeof(double), cudaMemcpyDefault), cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(run, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(std::memcmp(a.values().data(), want.data(), want.size() * sizeof(double)), 0) << again;
    EXPECT_EQ(std::memcmp(b.values().data(), solution.data(), solution.size() * sizeof(double)), 0) << again;
    EXPECT_EQ(info.values()[0], 0);
  }
  cudaGraphExecDestroy(run);
  cudaGraphDestroy(graph);
  ASSERT_EQ(accublas_set_stream(gpu, nullptr), ACCUBLAS_SUCCESS);
  cudaStreamDestroy(stream);
}

/// A user's buffer that GETRS does not fit leaves B as it was, whose rows have changed places by then.
TEST(SolutionInLittleMemory, UsersBuffer) {
  Context gpu(ACCUBLAS_BACKEND_CUDA);
  gpu.set("cr");
  constexpr Index n = 200;
  std::vector<double> matrix(n * n), side(n);
  std::vector<std::int64_t> rows(n, n);
  for (Index i = 0; i < n; ++i) matrix[static_cast<std::size_t>(i * n + i)] = side[static_cast<std::size_t>(i)] = i + 1;
  const DeviceArray<double> a(matrix), b(side);
  const DeviceArray<std::int64_t> pivots(rows);
  const DeviceArray<char> workspace(std::size_t{4096});
  ASSERT_EQ(accublas_set_workspace(gpu, workspace.data(), workspace.size()), ACCUBLAS_SUCCESS) << gpu.error();
  EXPECT_EQ(accublas_dgetrs(gpu, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, n, 1, a.data(), n, pivots.data(), b.data(), n),
            ACCUBLAS_ERROR_MEMORY)
      << gpu.error();
  ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
  EXPECT_EQ(b.values(), side);
}

/// Without work info is told as well.
TEST(FactorOfNothing, InfoOnTheDevice) {
  Context gpu(ACCUBLAS_BACKEND_CUDA);
  gpu.set("cr");
  const DeviceArray<std::int64_t> info(std::vector<std::int64_t>{-1});
  ASSERT_EQ(accublas_dpotrf(gpu, ACCUBLAS_COL_MAJOR, ACCUBLAS_UPPER, 0, nullptr, 1, info.data()), ACCUBLAS_SUCCESS)
      << gpu.error();
  ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS);
  EXPECT_EQ(info.values()[0], 0);
  // Its operands are the host's.
  double a = 4;
  EXPECT_EQ(accublas_dpotrf(gpu, ACCUBLAS_COL_MAJOR, ACCUBLAS_UPPER, 1, &a, 1, info.data()), ACCUBLAS_ERROR_POINTERS);
}

}  // namespace
}  // namespace accublas::test
