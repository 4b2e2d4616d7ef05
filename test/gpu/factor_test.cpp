// LAPACK's factorizations and the solutions by them on the GPU: the CPU's bits in all of A's and B's buffers, its
// pivots and its info, in cr and dp:repro.
#include <cmath>
#include <cstring>

#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {
namespace {

enum class Kind { potrf, potrs, posv, getrf, getrs, gesv };
constexpr Kind kinds[] = {Kind::potrf, Kind::potrs, Kind::posv, Kind::getrf, Kind::getrs, Kind::gesv};
constexpr bool is_cholesky(Kind kind) { return kind <= Kind::posv; }
constexpr bool solves(Kind kind) { return kind != Kind::potrf && kind != Kind::getrf; }
constexpr bool factors(Kind kind) { return kind != Kind::potrs && kind != Kind::getrs; }

/// The kind of data in a matrix.
enum class Data {
  tame,
  graded,    ///< rows and columns scaled by powers of two
  integers,  ///< ties of pivots, exact sums, zeros
  singular,  ///< of low rank, or not positive definite somewhere
  tiny,      ///< near the least normal number
  special,   ///< an entry is Inf or NaN
  wild       ///< any bits
};
constexpr Data all_data[] = {Data::tame, Data::graded,  Data::integers, Data::singular,
                             Data::tiny, Data::special, Data::wild};

template <class T>
struct Matrices {
  Kind kind;
  Data data;
  Index parts, m, n, nrhs, lda, ldb;
  accublas_layout layout;
  accublas_uplo uplo;
  accublas_transpose trans;
  std::vector<T> a, b;
  std::vector<std::int64_t> pivots;

  std::string describe() const {
    std::ostringstream out;
    out << "kind " << static_cast<int>(kind) << " data " << static_cast<int>(data) << " parts " << parts << " m " << m
        << " n " << n << " nrhs " << nrhs << " lda " << lda << " ldb " << ldb << " layout " << layout << " uplo "
        << uplo << " trans " << trans;
    return out.str();
  }
};

template <class T>
accublas_status call(accublas_context* context, const Matrices<T>& p, T* a, std::int64_t* pivots, T* b,
                     std::int64_t* info) {
  const auto pick = [&](auto d, auto s, auto z, auto c, auto&& run) {
    if constexpr (sizeof(T) == 8)
      return p.parts == 1 ? run(d) : run(z);
    else
      return p.parts == 1 ? run(s) : run(c);
  };
#define ACCUBLAS_PICK(name, ...)                                               \
  pick(accublas_d##name, accublas_s##name, accublas_z##name, accublas_c##name, \
       [&](auto routine) { return routine(context, p.layout, __VA_ARGS__); })
  switch (p.kind) {
    case Kind::potrf:
      return ACCUBLAS_PICK(potrf, p.uplo, p.n, a, p.lda, info);
    case Kind::potrs:
      return ACCUBLAS_PICK(potrs, p.uplo, p.n, p.nrhs, a, p.lda, b, p.ldb);
    case Kind::posv:
      return ACCUBLAS_PICK(posv, p.uplo, p.n, p.nrhs, a, p.lda, b, p.ldb, info);
    case Kind::getrf:
      return ACCUBLAS_PICK(getrf, p.m, p.n, a, p.lda, pivots, info);
    case Kind::getrs:
      return ACCUBLAS_PICK(getrs, p.trans, p.n, p.nrhs, a, p.lda, pivots, b, p.ldb);
    default:
      return ACCUBLAS_PICK(gesv, p.n, p.nrhs, a, p.lda, pivots, b, p.ldb, info);
  }
#undef ACCUBLAS_PICK
}

template <class T>
class Factor : public testing::Test {
 protected:
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};
  Random rng{29};

