// Allocations that fail, small workspaces, the user's buffer: the answer has the bits of an undisturbed call, or there
// is a status and the output is as it was.
#include <cstdlib>

#include "api.hpp"

extern "C" bool accublas_test_allocation_reached(long number);  // test/mutants/hooks/hooks.cpp

namespace {

template <class T>
std::vector<T> graded(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::normal_distribution<double> normal(0, 2);
  std::vector<T> x(count);
  for (T& element : x) element = static_cast<T>(uniform(random) * std::exp(normal(random)));
  return x;
}

class FailingAllocation {
 public:
  explicit FailingAllocation(const std::string& text) { setenv("ACCUBLAS_TEST_FAIL_ALLOCATION", text.c_str(), 1); }
  ~FailingAllocation() { unsetenv("ACCUBLAS_TEST_FAIL_ALLOCATION"); }
};

constexpr std::int64_t m = 37, n = 41, k = 300;
constexpr int most_allocations = 128;  // no engine makes as many in one call
constexpr int beyond_last = 8;         // threads make them in no fixed order, nor a fixed number

constexpr unsigned char fill = 0xA5;
testing::AssertionResult untouched(const std::vector<unsigned char>& buffer, std::size_t begin, std::size_t end) {
  const unsigned char* const first = buffer.data() + begin;
  // Every byte is the one before it.
  if (begin == end || (*first == fill && std::memcmp(first, first + 1, end - begin - 1) == 0))
    return testing::AssertionSuccess();
  for (std::size_t i = begin; i < end; ++i)
    if (buffer[i] != fill) return testing::AssertionFailure() << "written at " << i;
  return testing::AssertionFailure();
}

template <class T>
class Failure : public ::testing::Test {
 protected:
  const std::vector<T> a = graded<T>(m * k, 1), b = graded<T>(k * n, 2), c0 = graded<T>(m * n, 3);
  const T alpha = T(0.75), beta = T(-1.5);

  accublas_status gemm(accublas_context* ctx, std::vector<T>& c) {
    return api::gemm(T{}, ctx, ACCUBLAS_COL_MAJOR, ACCUBLAS_TRANS, ACCUBLAS_NO_TRANS, m, n, k, &alpha, a.data(), k,
                     b.data(), k, &beta, c.data(), m);
  }
  /// Three matrices that share A, by pointers.
  accublas_status gemm_batched(accublas_context* ctx, std::vector<T>& c) {
    const T* const at_a[] = {a.data(), a.data(), a.data()};
    const T* const at_b[] = {b.data(), b.data() + 7, b.data() + 100};
    T* const at_c[] = {c.data(), c.data() + 11 * m, c.data() + 22 * m};
    return api::gemm_batched(T{}, ctx, ACCUBLAS_COL_MAJOR, ACCUBLAS_TRANS, ACCUBLAS_NO_TRANS, m, std::int64_t{11}, k,
                             &alpha, at_a, k, at_b, k, &beta, at_c, m, std::int64_t{3});
  }
  accublas_status gemv(accublas_context* ctx, std::vector<T>& y) {
    return api::gemv(T{}, ctx, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, m, k, &alpha, a.data(), m, b.data(),
                     std::int64_t{2}, &beta, y.data(), std::int64_t{-1});
  }
  accublas_status dot(accublas_context* ctx, std::vector<T>& result) {
    return api::dot(T{}, ctx, m * k, a.data(), std::int64_t{1}, b.data(), std::int64_t{1}, result.data());
  }
  accublas_status nrm2(accublas_context* ctx, std::vector<T>& result) {
    return api::nrm2(T{}, ctx, m * k, a.data(), std::int64_t{1}, result.data());
  }
  accublas_status asum(accublas_context* ctx, std::vector<T>& result) {
    return api::asum(T{}, ctx, m * k, a.data(), std::int64_t{1}, result.data());
  }

