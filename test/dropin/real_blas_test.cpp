// The life of the real BLAS in a process: the floating-point environment that its threads get, and a failure to load it
// that passes. Every case is a child of a process that never loads a BLAS.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "accublas.h"
#include "test/dropin/blas_names.hpp"

namespace {

constexpr int n = 300;  // large enough for threads

/// Runs `body` in a child process; its failures are this test's.
void in_child(const std::string& what, const std::function<void()>& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(120);
    body();
    std::fflush(nullptr);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << what;
}

using Matrix = std::vector<double>;

Matrix numbers(int seed, int exponent) {
  Matrix x(n * n);
  for (int i = 0; i < n * n; ++i) x[i] = std::ldexp((i * 7919 + seed * 104729) % 20011 - 10004.7, exponent);
  return x;
}

Matrix product(const char* mode, const Matrix& a, const Matrix& b) {
  EXPECT_EQ(accublas_set_mode_name(nullptr, mode), 0);
  Matrix c(n * n);
  const double alpha = 1, beta = 0;
  dgemm_("N", "N", &n, &n, &n, &alpha, a.data(), &n, b.data(), &n, &beta, c.data(), &n);
  return c;
}

/// Every eighth column is subnormal: FTZ and DAZ lose half of the digits of every element of a product. Not more
/// columns, since with such operands arithmetic takes a hundred times as long.
Matrix small_numbers() {
  Matrix a = numbers(1, -1018);
  for (int p = 0; p < n; p += 8)
    for (int i = 0; i < n; ++i) a[i + p * n] *= 0x1p-20;
  return a;
}

/// dp's promise where FTZ and DAZ lose digits, directed rounding some, and the last row is invalid.
Matrix dp() {
  Matrix a = small_numbers();
  const double inf = std::numeric_limits<double>::infinity();
  a[n - 1] = inf, a[n - 1 + n] = -inf;
  return product("dp", a, numbers(2, 1000));
}

void expect_bound(const Matrix& c) {
  const Matrix a = small_numbers(), b = numbers(2, 1000);
  for (int j = 0; j < n; j += 7)
    for (int i = 0; i < n - 1; ++i) {
      long double exact = 0, magnitude = 0;
      for (int p = 0; p < n; ++p) {
        const long double term = static_cast<long double>(a[i + p * n]) * b[p + j * n];
        exact += term, magnitude += std::fabs(term);
      }
      ASSERT_LE(std::fabs(c[i + j * n] - exact), (n + 3) * 0x1p-53L * magnitude) << i << " " << j;
    }
}

#if defined(__SSE2__)
struct State {
  const char* name;
  unsigned mxcsr;
};
void PrintTo(const State& state, std::ostream* out) { *out << state.name; }
constexpr unsigned usual = 0x1F80;
constexpr State states[] = {{"FTZ and DAZ", 0x9FC0}, {"upwards", 0x5F80}, {"invalid traps", 0x1F00}};

/// A large call of the real BLAS in the caller's environment.
void native_in(unsigned state) {
  const Matrix a = numbers(3, 0), b = numbers(4, 0);
  _mm_setcsr(state);
  product("native", a, b);
  _mm_setcsr(usual);
}

class Environment : public testing::TestWithParam<State> {
 protected:
  static void SetUpTestSuite() {
    void* const shared =
        mmap(nullptr, sizeof(double) * n * n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(shared, MAP_FAILED);
    reference_ = static_cast<double*>(shared);
    in_child("reference", [] {
      const Matrix c = dp();
      expect_bound(c);
      std::memcpy(reference_, c.data(), sizeof(double) * n * n);
    });
  }
  static void TearDownTestSuite() { munmap(reference_, sizeof(double) * n * n); }

  /// The reference's bits, and so its bound.
  static void expect_reference() {
    const Matrix c = dp();
    int wrong = 0;
    for (int i = 0; i < n * n; ++i) wrong += std::memcmp(&c[i], &reference_[i], sizeof(double)) != 0;
    EXPECT_EQ(wrong, 0) << "elements differ from those of a process that never left the usual environment";
  }

  static double* reference_;
};
double* Environment::reference_ = nullptr;

INSTANTIATE_TEST_SUITE_P(States, Environment, testing::ValuesIn(states),
                         [](const auto& info) { return std::to_string(info.index); });

TEST_P(Environment, OfTheFirstCall) {
  in_child(GetParam().name, [] {
    native_in(GetParam().mxcsr);
    expect_reference();
  });
}

TEST_P(Environment, OfALoadWithoutThreads) {
  in_child(GetParam().name, [] {
    const double x = 2;
    const int one = 1;
    accublas_set_mode_name(nullptr, "native");
    _mm_setcsr(GetParam().mxcsr);
    const double square = ddot_(&one, &x, &one, &x, &one);  // loads the BLAS and needs no threads
    _mm_setcsr(usual);
    EXPECT_EQ(square, 4);
    expect_reference();
  });
}

TEST_P(Environment, OfTheFirstCallInAForkedChild) {
  in_child(GetParam().name, [] {
    expect_reference();
    in_child("the child", [] {
      native_in(GetParam().mxcsr);
      expect_reference();
      in_child("a child of the child", [] {
        native_in(GetParam().mxcsr);
        expect_reference();
      });
    });
  });
}

TEST_P(Environment, OfTheParentsFirstCallAfterFork) {
  in_child(GetParam().name, [] {
    expect_reference();
    in_child("a child that computes nothing", [] {});
    native_in(GetParam().mxcsr);
    expect_reference();
  });
}

TEST_P(Environment, OfTheFirstCallOfAContextAfterFork) {
  in_child(GetParam().name, [] {
    native_in(usual);
    in_child("the child", [] {
      accublas_context* context = nullptr;  // through accublas.h
      ASSERT_EQ(accublas_create(&context), 0);
      ASSERT_EQ(accublas_set_mode_name(context, "native"), 0);
      const Matrix a = numbers(3, 0);
      Matrix c(n * n);
      const double alpha = 1, beta = 0;
      _mm_setcsr(GetParam().mxcsr);
      const accublas_status status = accublas_dgemm(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS, n,
                                                    n, n, &alpha, a.data(), n, a.data(), n, &beta, c.data(), n);
      _mm_setcsr(usual);
      EXPECT_EQ(status, 0);
      accublas_destroy(context);
      expect_reference();
    });
  });
}
#endif

// No file can be opened for a while, and so no BLAS be loaded: dp:repro, whose fastest engine multiplies by it where
// there is no AVX-512, takes another engine meanwhile, and that one afterwards.
TEST(RealBlas, FailureToLoadThatPasses) {
  in_child("files", [] {
    setenv("ACCUBLAS_ISA", "avx2", 1);
    constexpr int order = 64, terms = 1100;  // more terms than those that have cr's values
    const double alpha = 1, beta = 0;
    const Matrix a(order * terms, 0.3), b(a.size(), 0.7);
    EXPECT_EQ(accublas_set_mode_name(nullptr, "dp:repro"), 0);
    const auto engine = [&] {
      EXPECT_EQ(accublas_set_mode_name(nullptr, "dp:repro"), 0);
      Matrix c(order * order);
      dgemm_("N", "N", &order, &order, &terms, &alpha, a.data(), &order, b.data(), &terms, &beta, c.data(), &order);
      accublas_report_t report;
      report.struct_size = sizeof report;
      EXPECT_EQ(accublas_report(nullptr, &report), 0);
      return std::string(report.engine);
    };
    const double x = 3;
    double square = 0;
    EXPECT_EQ(accublas_set_mode_name(nullptr, "native"), 0);
    rlimit files;
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
    rlimit none = files;
    none.rlim_cur = 0;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    EXPECT_EQ(accublas_ddot(nullptr, 1, &x, 1, &x, 1, &square), ACCUBLAS_ERROR_NO_BLAS);
    EXPECT_EQ(engine(), "int8");
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
    EXPECT_EQ(engine(), "fp64");
    EXPECT_EQ(accublas_set_mode_name(nullptr, "native"), 0);
    EXPECT_EQ(accublas_ddot(nullptr, 1, &x, 1, &x, 1, &square), 0) << accublas_last_error(nullptr);
    EXPECT_EQ(square, 9);
  });
}

// Without a real BLAS every mode that has an engine of its own computes in any workspace, or says how much it needs.
TEST(RealBlas, OtherEnginesWithoutIt) {
  in_child("engines", [] {
    const rlimit none{0, 0};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    constexpr std::int64_t order = 150;
    std::vector<double> a(order * order), b(order * order);
    for (std::size_t i = 0; i < a.size(); ++i)
      a[i] = static_cast<double>(i * 7919 % 20011) - 10004.7, b[i] = static_cast<double>(i * 104729 % 20011) - 10004.3;
    for (std::int64_t i = 0; i < order; ++i) a[i * order + i] += 1e6;
    std::vector<std::int64_t> pivots(order);
    std::int64_t info = -1;
    const double one = 1, zero = 0;
    accublas_options little = ACCUBLAS_OPTIONS_INIT;
    const auto expect = [&](const char* mode, const char* routine, auto&& call) {
      accublas_context* context = nullptr;
      ASSERT_EQ(accublas_create(&context), 0);
      ASSERT_EQ(accublas_set_mode_name(context, mode), 0);
      std::vector<double> wanted(a.size());
      little.workspace_bytes = -1;
      ASSERT_EQ(call(context, wanted), 0) << mode << " " << routine << ": " << accublas_last_error(context);
      std::vector<unsigned char> memory(std::size_t{1} << 24);
      for (std::size_t bytes : {std::size_t{64}, std::size_t{1000}, std::size_t{1} << 16, std::size_t{300000},
                                std::size_t{1} << 20, std::size_t{1} << 24}) {
        ASSERT_EQ(accublas_set_workspace(context, memory.data(), bytes), 0);
        std::vector<double> got(a.size());
        accublas_status status = call(context, got);
        if (status == ACCUBLAS_ERROR_MEMORY) {
          const std::string error = accublas_last_error(context);
          const std::size_t at = error.find("too small: ");
          ASSERT_NE(at, std::string::npos) << mode << " " << routine << ": " << error;
          ASSERT_EQ(accublas_set_workspace(context, memory.data(), std::stoul(error.substr(at + 11))), 0);
          got.assign(got.size(), 0);
          status = call(context, got);
        }
        ASSERT_EQ(status, 0) << mode << " " << routine << " " << bytes << ": " << accublas_last_error(context);
        if (std::string(mode) != "dp") {
          EXPECT_EQ(got, wanted) << mode << " " << routine << " " << bytes;
        }
        ASSERT_EQ(accublas_set_workspace(context, nullptr, 0), 0);
        // A cap instead, under which the least plans always fit.
        little.workspace_bytes = static_cast<std::int64_t>(bytes);
        EXPECT_EQ(call(context, got), 0) << mode << " " << routine << " " << bytes << ": "
                                         << accublas_last_error(context);
        if (std::string(mode) != "dp") {
          EXPECT_EQ(got, wanted) << mode << " " << routine << " cap " << bytes;
        }
        little.workspace_bytes = -1;
      }
      accublas_destroy(context);
    };
    for (const char* mode : {"cr", "dp:repro", "fixed:60", "dot2", "dp"}) {
      const bool certified = !std::strcmp(mode, "dp:repro");  // with more terms than those that have cr's values
      const std::int64_t size = certified ? 20 : order, terms = certified ? 1100 : 40;
      expect(mode, "gemm", [&](accublas_context* context, std::vector<double>& c) {
        return accublas_dgemm_ex(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, size, size, terms,
                                 &one, a.data(), size, b.data(), terms, &zero, c.data(), size, &little);
      });
    }
    for (const char* mode : {"cr", "dp:repro", "dp"})
      expect(mode, "getrf", [&](accublas_context* context, std::vector<double>& c) {
        c = a;
        return accublas_dgetrf_ex(context, ACCUBLAS_COL_MAJOR, order, order, c.data(), order, pivots.data(), &info,
                                  &little);
      });
  });
}

}  // namespace
