// dot2 bit by bit: every instruction set, thread count, layout and block edge against a transcription of the table in
// docs/modes.md that shares nothing with the library, rounded by MPFR; and the mode's bound against MPFR.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "lib/base/integers.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/numerics/bounds.hpp"
#include "test/unit/dot2_definition.hpp"

namespace accublas::cpu {
namespace {

// ---- Runs ---------------------------------------------------------------------------------------------------------

class Call {
 public:
  Call(int threads, Isa isa) : execution{threads, isa, workspace_, report, 0} {}

 private:
  Workspace workspace_{std::size_t{256} << 20, nullptr, 0};

 public:
  accublas_report_t report{};
  Execution execution;
};

std::vector<Isa> instruction_sets() {
  std::vector<Isa> list;
  for (Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512, Isa::amx, Isa::neon})
    if (isa <= detected_isa()) list.push_back(isa);
  return list;
}

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T>
class Dot2 : public testing::Test {
 protected:
  std::mt19937_64 rng{20261120};

  void check_dot(Index n, Index stride_x, Index stride_y, Data data) {
    Stored<T> x = store<T>(1, n, 0, stride_x, data, rng), y = store<T>(1, n, 0, stride_y, data, rng);
    if (data == Data::cancelling) cancel(x.view, 1, y.view.transposed(), 1, n, rng);
    const Vector<const T> vx = x.constant().row(0), vy = y.constant().row(0);
    const T expected = table_result<T>(table_dot(n, vx, vy), n, 1, vx, vy, 0, 0);
    for (Isa isa : instruction_sets()) {
      for (int threads : {1, 2, 3}) {
        Call call(threads, isa);
        T result = 77;
        dot2_dot(Dot<T>{n, vx, vy, &result}, call.execution);
        ASSERT_TRUE(same_bits(result, expected))
            << "n " << n << " strides " << stride_x << ' ' << stride_y << " data " << static_cast<int>(data) << ' '
            << isa_name(isa) << " threads " << threads << ": " << std::hexfloat << result << " for " << expected;
      }
    }
  }

  void check_gemm(Index m, Index n, Index k, int layout_a, int layout_b, int layout_c, T alpha, T beta, Data data) {
    const auto make = [&](Index rows, Index cols, int layout, Data kind) {
      switch (layout) {
        case 0:
          return store<T>(rows, cols, 1, rows + 3, kind, rng);
        case 1:
          return store<T>(rows, cols, cols + 1, 1, kind, rng);
        case 2:
          return store<T>(rows, cols, -1, rows, kind, rng);
        case 3:
          return store<T>(rows, cols, 2, 2 * rows + 1, kind, rng);
        case 4:
          return store<T>(rows, cols, -3 * cols - 2, -3, kind, rng);
        default:
          return store<T>(rows, cols, 0, 1, kind, rng);
      }
    };
    const Stored<T> a = make(m, k, layout_a, data), b = make(k, n, layout_b, data);
    if (data == Data::cancelling) cancel(a.view, m, b.view, n, k, rng);
    const Data data_c = data == Data::special ? Data::special : Data::uniform;
    const Stored<T> c = make(m, n, layout_c % 5, data_c);
    std::vector<T> expected(static_cast<std::size_t>(m * n));
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) {
        const Vector<const T> row = a.constant().row(i), col = b.constant().col(j);
        expected[i * n + j] = table_result<T>(table_chain(k, row, col), k, alpha, row, col, beta, c.view(i, j));
      }
    }
    for (Isa isa : instruction_sets()) {
      for (int threads : {1, 2, 3}) {
        for (int vectors = 0; vectors <= (n == 1); ++vectors) {
          Call call(threads, isa);
          Stored<T> out = c;
          out.view.data = out.buffer.data() + (c.view.data - c.buffer.data());
          if (vectors) {
            dot2_gemv(Gemv<T>{m, k, alpha, a.constant(), b.constant().col(0), beta, out.view.col(0)}, call.execution);
          } else {
            dot2_gemm(Gemm<T>{m, n, k, alpha, a.constant(), b.constant(), beta, out.view}, call.execution);
          }
          Stored<T> wanted = c;
          wanted.view.data = wanted.buffer.data() + (c.view.data - c.buffer.data());
          for (Index i = 0; i < m; ++i)
            for (Index j = 0; j < n; ++j) wanted.view(i, j) = expected[i * n + j];
          for (std::size_t e = 0; e < out.buffer.size(); ++e)
            ASSERT_TRUE(same_bits(out.buffer[e], wanted.buffer[e]))
                << m << 'x' << n << 'x' << k << " layouts " << layout_a << layout_b << layout_c << " alpha " << alpha
                << " beta " << beta << " data " << static_cast<int>(data) << ' ' << isa_name(isa) << " threads "
                << threads << " entry " << e << ": " << std::hexfloat << out.buffer[e] << " for " << wanted.buffer[e];
        }
      }
    }
  }
};

