// Batched GEMM: every matrix has the bits of a call of its own, in every mode, layout and transposition, by strides and
// by pointers; the report is that of the whole; bad arguments are named.

#include "test/api/batched.hpp"

#include "api.hpp"

TYPED_TEST(Batched, LayoutsTranspositionsAndSizes) {
  using T = TypeParam;
  for (const std::string& mode : api::modes()) {
    api::Context context(mode);
    accublas_set_num_threads(context, 4);
    int round = 0;
    for (auto [m, n, k, count] : {std::array<Index, 4>{1, 1, 1, 40},
                                  {3, 5, 7, 9},
                                  {8, 8, 8, 33},
                                  {1, 9, 4, 5},
                                  {33, 17, 40, 7},
                                  {64, 64, 64, 3},
                                  {50, 70, 90, 2}})
      for (int trans = 0; trans < 4; ++trans, ++round)
        this->expect_same(context,
                          Batch<T>(round % 3 ? ACCUBLAS_COL_MAJOR : ACCUBLAS_ROW_MAJOR, trans, m, n, k, count,
                                   round % 4, round % 5, mode != "native" && mode != "dp" && round % 2),
                          mode);
  }
}

// Matrices on both sides of the size up to which they are multiplied in plain integers, every kind of line: the bits of
// every engine.
TYPED_TEST(Batched, Engines) {
  using T = TypeParam;
  for (const char* mode :
       {"cr", "dp:repro", "fixed:2", "fixed:24", "fixed:53", "fixed:60", "fixed:64", "fixed:97", "fixed:150"})
    for (auto [m, n, k, count] : {std::array<Index, 4>{1, 1, 1, 9},
                                  {2, 3, 1, 7},
                                  {4, 4, 4, 60},
                                  {8, 8, 8, 20},
                                  {9, 7, 11, 6},
                                  {16, 16, 16, 4},
                                  {32, 32, 32, 2},
                                  {33, 32, 32, 2},
                                  {2, 2, 2000, 2},
                                  {9, 7, 1030, 3}})
      for (bool specials : {false, true}) {
        const Batch<T> batch(ACCUBLAS_COL_MAJOR, 0, m, n, k, count, 0, 1, specials);
        std::vector<T> want, got;
        for (const char* engine : {"int8", "auto", "fp64", "sums"}) {
          api::Context context(mode);
          ASSERT_EQ(accublas_set_engine_name(context, engine), ACCUBLAS_SUCCESS);
          ASSERT_EQ(batch.strided(context, got), ACCUBLAS_SUCCESS) << context.error();
          if (want.empty()) want = got;
          ASSERT_TRUE(api::same_bits(want, got)) << mode << " " << engine << " " << batch.text();
        }
      }
}

TYPED_TEST(Batched, LargeMatrices) {
  using T = TypeParam;
  for (const char* mode : {"cr", "dp:repro", "fixed:50", "dot2"}) {
    api::Context context(mode);
    accublas_set_num_threads(context, 3);
    this->expect_same(context, Batch<T>(ACCUBLAS_COL_MAJOR, 1, 150, 120, 100, 3, 1, 7, false), mode);
  }
}

// Operands that repeat, overlap and run backwards; results in each other's gaps.
TYPED_TEST(Batched, Strides) {
  using T = TypeParam;
  for (const std::string& mode : api::modes()) {
    api::Context context(mode);
    accublas_set_num_threads(context, 4);
    for (int order : {0, 1}) {
      const Batch<T> plain(order ? ACCUBLAS_ROW_MAJOR : ACCUBLAS_COL_MAJOR, 2 * order, 6, 6, 11, 12, 0, 3, false);
      Batch<T> batch = plain;
      batch.stride_a = 0;
      this->expect_same(context, batch, mode + " one A");
      batch.stride_b = 0;
      this->expect_same(context, batch, mode + " one A and B");
      batch.stride_a = 1, batch.stride_b = 5;
      this->expect_same(context, batch, mode + " overlapping");
      batch.first_a = (batch.count - 1) * plain.stride_a, batch.stride_a = -plain.stride_a;
      batch.first_c = (batch.count - 1) * plain.stride_c, batch.stride_c = -plain.stride_c;
      this->expect_same(context, batch, mode + " backwards");
      batch = plain;
      batch.ldc = 6 * batch.count, batch.stride_c = 6;
      this->expect_same(context, batch, mode + " interleaved");
    }
  }
}

