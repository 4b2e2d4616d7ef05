// Batched GEMM: every matrix has the bits of a call of its own, in every mode, layout and transposition, by strides and
// by pointers; the report is that of the whole; bad arguments are named.
#include "api.hpp"

namespace {

using Index = std::int64_t;

/// Entries of a wide range, zeros, and with `specials` some NaN, Inf, subnormal and largest ones.
template <class T>
std::vector<T> entries(Index count, unsigned seed, bool specials = false) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::normal_distribution<double> normal(0, 1);
  std::vector<T> x(static_cast<std::size_t>(count));
  for (T& element : x) {
    element = static_cast<T>(uniform(random) * std::exp(2 * normal(random)));
    if (random() % 29 == 0) element = 0;
  }
  if (specials) {
    const T few[] = {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(),
                     -std::numeric_limits<T>::infinity(), std::numeric_limits<T>::denorm_min(),
                     std::numeric_limits<T>::max(),       -std::numeric_limits<T>::min()};
    for (T value : few) x[random() % x.size()] = value;
  }
  return x;
}

/// A batch in its arrays, as the call's arguments name it. C's array holds more than the results.
template <class T>
struct Batch {
  accublas_layout layout = ACCUBLAS_COL_MAJOR;
  accublas_transpose ta = ACCUBLAS_NO_TRANS, tb = ACCUBLAS_NO_TRANS;
  Index m, n, k, count;
  T alpha = T(0.75), beta = T(-1.5);
  Index lda, ldb, ldc, stride_a, stride_b, stride_c;
  Index first_a = 0, first_b = 0, first_c = 0;  // matrix 0 in its array
  std::vector<T> a, b, c;

  /// Matrices `gap` apart, leading dimensions `extra` above the least.
  Batch(accublas_layout order, int trans, Index m_, Index n_, Index k_, Index matrices, Index extra, Index gap,
        bool specials)
      : layout(order),
        ta(trans & 1 ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS),
        tb(trans & 2 ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_NO_TRANS),
        m(m_),
        n(n_),
        k(k_),
        count(matrices) {
    const bool rows = layout == ACCUBLAS_ROW_MAJOR;
    const auto lay = [&](Index r, Index s, Index& ld, Index& stride) {
      ld = std::max<Index>(1, rows ? s : r) + extra;
      stride = ld * (rows ? r : s) + gap;
    };
    lay(trans & 1 ? k : m, trans & 1 ? m : k, lda, stride_a);
    lay(trans & 2 ? n : k, trans & 2 ? k : n, ldb, stride_b);
    lay(m, n, ldc, stride_c);
    a = entries<T>(stride_a * count + 1, 1, specials);
    b = entries<T>(stride_b * count + 1, 2, specials);
    c = entries<T>(stride_c * count + 1, 3, specials);
  }

  std::string text() const {
    return std::to_string(layout) + " " + std::to_string(ta) + " " + std::to_string(tb) + " " + std::to_string(m) +
           " " + std::to_string(n) + " " + std::to_string(k) + " x " + std::to_string(count) + " alpha " +
           std::to_string(alpha) + " beta " + std::to_string(beta) + " strides " + std::to_string(stride_a) + " " +
           std::to_string(stride_b) + " " + std::to_string(stride_c);
  }
  accublas_status strided(accublas_context* ctx, std::vector<T>& out, const accublas_options* options = nullptr) const {
    out = c;
    return api::gemm_strided_batched_ex(T{}, ctx, layout, ta, tb, m, n, k, &alpha, a.data() + first_a, lda, stride_a,
                                        b.data() + first_b, ldb, stride_b, &beta, out.data() + first_c, ldc, stride_c,
                                        count, options);
  }
  accublas_status by_pointers(accublas_context* ctx, std::vector<T>& out) const {
    out = c;
    std::vector<const T*> at_a, at_b;
    std::vector<T*> at_c;
    for (Index i = 0; i < count; ++i) {
      at_a.push_back(a.data() + first_a + i * stride_a);
      at_b.push_back(b.data() + first_b + i * stride_b);
      at_c.push_back(out.data() + first_c + i * stride_c);
    }
    return api::gemm_batched(T{}, ctx, layout, ta, tb, m, n, k, &alpha, at_a.data(), lda, at_b.data(), ldb, &beta,
                             at_c.data(), ldc, count);
  }
  accublas_status one_by_one(accublas_context* ctx, std::vector<T>& out) const {
    out = c;
    for (Index i = 0; i < count; ++i) {
      const accublas_status status =
          api::gemm(T{}, ctx, layout, ta, tb, m, n, k, &alpha, a.data() + first_a + i * stride_a, lda,
                    b.data() + first_b + i * stride_b, ldb, &beta, out.data() + first_c + i * stride_c, ldc);
      if (status != ACCUBLAS_SUCCESS) return status;
    }
    return ACCUBLAS_SUCCESS;
  }
};

template <class T>
class Batched : public ::testing::Test {
 protected:
  void expect_same(const api::Context& context, const Batch<T>& batch, const std::string& what) {
    std::vector<T> want, got;
    ASSERT_EQ(batch.one_by_one(context, want), ACCUBLAS_SUCCESS) << what << " " << batch.text() << context.error();
    ASSERT_EQ(batch.strided(context, got), ACCUBLAS_SUCCESS) << what << " " << batch.text() << context.error();
    for (std::size_t i = 0; i < want.size(); ++i)
      ASSERT_EQ(std::memcmp(&want[i], &got[i], sizeof(T)), 0)
          << what << " " << batch.text() << " at " << i << ": " << want[i] << " " << got[i];
    ASSERT_EQ(batch.by_pointers(context, got), ACCUBLAS_SUCCESS) << what << " " << batch.text() << context.error();
    ASSERT_TRUE(api::same_bits(want, got)) << what << " " << batch.text() << " by pointers";
  }
};
TYPED_TEST_SUITE(Batched, api::Types);

}  // namespace

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
                                  {2, 2, 2000, 2}})
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