using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(Dot2, Types);

TYPED_TEST(Dot2, DotSizes) {
  for (Index n = 1; n <= 40; ++n) this->check_dot(n, 1, 1, Data::cancelling);
  for (Index n :
       {63,   64,   65,   255,  999,          1000,     1023,     1024,         1025,         1055,           1056,
        1057, 2047, 2048, 2049, 3 * 1024 + 5, 4 * 1024, 5 * 1024, 6 * 1024 + 1, 7 * 1024 - 1, 13 * 1024 + 500})
    for (Data data : {Data::uniform, Data::wide, Data::cancelling}) this->check_dot(n, 1, 1, data);
}

TYPED_TEST(Dot2, DotAcrossThreads) {
  for (Index n : {16 * 1024, 16 * 1024 + 1, 3 * 16 * 1024 - 1, 5 * 16 * 1024 + 1025, 150 * 1024 + 37})
    for (Data data : {Data::wide, Data::cancelling}) this->check_dot(n, 1, 1, data);
  this->check_dot(70 * 1024 + 3, 2, -1, Data::cancelling);
}

TYPED_TEST(Dot2, DotStrides) {
  for (Index n : {1, 33, 1024, 1025, 2049, 4097, 9000})
    for (Index sx : {-3, -1, 0, 1, 2})
      for (Index sy : {-1, 0, 1, 5}) this->check_dot(n, sx, sy, sy ? Data::cancelling : Data::wide);
}

TYPED_TEST(Dot2, DotData) {
  for (int repeat = 0; repeat < 20; ++repeat)
    for (Data data : all_data)
      if (data != Data::extremes) this->check_dot(1 + static_cast<Index>(this->rng() % 3000), 1, 1, data);
}

TYPED_TEST(Dot2, GemmSizes) {
  for (Index m : {2, 3, 15, 16, 17, 33})
    for (Index n : {2, 4, 7, 9})
      for (Index k : {1, 2, 127, 128, 129}) this->check_gemm(m, n, k, 0, 0, 0, 1, 0, Data::cancelling);
  for (Data data : {Data::wide, Data::cancelling}) {
    for (Index k : {255, 256, 257, 511, 513, 600}) this->check_gemm(25, 9, k, 0, 0, 0, 1, 0, data);
    this->check_gemm(70, 50, 300, 0, 0, 0, 1, 0, data);
    this->check_gemm(260, 40, 140, 0, 0, 0, 1, 1, data);
    this->check_gemm(20, 300, 130, 1, 0, 0, 1, 0, data);
  }
}

/// GEMM divides C into tiles until they fit: that ends for every shape and workspace, and takes no more than there is,
/// or than the least plan takes.
TYPED_TEST(Dot2, GemmFitsIntoLittle) {
  using T = TypeParam;
  const char* const scale = std::getenv("ACCUBLAS_TEST_SCALE");
  const int cases = static_cast<int>(20000 * (scale ? std::atof(scale) : 1));
  std::mt19937_64 rng(42);
  const auto below = [&rng](Index n) { return static_cast<Index>(rng() % static_cast<std::uint64_t>(n)); };
  const auto size = [&] { return 2 + below(Index{1} << (3 + below(10))); };
  for (int i = 0; i < cases; ++i) {
    const Index m = size(), n = size(), k = 1 + below(Index{1} << below(14));
    const int threads = 1 << below(4);
    const std::size_t cap = static_cast<std::size_t>(below(Index{1} << (6 + below(18)))) / 64 * 64;
    const T* const nothing = nullptr;
    const Gemm<T> gemm{m, n, k, 1, {nothing, 1, m}, {nothing, 1, k}, 0, {nullptr, 1, m}};
    for (Isa isa : instruction_sets()) {
      const auto taken = [&](std::size_t most) {
        Workspace workspace(Workspace::Part{nullptr, std::size_t{1} << 40, most, true});
        Call call(threads, isa);
        Execution with = call.execution.within(workspace);
        dot2_gemm(gemm, with);
        return workspace.peak();
      };
      ASSERT_LE(taken(cap), std::max(cap, taken(0)))
          << m << 'x' << n << 'x' << k << ' ' << isa_name(isa) << " threads " << threads << " cap " << cap;
    }
  }
  const struct {
    Index m, n;
    std::size_t bytes;
  } computed[] = {{260, 260, 65536}, {260, 100, 32768}, {300, 400, 32768}, {400, 200, 65536}, {260, 200, 32768}};
  for (const auto& c : computed) {
    const Index k = 128;
    const std::size_t bytes = c.bytes * sizeof(double) / sizeof(T);  // tiles of single precision are larger
    const Stored<T> a = store<T>(c.m, k, 1, c.m, Data::uniform, rng), b = store<T>(k, c.n, 1, k, Data::uniform, rng);
    std::vector<T> wanted;
    for (Isa isa : instruction_sets())
      for (const bool little : {false, true}) {
        std::vector<unsigned char> memory(bytes);
        Workspace own(std::size_t{256} << 20, little ? memory.data() : nullptr, little ? bytes : 0);
        Call call(2, isa);
        Execution with = call.execution.within(own);
        std::vector<T> result(static_cast<std::size_t>(c.m * c.n), T(77));
        dot2_gemm(Gemm<T>{c.m, c.n, k, 1, a.constant(), b.constant(), 0, {result.data(), 1, c.m}}, with);
        if (wanted.empty()) wanted = result;
        ASSERT_EQ(result, wanted) << c.m << 'x' << c.n << ' ' << isa_name(isa) << " little " << little;
      }
  }
}

