// TRSM and TRSV on the GPU: the CPU's bits in cr, dp:repro and dot2, in all of B's buffer; dp within its bound.
#include "test/gpu/solve_test.hpp"

#include <cmath>
#include <cstring>

#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {
namespace {

TYPED_TEST_SUITE(Solve, Types);

TYPED_TEST(Solve, EveryMode) {
  for (const char* mode : {"cr", sizeof(TypeParam) == 8 ? "dp:repro" : "sp:repro", "dot2"}) {
    this->cpu.set(mode);
    this->gpu.set(mode);
    for (const System system : systems)
      for (const Index parts : {1, 2})
        for (int i = 0; i < scaled(4); ++i) {
          if (testing::Test::HasFatalFailure()) return;
          // Where exact sums decide most unknowns, few of them.
          const bool hard = system == System::tiny || system == System::special || system == System::wild;
          this->expect_same(
              this->make(system, parts, 1 + below(this->rng, i < 2 || hard ? 40 : 300), 1 + below(this->rng, 70)), mode,
              i == 0);
        }
  }
}

TYPED_TEST(Solve, Vectors) {
  for (const char* mode : {"cr", sizeof(TypeParam) == 8 ? "dp:repro" : "sp:repro", "dot2"}) {
    this->cpu.set(mode);
    this->gpu.set(mode);
    for (const System system : systems)
      for (const Index parts : {1, 2})
        for (const Index incx : {1, -2, 3}) {
          if (testing::Test::HasFatalFailure()) return;
          this->expect_same_vector(this->make(system, parts, 1 + below(this->rng, incx == 1 ? 400 : 40), 1), incx,
                                   mode);
        }
  }
}

/// cuBLAS's routine, and where that has no name for a conjugation that is no transposition, cr's numbers: within the
/// accuracy that these systems leave.
TYPED_TEST(Solve, VectorsByCublas) {
  for (const char* mode : {"native", sizeof(TypeParam) == 8 ? "dp" : "sp"})
    for (const Index parts : {1, 2})
      for (int i = 0; i < scaled(12); ++i) {
        const auto p = this->make(System::tame, parts, 90, 1);
        std::vector<TypeParam> x(static_cast<std::size_t>(parts * p.order));
        for (TypeParam& number : x) number = static_cast<TypeParam>(spread(this->rng, 1));
        std::vector<TypeParam> want = x;
        this->cpu.set("cr");
        this->gpu.set(mode);
        ASSERT_EQ(trsv(this->cpu, parts, p.form, p.order, p.a.data(), p.lda, want.data(), Index{1}), ACCUBLAS_SUCCESS);
        const DeviceArray<TypeParam> a(p.a), b(x);
        ASSERT_EQ(trsv(this->gpu, parts, p.form, p.order, a.data(), p.lda, b.data(), Index{1}), ACCUBLAS_SUCCESS)
            << this->gpu.error();
        const std::vector<TypeParam> got = b.values();
        for (std::size_t j = 0; j < got.size(); ++j)
          ASSERT_NEAR(got[j], want[j], (sizeof(TypeParam) == 8 ? 1e-12 : 1e-3) * (1 + std::fabs(want[j]))) << mode;
      }
}

/// Tests an alpha in device memory: ordinary values, and zeros of either sign, for which nothing is read.
TYPED_TEST(Solve, FactorsOnTheDevice) {
  for (const char* mode : {"cr", "dot2", "native", "dp"}) {
    const bool by_cublas = std::string(mode) == "native" || std::string(mode) == "dp";
    this->cpu.set(by_cublas ? "cr" : mode);
    this->gpu.set(mode);
    for (const Index parts : {1, 2})
      for (const int zero : {0, 1, -1}) {
        auto p = this->make(System::tame, parts, 70, 40);
        if (zero != 0) {
          p.alpha[0] = p.alpha[1] = std::copysign(TypeParam(0), TypeParam(zero));
          for (auto* const operand : {&p.a, &p.b})
            for (TypeParam& x : *operand) x = std::numeric_limits<TypeParam>::quiet_NaN();
        }
        std::vector<TypeParam> want = p.b;
        ASSERT_EQ(trsm(this->cpu, parts, p.form, p.m, p.n, p.alpha, p.a.data(), p.lda, want.data(), p.ldb),
                  ACCUBLAS_SUCCESS);
        const DeviceArray<TypeParam> a(p.a), b(p.b), alpha(std::vector<TypeParam>(p.alpha, p.alpha + 2));
        ASSERT_EQ(accublas_set_pointer_mode(this->gpu, ACCUBLAS_POINTER_DEVICE), ACCUBLAS_SUCCESS);
        ASSERT_EQ(trsm(this->gpu, parts, p.form, p.m, p.n, alpha.data(), a.data(), p.lda, b.data(), p.ldb),
                  ACCUBLAS_SUCCESS)
            << mode << " " << this->gpu.error();
        const std::vector<TypeParam> got = b.values();
        if (!by_cublas || zero != 0) {
          ASSERT_EQ(std::memcmp(got.data(), want.data(), want.size() * sizeof(TypeParam)), 0) << mode << parts << zero;
        } else {
          for (std::size_t i = 0; i < want.size(); ++i)
            if (!std::isnan(want[i])) {
              ASSERT_NEAR(got[i], want[i], (sizeof(TypeParam) == 8 ? 1e-12 : 1e-3) * (1 + std::fabs(want[i])));
            }
        }
      }
  }
}

/// Products between blocks by the INT8 engine.
TYPED_TEST(Solve, LargeSystems) {
  for (const char* mode : {"cr", "dot2"}) {
    this->cpu.set(mode);
    this->gpu.set(mode);
    for (const System system : {System::tame, System::dense, System::graded, System::sparse, System::special})
      for (const Index parts : {1, 2}) {
        if (testing::Test::HasFatalFailure()) return;
        const bool residues = system != System::sparse;
        this->expect_same(this->make(system, parts, (residues ? 600 : 1000) + below(this->rng, 200),
                                     residues ? 1100 : 1 + below(this->rng, 3)),
                          mode);
      }
  }
}

/// Unknowns that round to zero have the right signs, which sums of terms near underflow do not show.
TYPED_TEST(Solve, VanishingUnknowns) {
  this->cpu.set("cr");
  this->gpu.set("cr");
  for (const Index sides : {50, 90, 640})
    for (const Index parts : {1, 2})
      for (const System system : {System::vanishing, System::near_ties})
        for (int i = 0; i < scaled(parts == 1 ? 4 : 1); ++i) {
          if (testing::Test::HasFatalFailure()) return;
          this->expect_same(this->make(system, parts, (parts == 1 ? 700 : 200) + below(this->rng, 100), sides), "cr");
        }
}

/// Panels of right-hand sides that are wide enough for the INT8 engine, whose products go in several blocks.
TYPED_TEST(Solve, SmallWorkspace) {
  this->cpu.set("cr");
  this->gpu.set("cr");
  for (const int mib : {64, 128})
    for (const Index parts : {1, 2}) {
      ASSERT_EQ(accublas_set_workspace_mib(this->gpu, mib), ACCUBLAS_SUCCESS) << this->gpu.error();
      this->expect_same(this->make(System::tame, parts, (parts == 1 ? 2000 : 1000) + below(this->rng, 60), 1100), "cr");
      if (testing::Test::HasFatalFailure()) return;
    }
}

struct Shape {
  Index order, sides;
};

/// abs(alpha B - op(A) X) <= (n + 3) u abs(op(A)) abs(X) by halves of the unknowns; complex sums have twice the terms,
/// and alpha's and the quotient's roundings.
template <class Number, class Routine>
void expect_small_residuals(Routine routine, Index parts, const char* engine, std::initializer_list<Shape> shapes) {
  Context context(ACCUBLAS_BACKEND_CUDA);
  context.set("dp", engine);
  Random rng{5};
  for (const auto& [n, sides] : shapes)
    for (int form = 0; form < 24; ++form) {
      const bool left = form & 1, upper = form & 2, unit = form & 4;
      const accublas_transpose trans = form / 8 == 0   ? ACCUBLAS_NO_TRANS
                                       : form / 8 == 1 ? ACCUBLAS_TRANS
                                                       : ACCUBLAS_CONJ_TRANS;
      const Index lda = n + 1, rows = left ? n : sides, cols = left ? sides : n, ldb = rows + 2;
      std::vector<Number> a(static_cast<std::size_t>(lda * n)), b(static_cast<std::size_t>(ldb * cols));
      double* const of_a = reinterpret_cast<double*>(a.data());
      double* const of_b = reinterpret_cast<double*>(b.data());
      // Entries that are not read are NaN.
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < n; ++i)
          for (Index part = 0; part < parts; ++part) {
            const bool read = (upper ? i < j : i > j) || (i == j && !unit);
            of_a[parts * (i + j * lda) + part] = !read    ? std::numeric_limits<double>::quiet_NaN()
                                                 : i == j ? 2 + std::fabs(spread(rng, 1))
                                                          : spread(rng, 6) * 0x1p-14;
          }
      for (Index i = 0; i < parts * ldb * cols; ++i) of_b[i] = spread(rng, 3);
      const Number alpha{-0.75};
      const DeviceArray<Number> da(a), db(b);
      ASSERT_EQ(routine(context, ACCUBLAS_COL_MAJOR, left ? ACCUBLAS_LEFT : ACCUBLAS_RIGHT,
                        upper ? ACCUBLAS_UPPER : ACCUBLAS_LOWER, trans, unit ? ACCUBLAS_UNIT : ACCUBLAS_NON_UNIT, rows,
                        cols, &alpha, da.data(), lda, db.data(), ldb),
                ACCUBLAS_SUCCESS)
          << context.error();
      ASSERT_EQ(accublas_sync(context), ACCUBLAS_SUCCESS) << context.error();
      ASSERT_STREQ(context.report().engine, engine);
      const std::vector<Number> x = db.values();
      for (Index s = 0; s < sides; ++s)
        for (Index i = 0; i < n; ++i) {
          const auto at = [&](Index p) { return static_cast<std::size_t>(left ? p + s * ldb : s + p * ldb); };
          long double left_over[2] = {}, size = 0;
          for (Index part = 0; part < parts; ++part)
            left_over[part] = -0.75L * static_cast<long double>(of_b[parts * static_cast<Index>(at(i)) + part]);
          for (Index p = 0; p < n; ++p) {
            // The matrix that meets a side's unknowns: of the right side op(A) is transposed.
            const bool across = (trans != ACCUBLAS_NO_TRANS) == left;
            const Index r = across ? p : i, c = across ? i : p;
            if (r != c && (upper ? r > c : r < c)) continue;
            long double m[2] = {1, 0}, y[2] = {};
            for (Index part = 0; part < parts; ++part) {
              if (r != c || !unit) m[part] = of_a[parts * (r + c * lda) + part];
              y[part] = reinterpret_cast<const double*>(x.data())[parts * static_cast<Index>(at(p)) + part];
            }
            if (trans == ACCUBLAS_CONJ_TRANS) m[1] = -m[1];
            left_over[0] -= m[0] * y[0] - m[1] * y[1];
            left_over[1] -= m[0] * y[1] + m[1] * y[0];
            size += (std::fabs(m[0]) + std::fabs(m[1])) * (std::fabs(y[0]) + std::fabs(y[1]));
          }
          const long double bound = 0x1p-53L * static_cast<long double>(parts * n + (parts == 1 ? 3 : 12)) * size;
          for (Index part = 0; part < parts; ++part)
            ASSERT_LE(std::fabs(left_over[part]), bound)
                << engine << " n " << n << " sides " << sides << " form " << form << " at " << i;
        }
    }
}

