// The exceptions that watch_exceptions decides from operands and results are those that the CPU's engines signal.
#include "lib/runtime/operand_exceptions.hpp"

#include <gtest/gtest.h>

#include "lib/base/exceptions.hpp"
#include "test/special_numbers.hpp"

namespace accublas {
namespace {

template <class E>
class OperandExceptions : public testing::Test {
 protected:
  template <template <class> class Problem>
  void compare(const char* what, const Problem<E>& problem, const E& alpha, const E& beta, accublas_engine engine) {
    const Mode mode{ACCUBLAS_MODE_CR};
    Workspace workspace(default_workspace_bytes, nullptr, 0);
    accublas_report_t report{};
    Execution execution{2, cpu::detected_isa(), workspace, report};
    Call<Problem<E>, E> call{problem, {&alpha, false}, {&beta, false}, false, false, mode, engine};
    const AnyCall any{&call, call.engine};
    const std::function<void()> signal = watch_exceptions(any, execution);
    const unsigned of_engine = collect_exceptions([&] { cpu_backend().compute(any, nullptr, execution); });
    EXPECT_EQ(collect_exceptions(signal), of_engine) << what;
  }
  void products();
  void solutions();

  test::SpecialNumbers<E, RealOf<E>> numbers{1};
};
using OperandTypes = testing::Types<double, float, Complex<double>, Complex<float>>;
TYPED_TEST_SUITE(OperandExceptions, OperandTypes);

template <class E>
void OperandExceptions<E>::products() {
  const Index m = numbers.size(12), n = numbers.size(12), k = numbers.size(12);
  const std::vector<E> a = numbers.matrix(m, k), b = numbers.matrix(k, n), triangle = numbers.matrix(m, m);
  std::vector<E> c = numbers.matrix(m, n), square = numbers.matrix(m, m);
  const E alpha = numbers.factor(), beta = numbers.below(2) ? numbers.factor() : E{};
  compare("gemm", Gemm<E>{m, n, k, alpha, {a.data(), 1, m}, {b.data(), 1, k}, beta, {c.data(), 1, m}}, alpha, beta,
          ACCUBLAS_ENGINE_SUMS);
  Level3<E> syrk{shape_with_triangle(Operation::syrk, is_complex<E>, ACCUBLAS_LOWER, ACCUBLAS_NO_TRANS,
                                     ACCUBLAS_NO_TRANS, m, k, m, 0, m)};
  syrk.alpha = alpha, syrk.a = a.data(), syrk.beta = beta, syrk.c = square.data();
  compare("syrk", syrk, alpha, beta, ACCUBLAS_ENGINE_SUMS);
  for (const Operation kind : {Operation::trmm, Operation::trsm}) {
    std::vector<E> x = numbers.matrix(m, n);
    Level3<E> l{shape_with_side(kind, is_complex<E>, ACCUBLAS_LEFT, numbers.below(2) ? ACCUBLAS_LOWER : ACCUBLAS_UPPER,
                                ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, m, n, m, m, 0)};
    l.alpha = alpha, l.a = triangle.data(), l.c = x.data();
    compare(kind == Operation::trmm ? "trmm" : "trsm", l, alpha, E{}, ACCUBLAS_ENGINE_SUMS);
  }
}

template <class E>
void OperandExceptions<E>::solutions() {
  for (const Operation kind : {Operation::getrf, Operation::gesv, Operation::potrf, Operation::posv}) {
    const Index n = numbers.size(12), m = kind == Operation::getrf ? n + numbers.below(4) : n, sides = 3;
    std::vector<E> a = is_cholesky(kind) || numbers.below(2) ? numbers.dominant(n) : numbers.matrix(n, n);
    if (m > n) a = numbers.matrix(m, n);
    std::vector<E> b = numbers.matrix(n, sides);
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
    std::int64_t info = 0;
    Factorization<E> f{{kind, is_complex<E>, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, m, n, sides}};
    f.a = {a.data(), 1, m}, f.b = {b.data(), 1, n}, f.pivots = {pivots.data()}, f.info = &info;
    compare(std::to_string(static_cast<int>(kind)).c_str(), f, E{}, E{}, ACCUBLAS_ENGINE_SUMS);
  }
}

TYPED_TEST(OperandExceptions, AreThoseOfTheEngines) {
  for (int round = 0; round < 300 && !this->HasFailure(); ++round) {
    this->products();
    this->solutions();
  }
}

}  // namespace
}  // namespace accublas