TYPED_TEST(Dot2, GemmLayouts) {
  for (int a = 0; a < 6; ++a)
    for (int b = 0; b < 6; ++b) this->check_gemm(27, 11, 135, a, b, (a + b) % 5, 1, a % 2, Data::cancelling);
}

TYPED_TEST(Dot2, GemmSharesLongK) {
  this->check_gemm(3, 2, 9000, 0, 0, 0, 1, 0, Data::cancelling);
  this->check_gemm(17, 5, 2500, 1, 0, 0, 2, 1, Data::cancelling);
}

TYPED_TEST(Dot2, GemvSizes) {
  for (int layout : {0, 1, 3})
    for (Index m : {1, 2, 3, 4, 5, 7, 8, 9, 15, 17, 66})
      for (Index k : {1, 3, 8, 9, 127, 128, 129, 260}) this->check_gemm(m, 1, k, layout, 0, 0, 1, 0, Data::cancelling);
  for (int layout = 0; layout < 6; ++layout) {
    this->check_gemm(300, 1, 257, layout, 0, 0, 1, 1, Data::cancelling);
    this->check_gemm(1, 12, 140, 0, layout, 0, 1, 1, Data::cancelling);
    this->check_gemm(5, 1, 4500, layout, 4, 4, 1, 0, Data::cancelling);  // chunks of x
  }
}

TYPED_TEST(Dot2, GemvSharesLongK) {
  for (int layout : {0, 1, 3, 4}) {
    this->check_gemm(3, 1, 40000, layout, 0, 0, 1, 0, Data::cancelling);
    this->check_gemm(1, 1, 140 * 128 + 5, layout, 3, 0, 1, 0, Data::cancelling);
    this->check_gemm(67, 1, 3000, layout, 0, 0, 1, 1, Data::cancelling);
  }
  this->check_gemm(9000, 1, 40, 0, 0, 0, 1, 0, Data::cancelling);  // more rows than a task takes
}

// Fewer contiguous rows than lanes: vectors and threads go along k.
TYPED_TEST(Dot2, GemvFewRows) {
  for (Index m : {1, 2, 7})
    for (Index k : {7 * 128, 7 * 128 + 1, 8 * 128, 15 * 128 + 127, 33 * 128, 70 * 128 + 9})
      for (int layout_x : {0, 4}) this->check_gemm(m, 1, k, 1, layout_x, 0, 1, 1, Data::cancelling);
  this->check_gemm(7, 1, 4700 * 128 + 5, 1, 0, 0, 1, 0, Data::cancelling);  // more blocks than are kept at a time
  this->check_gemm(3, 1, 1500, 1, 0, 0, 1, 1, Data::special);
}

TYPED_TEST(Dot2, Scalars) {
  using T = TypeParam;
  const T huge = std::numeric_limits<T>::max() / 4, tiny = std::numeric_limits<T>::min() * 3;
  const T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  for (T alpha : {T(1), T(-1), T(0.75), T(1) / 3, huge, tiny, infinity, nan})
    for (T beta : {T(0), T(1), T(-1), T(-0.3), huge, tiny, infinity, nan})
      for (Data data : {Data::uniform, Data::small_integers, Data::subnormal, Data::overflowing})
        this->check_gemm(9, 5, 20, 0, 0, 0, alpha, beta, data);
}