  /// Fails the first, second, ... allocation until calls end before; then it and all later ones.
  template <class Run>
  void inject(const std::string& what, accublas_context* ctx, bool bits, Run&& run, int most = most_allocations) {
    std::vector<T> expected = c0;
    ASSERT_EQ(run(ctx, expected), ACCUBLAS_SUCCESS) << what << accublas_last_error(ctx);
    for (const char* from : {"", "+"})
      for (int nth = 1, undisturbed = 0; nth <= most && undisturbed < beyond_last; ++nth) {
        std::vector<T> c = c0;
        const FailingAllocation failing(std::to_string(nth) + from);
        const accublas_status status = run(ctx, c);
        if (status == ACCUBLAS_SUCCESS) {
          EXPECT_TRUE(!bits || api::same_bits(c, expected)) << what << " allocation " << nth << from;
        } else {
          EXPECT_EQ(status, ACCUBLAS_ERROR_MEMORY) << what << accublas_last_error(ctx);
          EXPECT_NE(std::string(accublas_last_error(ctx)), "");
          EXPECT_TRUE(api::same_bits(c, c0)) << what << " allocation " << nth << from << ": the output was written";
        }
        EXPECT_TRUE(nth < most || *from == 0 || status == ACCUBLAS_SUCCESS) << what << " allocates more often";
        if (accublas_test_allocation_reached(nth)) {
          undisturbed = 0;
        } else {
          EXPECT_EQ(status, ACCUBLAS_SUCCESS) << what << " allocation " << nth << from;
          ++undisturbed;
        }
      }
  }
};
TYPED_TEST_SUITE(Failure, api::Types);

/// The QR factorization is made of many calls: without memory from some allocation on A is as it was, or the status
/// says that it is not.
TEST(OrthogonalFailure, AStaysOrIsSaidToBeLost) {
  constexpr std::int64_t rows = 200, columns = 70;
  const std::vector<double> given = graded<double>(rows * columns, 1);
  const auto run = [&](std::vector<double>& a) {
    a = given;
    std::vector<double> tau(columns);
    api::Context context("cr");
    return accublas_dgeqrf(context, ACCUBLAS_COL_MAJOR, rows, columns, a.data(), rows, tau.data());
  };
  std::vector<double> want, a;
  ASSERT_EQ(run(want), ACCUBLAS_SUCCESS);
  int kept = 0, lost = 0, first = 1;
  for (bool failed = true; failed; first += first < 12 ? 1 : 97) {
    const FailingAllocation failing(std::to_string(first) + "+");
    const accublas_status status = run(a);
    failed = status != ACCUBLAS_SUCCESS;
    if (status == ACCUBLAS_ERROR_MEMORY) {
      ++kept;
      EXPECT_TRUE(api::same_bits(a, given)) << first;
    } else if (failed) {
      ++lost;
      EXPECT_EQ(status, ACCUBLAS_ERROR_C_UNDEFINED) << first;
    } else {
      EXPECT_TRUE(api::same_bits(a, want)) << first;
    }
    ASSERT_LT(first, 100000);
  }
  EXPECT_GT(kept, 0);
  EXPECT_GT(lost, 0);
}

}  // namespace

TYPED_TEST(Failure, EveryAllocationOfGemm) {
  for (const auto& [mode, engine] : api::gemm_engines())
    for (bool forced : {true, false}) {
      api::Context context(mode);
      if (forced) {
        ASSERT_EQ(accublas_set_engine_name(context, engine.c_str()), ACCUBLAS_SUCCESS);
      }
      this->inject(mode + " " + engine, context, mode != "native" && mode != "dp",
                   [&](accublas_context* ctx, auto& c) { return this->gemm(ctx, c); });
    }
}