/// The edges of what substitution takes at a time, and of its groups of unknowns and of sides; the last order is large
/// enough for emulated products.
TEST(SolveOnGpu, Residuals) {
  expect_small_residuals<double>(accublas_dtrsm, 1, "int8",
                                 {{1, 1},
                                  {2, 33},
                                  {15, 31},
                                  {16, 32},
                                  {17, 100},
                                  {63, 33},
                                  {64, 1},
                                  {65, 31},
                                  {127, 100},
                                  {128, 31},
                                  {129, 33},
                                  {300, 100},
                                  {600, 5}});
  for (const char* engine : {"native", "int8"}) {
    expect_small_residuals<double>(accublas_dtrsm, 1, engine, {{3, 5}, {3100, 1}});
    struct alignas(16) Number {
      double re = 0, im = 0;
      Number(double x = 0) : re(x) {}
    };
    expect_small_residuals<Number>(accublas_ztrsm, 2, engine, {{3, 5}, {1100, 5}});
  }
}

/// Zero pivots, Inf and NaN, quotients far out: what IEEE's operations make of them one after the other.
TEST(SolveOnGpu, SpecialValuesByHalves) {
  Context context(ACCUBLAS_BACKEND_CUDA);
  context.set("dp", "int8");
  Random rng{7};
  constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (int round = 0; round < scaled(60); ++round) {
    const Index n = 1 + below(rng, 200), sides = 1 + below(rng, 70);
    const bool upper = below(rng, 2) == 1, wild = below(rng, 2) == 1;
    std::vector<double> a(static_cast<std::size_t>(n * n)), b(static_cast<std::size_t>(n * sides));
    const auto at = [&](Index i, Index j) { return static_cast<std::size_t>(i + j * n); };
    // A few of them, each in one row or in all that follow.
    const double specials[] = {0., -0., infinity, -infinity, nan, 0x1p-600, 0x1p600};
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i)
        a[at(i, j)] = i == j ? (2 + uniform(rng)) * sign(rng) : spread(rng, 1) / static_cast<double>(n);
    for (double& x : b) x = below(rng, 8) == 0 ? 0 : spread(rng, 3);
    for (Index s = 0; s < sides; ++s)
      if (below(rng, 8) == 0) b[at(below(rng, n), s)] = specials[below(rng, 7)];
    if (wild) a[at(n / 2, n / 2)] = specials[below(rng, 7)];
    std::vector<double> want = b;
    for (Index s = 0; s < sides; ++s)
      for (Index q = 0; q < n; ++q) {
        const auto place = [&](Index position) { return upper ? n - 1 - position : position; };
        const Index i = place(q);
        double sum = want[at(i, s)];
        for (Index p = 0; p < q; ++p) sum = std::fma(-a[at(i, place(p))], want[at(place(p), s)], sum);
        want[at(i, s)] = sum / a[at(i, i)];
      }
    const DeviceArray<double> da(a), db(b);
    const double alpha = 1;
    ASSERT_EQ(accublas_dtrsm(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LEFT, upper ? ACCUBLAS_UPPER : ACCUBLAS_LOWER,
                             ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, n, sides, &alpha, da.data(), n, db.data(), n),
              ACCUBLAS_SUCCESS)
        << context.error();
    const std::vector<double> got = db.values();
    for (std::size_t i = 0; i < want.size(); ++i) {
      ASSERT_EQ(std::isnan(got[i]), std::isnan(want[i])) << "n " << n << " at " << i << ": " << got[i];
      if (std::isinf(want[i])) {
        ASSERT_EQ(got[i], want[i]) << "n " << n << " at " << i;
      } else if (std::isfinite(want[i])) {
        ASSERT_NEAR(got[i], want[i], 1e-9 * std::fabs(want[i]) + 0x1p-1000) << "n " << n << " at " << i;
      }
    }
  }
}

