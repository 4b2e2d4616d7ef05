// LAPACK's QR factorization, what is made of it, least squares and inverses on the GPU: the CPU's bits in all of their
// buffers, and its info, in cr and dp:repro; in dp and sp orthogonality and residuals.

#include "test/gpu/lapack_test.hpp"

#include "test/gpu/factor_dp.hpp"

namespace accublas::test {
namespace {

TYPED_TEST_SUITE(Lapack, FactorTypes);

TYPED_TEST(Lapack, SmallOnes) {
  const std::string repro = sizeof(Real<TypeParam>) == 8 ? "dp:repro" : "sp:repro";
  for (const std::string& mode : {std::string("cr"), repro})
    for (const Kind kind : kinds)
      for (const LapackData data : all_lapack_data)
        for (int i = 0; i < scaled(2); ++i) {
          const Index most = i == 0 ? 10 : data == LapackData::tame || data == LapackData::named ? 70 : 20;
          this->expect_same(this->make(kind, data, 1 + below(this->rng, most), 1 + below(this->rng, most)), mode);
          if (testing::Test::HasFatalFailure()) return;
        }
}

/// Several panels and blocks, and tall ones.
TYPED_TEST(Lapack, LargeOnes) {
  for (const Kind kind : kinds) {
    this->expect_same(this->make(kind, LapackData::tame, 130 + below(this->rng, 20), 100 + below(this->rng, 60)), "cr");
    if (testing::Test::HasFatalFailure()) return;
  }
  this->expect_same(this->make(Kind::geqrf, LapackData::tame, 5000, 40), "cr");
}

/// Without work info is told as well, and B of GELS becomes zero.
TEST(LapackOfNothing, InfoOnTheDevice) {
  Context gpu(ACCUBLAS_BACKEND_CUDA);
  gpu.set("cr");
  const DeviceArray<std::int64_t> info(std::vector<std::int64_t>{-1}), other(std::vector<std::int64_t>{-1});
  ASSERT_EQ(accublas_dtrtri(gpu, ACCUBLAS_COL_MAJOR, ACCUBLAS_UPPER, ACCUBLAS_UNIT, 0, nullptr, 1, info.data()),
            ACCUBLAS_SUCCESS)
      << gpu.error();
  const DeviceArray<double> b(std::vector<double>{1, 2, 3});
  ASSERT_EQ(accublas_dgels(gpu, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, 3, 0, 1, nullptr, 3, b.data(), 3, other.data()),
            ACCUBLAS_SUCCESS)
      << gpu.error();
  ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS);
  EXPECT_EQ(info.values()[0], 0);
  EXPECT_EQ(other.values()[0], 0);
  EXPECT_EQ(b.values(), (std::vector<double>{0, 0, 0}));
}

/// Without reflectors Q is the identity, however it is made.
TEST(LapackOfNothing, Reflectors) {
  Context gpu(ACCUBLAS_BACKEND_CUDA);
  for (const char* mode : {"dp", "cr"}) {
    gpu.set(mode);
    const DeviceArray<double> a(std::vector<double>{7, 7, 7, 7, 7, 7});
    ASSERT_EQ(accublas_dorgqr(gpu, ACCUBLAS_COL_MAJOR, 3, 2, 0, a.data(), 3, nullptr), ACCUBLAS_SUCCESS) << gpu.error();
    ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
    EXPECT_EQ(a.values(), (std::vector<double>{1, 0, 0, 0, 1, 0})) << mode;
  }
}

/// On a stream of the user's, with a workspace of the user's.
TEST(LapackOnAStream, UsersWorkspace) {
  Context gpu(ACCUBLAS_BACKEND_CUDA), cpu(ACCUBLAS_BACKEND_CPU);
  gpu.set("cr");
  cpu.set("cr");
  constexpr Index m = 300, n = 70;
  Random rng{5};
  std::vector<double> matrix(m * n), tau(n);
  for (double& x : matrix) x = uniform(rng) - 0.5;
  const DeviceArray<double> a(matrix), t(tau);
  const DeviceArray<char> workspace(std::size_t{64} << 20);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(accublas_set_stream(gpu, stream), ACCUBLAS_SUCCESS);
  ASSERT_EQ(accublas_set_workspace(gpu, workspace.data(), workspace.size()), ACCUBLAS_SUCCESS) << gpu.error();
  ASSERT_EQ(accublas_dgeqrf(gpu, ACCUBLAS_COL_MAJOR, m, n, a.data(), m, t.data()), ACCUBLAS_SUCCESS) << gpu.error();
  ASSERT_EQ(accublas_dorgqr(gpu, ACCUBLAS_COL_MAJOR, m, n, n, a.data(), m, t.data()), ACCUBLAS_SUCCESS) << gpu.error();
  ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
  ASSERT_EQ(accublas_dgeqrf(cpu, ACCUBLAS_COL_MAJOR, m, n, matrix.data(), m, tau.data()), ACCUBLAS_SUCCESS);
  ASSERT_EQ(accublas_dorgqr(cpu, ACCUBLAS_COL_MAJOR, m, n, n, matrix.data(), m, tau.data()), ACCUBLAS_SUCCESS);
  EXPECT_EQ(a.values(), matrix);
  EXPECT_EQ(t.values(), tau);
  // Reflectors are applied without a wait, so in a graph too. Those that are found wait, which is refused at once.
  const DeviceArray<double> c(matrix);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(accublas_set_workspace(gpu, nullptr, 0), ACCUBLAS_SUCCESS);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_EQ(accublas_dgeqrf(gpu, ACCUBLAS_COL_MAJOR, m, n, a.data(), m, t.data()), ACCUBLAS_ERROR_DEVICE)
      << gpu.error();
  EXPECT_EQ(accublas_dorgqr(gpu, ACCUBLAS_COL_MAJOR, m, n, n, a.data(), m, t.data()), ACCUBLAS_SUCCESS) << gpu.error();
  EXPECT_EQ(accublas_dormqr(gpu, ACCUBLAS_COL_MAJOR, ACCUBLAS_LEFT, ACCUBLAS_TRANS, m, n, n, a.data(), m, t.data(),
                            c.data(), m),
            ACCUBLAS_SUCCESS)
      << gpu.error();
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  cudaGraphDestroy(graph);
  ASSERT_EQ(accublas_set_stream(gpu, nullptr), ACCUBLAS_SUCCESS);
  cudaStreamDestroy(stream);
}

// ---- dp and sp ----

/// abs(Q^H Q - 1) and norm(A - Q R)_j, of Q as ORGQR and as ORMQR make it. The last two matrices are tall: Cholesky's
/// factorizations serve the first of them, and reflectors the other one, which has zero columns.
TYPED_TEST(Lapack, Grade) {
  using E = TypeParam;
  using T = Real<E>;
  const Index shapes[][2] = {{1, 1},      {40, 1},      {65, 33},    {100, 100},  {300, 257}, {1000, 130},
                             {2500, 700}, {1500, 1100}, {70000, 40}, {70000, 64}, {70001, 64}};
  for (const auto& [m, n] : shapes) {
    const bool tall = m >= 64 * n && m * n >= Index{1} << 22;
    if (this->complex && m > 10000 && !(tall && m % 2 == 0)) continue;
    this->gpu.set(this->grade);
    Stored<E> a(this->rng, m, n);
    std::vector<double> scale(static_cast<std::size_t>(n));
    for (Index j = 0; j < n; ++j) {
      // Norms that overflow and underflow as sums of squares.
      const int range = sizeof(T) == 8 ? 600 : 75;
      const int exponent = tall ? 0 : j % 5 == 2 ? range : j % 5 == 4 ? -range : 0;
      scale[static_cast<std::size_t>(j)] = std::ldexp(1, exponent);
      for (Index i = 0; i < m; ++i)
        a(i, j) =
            j % 11 == 7 && (!tall || m % 2 == 1) ? E(0) : this->number() * static_cast<T>(std::ldexp(1, exponent));
    }
    const DeviceArray<E> tau(std::vector<E>(static_cast<std::size_t>(n)));
    const auto [factor, q] = this->factored(a, tau);
    Dense<E> thin(m, n), r(n, n), one(n, n), wanted(m, n);
    for (Index j = 0; j < n; ++j) {
      one(j, j) = E(1);
      const T by = static_cast<T>(1 / scale[static_cast<std::size_t>(j)]);
      for (Index i = 0; i < m; ++i) thin(i, j) = q(i, j), wanted(i, j) = a(i, j) * by;
      for (Index i = 0; i <= j; ++i) r(i, j) = factor(i, j) * by;
    }
    // Columns of norm sqrt(m) / 3; errors as of LAPACK grow with the root of the sizes, the bound with them.
    const double most = (20 + 4 * std::sqrt(double(m) * double(n)) / 8) * roundoff<E>;
    Dense<T> bound(n, n);
    for (T& x : bound.data) x = T(1);
    this->expect_within("1 - Q^H Q", this->product(thin, thin, &one, true), bound, most / roundoff<E>);
    Dense<T> norms(m, n);
    for (T& x : norms.data) x = static_cast<T>(std::sqrt(double(m)));
    this->expect_within("A - Q R", this->product(thin, r, &wanted), norms, most / roundoff<E>);
    // Q^H A = R below and above.
    const LapackCall<E> p = whole_problem(Kind::ormqr, a, this->complex ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_TRANS);
    const DeviceArray<E> reflectors(factor.data), c(a.data);
    ASSERT_EQ(call(this->gpu, p, reflectors.data(), tau.data(), c.data(), nullptr, nullptr), ACCUBLAS_SUCCESS)
        << this->gpu.error();
    ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->gpu.error();
    Stored<E> transformed = a;
    transformed.data = c.values();
    Dense<E> difference(m, n);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < m; ++i) {
        const T by = static_cast<T>(1 / scale[static_cast<std::size_t>(j)]);
        difference(i, j) = transformed(i, j) * by - (i <= j ? r(i, j) : E(0));
      }
    this->expect_within("Q^H A - R", difference, norms, most / roundoff<E>);
    ASSERT_FALSE(testing::Test::HasFailure()) << m << " x " << n;
  }
}