// All matrices, or none. One thread takes the whole workspace, and malloc fills it wherever Meson runs tests.
TYPED_TEST(Failure, EveryAllocationOfABatch) {
  for (const auto& [mode, engine] : api::gemm_engines())
    for (int threads : {1, 4}) {
      api::Context context(mode);
      ASSERT_EQ(accublas_set_engine_name(context, engine.c_str()), ACCUBLAS_SUCCESS);
      ASSERT_EQ(accublas_set_num_threads(context, threads), ACCUBLAS_SUCCESS);
      ASSERT_EQ(accublas_set_workspace_mib(context, 32), ACCUBLAS_SUCCESS);
      this->inject(
          mode + " " + engine, context, mode != "native" && mode != "dp",
          [&](accublas_context* ctx, auto& c) { return this->gemm_batched(ctx, c); }, 4);
    }
}

TYPED_TEST(Failure, BatchesInSmallWorkspaces) {
  using T = TypeParam;
  std::vector<unsigned char> buffer(std::size_t{8} << 20);
  for (const api::ModeEngine& row : api::gemm_engines()) {
    api::Context context(row.mode);
    ASSERT_EQ(accublas_set_engine_name(context, row.engine.c_str()), ACCUBLAS_SUCCESS);
    ASSERT_EQ(accublas_set_num_threads(context, 4), ACCUBLAS_SUCCESS);
    std::vector<T> expected = this->c0, c = this->c0;
    ASSERT_EQ(this->gemm_batched(context, expected), ACCUBLAS_SUCCESS) << row.mode << context.error();
    accublas_set_workspace_mib(context, 1);
    EXPECT_EQ(this->gemm_batched(context, c), ACCUBLAS_SUCCESS) << row.mode << " " << row.engine << context.error();
    EXPECT_TRUE(api::same_bits(c, expected)) << row.mode << " " << row.engine;
    accublas_set_workspace_mib(context, 0);
    for (std::size_t bytes : {std::size_t{0}, std::size_t{10000}, std::size_t{4} << 20}) {
      c = this->c0;
      ASSERT_EQ(accublas_set_workspace(context, buffer.data() + 1000, bytes), ACCUBLAS_SUCCESS);
      std::fill(buffer.begin(), buffer.end(), fill);
      const accublas_status status = this->gemm_batched(context, c);
      EXPECT_TRUE(status == ACCUBLAS_SUCCESS || (status == ACCUBLAS_ERROR_MEMORY && bytes < 100000)) << context.error();
      EXPECT_TRUE(api::same_bits(c, status == ACCUBLAS_SUCCESS ? expected : this->c0))
          << row.mode << " " << row.engine << " " << bytes;
      ASSERT_TRUE(untouched(buffer, 0, 1000)) << "before the buffer";
      ASSERT_TRUE(untouched(buffer, 1000 + bytes, buffer.size())) << "past the buffer";
    }
  }
}

TYPED_TEST(Failure, EveryAllocationOfGemvAndDot) {
  for (const std::string& mode : api::modes()) {
    api::Context context(mode);
    const bool bits = mode != "native" && mode != "dp";
    this->inject(mode, context, bits, [&](accublas_context* ctx, auto& y) { return this->gemv(ctx, y); });
    this->inject(mode, context, bits, [&](accublas_context* ctx, auto& result) { return this->dot(ctx, result); });
  }
}

TYPED_TEST(Failure, EveryAllocationOfTheNorms) {
  for (const std::string& mode : api::norm_modes())
    for (int threads : {1, 3}) {
      api::Context context(mode);
      ASSERT_EQ(accublas_set_num_threads(context, threads), ACCUBLAS_SUCCESS);
      const bool bits = mode != "native" && mode != "dp";
      this->inject(
          mode, context, bits, [&](accublas_context* ctx, auto& r) { return this->nrm2(ctx, r); }, 16);
      this->inject(
          mode, context, bits, [&](accublas_context* ctx, auto& r) { return this->asum(ctx, r); }, 16);
    }
}

