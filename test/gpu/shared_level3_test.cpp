// Products of level 3 and TRSM with host operands that several devices share: the bits of a call on operands in device
// memory. With one GPU in the host, the device is listed twice.
#include <complex>
#include <cstring>
#include <functional>
#include <limits>

#include "test/gpu/device_lists.hpp"
#include "test/gpu/gemm_data.hpp"

namespace accublas::test {
namespace {

class SharedLevel3 : public testing::Test {
 protected:
  using Complex = std::complex<double>;

  void SetUp() override {
    list_devices(gpu, 2);
    list_devices(three, 3);
  }
  template <class E>
  std::vector<E> numbers(Index count, double scale = 1) {
    constexpr std::size_t period = 1000003;
    std::vector<E> x(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (i >= period) {
        x[i] = x[i - period];
      } else if constexpr (std::is_same_v<E, double>) {
        x[i] = scale * spread(rng, 0.5);
      } else {
        x[i] = {scale * spread(rng, 0.5), scale * spread(rng, 0.5)};
      }
    }
    return x;
  }

  const std::vector<double> none = std::vector<double>(1);  ///< stands for an operand that a routine does not have

  /// call(context, a, b, c) overwrites c.
  template <class E>
  using Call = std::function<accublas_status(accublas_context*, const E*, const E*, E*)>;

  template <class E>
  void compare(const std::string& what, const std::vector<E>& a, const std::vector<E>& b, const std::vector<E>& c,
               const Call<E>& call, bool shares = true,
               const std::vector<std::string>& modes = {"cr", "fixed:60", "dot2"}) {
    for (const std::string& mode : modes) {
      SCOPED_TRACE(what + " in " + mode);
      const DeviceArray<E> x(a), y(b), z(c);
      single.set(mode);
      ASSERT_EQ(call(single, x.data(), y.data(), z.data()), ACCUBLAS_SUCCESS) << single.error();
      ASSERT_EQ(accublas_sync(single), ACCUBLAS_SUCCESS) << single.error();
      const std::vector<E> want = z.values();
      for (Context* const context : {&gpu, &three}) {
        context->set(mode);
        std::vector<E> got = c;
        ASSERT_EQ(call(*context, a.data(), b.data(), got.data()), ACCUBLAS_SUCCESS) << context->error();
        EXPECT_STREQ(context->report().backend, "cuda");
        EXPECT_EQ(std::strchr(context->report().device, ',') != nullptr, shares) << context->report().device;
        EXPECT_EQ(std::memcmp(got.data(), want.data(), want.size() * sizeof(E)), 0)
            << (context == &gpu ? "two" : "three") << " in the list";
      }
    }
  }

  Context gpu{ACCUBLAS_BACKEND_CUDA}, three{ACCUBLAS_BACKEND_CUDA}, single{ACCUBLAS_BACKEND_CUDA};
  Random rng{92};
};

// Elements of the other triangle stay as they are, whatever they hold, and beta c may be NaN.
TEST_F(SharedLevel3, Triangles) {
  const Index n = 2700, k = 5600, ld = 5603;
  const auto a = numbers<double>(ld * k), b = numbers<double>(ld * k);
  auto c = numbers<double>((n + 2) * n);
  c[static_cast<std::size_t>(2000 * (n + 2) + 2100)] = std::numeric_limits<double>::quiet_NaN();
  c[static_cast<std::size_t>(2100 * (n + 2) + 2000)] = std::numeric_limits<double>::infinity();
  const double alpha = 0.75, beta = -1.5;
  for (const auto uplo : {ACCUBLAS_UPPER, ACCUBLAS_LOWER})
    for (const auto trans : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS}) {
      const std::string what = std::to_string(uplo) + " " + std::to_string(trans);
      compare<double>("dsyrk " + what, a, none, c, [&](auto* context, const double* x, const double*, double* z) {
        return accublas_dsyrk(context, ACCUBLAS_COL_MAJOR, uplo, trans, n, k, &alpha, x, ld, &beta, z, n + 2);
      });
    }
  compare<double>("dgemmt", a, b, c, [&](auto* context, const double* x, const double* y, double* z) {
    return accublas_dgemmt(context, ACCUBLAS_ROW_MAJOR, ACCUBLAS_LOWER, ACCUBLAS_TRANS, ACCUBLAS_NO_TRANS, n, k, &alpha,
                           x, ld, y, ld, &beta, z, n + 2);
  });
  compare<double>(
      "dsyr2k", a, b, c,
      [&](auto* context, const double* x, const double* y, double* z) {
        return accublas_dsyr2k(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LOWER, ACCUBLAS_NO_TRANS, n, k, &alpha, x, ld, y,
                               ld, &beta, z, n + 2);
      },
      false);
}

TEST_F(SharedLevel3, HermitianTriangles) {
  const Index n = 2700, k = 5600, ld = 5603;
  const auto a = numbers<Complex>(ld * k), c = numbers<Complex>((n + 2) * n);
  const double alpha = 0.75, beta = -1.5;
  for (const auto uplo : {ACCUBLAS_UPPER, ACCUBLAS_LOWER})
    for (const auto layout : {ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR}) {
      const auto trans = layout == ACCUBLAS_COL_MAJOR ? ACCUBLAS_NO_TRANS : ACCUBLAS_CONJ_TRANS;
      compare<Complex>("zherk " + std::to_string(uplo) + " " + std::to_string(layout), a, std::vector<Complex>(1), c,
                       [&](auto* context, const Complex* x, const Complex*, Complex* z) {
                         return accublas_zherk(context, layout, uplo, trans, n, k, &alpha, x, ld, &beta, z, n + 2);
                       });
    }
}

TEST_F(SharedLevel3, Sides) {
  const Index m = 2500, n = 3300, ld = 3301;
  const auto b = numbers<double>(ld * ld), c = numbers<double>(ld * ld);
  auto a = numbers<double>(ld * ld, 0x1p-10);  // a triangle with a heavy diagonal
  for (Index i = 0; i < n; ++i) a[static_cast<std::size_t>(i * (ld + 1))] = 1;
  const double alpha = 0.75, beta = -1.5;
  for (const auto side : {ACCUBLAS_LEFT, ACCUBLAS_RIGHT}) {
    const std::string what = std::to_string(side);
    compare<double>("dsymm " + what, a, b, c, [&](auto* context, const double* x, const double* y, double* z) {
      return accublas_dsymm(context, ACCUBLAS_COL_MAJOR, side, ACCUBLAS_LOWER, m, n, &alpha, x, ld, y, ld, &beta, z,
                            ld);
    });
    compare<double>("dtrmm " + what, a, none, c, [&](auto* context, const double* x, const double*, double* z) {
      return accublas_dtrmm(context, ACCUBLAS_COL_MAJOR, side, ACCUBLAS_UPPER, ACCUBLAS_TRANS, ACCUBLAS_NON_UNIT, m, n,
                            &alpha, x, ld, z, ld);
    });
    compare<double>("dtrsm " + what, a, none, c,
                    [&](auto* context, const double* x, const double*, double* z) {
                      return accublas_dtrsm(context, ACCUBLAS_ROW_MAJOR, side, ACCUBLAS_LOWER, ACCUBLAS_NO_TRANS,
                                            ACCUBLAS_UNIT, m, n, &alpha, x, ld, z, ld);
                    },
                    true, {"cr", "dot2"});
  }
}

}  // namespace
}  // namespace accublas::test