TYPED_TEST(Dot2, SpecialValues) {
  for (Data data : {Data::special, Data::overflowing, Data::subnormal, Data::small_integers}) {
    this->check_gemm(33, 17, 150, 0, 1, 0, 1, 0, data);
    this->check_gemm(40, 1, 150, 0, 1, 0, 1, 1, data);
    this->check_gemm(40, 1, 150, 1, 1, 0, -1, 0, data);
  }
}

// Products at the very end of the range, where the table's TwoSum overflows although its error is a number.
TYPED_TEST(Dot2, ExtremeProducts) {
  two_sum_by_mpfr = true;
  for (int repeat = 0; repeat < 200; ++repeat) {
    this->check_dot(1 + static_cast<Index>(this->rng() % 70), 1, 1, Data::extremes);
    this->check_gemm(9, 2, 6, 0, 0, 0, 1, 0, Data::extremes);
  }
  two_sum_by_mpfr = false;
}

/// abs(result - exact) <= u abs(exact) + componentwise sum abs(x y) + absolute, in MPFR.
template <class T>
void expect_within(T result, Index n, Vector<const T> x, Vector<const T> y, const accublas_report_t& report) {
  mpfr_t exact, size, term;
  mpfr_inits2(5000, exact, size, term, nullptr);
  mpfr_set_zero(exact, 1);
  mpfr_set_zero(size, 1);
  for (Index i = 0; i < n; ++i) {
    mpfr_set_d(term, x[i], MPFR_RNDN);
    mpfr_mul_d(term, term, y[i], MPFR_RNDN);
    mpfr_add(exact, exact, term, MPFR_RNDN);
    mpfr_abs(term, term, MPFR_RNDN);
    mpfr_add(size, size, term, MPFR_RNDN);
  }
  mpfr_mul_d(size, size, report.bound_componentwise, MPFR_RNDU);
  mpfr_abs(term, exact, MPFR_RNDN);
  mpfr_mul_d(term, term, report.bound_relative, MPFR_RNDU);
  mpfr_add(size, size, term, MPFR_RNDU);
  mpfr_add_d(size, size, report.bound_absolute, MPFR_RNDU);
  mpfr_d_sub(term, result, exact, MPFR_RNDN);
  EXPECT_LE(mpfr_cmpabs(term, size), 0) << "n " << n << " error " << mpfr_get_d(term, MPFR_RNDN) << " allowed "
                                        << mpfr_get_d(size, MPFR_RNDN);
  mpfr_clears(exact, size, term, nullptr);
}

TYPED_TEST(Dot2, BoundUnderCancellation) {
  using T = TypeParam;
  const double u = sizeof(T) == 8 ? 0x1p-53 : 0x1p-24, eps = 0x1p-53;
  for (int repeat = 0; repeat < 60; ++repeat) {
    const Index n = 4 + static_cast<Index>(this->rng() % 4000);
    Stored<T> x = store<T>(1, n, 0, 1, Data::wide, this->rng), y = store<T>(1, n, 0, 1, Data::wide, this->rng);
    for (Index i = n / 2; i + 1 < n; ++i) {  // a condition number far beyond 1e16
      x.buffer[i] = -x.buffer[i - n / 2];
      y.buffer[i] = y.buffer[i - n / 2];
    }
    const Vector<const T> vx = x.constant().row(0), vy = y.constant().row(0);
    Call call(1, detected_isa());
    T result = 0;
    dot2_dot(Dot<T>{n, vx, vy, &result}, call.execution);
    expect_within(result, n, vx, vy, call.report);
    const double h = 32 + std::ceil(std::log2(ceil_div(n, 1024))) + 5, gamma = h * eps / (1 - h * eps);
    EXPECT_EQ(call.report.bound_relative, u);
    EXPECT_NEAR(call.report.bound_componentwise, sizeof(T) == 8 ? gamma * gamma : gamma, 1e-3 * gamma);
    EXPECT_LE(call.report.bound_componentwise, (sizeof(T) == 8 ? gamma * gamma : gamma) * (1 + 1e-9));

    Call vector(2, detected_isa());
    dot2_gemv(Gemv<T>{1, n, 1, {vx.data, 0, 1}, vy, 0, {&result, 1}}, vector.execution);
    expect_within(result, n, vx, vy, vector.report);
  }
}

}  // namespace
}  // namespace accublas::cpu
