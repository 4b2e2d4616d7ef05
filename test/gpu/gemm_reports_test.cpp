// Reports of GEMM on the GPU: bounds that hold, what ran, phases, counters.
#include <cmath>
#include <cstdlib>

#include "test/gpu/gemm_errors_test.hpp"
#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {
namespace {

/// alpha A B + beta C and the same of absolute values for one element, to 113 bits.
struct Reference {
  __float128 value = 0, magnitude = 0;
};

template <class T>
Reference reference(const Problem<T>& p, Index i, Index j) {
  Reference r;
  const auto size = [](__float128 x) { return x < 0 ? -x : x; };
  for (Index q = 0; q < p.k; ++q) {
    const __float128 term = static_cast<__float128>(p.a[static_cast<std::size_t>(p.at_a.at(i, q))]) *
                            p.b[static_cast<std::size_t>(p.at_b.at(q, j))];
    r.value += term;
    r.magnitude += size(term);
  }
  const __float128 c =
      p.beta == 0 ? 0 : static_cast<__float128>(p.beta) * p.c[static_cast<std::size_t>(p.at_c.at(i, j))];
  r.value = r.value * p.alpha + c;
  r.magnitude = r.magnitude * size(p.alpha) + size(c);
  return r;
}

TYPED_TEST(GemmErrors, BoundsHold) {
  using T = TypeParam;
  const double u = sizeof(T) == 8 ? 0x1p-53 : 0x1p-24;
  for (const char* mode : {"native", "dp", "dp:repro", "cr", "fixed:24", "fixed:53", "fixed:90", "fixed:7"})
    for (const Kind& kind : {Kind{Data::phi, 0}, Kind{Data::phi, 1}, Kind{Data::phi, 4}, Kind{Data::cancellation},
                             Kind{Data::block_diagonal}, Kind{Data::ties}}) {
      auto p = plain_problem<T>(this->rng, kind, 60, 50, inner_dimension(mode, 1, 200));
      p.alpha = T(-1.3), p.beta = T(0.7);
      this->gpu.set(mode);
      std::vector<T> out;
      const accublas_status status = on_device(this->gpu, p, out);
      if (status == ACCUBLAS_ERROR_UNAVAILABLE && std::string(mode) == "native") continue;
      ASSERT_EQ(status, ACCUBLAS_SUCCESS) << mode << ": " << this->gpu.error();
      const accublas_report_t report = this->gpu.report();
      if (std::string(mode) == "cr") {
        EXPECT_LE(report.bound_relative, u);
        EXPECT_EQ(report.bound_componentwise, 0);
      }
      if (std::string(mode) == "dp:repro") {
        EXPECT_LE(report.bound_componentwise, static_cast<double>(p.k + 3) * u);
      }
      // A bound that says nothing is one only where the mode promises nothing.
      if (std::string(mode).rfind("fixed", 0) != 0) {
        ASSERT_TRUE(std::isfinite(report.bound_componentwise)) << mode;
      }
      if (!std::isfinite(report.bound_componentwise)) continue;
      for (Index i = 0; i < p.m; ++i)
        for (Index j = 0; j < p.n; ++j) {
          const Reference r = reference(p, i, j);
          const T got = out[static_cast<std::size_t>(p.at_c.at(i, j))];
          ASSERT_TRUE(std::isfinite(got)) << mode << " " << kind.name();
          const __float128 error = got - r.value, size = r.value < 0 ? -r.value : r.value;
          // 1e-30: what the reference itself may be off.
          const __float128 allowed =
              report.bound_relative * size +
              (static_cast<__float128>(report.bound_componentwise) + static_cast<__float128>(1e-30)) * r.magnitude +
              report.bound_absolute;
          ASSERT_TRUE((error < 0 ? -error : error) <= allowed)
              << mode << " " << kind.name() << " (" << i << ", " << j << "): error "
              << static_cast<double>(error / r.magnitude / u) << " u, bound "
              << static_cast<double>(allowed / r.magnitude / u) << " u";
        }
    }
}

// T, the rejected elements and the words of the report.
TYPED_TEST(GemmErrors, ReportTellsWhatRan) {
  using T = TypeParam;
  ASSERT_EQ(accublas_set_report_level(this->gpu, 2), ACCUBLAS_SUCCESS);
  for (const char* mode : {"fixed:11", "fixed:53", "fixed:150", "dp:repro", "cr"})
    for (const Kind& kind :
         {Kind{Data::phi, 0.5}, Kind{Data::phi, 2}, Kind{Data::phi, 6}, Kind{Data::block_diagonal},
          Kind{Data::cancellation}, Kind{Data::ties}, Kind{Data::integers}, Kind{Data::zero_lines}}) {
      const std::string what = std::string(mode) + " on " + kind.name();
      // More terms than small products and products of dp:repro with cr's values have.
      const auto p = plain_problem<T>(this->rng, kind, 260, 150, most_terms_as_cr + 20);
      this->cpu.set(mode);
      this->gpu.set(mode);
      std::vector<T> want, got;
      ASSERT_EQ(on_host(this->cpu, p, want), ACCUBLAS_SUCCESS);
      ASSERT_EQ(on_device(this->gpu, p, got), ACCUBLAS_SUCCESS) << what << ": " << this->gpu.error();
      ASSERT_EQ(mismatch(p, want, got), "") << what;
      const accublas_report_t c = this->cpu.report(), g = this->gpu.report();
      EXPECT_STREQ(g.routine, sizeof(T) == 8 ? "dgemm" : "sgemm");
      EXPECT_STREQ(g.mode, c.mode);
      EXPECT_STREQ(g.backend, "cuda");
      EXPECT_NE(std::string(g.device), "");
      EXPECT_TRUE(g.m == p.m && g.n == p.n && g.k == p.k) << what;
      EXPECT_GE(g.parts, 1) << what;
      EXPECT_LE(g.parts, 49) << what;
      EXPECT_GT(g.workspace_bytes, 0) << what;
      EXPECT_EQ(g.copied_bytes, 0) << what << ": device operands are not copied";
      EXPECT_EQ(g.level, 2);
      EXPECT_GT(g.ms_total, 0) << what;
      EXPECT_GT(g.ms_convert, 0) << what;
      EXPECT_GT(g.ms_product, 0) << what;
      EXPECT_GT(g.ms_reconstruct, 0) << what;
      EXPECT_GE(g.ms_exact, 0) << what;
      EXPECT_LE(g.ms_convert + g.ms_product + g.ms_reconstruct + g.ms_exact, 1.05 * g.ms_total + 0.1) << what;
      if (std::string(mode).rfind("fixed", 0) == 0) {
        EXPECT_EQ(g.bits, std::atoi(mode + 6)) << what;
        EXPECT_EQ(g.rejected, 0) << what;
        EXPECT_EQ(g.undecided, 0) << what;
      } else if (std::string(mode) == "dp:repro") {
        EXPECT_EQ(g.rejected, c.rejected) << what;
        if (c.rejected == 0) {
          EXPECT_EQ(g.bits, c.bits) << what;
        }
      } else {
        EXPECT_EQ(g.rejected, 0) << what;
        EXPECT_LE(g.undecided, p.m * p.n) << what;
        // Nothing is dropped of integers and of ties: every element is decided exactly.
        if (kind.data == Data::ties || kind.data == Data::integers) {
          EXPECT_EQ(g.undecided, 0) << what;
        }
        // Ziv's test is to leave few elements of ordinary data.
        if (kind.data == Data::phi && kind.parameter <= 2) {
          EXPECT_LE(g.undecided, p.m * p.n / 50) << what;
        }
      }
    }
}

// Host operands go to the device in panels, whose phases are the call's.
TYPED_TEST(GemmErrors, ReportOfHostOperandsHasPhases) {
  using T = TypeParam;
  ASSERT_EQ(accublas_set_report_level(this->gpu, 2), ACCUBLAS_SUCCESS);
  for (const Index n : {200, 4096}) {  // one panel, and four
    const auto p = plain_problem<T>(this->rng, {Data::phi, 1}, 1024, n, 160);
    this->gpu.set("cr", "int8");
    std::vector<T> out;
    double earlier = 0;
    for (int round = 0; round < 2; ++round) {
      ASSERT_EQ(on_host(this->gpu, p, out), ACCUBLAS_SUCCESS) << this->gpu.error();
      const accublas_report_t g = this->gpu.report();
      EXPECT_STREQ(g.backend, "cuda");
      EXPECT_GT(g.copied_bytes, 0);
      EXPECT_GT(g.ms_convert, 0);
      EXPECT_GT(g.ms_product, 0);
      EXPECT_GT(g.ms_reconstruct, 0);
      const double phases = g.ms_convert + g.ms_product + g.ms_reconstruct + g.ms_exact;
      EXPECT_LE(phases, 1.05 * g.ms_total + 0.1);
      if (round > 0) {
        EXPECT_LT(phases, 1.5 * earlier + 1) << "the phases of the call before are counted again";
      }
      earlier = phases;
    }
  }
}

// The counters count what ran, by engine; verbose and report do not change a bit.
TYPED_TEST(GemmErrors, Counters) {
  using T = TypeParam;
  const auto p = plain_problem<T>(this->rng, {Data::phi, 1}, 30, 30, 30);
  this->gpu.set("cr", "int8");
  ASSERT_EQ(accublas_reset_counters(), ACCUBLAS_SUCCESS);
  std::vector<T> out;
  for (int round = 0; round < 3; ++round) ASSERT_EQ(on_device(this->gpu, p, out), ACCUBLAS_SUCCESS);
  accublas_counter_t rows[16];
  std::size_t count = 0;
  ASSERT_EQ(accublas_counters(rows, 16, &count), ACCUBLAS_SUCCESS);
  std::uint64_t calls = 0;
  for (std::size_t q = 0; q < count; ++q)
    if (std::string(rows[q].routine) == (sizeof(T) == 8 ? "dgemm" : "sgemm") && std::string(rows[q].engine) == "int8")
      calls += rows[q].calls;
  EXPECT_EQ(calls, 3u);
}

}  // namespace
}  // namespace accublas::test
