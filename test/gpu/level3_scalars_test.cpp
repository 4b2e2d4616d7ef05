// alpha and beta of level 3 on the GPU that are zero, infinite or NaN, against the CPU, bit by bit and in all of C's
// buffer. If alpha is zero in device memory, the bits of native, dp and sp are known too.
#include <cmath>
#include <cstring>
#include <functional>
#include <string>

#include "test/gpu/gemm_problem.hpp"
#include "test/level3_routines.hpp"

namespace accublas::test {
namespace {

template <class T>
class Level3Scalars : public testing::Test {
 protected:
  static constexpr T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};
  Random rng{39};

  void for_routines(const std::function<void(const Level3Routine&, Index parts)>& body) {
    for (const bool of_complex : {false, true}) {
      auto routines = of_complex ? complex_routines<T>() : real_routines<T>();
      routines.push_back(solve_routine<T>(of_complex));
      for (const Level3Routine& r : routines) {
        if (!testing::Test::HasFatalFailure()) body(r, of_complex ? 2 : 1);
      }
    }
  }
  std::vector<T> numbers(Index count) {
    std::vector<T> x(static_cast<std::size_t>(count));
    for (T& v : x) v = static_cast<T>(spread(rng, 1));
    return x;
  }
  Arguments arguments(const Level3Routine& r, Index order) {
    const auto pick = [&](auto one, auto other) { return below(rng, 2) ? one : other; };
    return {pick(ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR),
            pick(ACCUBLAS_LEFT, ACCUBLAS_RIGHT),
            pick(ACCUBLAS_UPPER, ACCUBLAS_LOWER),
            pick(ACCUBLAS_NO_TRANS, r.other ? r.other : ACCUBLAS_NO_TRANS),
            ACCUBLAS_NO_TRANS,
            pick(ACCUBLAS_UNIT, ACCUBLAS_NON_UNIT),
            order,
            order - 3,
            order - 5,
            order + 1,
            order + 1,
            order + 1};
  }
};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(Level3Scalars, Types);

/// A and B hold NaN, and so do the imaginary parts of a Hermitian diagonal: nothing of them reaches C.
TYPED_TEST(Level3Scalars, AlphaIsZeroOnTheDevice) {
  using T = TypeParam;
  ASSERT_EQ(accublas_set_pointer_mode(this->gpu, ACCUBLAS_POINTER_DEVICE), ACCUBLAS_SUCCESS);
  this->cpu.set("cr");
  for (const char* mode : {"native", "dp", "cr"}) {
    this->gpu.set(mode);
    this->for_routines([&](const Level3Routine& r, Index parts) {
      for (const T zero : {T(0), T(-0.0)})
        for (const T of_c : {T(1), T(0), T(-0.0), T(0.5)}) {
          const Arguments x = this->arguments(r, 40 + below(this->rng, 60));
          const Index size = parts * x.lda * x.lda;
          const bool hermitian = std::strncmp(r.name + 1, "her", 3) == 0;
          std::vector<T> c = this->numbers(size);
          if (hermitian)
            for (Index i = 0; i < x.n; ++i) c[static_cast<std::size_t>(2 * i * (x.ldc + 1) + 1)] = this->nan;
          const T alpha[2] = {zero, zero}, beta[2] = {of_c, 0};
          const std::vector<T> poison(static_cast<std::size_t>(size), this->nan);
          std::vector<T> b = r.in_place ? c : poison, want = c;
          ASSERT_EQ(r.run(this->cpu, x, alpha, poison.data(), r.in_place ? want.data() : b.data(), beta, want.data()),
                    ACCUBLAS_SUCCESS)
              << this->cpu.error();
          const DeviceArray<T> on_a(poison), on_b(b), on_c(c), on_alpha(std::vector<T>(alpha, alpha + 2)),
              on_beta(std::vector<T>(beta, beta + 2));
          ASSERT_EQ(r.run(this->gpu, x, on_alpha.data(), on_a.data(), on_b.data(), on_beta.data(), on_c.data()),
                    ACCUBLAS_SUCCESS)
              << mode << " " << r.name << " " << this->gpu.error();
          ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->gpu.error();
          const std::vector<T> got = (r.in_place ? on_b : on_c).values();
          ASSERT_EQ(std::memcmp(got.data(), want.data(), want.size() * sizeof(T)), 0)
              << mode << " " << r.name << " alpha " << zero << " beta " << of_c << " layout " << x.layout << " uplo "
              << x.uplo;
        }
    });
  }
}

/// The results, and the elements that the device sums one by one: a NaN leaves none.
TYPED_TEST(Level3Scalars, InfiniteAndNaN) {
  using T = TypeParam;
  for (const char* mode : {"cr", "dp:repro", "dot2"}) {
    this->cpu.set(mode);
    this->gpu.set(mode);
    this->for_routines([&](const Level3Routine& r, Index parts) {
      for (const T special : {this->nan, this->infinity, -this->infinity})
        for (const int which : {0, 1, 2, 3}) {  // the parts of alpha, then those of beta
          if ((which % 2 == 1 && parts == 1) || (which > 1 && r.in_place)) continue;
          const Arguments x = this->arguments(r, 60 + below(this->rng, 60));
          const Index size = parts * x.lda * x.lda;
          const std::vector<T> a = this->numbers(size);
          std::vector<T> b = this->numbers(size), c = this->numbers(size);
          T factors[4] = {T(0.5), 0, T(-2), 0};
          factors[which] = special;
          std::vector<T> got_b = b, got_c = c;
          ASSERT_EQ(r.run(this->cpu, x, factors, a.data(), b.data(), factors + 2, c.data()), ACCUBLAS_SUCCESS)
              << this->cpu.error();
          const DeviceArray<T> on_a(a), on_b(got_b), on_c(got_c);
          ASSERT_EQ(r.run(this->gpu, x, factors, on_a.data(), on_b.data(), factors + 2, on_c.data()), ACCUBLAS_SUCCESS)
              << mode << " " << r.name << " " << this->gpu.error();
          ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->gpu.error();
          const std::vector<T>& want = r.in_place ? b : c;
          const std::vector<T> got = (r.in_place ? on_b : on_c).values();
          ASSERT_EQ(std::memcmp(got.data(), want.data(), want.size() * sizeof(T)), 0)
              << mode << " " << r.name << " factor " << which << " is " << special << " layout " << x.layout << " uplo "
              << x.uplo;
          const bool real_factor =
              which % 2 == 1 && std::strncmp(r.name + 1, "her", 3) == 0 && (which == 3 || r.name[4] == 'k');
          if (std::isnan(special) && !real_factor) {
            EXPECT_EQ(this->gpu.report().undecided, 0) << mode << " " << r.name;
          }
        }
    });
  }
}

}  // namespace
}  // namespace accublas::test
