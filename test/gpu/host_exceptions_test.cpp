// Calls on host operands that the GPU computes raise the flags that the CPU raises (docs/modes.md, "Floating-point
// exceptions").
#include <complex>
#include <string>
#include <vector>

#include "test/api/exceptions.hpp"
#include "test/gpu/random_test.hpp"
#include "test/special_numbers.hpp"

namespace accublas::test {
namespace {

template <class E>
struct HostRoutines;
#define ACCUBLAS_TEST_HOST_ROUTINES(E, p, dotp)        \
  template <>                                          \
  struct HostRoutines<E> {                             \
    static constexpr auto gemm = accublas_##p##gemm;   \
    static constexpr auto gemv = accublas_##p##gemv;   \
    static constexpr auto dot = accublas_##dotp;       \
    static constexpr auto syrk = accublas_##p##syrk;   \
    static constexpr auto trmm = accublas_##p##trmm;   \
    static constexpr auto trsm = accublas_##p##trsm;   \
    static constexpr auto getrf = accublas_##p##getrf; \
    static constexpr auto gesv = accublas_##p##gesv;   \
    static constexpr auto potrf = accublas_##p##potrf; \
    static constexpr auto posv = accublas_##p##posv;   \
    static constexpr auto geqrf = accublas_##p##geqrf; \
  }
ACCUBLAS_TEST_HOST_ROUTINES(double, d, ddot);
ACCUBLAS_TEST_HOST_ROUTINES(float, s, sdot);
ACCUBLAS_TEST_HOST_ROUTINES(std::complex<double>, z, zdotu);
ACCUBLAS_TEST_HOST_ROUTINES(std::complex<float>, c, cdotu);
#undef ACCUBLAS_TEST_HOST_ROUTINES

template <class E>
class HostExceptions : public testing::Test {
 protected:
  using T = decltype(std::abs(E{}));
  using R = HostRoutines<E>;

  /// Compares call(context, x) on the CPU and on the GPU, where x begins as `overwritten`.
  template <class Call>
  void compare(const std::string& what, const std::vector<E>& overwritten, Call&& call) {
    std::vector<E> x = overwritten, y = overwritten;
    const int of_cpu = raised_by([&] { return call(cpu, x.data()); }),
              of_gpu = raised_by([&] { return call(gpu, y.data()); });
    EXPECT_EQ(of_gpu, of_cpu) << what;
    EXPECT_TRUE(api::same_bits(x, y)) << what;
    seen |= of_cpu == 0 ? 1 : of_cpu << 1;
  }
  void on_gpu() { EXPECT_STREQ(gpu.report().backend, "cuda"); }

  void products(const std::string& mode);
  void solutions(const std::string& mode);

  SpecialNumbers<E, T> numbers{first_seed()};
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};
  int seen = 0;
};
using HostTypes = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(HostExceptions, HostTypes);

template <class E>
void HostExceptions<E>::products(const std::string& mode) {
  const Index m = numbers.size(40), n = numbers.size(40), k = numbers.size(40);
  const std::vector<E> a = numbers.matrix(m, k), b = numbers.matrix(k, n), square = numbers.matrix(m, m);
  const E alpha = numbers.factor(), beta = numbers.below(2) ? numbers.factor() : E(0);
  compare(mode + " gemm", numbers.matrix(m, n), [&](Context& context, E* c) {
    return R::gemm(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, m, n, k, &alpha, a.data(), m,
                   b.data(), k, &beta, c, m);
  });
  on_gpu();
  compare(mode + " gemv", numbers.matrix(m, 1), [&](Context& context, E* y) {
    return R::gemv(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, m, k, &alpha, a.data(), m, b.data(), 1, &beta, y, 1);
  });
  on_gpu();
  compare(mode + " dot", {E(0)},
          [&](Context& context, E* result) { return R::dot(context, k, a.data(), m, b.data(), 1, result); });
  on_gpu();
  compare(mode + " syrk", numbers.matrix(m, m), [&](Context& context, E* c) {
    return R::syrk(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LOWER, ACCUBLAS_NO_TRANS, m, k, &alpha, a.data(), m, &beta, c,
                   m);
  });
  on_gpu();
  const accublas_uplo uplo = numbers.below(2) ? ACCUBLAS_LOWER : ACCUBLAS_UPPER;
  compare(mode + " trmm", numbers.matrix(m, n), [&](Context& context, E* x) {
    return R::trmm(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LEFT, uplo, ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, m, n, &alpha,
                   square.data(), m, x, m);
  });
  on_gpu();
}

template <class E>
void HostExceptions<E>::solutions(const std::string& mode) {
  const Index n = numbers.size(30), sides = numbers.size(8), rows = n + numbers.below(10);
  const accublas_uplo uplo = numbers.below(2) ? ACCUBLAS_LOWER : ACCUBLAS_UPPER;
  const E alpha = numbers.factor();
  const std::vector<E> a = numbers.dominant(n);
  const std::vector<E> b = numbers.matrix(n, sides);
  compare(mode + " trsm", b, [&](Context& context, E* x) {
    return R::trsm(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_LEFT, uplo, ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, n, sides,
                   &alpha, a.data(), n, x, n);
  });
  on_gpu();
  if (mode == "dot2") return;
  std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
  std::int64_t info = 0;
  compare(mode + " getrf", numbers.matrix(rows, n), [&](Context& context, E* x) {
    return R::getrf(context, ACCUBLAS_COL_MAJOR, rows, n, x, rows, pivots.data(), &info);
  });
  on_gpu();
  compare(mode + " gesv", b, [&](Context& context, E* x) {
    std::vector<E> factor = a;
    return R::gesv(context, ACCUBLAS_COL_MAJOR, n, sides, factor.data(), n, pivots.data(), x, n, &info);
  });
  on_gpu();
  compare(mode + " potrf", a,
          [&](Context& context, E* x) { return R::potrf(context, ACCUBLAS_COL_MAJOR, uplo, n, x, n, &info); });
  on_gpu();
  compare(mode + " posv", b, [&](Context& context, E* x) {
    std::vector<E> factor = a;
    return R::posv(context, ACCUBLAS_COL_MAJOR, uplo, n, sides, factor.data(), n, x, n, &info);
  });
  on_gpu();
  std::vector<E> tau(static_cast<std::size_t>(n));
  compare(mode + " geqrf", numbers.matrix(rows, n),
          [&](Context& context, E* x) { return R::geqrf(context, ACCUBLAS_COL_MAJOR, rows, n, x, rows, tau.data()); });
}

TYPED_TEST(HostExceptions, AreThoseOfTheCpu) {
  const std::string repro = sizeof(typename TestFixture::T) == sizeof(float) ? "sp:repro" : "dp:repro";
  for (const std::string& mode : {std::string("cr"), repro, std::string("dot2"), std::string("fixed:60")}) {
    this->cpu.set(mode);
    this->gpu.set(mode);
    for (int round = 0; round < 20 && !this->HasFailure(); ++round) {
      this->products(mode);
      if (mode != "fixed:60") this->solutions(mode);
    }
  }
  const int all = 1 | FE_INVALID << 1 | FE_OVERFLOW << 1;
  EXPECT_EQ(this->seen & all, all)
      << "the calls must include some without flags, some with invalid and some with overflow";
}

}  // namespace
}  // namespace accublas::test