/// Products with so many columns that engine int8 takes them on compute capability 9.0, but for the triangles, whose
/// data it would leave to cuBLAS with all others. Few of the columns are for cuBLAS alone.
TYPED_TEST(Lapack, GradeManyColumns) {
  using E = TypeParam;
  if (this->complex) GTEST_SKIP() << "real products alone are as many";
  constexpr Index m = 6144, k = 2048, n = 6144, few = 40;
  this->gpu.set(this->grade);
  Stored<E> a(this->rng, m, k), c(this->rng, m, n), part(this->rng, m, few);
  while (c.layout != a.layout) c = Stored<E>(this->rng, m, n);
  while (part.layout != a.layout) part = Stored<E>(this->rng, m, few);
  for (Index j = 0; j < k; ++j)
    for (Index i = 0; i < m; ++i) a(i, j) = this->number();
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < m; ++i) c(i, j) = this->number();
  for (Index j = 0; j < few; ++j)
    for (Index i = 0; i < m; ++i) part(i, j) = c(i, j);
  const DeviceArray<E> f(a.data), tau(std::vector<E>(std::size_t{k})), of_c(c.data), of_part(part.data);
  LapackCall<E> p = whole_problem(Kind::geqrf, a);
  ASSERT_EQ(call(this->gpu, p, f.data(), tau.data(), static_cast<E*>(nullptr), nullptr, nullptr), ACCUBLAS_SUCCESS)
      << this->gpu.error();
  p.kind = Kind::ormqr;
  // The norm of a column, and LAPACK's growth of errors, as in Grade.
  const double most = (20 + 4 * std::sqrt(double(m) * double(k)) / 8) * roundoff<E> * std::sqrt(double(m));
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  const auto apply = [&](const Stored<E>& to, const DeviceArray<E>& at, accublas_transpose trans) {
    p.c = Stored<E>(this->rng, 1, 1);
    p.c.ld = to.ld, p.n = to.cols, p.trans = trans;
    EXPECT_EQ(call(this->gpu, p, f.data(), tau.data(), at.data(), nullptr, nullptr), ACCUBLAS_SUCCESS)
        << this->gpu.error();
    EXPECT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->gpu.error();
    if (std::is_same_v<E, double> && to.cols > few && properties.major == 9 && properties.minor == 0) {
      const accublas_report_t report = this->gpu.report();
      EXPECT_GT(report.parts, 0);
      EXPECT_EQ(std::strstr(report.reason, "changed to native"), nullptr) << report.reason;
    }
    Stored<E> result = to;
    result.data = at.values();
    return result;
  };
  const Stored<E> transformed = apply(c, of_c, ACCUBLAS_TRANS), few_transformed = apply(part, of_part, ACCUBLAS_TRANS);
  for (Index j = 0; j < few; ++j)
    for (Index i = 0; i < m; ++i) ASSERT_LE(size_of(transformed(i, j) - few_transformed(i, j)), most) << i << ", " << j;
  const Stored<E> back = apply(c, of_c, ACCUBLAS_NO_TRANS);
  this->expect_poison(c, back);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < m; ++i) ASSERT_LE(size_of(back(i, j) - c(i, j)), most) << i << ", " << j;
}