TYPED_TEST(Failure, AllAllocationsFailing) {
  // With an engine forced there is no way out: the status says so and C is as it was.
  using T = TypeParam;
  for (const auto& [mode, engine] : api::gemm_engines()) {
    api::Context context(mode);
    ASSERT_EQ(accublas_set_engine_name(context, engine.c_str()), ACCUBLAS_SUCCESS);
    std::vector<T> c = this->c0;
    const FailingAllocation failing("1+");
    const accublas_status status = this->gemm(context, c);
    if (status != ACCUBLAS_SUCCESS) {
      EXPECT_EQ(status, ACCUBLAS_ERROR_MEMORY) << mode << " " << engine;
      EXPECT_TRUE(api::same_bits(c, this->c0)) << mode << " " << engine;
    }
    if (engine == "int8" || engine == "fp64") {
      EXPECT_EQ(status, ACCUBLAS_ERROR_MEMORY) << mode << " " << engine;
    }
  }
}

TYPED_TEST(Failure, WorkspaceCapsAndUserBuffersKeepTheBits) {
  using T = TypeParam;
  std::vector<unsigned char> buffer(std::size_t{8} << 20);
  for (const api::ModeEngine& row : api::gemm_engines()) {
    const std::string &mode = row.mode, &engine = row.engine;  // clang 14 captures no structured binding
    if (mode == "native" || mode == "dp") continue;
    api::Context context(mode);
    ASSERT_EQ(accublas_set_engine_name(context, engine.c_str()), ACCUBLAS_SUCCESS);
    std::vector<T> expected = this->c0;
    ASSERT_EQ(this->gemm(context, expected), ACCUBLAS_SUCCESS) << mode << " " << engine << ": " << context.error();
    const auto run = [&](const std::string& what) {
      std::vector<T> c = this->c0;
      const accublas_status status = this->gemm(context, c);
      if (status == ACCUBLAS_SUCCESS) {
        EXPECT_TRUE(api::same_bits(c, expected)) << mode << " " << engine << " " << what;
      } else {
        EXPECT_EQ(status, ACCUBLAS_ERROR_MEMORY) << mode << " " << engine << " " << what << ": " << context.error();
        EXPECT_TRUE(api::same_bits(c, this->c0)) << mode << " " << engine << " " << what;
      }
      return status;
    };
    accublas_set_workspace_mib(context, 1);
    EXPECT_EQ(run("1 MiB"), ACCUBLAS_SUCCESS) << mode << " " << engine << ": " << context.error();
    EXPECT_LE(context.report().workspace_bytes, 2 << 20) << mode << " " << engine;
    accublas_set_workspace_mib(context, 0);
    for (std::size_t bytes :
         {std::size_t{0}, std::size_t{100}, std::size_t{10000}, std::size_t{200000}, std::size_t{4} << 20}) {
      std::fill(buffer.begin(), buffer.end(), fill);
      unsigned char* start = buffer.data() + 1000;
      ASSERT_EQ(accublas_set_workspace(context, start, bytes), ACCUBLAS_SUCCESS);
      const accublas_status status = run("buffer of " + std::to_string(bytes));
      if (bytes >= std::size_t{4} << 20) {
        EXPECT_EQ(status, ACCUBLAS_SUCCESS) << mode << " " << engine << ": " << context.error();
      }
      ASSERT_TRUE(untouched(buffer, 0, 1000)) << "before the buffer";
      ASSERT_TRUE(untouched(buffer, 1000 + bytes, buffer.size())) << "past the buffer";
    }
    ASSERT_EQ(accublas_set_workspace(context, nullptr, 0), ACCUBLAS_SUCCESS);
    accublas_options options = ACCUBLAS_OPTIONS_INIT;
    options.workspace_bytes = 300000;
    std::vector<T> c = this->c0;
    EXPECT_EQ(api::gemm_ex(T{}, context, ACCUBLAS_COL_MAJOR, ACCUBLAS_TRANS, ACCUBLAS_NO_TRANS, m, n, k, &this->alpha,
                           this->a.data(), k, this->b.data(), k, &this->beta, c.data(), m, &options),
              ACCUBLAS_SUCCESS)
        << mode << " " << engine << ": " << context.error();
    EXPECT_TRUE(api::same_bits(c, expected));
  }
}