  Matrices<T> make(Kind kind, Data data, Index parts, Index m, Index n, Index nrhs) {
    const auto pick = [&](auto one, auto other) { return below(rng, 2) ? one : other; };
    Matrices<T> p{kind,
                  data,
                  parts,
                  kind == Kind::getrf ? m : n,
                  n,
                  nrhs,
                  std::max(m, n) + below(rng, 3),
                  std::max(n, nrhs) + below(rng, 3),
                  pick(ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR),
                  pick(ACCUBLAS_UPPER, ACCUBLAS_LOWER),
                  pick(ACCUBLAS_NO_TRANS, pick(ACCUBLAS_TRANS, ACCUBLAS_CONJ_TRANS)),
                  {},
                  {},
                  {}};
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    p.a.assign(static_cast<std::size_t>(parts * p.lda * std::max(m, n)), nan);
    p.b.assign(static_cast<std::size_t>(parts * p.ldb * std::max(n, nrhs)), nan);
    const int range = sizeof(T) == 8 ? 60 : 12;
    std::vector<int> scale(static_cast<std::size_t>(std::max(p.m, n)));
    for (int& e : scale) e = data == Data::graded ? static_cast<int>(below(rng, 2 * range)) - range : 0;
    const auto at = [&](Index i, Index j, Index ld) {
      return static_cast<std::size_t>(parts * (p.layout == ACCUBLAS_ROW_MAJOR ? i * ld + j : i + j * ld));
    };
    const Index bad = below(rng, n);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < p.m; ++i) {
        // Entries that are not read are NaN.
        if (is_cholesky(kind) && (p.uplo == ACCUBLAS_UPPER ? i > j : i < j)) continue;
        for (Index part = 0; part < parts; ++part) {
          if (is_cholesky(kind) && i == j && part == 1) continue;
          double x = uniform(rng) - 0.5;
          if (data == Data::integers) x = double(below(rng, 5)) - 2;
          if (is_cholesky(kind)) {
            if (i == j) x = (data == Data::integers ? 4. : 1.) * static_cast<double>(n) + x;
          } else if (data == Data::singular) {
            x = i < n / 2 || j < n / 2 ? double(below(rng, 3)) - 1 : 0;
          }
          if (is_cholesky(kind) && data == Data::singular && i == j && i == bad) x = pick(-1., 0.);
          if (data == Data::special && below(rng, p.m * n) < 2)
            x = pick(double(nan), std::numeric_limits<double>::infinity());
          x = std::ldexp(x, scale[static_cast<std::size_t>(i)] + scale[static_cast<std::size_t>(j)]);
          if (data == Data::tiny) x = std::ldexp(x, sizeof(T) == 8 ? -1025 : -128);
          p.a[at(i, j, p.lda) + static_cast<std::size_t>(part)] = data == Data::wild ? any_number() : static_cast<T>(x);
        }
      }
    for (Index j = 0; j < nrhs; ++j)
      for (Index i = 0; i < n; ++i)
        for (Index part = 0; part < parts; ++part)
          p.b[at(i, j, p.ldb) + static_cast<std::size_t>(part)] =
              data == Data::integers ? T(double(below(rng, 9)) - 4) : static_cast<T>(spread(rng, 2));
    p.pivots.assign(static_cast<std::size_t>(std::min(p.m, n)), -7);
    // The CPU's factors to solve with.
    if (!factors(kind)) {
      Matrices<T> first = p;
      first.kind = is_cholesky(kind) ? Kind::potrf : Kind::getrf;
      std::int64_t info = 0;
      EXPECT_EQ(call(cpu, first, p.a.data(), p.pivots.data(), p.b.data(), &info), ACCUBLAS_SUCCESS) << cpu.error();
    }
    return p;
  }

  T any_number() {
    for (;;) {
      using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
      const T x = std::bit_cast<T>(static_cast<Bits>(rng()));
      if (std::isfinite(x)) return x;
    }
  }

  /// With info in host memory, on the device, and all operands in host memory.
  void expect_same(const Matrices<T>& p, bool staged) {
    Matrices<T> want = p;
    std::int64_t info = 0;
    ASSERT_EQ(call(cpu, p, want.a.data(), want.pivots.data(), want.b.data(), &info), ACCUBLAS_SUCCESS) << cpu.error();
    for (const bool info_on_device : {false, true}) {
      const DeviceArray<T> a(p.a), b(p.b);
      const DeviceArray<std::int64_t> pivots(p.pivots), device_info(std::vector<std::int64_t>{-1});
      std::int64_t got = -1;
      ASSERT_EQ(call(gpu, p, a.data(), pivots.data(), b.data(), info_on_device ? device_info.data() : &got),
                ACCUBLAS_SUCCESS)
          << gpu.error() << " " << p.describe();
      ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
      ASSERT_STREQ(gpu.report().backend, "cuda");
      if (info_on_device) got = device_info.values()[0];
      if (factors(p.kind)) {
        ASSERT_EQ(got, info) << p.describe();
      }
      ASSERT_EQ(pivots.values(), want.pivots) << p.describe();
      expect_bits(p, "A", a.values(), want.a);
      expect_bits(p, "B", b.values(), want.b);
      if (this->HasFatalFailure() || !factors(p.kind)) break;
    }
    if (staged && !this->HasFatalFailure()) expect_staged(p, want, info);
  }

  /// With all operands in host memory: what the CPU made of them.
  void expect_staged(const Matrices<T>& p, const Matrices<T>& want, std::int64_t info) {
    Matrices<T> copied = p;
    std::int64_t got = -1;
    ASSERT_EQ(call(gpu, p, copied.a.data(), copied.pivots.data(), copied.b.data(), &got), ACCUBLAS_SUCCESS)
        << gpu.error();
    ASSERT_STREQ(gpu.report().backend, "cuda");
    if (factors(p.kind)) {
      ASSERT_EQ(got, info) << p.describe();
    }
    ASSERT_EQ(copied.pivots, want.pivots) << p.describe();
    expect_bits(p, "staged A", copied.a, want.a);
    expect_bits(p, "staged B", copied.b, want.b);
  }

 private:
  static void expect_bits(const Matrices<T>& p, const std::string& what, const std::vector<T>& got,
                          const std::vector<T>& want) {
    if (std::memcmp(got.data(), want.data(), want.size() * sizeof(T)) == 0) return;
    std::size_t wrong = 0, first = want.size();
    for (std::size_t i = 0; i < want.size(); ++i)
      if (std::memcmp(&got[i], &want[i], sizeof(T)) != 0) {
        ++wrong;
        first = std::min(first, i);
      }
    FAIL() << what << " of " << p.describe() << ": " << wrong << " differ, the first at " << first << ", "
           << std::hexfloat << got[first] << " for " << want[first];
  }
};
using Types = testing::Types<double, float>;
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

/// So many right-hand sides that their rows change places all at once.
TYPED_TEST(Factor, ManySides) {
  this->cpu.set("cr");
  this->gpu.set("cr");
  for (const Kind kind : {Kind::getrs, Kind::gesv})
    for (const Index parts : {1, 2})
      for (int i = 0; i < scaled(3); ++i) {
        this->expect_same(this->make(kind, Data::tame, parts, 0, 20 + below(this->rng, 40), 1030 + below(this->rng, 90)),
                          false);
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
      for (const Data data : {Data::tame, Data::graded, Data::integers, Data::singular})
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