/// Rows far below the first: what is left of a column is scaled on its way.
TYPED_TEST(Lapack, GradeGradedRows) {
  using E = TypeParam;
  using T = Real<E>;
  this->gpu.set(this->grade);
  const T small = static_cast<T>(std::ldexp(1, sizeof(T) == 8 ? -700 : -70));
  for (const auto& [m, n] : {std::pair<Index, Index>{300, 40}, {1500, 70}, {9000, 40}}) {
    Stored<E> a(this->rng, m, n);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < m; ++i) a(i, j) = this->number() * (i < 5 ? T(1) : small);
    const DeviceArray<E> tau(std::vector<E>(static_cast<std::size_t>(n)));
    const auto [factor, q] = this->factored(a, tau);
    Dense<E> thin(m, n), one(n, n);
    for (Index j = 0; j < n; ++j) {
      one(j, j) = E(1);
      for (Index i = 0; i < m; ++i) thin(i, j) = q(i, j);
      // The norms of what is left.
      const double size = size_of(factor(j, j)) / double(j < 5 ? T(1) : small);
      ASSERT_GT(size, j < 5 ? 1e-3 : 1e-3 * std::sqrt(double(m))) << j;
      ASSERT_LT(size, 1e4 * std::sqrt(double(m))) << j;
    }
    Dense<T> bound(n, n);
    for (T& x : bound.data) x = T(1);
    this->expect_within("1 - Q^H Q", this->product(thin, thin, &one, true), bound,
                        20 + std::sqrt(double(m) * double(n)) / 2);
    ASSERT_FALSE(testing::Test::HasFailure()) << m << " x " << n;
  }
}

