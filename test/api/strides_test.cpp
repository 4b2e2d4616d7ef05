// Strides that are never used may be any number: along one element at most, in a batch of one matrix, and of operands
// that are not read. The results are those of ordinary strides; the sanitizers see to the arithmetic behind them.
#include <array>

#include "api.hpp"

namespace {

using Sizes = std::vector<std::int64_t>;
const Sizes extremes = {INT64_MIN, INT64_MIN + 1, -(INT64_C(1) << 62), INT64_C(1) << 62, INT64_MAX};
const Sizes few = {0, 1, 3};

/// `stride` where it is used, else `extreme`.
std::int64_t along(std::int64_t size, std::int64_t stride, std::int64_t extreme) { return size > 1 ? stride : extreme; }

template <class T>
class Strides : public ::testing::Test {
 protected:
  void SetUp() override {
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<T>(static_cast<int>(i % 7) - 3);
      b[i] = static_cast<T>(static_cast<int>(i % 5) + 1);
    }
  }
  /// Runs call(stride of an unused dimension, c) with ordinary strides (1) and with each extreme one in every mode.
  template <class Call>
  void same_as_ordinary(const std::vector<std::string>& modes, const std::string& what, Call call,
                        const std::string& engine = "auto") {
    for (const std::string& mode : modes) {
      api::Context context;
      context.set(mode, engine);
      std::vector<T> expected(16, T(2));
      ASSERT_EQ(call(context, std::int64_t{1}, expected.data()), ACCUBLAS_SUCCESS) << what << mode << context.error();
      for (const std::int64_t extreme : extremes) {
        std::vector<T> got(16, T(2));
        ASSERT_EQ(call(context, extreme, got.data()), ACCUBLAS_SUCCESS) << what << mode << context.error();
        ASSERT_TRUE(api::same_bits(got, expected)) << what << mode << " stride " << extreme;
      }
    }
  }

  std::vector<T> a = std::vector<T>(16), b = std::vector<T>(16);
};
TYPED_TEST_SUITE(Strides, api::Types);

}  // namespace

TYPED_TEST(Strides, Vectors) {
  using T = TypeParam;
  const T *x = this->a.data(), *y = this->b.data();
  for (const std::int64_t n : {0, 1}) {
    const std::string what = "n " + std::to_string(n) + " ";
    this->same_as_ordinary(api::modes(), what + "dot ", [&](accublas_context* context, std::int64_t inc, T* result) {
      return api::dot(T{}, context, n, x, inc, y, inc, result);
    });
    this->same_as_ordinary(api::norm_modes(), what + "nrm2 ", [&](accublas_context* context, std::int64_t inc, T* r) {
      return api::nrm2(T{}, context, n, x, inc, r);
    });
    this->same_as_ordinary(api::norm_modes(), what + "asum ", [&](accublas_context* context, std::int64_t inc, T* r) {
      return api::asum(T{}, context, n, x, inc, r);
    });
  }
}

TYPED_TEST(Strides, Gemv) {
  using T = TypeParam;
  const T alpha = 2, beta = -1, *a = this->a.data(), *x = this->b.data();
  for (const std::int64_t m : few)
    for (const std::int64_t n : few) {
      const std::string what = "gemv " + std::to_string(m) + " x " + std::to_string(n) + " ";
      // Where the other dimension is 0 nothing at all is read.
      const bool none = m == 0 || n == 0;
      this->same_as_ordinary(api::modes(), what, [&](accublas_context* context, std::int64_t s, T* y) {
        return api::gemv_strided(T{}, context, m, n, &alpha, a, none ? s : along(m, 1, s), none ? s : along(n, m, s), x,
                                 none ? s : along(n, 1, s), &beta, y, none ? s : along(m, 1, s));
      });
      if (n > 1) continue;
      this->same_as_ordinary(api::modes(), what + "lda ", [&](accublas_context* context, std::int64_t s, T* y) {
        return api::gemv(T{}, context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, m, n, &alpha, a,
                         s < m ? std::max<std::int64_t>(m, 1) : s, x, std::int64_t{1}, &beta, y, std::int64_t{1});
      });
    }
}

TYPED_TEST(Strides, Gemm) {
  using T = TypeParam;
  const T alpha = 2, beta = -1, *a = this->a.data(), *b = this->b.data();
  for (const std::int64_t m : few)
    for (const std::int64_t n : few)
      for (const std::int64_t k : few) {
        const std::string what =
            "gemm " + std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k) + " ";
        this->same_as_ordinary(api::modes(), what, [&](accublas_context* context, std::int64_t s, T* c) {
          return api::gemm_strided(T{}, context, m, n, k, &alpha, a, along(m, 1, s), along(k, m, s), b, along(k, 1, s),
                                   along(n, k, s), &beta, c, along(m, 1, s), along(n, m, s));
        });
      }
}