TYPED_TEST(Batched, AlphaAndBeta) {
  using T = TypeParam;
  const T nan = api::nan_value<T>, inf = std::numeric_limits<T>::infinity(), zero = 0;
  for (const std::string& mode : api::modes()) {
    api::Context context(mode);
    for (T alpha : {T(1), T(0), -zero, T(-3), nan, inf})
      for (T beta : {T(0), -zero, T(1), T(2.5), nan}) {
        const bool plain = std::isfinite(alpha) && std::isfinite(beta);
        if (!plain && (mode == "native" || mode == "dp")) continue;  // NaN payloads are OpenBLAS's
        for (Index k : {Index{0}, Index{9}}) {
          Batch<T> batch(ACCUBLAS_COL_MAJOR, 0, 5, 4, k, 6, 1, 1, false);
          batch.alpha = alpha, batch.beta = beta;
          this->expect_same(context, batch, mode);
        }
      }
  }
}

TYPED_TEST(Batched, NothingIsReadOrWrittenThatHasNoPart) {
  using T = TypeParam;
  api::Context context("cr");
  const T zero = 0, one = 1, two = 2;
  T c[2] = {3, api::nan_value<T>};
  const std::vector<T> before = {c[0], c[1]};
  const T* no_matrix = nullptr;
  const T* const* no_matrices = nullptr;
  T* const* no_results = nullptr;
  const auto strided = [&](Index m, Index k, const T& alpha, const T& beta, Index count, T* to) {
    return api::gemm_strided_batched(T{}, context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, m,
                                     Index{1}, k, &alpha, no_matrix, Index{1}, Index{1}, no_matrix,
                                     std::max<Index>(k, 1), Index{1}, &beta, to, Index{1}, Index{1}, count);
  };
  T* nowhere = nullptr;
  EXPECT_EQ(strided(1, 1, one, one, 0, nowhere), ACCUBLAS_SUCCESS);
  EXPECT_EQ(strided(0, 1, one, one, 2, nowhere), ACCUBLAS_SUCCESS);
  EXPECT_EQ(strided(1, 0, one, one, 2, nowhere), ACCUBLAS_SUCCESS);
  EXPECT_EQ(strided(1, 1, zero, one, 2, c), ACCUBLAS_SUCCESS);
  EXPECT_TRUE(api::same_bits(before, {c[0], c[1]}));
  EXPECT_EQ(strided(1, 1, zero, two, 1, c), ACCUBLAS_SUCCESS);
  EXPECT_EQ(c[0], T(6));
  EXPECT_EQ(strided(1, 1, zero, zero, 2, c), ACCUBLAS_SUCCESS);
  EXPECT_TRUE(api::same_bits(std::vector<T>(2, 0), {c[0], c[1]}));
  EXPECT_EQ(api::gemm_batched(T{}, context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, Index{1},
                              Index{1}, Index{1}, &one, no_matrices, Index{1}, no_matrices, Index{1}, &one, no_results,
                              Index{1}, Index{0}),
            ACCUBLAS_SUCCESS);
  EXPECT_EQ(context.report().batch_count, 0);
}

