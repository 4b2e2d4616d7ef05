// accublas_set_target: what cannot be promised is refused, and C is left as it was; what is promised is kept.
#include <cstring>

#include "harness.hpp"

namespace accuracy {
namespace {

template <class T>
class Target : public testing::Test {};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(Target, Types);

template <class T>
void each_call(Context& context, const char* mode, double target, accublas_status wanted, Data kind, double parameter) {
  Random rng(31);
  for (const Routine routine : {Routine::gemm, Routine::gemv, Routine::dot}) {
    const std::int64_t m = routine == Routine::dot ? 1 : 9, n = routine == Routine::gemm ? 5 : 1, k = 40;
    Gemm<T> g = make<T>(rng, kind, m, n, k, parameter);
    if (routine != Routine::dot) g.beta = static_cast<T>(0.5);
    accublas_options options = ACCUBLAS_OPTIONS_INIT;
    options.mode_name = mode;
    ASSERT_EQ(accublas_set_target(context, target), ACCUBLAS_SUCCESS);
    std::vector<T> out;
    const accublas_status status = context.run(routine, g, out, &options);
    ASSERT_EQ(status, wanted) << mode << " " << routine_name(routine) << " target " << target << ": "
                              << context.error();
    if (status != ACCUBLAS_SUCCESS) {
      EXPECT_EQ(std::memcmp(out.data(), g.c.data(), out.size() * sizeof(T)), 0) << mode << ": C was written";
      EXPECT_NE(std::string(context.error()), "");
      continue;
    }
    for (std::int64_t i = 0; target > 0 && i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        const Reference r = g.exact(i, j);
        Real bound(r.magnitude);
        bound.multiply(target);
        bound.add(Real(least<T>));
        ASSERT_LE(error_of(out[static_cast<std::size_t>(i + j * m)], r.value), bound) << mode;
      }
    }
  }
}

TYPED_TEST(Target, KeptOrRefused) {
  using T = TypeParam;
  Context context;
  const double u = unit<T>;
  const double k3 = 43 * u;
  // cr promises u and no less.
  each_call<T>(context, "cr", u, ACCUBLAS_SUCCESS, Data::phi, 1);
  each_call<T>(context, "cr", u / 4, ACCUBLAS_ERROR_ACCURACY, Data::phi, 1);
  // dp, sp promise (k + 3) u.
  each_call<T>(context, "dp", 1.01 * k3, ACCUBLAS_SUCCESS, Data::phi, 1);
  each_call<T>(context, "dp", u, ACCUBLAS_ERROR_ACCURACY, Data::phi, 1);
  each_call<T>(context, "dp:repro", 1.01 * k3, ACCUBLAS_SUCCESS, Data::phi, 1);
  each_call<T>(context, "dp:repro", u / 4, ACCUBLAS_ERROR_ACCURACY, Data::phi, 1);
  each_call<T>(context, "dot2", 1.5 * u, ACCUBLAS_SUCCESS, Data::phi, 1);
  each_call<T>(context, "dot2", u / 4, ACCUBLAS_ERROR_ACCURACY, Data::phi, 1);
  // Four bits cannot do it; the data decides for more.
  each_call<T>(context, "fixed:4", 64 * u, ACCUBLAS_ERROR_ACCURACY, Data::phi, 1);
  each_call<T>(context, "slices:1", u, ACCUBLAS_ERROR_ACCURACY, Data::phi, 1);
  // 0 unsets.
  each_call<T>(context, "fixed:4", 0, ACCUBLAS_SUCCESS, Data::halfway, 0);
}

}  // namespace
}  // namespace accuracy
