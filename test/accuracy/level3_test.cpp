// Products of level 3 and triangular solves against MPFR, real and complex: cr rounds each part of the exact value
// once, TRSM each unknown of its recurrence; the other modes keep their bounds. What is not read holds NaN, what is not
// wanted stays as it was.
#include <cstring>

#include "../level3_routines.hpp"
#include "harness.hpp"
#include "test/accuracy/level3_cases.hpp"

namespace accuracy {
namespace {

/// RN(numerator / divisor) for a divisor that is no zero; the quotient's first 6500 bits and whether more follow
/// decide.
template <class T>
T quotient(const Real& numerator, const Real& divisor) {
  Real q;
  const int inexact = mpfr_div(q.x_, numerator.x_, divisor.x_, MPFR_RNDZ);
  if (inexact != 0 && mpfr_sgn(q.x_) > 0) mpfr_nextabove(q.x_);
  if (inexact != 0 && mpfr_sgn(q.x_) < 0) mpfr_nextbelow(q.x_);
  return q.round<T>();
}

template <class T>
void expect_solution(const Case<T>& c, const Stored<T>& x, const std::string& mode, Index i, Index j) {
  Number d;
  if (mode == "cr" || mode == "dp:repro") {
    const Exact y = c.numerator(x, i, j, false, d);
    Real re, im, square(d.real());
    square.multiply(d.real());
    Real other(d.imag());
    other.multiply(d.imag());
    square.add(other);
    // y conj(d) / abs(d)^2
    const auto add = [](Real& to, const Real& part, double by) {
      Real term(part);
      term.multiply(by);
      to.add(term);
    };
    add(re, y.re.value, d.real()), add(re, y.im.value, d.imag());
    add(im, y.im.value, d.real()), add(im, y.re.value, -d.imag());
    ASSERT_TRUE(re.exact() && im.exact() && square.exact());
    ASSERT_EQ(bits(quotient<T>(re, square)), bits(x.at(i, j)[0])) << c.trace() << " (" << i << "," << j << ") " << mode;
    if (c.parts() == 2) {
      ASSERT_EQ(bits(quotient<T>(im, square)), bits(x.at(i, j)[1]))
          << c.trace() << " (" << i << "," << j << ") " << mode;
    }
    return;
  }
  // dp is judged by the residual; its magnitudes are those of op(A) X alone. A complex quotient, and so both parts of
  // the residual, errs by a fraction of the moduli: the magnitudes of both parts, with the factor of complex sums.
  const Exact residual = c.numerator(x, i, j, true, d);
  const double u = (c.parts() == 2 ? 2 : 1) * (static_cast<double>(c.terms()) + 3) * unit<T>;
  for (const Reference* part : {&residual.re, &residual.im})
    ASSERT_LE(error_of(0, part->value),
              [&] {
                Real bound(residual.re.magnitude);
                bound.add(residual.im.magnitude);
                bound.multiply(u);
                bound.add(Real(4 * least<T>));
                return bound;
              }())
        << c.trace() << " (" << i << "," << j << ") " << mode;
}

template <class T>
class Level3 : public testing::Test {
 protected:
  Context context;
  Random rng{20261};

  void check(const Level3Routine& routine, int parts, Kind kind) {
    Case<T> c(rng, routine, parts, kind);
    // The other modes make no promise about products that underflow before alpha multiplies them.
    std::vector<const char*> modes{"cr", "dp:repro"};
    if (kind != Kind::ends) modes.push_back("dp");
    if (kind != Kind::ends && !c.solves()) modes.push_back("dot2");
    std::vector<Stored<T>> results;
    std::vector<accublas_report_t> reports;
    for (const char* mode : modes) {
      ASSERT_EQ(accublas_set_mode_name(context, mode), ACCUBLAS_SUCCESS) << context.error();
      Stored<T> out = c.before();
      ASSERT_EQ(c.run(context, out.values), ACCUBLAS_SUCCESS) << c.trace() << " " << context.error();
      results.push_back(out);
      reports.push_back(context.report());
    }
    for (Index j = 0; j < c.before().ld - 2; ++j)
      for (Index i = 0; i < c.before().ld; ++i) {
        const bool inside = i < c.rows() && j < c.cols() && c.wanted(i, j);
        Exact e;
        if (inside && !c.solves()) e = c.exact(i, j);
        for (std::size_t mode = 0; mode < modes.size(); ++mode) {
          const T *got = results[mode].at(i, j), *before = c.before().at(i, j);
          if (!inside) {
            ASSERT_EQ(std::memcmp(got, before, sizeof(T) * static_cast<std::size_t>(parts)), 0)
                << c.trace() << " wrote (" << i << "," << j << ") " << modes[mode];
          } else if (c.solves()) {
            // dp makes no promise about results that underflow.
            if (std::strcmp(modes[mode], "dp") || kind != Kind::subnormal)
              expect_solution(c, results[mode], modes[mode], i, j);
          } else {
            expect_element(c, kind, modes[mode], reports[mode], e, got, i, j);
          }
          if (testing::Test::HasFatalFailure()) return;
        }
      }
  }

 private:
  void expect_element(const Case<T>& c, Kind kind, const std::string& mode, const accublas_report_t& report,
                      const Exact& e, const T* got, Index i, Index j) {
    for (int part = 0; part < c.parts(); ++part) {
      const Reference& r = part ? e.im : e.re;
      const auto where = [&] {
        return c.trace() + " " + mode + " (" + std::to_string(i) + "," + std::to_string(j) + ") part " +
               std::to_string(part);
      };
      ASSERT_TRUE(r.value.exact() && r.magnitude.exact());
      if (mode == "cr") {
        ASSERT_EQ(bits(r.value.template round<T>()), bits(got[part])) << where();
        continue;
      }
      if (mode == "dp" && kind == Kind::subnormal) continue;  // what underflows is not its promise
      const Real error = error_of(got[part], r.value);
      if (mode == "dp" || mode == "dp:repro") {
        const double k = static_cast<double>(c.terms());
        Real bound(r.magnitude);
        bound.multiply((c.parts() == 2 ? 2 * k + 7 : k + 3) * unit<T>);
        bound.add(Real(least<T>));
        ASSERT_LE(error, bound) << where();
      }

      if (!std::isfinite(report.bound_componentwise)) continue;
      Real promised(r.value), term(r.magnitude);
      promised.absolute();
      promised.multiply(report.bound_relative);
      term.multiply(report.bound_componentwise);
      promised.add(term);
      promised.add(Real(report.bound_absolute));
      ASSERT_LE(error, promised) << where() << ": the report's bound";
    }
  }
};

using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(Level3, Types);

TYPED_TEST(Level3, ProductsAndSolutions) {
  using T = TypeParam;
  for (int number = 0; number < scaled(12); ++number)
    for (const Kind kind : kinds)
      for (const int parts : {1, 2}) {
        auto routines = parts == 1 ? accublas::test::real_routines<T>() : accublas::test::complex_routines<T>();
        routines.push_back(accublas::test::solve_routine<T>(parts == 2));
        for (const Level3Routine& routine : routines) {
          this->check(routine, parts, kind);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
}

}  // namespace
}  // namespace accuracy
