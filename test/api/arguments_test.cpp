// Every bad argument of every routine: the status, the message that names it, and outputs that stay as they were.

#include "api.hpp"

namespace {

constexpr std::int64_t m = 3, n = 4, k = 5;

template <class T>
class Arguments : public ::testing::Test {
 protected:
  api::Context context;
  std::vector<T> a = std::vector<T>(64, 1), b = std::vector<T>(64, 2), c = std::vector<T>(64, 3);
  T alpha = 1, beta = 1;

  void expect_bad(accublas_status status, const char* name) {
    EXPECT_EQ(status, ACCUBLAS_ERROR_ARGUMENT) << name;
    EXPECT_NE(context.error().find(std::string("argument ") + name + " "), std::string::npos) << context.error();
    for (T element : c) ASSERT_EQ(element, T(3)) << name;
  }
};

TYPED_TEST_SUITE(Arguments, api::Types);

/// A call's arguments with defaults that are good, to be spoilt one at a time.
template <class T>
struct GemmCall {
  accublas_layout layout = ACCUBLAS_COL_MAJOR;
  accublas_transpose ta = ACCUBLAS_NO_TRANS, tb = ACCUBLAS_NO_TRANS;
  std::int64_t m = ::m, n = ::n, k = ::k, lda = 8, ldb = 8, ldc = 8;
  const T *alpha, *a, *b, *beta;
  T* c;
  accublas_status run(accublas_context* ctx) const {
    return api::gemm(T{}, ctx, layout, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  }
  accublas_status run_ex(accublas_context* ctx, const accublas_options* options) const {
    return api::gemm_ex(T{}, ctx, layout, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, options);
  }
};

template <class T>
struct GemvCall {
  accublas_layout layout = ACCUBLAS_COL_MAJOR;
  accublas_transpose trans = ACCUBLAS_NO_TRANS;
  std::int64_t m = ::m, n = ::n, lda = 8, incx = 1, incy = 1;
  const T *alpha, *a, *x, *beta;
  T* y;
  accublas_status run(accublas_context* ctx) const {
    return api::gemv(T{}, ctx, layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
  }
  accublas_status run_ex(accublas_context* ctx, const accublas_options* options) const {
    return api::gemv_ex(T{}, ctx, layout, trans, m, n, alpha, a, lda, x, incx, beta, y, incy, options);
  }
};

}  // namespace

TYPED_TEST(Arguments, Gemm) {
  using T = TypeParam;
  const GemmCall<T> good{
      .alpha = &this->alpha, .a = this->a.data(), .b = this->b.data(), .beta = &this->beta, .c = this->c.data()};
  const auto bad = [&](const char* name, auto&& spoil) {
    GemmCall<T> call = good;
    spoil(call);
    this->expect_bad(call.run(this->context), name);
    this->expect_bad(call.run_ex(this->context, nullptr), name);
    const accublas_options none = ACCUBLAS_OPTIONS_INIT;
    this->expect_bad(call.run_ex(this->context, &none), name);
  };
  for (int value : {0, 100, 103, -1}) bad("layout", [&](auto& call) { call.layout = value; });
  for (int value : {0, 110, 114, 78}) {
    bad("transa", [&](auto& call) { call.ta = value; });
    bad("transb", [&](auto& call) { call.tb = value; });
  }
  for (std::int64_t value : {std::int64_t{-1}, INT64_MIN}) {
    bad("m", [&](auto& call) { call.m = value; });
    bad("n", [&](auto& call) { call.n = value; });
    bad("k", [&](auto& call) { call.k = value; });
    bad("lda", [&](auto& call) { call.lda = value; });
    bad("ldb", [&](auto& call) { call.ldb = value; });
    bad("ldc", [&](auto& call) { call.ldc = value; });
  }
  // One below the least leading dimension, in each layout and transposition; the least itself is good.
  for (int row_major : {0, 1})
    for (int ta : {0, 1})
      for (int tb : {0, 1}) {
        const auto set = [&](auto& call) {
          call.layout = row_major ? ACCUBLAS_ROW_MAJOR : ACCUBLAS_COL_MAJOR;
          call.ta = ta ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS;
          call.tb = tb ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_NO_TRANS;
        };
        const std::int64_t lda = (ta != row_major) ? k : m, ldb = (tb != row_major) ? n : k, ldc = row_major ? n : m;
        bad("lda", [&](auto& call) { set(call), call.lda = lda - 1; });
        bad("ldb", [&](auto& call) { set(call), call.ldb = ldb - 1; });
        bad("ldc", [&](auto& call) { set(call), call.ldc = ldc - 1; });
        GemmCall<T> least = good;
        set(least);
        std::vector<T> c(64, 3);
        least.lda = lda, least.ldb = ldb, least.ldc = ldc, least.c = c.data();
        EXPECT_EQ(least.run(this->context), ACCUBLAS_SUCCESS) << this->context.error();
      }
  bad("alpha", [](auto& call) { call.alpha = nullptr; });
  bad("beta", [](auto& call) { call.beta = nullptr; });
  bad("a", [](auto& call) { call.a = nullptr; });
  bad("b", [](auto& call) { call.b = nullptr; });
  bad("c", [](auto& call) { call.c = nullptr; });
  // The first bad argument in netlib's order is named.
  bad("transb", [](auto& call) { call.tb = 0, call.m = -1, call.ldc = 0; });
  bad("lda", [](auto& call) { call.lda = 0, call.ldb = 0; });

  // NULL where nothing would be read or written is no error.
  GemmCall<T> call = good;
  call.a = call.b = nullptr;
  call.k = 0;
  EXPECT_EQ(call.run(this->context), ACCUBLAS_SUCCESS);
  call.c = nullptr;  // k = 0 and beta = 1 leave C alone
  EXPECT_EQ(call.run(this->context), ACCUBLAS_SUCCESS);
  call.m = 0;
  call.alpha = call.beta = nullptr;
  EXPECT_EQ(call.run(this->context), ACCUBLAS_SUCCESS);
}

TYPED_TEST(Arguments, GemmStrided) {
  using T = TypeParam;
  const auto run = [&](std::int64_t m_, std::int64_t n_, std::int64_t k_, std::int64_t rsc, std::int64_t csc, T* c) {
    return api::gemm_strided(T{}, this->context, m_, n_, k_, &this->alpha, this->a.data(), 1, 8, this->b.data(), 1, 8,
                             &this->beta, c, rsc, csc);
  };
  T* c = this->c.data();
  this->expect_bad(run(-1, n, k, 1, 8, c), "m");
  this->expect_bad(run(m, -1, k, 1, 8, c), "n");
  this->expect_bad(run(m, n, -1, 1, 8, c), "k");
  this->expect_bad(run(m, n, k, 0, 8, c), "rsc");
  this->expect_bad(run(m, n, k, 1, 0, c), "csc");
  this->expect_bad(run(m, n, k, 1, 2, c), "rsc, csc");  // (2,0) is (0,1)
  this->expect_bad(run(m, n, k, -1, 2, c), "rsc, csc");
}

TYPED_TEST(Arguments, GemmStridedThatInterleaves) {
  using T = TypeParam;
  // Strides that share addresses only beyond the last row (3 * 2 = 6 * 1) are good.
  std::vector<T> c(64, 3);
  EXPECT_EQ(api::gemm_strided(T{}, this->context, std::int64_t{2}, n, k, &this->alpha, this->a.data(), 1, 8,
                              this->b.data(), 1, 8, &this->beta, c.data(), 3, 6),
            ACCUBLAS_SUCCESS);
  EXPECT_EQ(api::gemm_strided(T{}, this->context, std::int64_t{1}, n, k, &this->alpha, this->a.data(), 1, 8,
                              this->b.data(), 1, 8, &this->beta, c.data(), 0, 6),
            ACCUBLAS_SUCCESS);
}

TYPED_TEST(Arguments, Gemv) {
  using T = TypeParam;
  const GemvCall<T> good{
      .alpha = &this->alpha, .a = this->a.data(), .x = this->b.data(), .beta = &this->beta, .y = this->c.data()};
  const auto bad = [&](const char* name, auto&& spoil) {
    GemvCall<T> call = good;
    spoil(call);
    this->expect_bad(call.run(this->context), name);
    this->expect_bad(call.run_ex(this->context, nullptr), name);
  };
  bad("layout", [](auto& call) { call.layout = 0; });
  bad("trans", [](auto& call) { call.trans = 'T'; });
  bad("m", [](auto& call) { call.m = -1; });
  bad("n", [](auto& call) { call.n = -1; });
  bad("lda", [](auto& call) { call.lda = m - 1; });
  bad("lda", [](auto& call) { call.layout = ACCUBLAS_ROW_MAJOR, call.lda = n - 1; });
  bad("lda", [](auto& call) { call.trans = ACCUBLAS_TRANS, call.lda = m - 1; });
  bad("lda", [](auto& call) { call.m = call.n = 0, call.lda = 0; });
  bad("incx", [](auto& call) { call.incx = 0; });
  bad("incy", [](auto& call) { call.incy = 0; });
  bad("alpha", [](auto& call) { call.alpha = nullptr; });
  bad("beta", [](auto& call) { call.beta = nullptr; });
  bad("a", [](auto& call) { call.a = nullptr; });
  bad("x", [](auto& call) { call.x = nullptr; });
  bad("y", [](auto& call) { call.y = nullptr; });

  const auto strided = [&](std::int64_t m_, std::int64_t n_, std::int64_t incx, std::int64_t incy) {
    return api::gemv_strided(T{}, this->context, m_, n_, &this->alpha, this->a.data(), 1, 8, this->b.data(), incx,
                             &this->beta, this->c.data(), incy);
  };
  this->expect_bad(strided(-1, n, 1, 1), "m");
  this->expect_bad(strided(m, -1, 1, 1), "n");
  this->expect_bad(strided(m, n, 0, 1), "incx");
  this->expect_bad(strided(m, n, 1, 0), "incy");
}

TYPED_TEST(Arguments, Dot) {
  using T = TypeParam;
  const T* x = this->a.data();
  T* result = this->c.data();
  const T* null = nullptr;
  T* no_result = nullptr;
  this->expect_bad(api::dot(T{}, this->context, n, null, 1, x, 1, result), "x");
  this->expect_bad(api::dot(T{}, this->context, n, x, 1, null, 1, result), "y");
  this->expect_bad(api::dot(T{}, this->context, n, x, 1, x, 1, no_result), "result");
  this->expect_bad(
      api::dot_ex(T{}, this->context, n, null, 1, x, 1, result, static_cast<const accublas_options*>(nullptr)), "x");
  // A zero increment repeats the first element, as in BLAS; n <= 0 is +0 and reads nothing.
  T value = -1;
  EXPECT_EQ(api::dot(T{}, this->context, n, x, 0, x, 1, &value), ACCUBLAS_SUCCESS);
  EXPECT_EQ(value, T(4));
  for (std::int64_t size : {std::int64_t{0}, std::int64_t{-5}}) {
    value = -1;
    EXPECT_EQ(api::dot(T{}, this->context, size, null, 1, null, 1, &value), ACCUBLAS_SUCCESS);
    EXPECT_TRUE(value == 0 && !std::signbit(value));
  }
}

TYPED_TEST(Arguments, Norms) {
  using T = TypeParam;
  const T* x = this->a.data();
  T* result = this->c.data();
  const T* null = nullptr;
  T* no_result = nullptr;
  this->expect_bad(api::nrm2(T{}, this->context, n, null, 1, result), "x");
  this->expect_bad(api::asum(T{}, this->context, n, null, 1, result), "x");
  this->expect_bad(api::nrm2(T{}, this->context, n, x, 1, no_result), "result");
  this->expect_bad(api::asum_ex(T{}, this->context, n, x, 1, no_result, static_cast<const accublas_options*>(nullptr)),
                   "result");
  for (std::int64_t size : {std::int64_t{0}, std::int64_t{-5}}) {
    T norm = -1, sum = -1;
    EXPECT_EQ(api::nrm2(T{}, this->context, size, null, 1, &norm), ACCUBLAS_SUCCESS);
    EXPECT_EQ(api::asum(T{}, this->context, size, null, 1, &sum), ACCUBLAS_SUCCESS);
    EXPECT_TRUE(norm == 0 && !std::signbit(norm) && sum == 0 && !std::signbit(sum));
  }
}

// A word of DOT that the norms lack: an error of the call that names it, passed over elsewhere.
TYPED_TEST(Arguments, NormsLackFixedAndSlices) {
  using T = TypeParam;
  const T x[] = {3, -4};
  const bool single = sizeof(T) == 4;
  for (const char* word : {"fixed:60", "slices:4", "slices:4:fast"}) {
    T result = 7;
    accublas_options options = ACCUBLAS_OPTIONS_INIT;
    options.mode_name = word;
    EXPECT_EQ(api::nrm2_ex(T{}, this->context, std::int64_t{2}, x, 1, &result, &options), ACCUBLAS_ERROR_MODE);
    EXPECT_NE(this->context.error().find(single ? "snrm2 has no mode" : "dnrm2 has no mode"), std::string::npos)
        << this->context.error();
    EXPECT_EQ(this->context.error().find("slices:D"), std::string::npos) << this->context.error();
    EXPECT_EQ(api::asum_ex(T{}, this->context, std::int64_t{2}, x, 1, &result, &options), ACCUBLAS_ERROR_MODE);
    EXPECT_EQ(result, T(7));
    for (const bool family : {false, true}) {
      api::Context context;
      ASSERT_EQ(family ? accublas_set_family_mode_name(context, ACCUBLAS_FAMILY_DOT, word)
                       : accublas_set_mode_name(context, word),
                ACCUBLAS_SUCCESS);
      ASSERT_EQ(api::nrm2(T{}, context, std::int64_t{2}, x, 1, &result), ACCUBLAS_SUCCESS) << context.error();
      EXPECT_EQ(result, T(5));
      EXPECT_STREQ(context.report().mode, single ? "sp" : "dp");
      EXPECT_NE(std::string(context.report().reason).find("passed over"), std::string::npos) << context.report().reason;
      ASSERT_EQ(api::dot(T{}, context, std::int64_t{2}, x, 1, x, 1, &result), ACCUBLAS_SUCCESS);
      EXPECT_STREQ(context.report().mode, word);
    }
    // The family's word is passed over, the context's general one is not.
    api::Context context("cr");
    ASSERT_EQ(accublas_set_family_mode_name(context, ACCUBLAS_FAMILY_DOT, word), ACCUBLAS_SUCCESS);
    ASSERT_EQ(api::asum(T{}, context, std::int64_t{2}, x, 1, &result), ACCUBLAS_SUCCESS) << context.error();
    EXPECT_EQ(result, T(7));
    EXPECT_STREQ(context.report().mode, "cr");
  }
}

TYPED_TEST(Arguments, Options) {
  using T = TypeParam;
  const GemmCall<T> good{
      .alpha = &this->alpha, .a = this->a.data(), .b = this->b.data(), .beta = &this->beta, .c = this->c.data()};
  const auto bad = [&](const char* field, accublas_status status, auto&& spoil) {
    accublas_options options = ACCUBLAS_OPTIONS_INIT;
    spoil(options);
    EXPECT_EQ(good.run_ex(this->context, &options), status) << field;
    EXPECT_NE(this->context.error().find(field), std::string::npos) << this->context.error();
    for (T element : this->c) ASSERT_EQ(element, T(3)) << field;
  };
  bad("struct_size", ACCUBLAS_ERROR_ARGUMENT, [](auto& options) { options.struct_size = 0; });
  bad("reproducible", ACCUBLAS_ERROR_ARGUMENT, [](auto& options) { options.reproducible = 2; });
  bad("backend", ACCUBLAS_ERROR_ARGUMENT, [](auto& options) { options.backend = 3; });
  bad("engine", ACCUBLAS_ERROR_ARGUMENT, [](auto& options) { options.engine = 99; });
  bad("num_threads", ACCUBLAS_ERROR_ARGUMENT, [](auto& options) { options.num_threads = -1; });
  bad("report_level", ACCUBLAS_ERROR_ARGUMENT, [](auto& options) { options.report_level = 3; });
  bad("target", ACCUBLAS_ERROR_ARGUMENT, [](auto& options) { options.target = std::nan(""); });
  bad("workspace_bytes", ACCUBLAS_ERROR_ARGUMENT, [](auto& options) { options.workspace_bytes = -2; });
  bad("fixed:151", ACCUBLAS_ERROR_MODE, [](auto& options) { options.mode_name = "fixed:151"; });
  bad("151", ACCUBLAS_ERROR_MODE,
      [](auto& options) { options.mode = ACCUBLAS_MODE_FIXED, options.mode_parameter = 151; });
  const bool single = sizeof(T) == 4;
  bad(single ? "tf64x3" : "tf32x3", ACCUBLAS_ERROR_MODE,
      [&](auto& options) { options.mode_name = single ? "tf64x3" : "tf32x3"; });
  bad("int8", ACCUBLAS_ERROR_ENGINE,
      [](auto& options) { options.mode = ACCUBLAS_MODE_CR, options.engine = ACCUBLAS_ENGINE_DOT2; });
  int32_t devices = -1;
  ASSERT_EQ(accublas_device_count(&devices), ACCUBLAS_SUCCESS);
  const auto on_cuda = [](auto& options) { options.backend = ACCUBLAS_BACKEND_CUDA; };
  if (devices == 0) return bad("cuda", ACCUBLAS_ERROR_NO_DEVICE, on_cuda);
  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  on_cuda(options);
  EXPECT_EQ(good.run_ex(this->context, &options), ACCUBLAS_SUCCESS) << this->context.error();
  EXPECT_STREQ(this->context.report().backend, "cuda");
}

TYPED_TEST(Arguments, APointerThatIsNoHostMemoryIsAStatus) {
  using T = TypeParam;
  int32_t devices = -1;
  ASSERT_EQ(accublas_device_count(&devices), ACCUBLAS_SUCCESS);
  if (devices > 0) GTEST_SKIP() << "the addresses could be device memory";
  T* const nowhere = reinterpret_cast<T*>(std::uintptr_t{0x0000700000000000});
  const GemmCall<T> good{
      .alpha = &this->alpha, .a = this->a.data(), .b = this->b.data(), .beta = &this->beta, .c = this->c.data()};
  const auto bad = [&](const char* name, auto&& spoil) {
    GemmCall<T> call = good;
    spoil(call);
    EXPECT_EQ(call.run(this->context), ACCUBLAS_ERROR_NO_DEVICE) << name;
    EXPECT_NE(this->context.error().find(std::string("argument ") + name + " "), std::string::npos)
        << this->context.error();
  };
  bad("alpha", [&](auto& call) { call.alpha = nowhere; });
  bad("a", [&](auto& call) { call.a = nowhere; });
  bad("b", [&](auto& call) { call.b = nowhere; });
  bad("beta", [&](auto& call) { call.beta = nowhere; });
  bad("c", [&](auto& call) { call.c = nowhere; });
  T value = 0;
  EXPECT_EQ(api::dot(T{}, this->context, n, static_cast<const T*>(nowhere), 1, this->a.data(), 1, &value),
            ACCUBLAS_ERROR_NO_DEVICE);
  EXPECT_EQ(api::dot(T{}, this->context, n, this->a.data(), 1, this->a.data(), 1, nowhere), ACCUBLAS_ERROR_NO_DEVICE);
  EXPECT_EQ(api::nrm2(T{}, this->context, n, static_cast<const T*>(nowhere), 1, &value), ACCUBLAS_ERROR_NO_DEVICE);
  EXPECT_EQ(api::asum(T{}, this->context, n, this->a.data(), 1, nowhere), ACCUBLAS_ERROR_NO_DEVICE);
}