TYPED_TEST(Batched, ReportAndCounters) {
  using T = TypeParam;
  const char* routine = sizeof(T) == 8 ? "dgemm_batched" : "sgemm_batched";
  for (const auto& [mode, engine] : {std::pair("cr", "int8"),
                                     {"dp:repro", "int8"},
                                     {"fixed:50", "int8"},
                                     {"cr", "sums"},
                                     {"dp:repro", "sums"},
                                     {"fixed:50", "sums"}}) {
    api::Context context(mode);
    ASSERT_EQ(accublas_set_engine_name(context, engine), ACCUBLAS_SUCCESS);
    const Batch<T> batch(ACCUBLAS_COL_MAJOR, 0, 20, 21, 30, 9, 0, 0, false);
    // Sums and largest values of the calls one by one.
    std::int64_t rejected = 0, undecided = 0;
    std::int32_t parts = 0, bits = 0;
    for (Index i = 0; i < batch.count; ++i) {
      Batch<T> one = batch;
      one.first_a = i * one.stride_a, one.first_b = i * one.stride_b, one.first_c = i * one.stride_c, one.count = 1;
      std::vector<T> c;
      ASSERT_EQ(one.one_by_one(context, c), ACCUBLAS_SUCCESS);
      const accublas_report_t report = context.report();
      EXPECT_EQ(report.batch_count, 1);
      rejected += report.rejected, undecided += report.undecided;
      parts = std::max(parts, report.parts), bits = std::max(bits, report.bits);
    }
    accublas_reset_counters();
    std::vector<T> c;
    accublas_set_report_level(context, 2);
    ASSERT_EQ(batch.strided(context, c), ACCUBLAS_SUCCESS);
    const accublas_report_t report = context.report();
    EXPECT_STREQ(report.routine, routine);
    EXPECT_STREQ(report.mode, sizeof(T) == 4 && std::string(mode) == "dp:repro" ? "sp:repro" : mode);
    EXPECT_EQ(report.batch_count, 9);
    EXPECT_EQ(report.m, 20);
    EXPECT_EQ(report.n, 21);
    EXPECT_EQ(report.k, 30);
    EXPECT_EQ(report.rejected, rejected) << mode;
    EXPECT_EQ(report.undecided, undecided) << mode;
    EXPECT_EQ(report.parts, parts) << mode;
    EXPECT_EQ(report.bits, bits) << mode;
    EXPECT_GT(report.bound_relative, 0);
    EXPECT_GT(report.ms_total, 0);
    accublas_counter_t rows[64];
    std::size_t count = 0;
    ASSERT_EQ(accublas_counters(rows, 64, &count), ACCUBLAS_SUCCESS);
    ASSERT_EQ(count, 1u);
    EXPECT_STREQ(rows[0].routine, routine);
    EXPECT_EQ(rows[0].calls, 1u);
  }
}

// A target that a mode never keeps refuses the call; one that depends on the data is judged by matrix.
TYPED_TEST(Batched, Target) {
  using T = TypeParam;
  const double u = std::numeric_limits<T>::epsilon() / 2;
  std::vector<T> c;
  {
    api::Context context("dp");
    accublas_set_target(context, u);
    const Batch<T> batch(ACCUBLAS_COL_MAJOR, 0, 5, 5, 5, 4, 0, 0, false);
    EXPECT_EQ(batch.strided(context, c), ACCUBLAS_ERROR_ACCURACY);
    EXPECT_TRUE(api::same_bits(c, batch.c));
  }
  api::Context context("fixed:12");
  accublas_set_num_threads(context, 4);
  Batch<T> batch(ACCUBLAS_COL_MAJOR, 0, 8, 8, 8, 6, 0, 0, false);
  // Small integers fit 12 bits, but not those of matrices 1 and 4.
  for (std::size_t i = 0; i < batch.a.size(); ++i) {
    const std::size_t matrix = i / 64;
    batch.a[i] = static_cast<T>(matrix == 1 || matrix == 4 ? 1 + static_cast<int>(i) * 0.0001220703125
                                                           : 1 + static_cast<int>(i % 7));
  }
  for (std::size_t i = 0; i < batch.b.size(); ++i) batch.b[i] = static_cast<T>(static_cast<int>(i % 5) - 2);
  std::vector<T> want = batch.c;
  accublas_set_target(context, 2 * u);
  int misses = 0;
  for (Index i = 0; i < batch.count; ++i) {
    Batch<T> one = batch;
    one.first_a = i * 64, one.first_b = i * 64, one.first_c = i * 64, one.count = 1, one.c = want;
    std::vector<T> out;
    misses += one.one_by_one(context, out) == ACCUBLAS_ERROR_ACCURACY;
    want = out;
  }
  EXPECT_EQ(misses, 2);
  EXPECT_EQ(batch.strided(context, c), ACCUBLAS_ERROR_ACCURACY);
  EXPECT_TRUE(api::same_bits(c, want));
}