TYPED_TEST(Batched, Arguments) {
  using T = TypeParam;
  api::Context context;
  const Batch<T> good(ACCUBLAS_COL_MAJOR, 0, 3, 4, 5, 3, 2, 0, false);
  const auto bad = [&](const std::string& name, auto&& spoil) {
    Batch<T> batch = good;
    spoil(batch);
    std::vector<T> c;
    for (int pointers = 0; pointers < (name == "stride_c" ? 1 : 2); ++pointers) {
      EXPECT_EQ(pointers ? batch.by_pointers(context, c) : batch.strided(context, c), ACCUBLAS_ERROR_ARGUMENT) << name;
      EXPECT_NE(context.error().find("argument " + name + " "), std::string::npos) << context.error();
      EXPECT_TRUE(api::same_bits(c, batch.c));
    }
  };
  bad("layout", [](auto& x) { x.layout = 0; });
  bad("transa", [](auto& x) { x.ta = 0; });
  bad("transb", [](auto& x) { x.tb = 'N'; });
  bad("m", [](auto& x) { x.m = -1; });
  bad("n", [](auto& x) { x.n = -1; });
  bad("k", [](auto& x) { x.k = -1; });
  bad("lda", [](auto& x) { x.lda = 2; });
  bad("ldb", [](auto& x) { x.ldb = 4; });
  bad("ldc", [](auto& x) { x.ldc = 2; });
  bad("batch_count", [](auto& x) { x.count = -1; });
  for (Index stride : {0, 1, 2, -2, 5, 7, 15, 17}) bad("stride_c", [&](auto& x) { x.stride_c = stride; });
  // Elements of ldc = 5 columns of 3, 4 columns: 18 is the first stride beyond.
  Batch<T> batch = good;
  std::vector<T> c;
  batch.stride_c = 18;
  EXPECT_EQ(batch.strided(context, c), ACCUBLAS_SUCCESS) << context.error();

  std::vector<const T*> a(3, good.a.data()), b(3, good.b.data());
  std::vector<T> out(60, 7);
  std::vector<T*> to = {out.data(), out.data() + 20, out.data() + 40};
  const T one = 1;
  const T* none = nullptr;
  const auto call = [&](const T* const* pa, const T* const* pb, T* const* pc, const T* alpha, const T* beta) {
    return api::gemm_batched(T{}, context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, Index{3}, Index{4},
                             Index{5}, alpha, pa, Index{5}, pb, Index{7}, beta, pc, Index{5}, Index{3});
  };
  const auto expect_bad = [&](accublas_status status, const std::string& name) {
    EXPECT_EQ(status, ACCUBLAS_ERROR_ARGUMENT) << name;
    EXPECT_NE(context.error().find("argument " + name + " "), std::string::npos) << context.error();
    EXPECT_TRUE(api::same_bits(out, std::vector<T>(60, 7))) << name;
  };
  expect_bad(call(nullptr, b.data(), to.data(), &one, &one), "a");
  expect_bad(call(a.data(), nullptr, to.data(), &one, &one), "b");
  expect_bad(call(a.data(), b.data(), nullptr, &one, &one), "c");
  expect_bad(call(a.data(), b.data(), to.data(), none, &one), "alpha");
  expect_bad(call(a.data(), b.data(), to.data(), &one, none), "beta");
  a[2] = nullptr;
  expect_bad(call(a.data(), b.data(), to.data(), &one, &one), "a[2]");
  a[2] = a[0], b[1] = nullptr;
  expect_bad(call(a.data(), b.data(), to.data(), &one, &one), "b[1]");
  b[1] = b[0], to[0] = nullptr;
  expect_bad(call(a.data(), b.data(), to.data(), &one, &one), "c[0]");
}

// Every stride of C against a list of its addresses.
TYPED_TEST(Batched, ResultsThatCoincide) {
  using T = TypeParam;
  api::Context context("cr");
  const T one = 1, zero = 0;
  const std::vector<T> ab(16, 1);
  for (auto [m, n, ldc, count] :
       {std::array<Index, 4>{3, 4, 5, 4}, {1, 4, 7, 6}, {2, 1, 2, 5}, {2, 3, 12, 7}, {4, 2, 4, 3}})
    for (Index stride = -40; stride <= 40; ++stride) {
      std::vector<int> hits(2000, 0);
      bool twice = false;
      for (Index i = 0; i < count; ++i)
        for (Index j = 0; j < n; ++j)
          for (Index r = 0; r < m; ++r) twice |= hits[static_cast<std::size_t>(1000 + i * stride + j * ldc + r)]++ > 0;
      std::vector<T> c(2000, -1);
      EXPECT_EQ(api::gemm_strided_batched(T{}, context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, m, n,
                                          Index{1}, &one, ab.data(), m, Index{0}, ab.data(), Index{1}, Index{0}, &zero,
                                          c.data() + 1000, ldc, stride, count),
                twice ? ACCUBLAS_ERROR_ARGUMENT : ACCUBLAS_SUCCESS)
          << m << " " << n << " " << ldc << " " << count << " " << stride;
      for (std::size_t i = 0; i < c.size(); ++i) ASSERT_EQ(c[i], !twice && hits[i] ? T(1) : T(-1)) << stride;
    }
}
