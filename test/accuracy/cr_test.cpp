// cr is MPFR's rounding of the exact value, for every kind of data, routine and engine; dp and sp reproducible are cr's
// values in DOT and GEMV.
#include "harness.hpp"

namespace accuracy {
namespace {

template <class T>
class Cr : public testing::Test {};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(Cr, Types);

template <class T>
void expect_cr(Context& context, Routine routine, const Gemm<T>& g, const char* mode, const char* engine,
               const std::string& trace) {
  accublas_options options = ACCUBLAS_OPTIONS_INIT;
  options.mode_name = mode;
  ASSERT_EQ(accublas_set_engine_name(context, engine), ACCUBLAS_SUCCESS) << context.error();
  std::vector<T> out;
  ASSERT_EQ(context.run(routine, g, out, &options), ACCUBLAS_SUCCESS) << trace << context.error();
  for (std::int64_t i = 0; i < g.m; ++i) {
    for (std::int64_t j = 0; j < g.n; ++j) {
      const Reference r = g.exact(i, j);
      const T wanted = r.value.template round<T>(), got = out[static_cast<std::size_t>(i + j * g.m)];
      ASSERT_EQ(bits(wanted), bits(got)) << trace << " engine " << engine << " (" << i << "," << j << ") want "
                                         << wanted << " got " << got;
    }
  }
}

template <class T>
void check(Data kind, int cases, double from, double to) {
  Random rng(20110 + static_cast<unsigned>(kind));
  Context context;
  for (int number = 0; number < scaled(cases); ++number) {
    for (const Routine routine : {Routine::gemm, Routine::gemv, Routine::dot}) {
      std::int64_t m, n, k;
      shape(rng, routine, m, n, k);
      double parameter = from + (to - from) * uniform(rng);
      if (kind == Data::generated) {
        parameter = std::exp2(parameter);
        k = 6 + below(rng, 120);
      }
      Gemm<T> g = make<T>(rng, kind, m, n, k, parameter);
      generic_scalars(rng, routine, g);
      const std::string trace = std::string(data_name(kind)) + " " + routine_name(routine) + " case " +
                                std::to_string(number) + " m " + std::to_string(m) + " n " + std::to_string(n) + " k " +
                                std::to_string(k) + " parameter " + std::to_string(parameter);
      expect_cr(context, routine, g, "cr", "auto", trace);
      if (routine == Routine::gemm) {
        const char* const engines[] = {"int8", "fp64", on_gpu() ? "fp16" : "sums"};
        expect_cr(context, routine, g, "cr", engines[number % 3], trace);
      } else if (number % 4 == 0) {
        expect_cr(context, routine, g, "dp:repro", "auto", trace);
      }
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(Cr, Phi0To10) { check<TypeParam>(Data::phi, 150, 0, std::is_same_v<TypeParam, double> ? 10 : 5); }
TYPED_TEST(Cr, GradedInnerScalings) { check<TypeParam>(Data::graded, 80, 0, 0); }
TYPED_TEST(Cr, HalfwayCases) { check<TypeParam>(Data::halfway, 150, 0, 0); }
TYPED_TEST(Cr, Cancellation) { check<TypeParam>(Data::cancel, 80, 0, 0); }
TYPED_TEST(Cr, Subnormal) { check<TypeParam>(Data::subnormal, 80, 0, 0); }
TYPED_TEST(Cr, NearOverflow) { check<TypeParam>(Data::overflow, 80, 0, 0); }
TYPED_TEST(Cr, WholeRange) { check<TypeParam>(Data::wild, 40, 0, 0); }
TYPED_TEST(Cr, ConditionControlled) {
  check<TypeParam>(Data::generated, 80, 10, std::is_same_v<TypeParam, double> ? 996 : 100);  // up to 1e300, 1e30
}

}  // namespace
}  // namespace accuracy