/// dp by halves where nobody names an engine, and the same in a graph: right-hand sides of known unknowns.
TEST(SolveOnGpu, HalvesInGraphs) {
  constexpr Index n = 700, sides = 520;
  Random rng{11};
  std::vector<double> a(static_cast<std::size_t>(n * n)), b(static_cast<std::size_t>(n * sides));
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i)
      a[static_cast<std::size_t>(i + j * n)] = i == j ? 2 + uniform(rng) : (uniform(rng) - 0.5) / n;
  for (double& x : b) x = uniform(rng);
  Context context(ACCUBLAS_BACKEND_CUDA);
  context.set("dp");
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(accublas_set_stream(context, stream), ACCUBLAS_SUCCESS);
  const double alpha = 0.5;
  const DeviceArray<double> da(a), direct(b), replayed(b);
  const auto solve = [&](const DeviceArray<double>& x) {
    return accublas_dtrsm(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LEFT, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS,
                          ACCUBLAS_NON_UNIT, n, sides, &alpha, da.data(), n, x.data(), n);
  };
  ASSERT_EQ(solve(direct), ACCUBLAS_SUCCESS) << context.error();
  ASSERT_EQ(accublas_sync(context), ACCUBLAS_SUCCESS) << context.error();
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  const accublas_status status = solve(replayed);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(status, ACCUBLAS_SUCCESS) << context.error();
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  const std::vector<double> x = direct.values(), again = replayed.values();
  for (Index s = 0; s < sides; s += 37)
    for (Index i = 0; i < n; ++i) {
      const auto at = [&](Index p) { return static_cast<std::size_t>(p + s * n); };
      long double left_over = 0.5L * static_cast<long double>(b[at(i)]), size = 0;
      for (Index p = i; p < n; ++p) {
        const long double term = static_cast<long double>(a[static_cast<std::size_t>(i + p * n)]) * x[at(p)];
        left_over -= term;
        size += std::fabs(term);
      }
      ASSERT_LE(std::fabs(left_over), (n + 3) * 0x1p-53L * size) << "at " << i << " of side " << s;
      ASSERT_NEAR(again[at(i)], x[at(i)], 1e-13) << "at " << i << " of side " << s;
    }
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(accublas_set_stream(context, nullptr), ACCUBLAS_SUCCESS);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

}  // namespace
}  // namespace accublas::test