TYPED_TEST(Strides, EveryEngine) {
  using T = TypeParam;
  const T alpha = 2, beta = -1, *a = this->a.data(), *b = this->b.data();
  for (const api::ModeEngine& way : api::gemm_engines()) {
    if (way.engine == "int8" && way.mode == "dp") continue;  // a GPU's
    for (const auto& size :
         {std::array<std::int64_t, 3>{1, 1, 3}, {1, 3, 1}, {3, 1, 1}, {1, 3, 3}, {3, 1, 3}, {1, 1, 1}}) {
      const std::int64_t m = size[0], n = size[1], k = size[2];
      this->same_as_ordinary(
          {way.mode}, way.engine + " ",
          [&](accublas_context* context, std::int64_t s, T* c) {
            return api::gemm_strided(T{}, context, m, n, k, &alpha, a, along(m, 1, s), along(k, m, s), b,
                                     along(k, 1, s), along(n, k, s), &beta, c, along(m, 1, s), along(n, m, s));
          },
          way.engine);
    }
  }
}

TYPED_TEST(Strides, OperandsThatAreNotRead) {
  using T = TypeParam;
  const T zero = 0, beta = -1, *a = this->a.data(), *b = this->b.data();
  this->same_as_ordinary(api::modes(), "alpha = 0 ", [&](accublas_context* context, std::int64_t s, T* c) {
    return api::gemm_strided(T{}, context, std::int64_t{3}, std::int64_t{3}, std::int64_t{3}, &zero, a, s, s, b, s, s,
                             &beta, c, std::int64_t{1}, std::int64_t{3});
  });
  this->same_as_ordinary(api::modes(), "alpha = 0 ", [&](accublas_context* context, std::int64_t s, T* c) {
    return api::gemv_strided(T{}, context, std::int64_t{3}, std::int64_t{3}, &zero, a, s, s, b, s, &beta, c,
                             std::int64_t{1});
  });
}

TYPED_TEST(Strides, Batches) {
  using T = TypeParam;
  const T alpha = 2, beta = -1, *a = this->a.data(), *b = this->b.data();
  for (const std::int64_t count : {0, 1})
    for (const std::int64_t k : few)
      this->same_as_ordinary(api::modes(), "batch ", [&](accublas_context* context, std::int64_t s, T* c) {
        return api::gemm_strided_batched(T{}, context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS,
                                         std::int64_t{3}, std::int64_t{3}, k, &alpha, a, std::int64_t{3}, s, b,
                                         std::int64_t{3}, s, &beta, c, std::int64_t{3}, s, count);
      });
}

// If C has several elements, strides beyond every address space would wrap, and elements of C could coincide.
TYPED_TEST(Strides, BeyondAddresses) {
  using T = TypeParam;
  const T alpha = 2, beta = -1, *a = this->a.data(), *b = this->b.data();
  api::Context context;
  for (const std::int64_t s : {INT64_MIN, INT64_MIN + 1, INT64_MAX, std::int64_t{1} << 61, -(std::int64_t{1} << 61)}) {
    std::vector<T> c(9, T(7));
    EXPECT_EQ(api::gemm_strided_batched(T{}, context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS,
                                        std::int64_t{1}, std::int64_t{1}, std::int64_t{1}, &alpha, a, std::int64_t{1},
                                        std::int64_t{0}, b, std::int64_t{1}, std::int64_t{0}, &beta, c.data() + 4,
                                        std::int64_t{1}, s, std::int64_t{2}),
              ACCUBLAS_ERROR_ARGUMENT)
        << s;
    EXPECT_NE(context.error().find("stride_c"), std::string::npos) << context.error();
    EXPECT_EQ(c, std::vector<T>(9, T(7))) << s;
  }
}

TEST(StridesOfArrays, OneElement) {
  api::Context context;
  accublas_mp_array *x = nullptr, *y = nullptr;
  ASSERT_EQ(accublas_mp_create(context, 128, 1, &x), ACCUBLAS_SUCCESS);
  ASSERT_EQ(accublas_mp_create(context, 128, 1, &y), ACCUBLAS_SUCCESS);
  for (const std::int64_t inc : extremes) {
    const std::int64_t ld = inc < 1 ? INT64_MAX : inc;
    for (const std::int64_t n : {0, 1}) {
      const double three = 3, two = 2;
      double result = -1;
      const auto succeeds = [&](accublas_status status) {
        EXPECT_EQ(status, ACCUBLAS_SUCCESS) << context.error() << " inc " << inc << " n " << n;
      };
      succeeds(accublas_mp_set_double(context, x, 0, ld, 1, n, &three, ld));
      succeeds(accublas_mp_set_double(context, y, 0, 1, 1, 1, &two, 1));
      succeeds(accublas_mp_dot(context, n, x, 0, inc, x, 0, inc, y, 0));
      succeeds(accublas_mp_get_double(context, y, 0, ld, 1, 1, &result, ld));
      EXPECT_EQ(result, n == 0 ? 0 : 9);
      succeeds(accublas_mp_axpy(context, n, x, 0, x, 0, inc, y, 0, inc));
      succeeds(accublas_mp_scal(context, n, x, 0, y, 0, inc));
      succeeds(accublas_mp_align(context, x, 0, ld, 1, n, -1));
      for (const auto trans : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS}) {
        succeeds(accublas_mp_gemv(context, trans, n, 1, nullptr, 0, x, 0, ld, x, 0, inc, nullptr, 0, y, 0, inc));
        succeeds(
            accublas_mp_gemm(context, trans, trans, n, 1, 1, nullptr, 0, x, 0, ld, x, 0, ld, nullptr, 0, y, 0, ld));
      }
    }
  }
  accublas_mp_destroy(x);
  accublas_mp_destroy(y);
}