/// R of a wide matrix has the columns to the right too. Calls with NaN and infinities end.
TYPED_TEST(Lapack, GradeWideAndSpecial) {
  using E = TypeParam;
  this->gpu.set(this->grade);
  for (const auto& [m, n] : {std::pair<Index, Index>{90, 400}, {33, 34}, {1, 7}}) {
    Stored<E> a(this->rng, m, n);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < m; ++i) a(i, j) = this->number();
    const DeviceArray<E> f(a.data), tau(std::vector<E>(static_cast<std::size_t>(m)));
    LapackCall<E> p = whole_problem(Kind::geqrf, a);
    ASSERT_EQ(call(this->gpu, p, f.data(), tau.data(), static_cast<E*>(nullptr), nullptr, nullptr), ACCUBLAS_SUCCESS)
        << this->gpu.error();
    Stored<E> factor = a;
    factor.data = f.values();
    // Q R is A again.
    Stored<E> c = a;
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < m; ++i) c(i, j) = i <= j ? factor(i, j) : E(0);
    const DeviceArray<E> product(c.data);
    p.kind = Kind::ormqr;
    ASSERT_EQ(call(this->gpu, p, f.data(), tau.data(), product.data(), nullptr, nullptr), ACCUBLAS_SUCCESS)
        << this->gpu.error();
    ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->gpu.error();
    c.data = product.values();
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < m; ++i) ASSERT_LE(size_of(c(i, j) - a(i, j)), 200 * std::sqrt(double(m)) * roundoff<E>);
  }
  Stored<E> bad(this->rng, 300, 100);
  for (Index j = 0; j < 100; ++j)
    for (Index i = 0; i < 300; ++i) bad(i, j) = this->number();
  bad(200, 50) = E(std::numeric_limits<Real<E>>::quiet_NaN());
  const DeviceArray<E> f(bad.data), tau(std::vector<E>(100));
  LapackCall<E> p = whole_problem(Kind::geqrf, bad);
  ASSERT_EQ(call(this->gpu, p, f.data(), tau.data(), static_cast<E*>(nullptr), nullptr, nullptr), ACCUBLAS_SUCCESS);
  ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->gpu.error();
  Stored<E> factor = bad;
  factor.data = f.values();
  EXPECT_TRUE(std::isnan(size_of(factor(50, 50))));
  EXPECT_FALSE(std::isnan(size_of(factor(49, 49))));
}

/// Least squares: the residual is orthogonal to the columns; least norm: A X = B with X in the span of A^H.
TYPED_TEST(Lapack, GradeLeastSquares) {
  using E = TypeParam;
  const accublas_transpose adjoint = this->complex ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_TRANS;
  for (const auto& [m, n] : {std::pair<Index, Index>{300, 120}, {120, 300}})
    for (const accublas_transpose trans : {accublas_transpose{ACCUBLAS_NO_TRANS}, accublas_transpose{adjoint}})
      for (int layout = 0; layout < 2; ++layout) {
        this->gpu.set(this->grade);
        const Index equations = trans == ACCUBLAS_NO_TRANS ? m : n, unknowns = m + n - equations, sides = 7;
        Stored<E> a(this->rng, m, n), b(this->rng, std::max(m, n), sides);
        while (b.layout != a.layout) b = Stored<E>(this->rng, std::max(m, n), sides);
        for (Index j = 0; j < n; ++j)
          for (Index i = 0; i < m; ++i) a(i, j) = this->number();
        for (Index j = 0; j < sides; ++j)
          for (Index i = 0; i < equations; ++i) b(i, j) = this->number();
        const DeviceArray<E> da(a.data), db(b.data);
        std::int64_t info = -1;
        ASSERT_EQ(
            ACCUBLAS_OF(E, gels)(this->gpu, a.layout, trans, m, n, sides, da.data(), a.ld, db.data(), b.ld, &info),
            ACCUBLAS_SUCCESS)
            << this->gpu.error();
        ASSERT_EQ(info, 0);
        ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->gpu.error();
        Stored<E> solved = b;
        solved.data = db.values();
        Dense<E> op(equations, unknowns), x(unknowns, sides), right(equations, sides);
        for (Index j = 0; j < unknowns; ++j)
          for (Index i = 0; i < equations; ++i) {
            if (trans == ACCUBLAS_NO_TRANS)
              op(i, j) = a(i, j);
            else if constexpr (Numbers<E>::complex)
              op(i, j) = std::conj(a(j, i));
            else
              op(i, j) = a(j, i);
          }
        for (Index j = 0; j < sides; ++j) {
          for (Index i = 0; i < unknowns; ++i) x(i, j) = solved(i, j);
          for (Index i = 0; i < equations; ++i) right(i, j) = b(i, j);
        }
        const Dense<E> residual = this->product(op, x, &right);
        const Dense<E> judged =
            equations > unknowns ? this->product(op, residual, static_cast<Dense<E>*>(nullptr), true) : residual;
        for (const E& value : judged.data) ASSERT_LE(size_of(value), 2e4 * roundoff<E>) << m << " x " << n;
      }
}

/// A X - 1 of inverses, by columns.
TYPED_TEST(Lapack, GradeInverses) {
  using E = TypeParam;
  this->gpu.set(this->grade);
  for (const Index n : {1, 33, 200, 700}) {
    Stored<E> a(this->rng, n, n);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i)
        a(i, j) = i == j ? E(static_cast<Real<E>>(2)) : this->number() / static_cast<Real<E>>(n);
    LapackCall<E> p = whole_problem(Kind::trtri, a);
    const DeviceArray<E> x(a.data);
    std::int64_t info = -1;
    ASSERT_EQ(call(this->gpu, p, x.data(), static_cast<E*>(nullptr), static_cast<E*>(nullptr), nullptr, &info),
              ACCUBLAS_SUCCESS)
        << this->gpu.error();
    ASSERT_EQ(info, 0);
    ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->gpu.error();
    Stored<E> inverse = a;
    inverse.data = x.values();
    Dense<E> upper(n, n), of(n, n), one(n, n);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i) {
        if (i <= j) upper(i, j) = a(i, j), of(i, j) = inverse(i, j);
        if (i == j) one(i, j) = E(1);
        if (i > j) {
          ASSERT_EQ(inverse(i, j), a(i, j));
        }
      }
    this->expect_within("1 - A X", this->product(upper, of, &one),
                        this->product(sizes(upper), sizes(of), static_cast<Dense<Real<E>>*>(nullptr)),
                        this->terms_factor(n));
  }
}

}  // namespace
}  // namespace accublas::test
