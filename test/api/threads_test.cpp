// However many threads a caller asks for, and however little workspace it leaves: every call succeeds, returns the bits
// of one thread and keeps to its workspace.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "api.hpp"

namespace {

constexpr int counts[] = {1, 2, 3, 32, 256, 20000, 1 << 29, INT32_MAX};
constexpr std::int64_t kib = 1024, mib = 1024 * kib, standard = -1;
constexpr std::int64_t caps[] = {0, 1, 64 * kib, 4 * mib, standard};
/// accublas.h states these limits: the memory that a call may take beyond its cap.
constexpr std::int64_t beyond_cap = mib, standard_cap = 256 * mib;
constexpr int most_threads = 1024;

template <class T>
std::vector<T> data(std::int64_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> x(static_cast<std::size_t>(count));
  for (T& value : x)
    value =
        static_cast<T>(std::ldexp(std::uniform_real_distribution<>(-1, 1)(random), static_cast<int>(random() % 20)));
  return x;
}

template <class T>
struct Call {
  std::string name;
  const std::vector<std::string>& modes;
  std::size_t results;
  std::function<accublas_status(accublas_context*, T*, const accublas_options*)> run;
};

/// Every routine, small, and large enough for several tasks.
template <class T>
std::vector<Call<T>> calls() {
  static const std::vector<T> a = data<T>(40000, 1), b = data<T>(40000, 2);
  static const T alpha = T(1.25), beta = T(-0.5);
  static const std::vector<std::string> gemm_modes = api::modes(), &norms = api::norm_modes();
  std::vector<Call<T>> list;
  const auto* x = a.data();
  const auto* y = b.data();
  for (const std::int64_t n : {4, 40000}) {
    const std::string size = " " + std::to_string(n);
    list.push_back({"dot" + size, gemm_modes, 1, [=](auto* context, T* out, const auto* options) {
                      return api::dot_ex(T{}, context, n, x, std::int64_t{1}, y, std::int64_t{1}, out, options);
                    }});
    list.push_back({"strided dot" + size, gemm_modes, 1, [=](auto* context, T* out, const auto* options) {
                      return api::dot_ex(T{}, context, n / 2, x, std::int64_t{2}, y, std::int64_t{-1}, out, options);
                    }});
    list.push_back({"nrm2" + size, norms, 1, [=](auto* context, T* out, const auto* options) {
                      return api::nrm2_ex(T{}, context, n, x, std::int64_t{1}, out, options);
                    }});
    list.push_back({"asum" + size, norms, 1, [=](auto* context, T* out, const auto* options) {
                      return api::asum_ex(T{}, context, n, x, std::int64_t{1}, out, options);
                    }});
  }
  for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{3, 5}, {2, 18000}, {300, 100}})
    for (const auto trans : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS}) {
      const std::string size =
          " " + std::to_string(m) + " x " + std::to_string(n) + (trans == ACCUBLAS_TRANS ? "T" : "");
      list.push_back({"gemv" + size, gemm_modes, static_cast<std::size_t>(std::max(m, n)),
                      [=, m = m, n = n](auto* context, T* out, const auto* options) {
                        return api::gemv_ex(T{}, context, ACCUBLAS_COL_MAJOR, trans, m, n, &alpha, x, m, y,
                                            std::int64_t{1}, &beta, out, std::int64_t{1}, options);
                      }});
    }
  for (const std::int64_t n : {3, 70}) {
    const std::string size = " " + std::to_string(n);
    list.push_back(
        {"gemm" + size, gemm_modes, static_cast<std::size_t>(n * n), [=](auto* context, T* out, const auto* options) {
           return api::gemm_ex(T{}, context, ACCUBLAS_COL_MAJOR, ACCUBLAS_TRANS, ACCUBLAS_NO_TRANS, n, n, 2 * n, &alpha,
                               x, 2 * n, y, 2 * n, &beta, out, n, options);
         }});
  }
  list.push_back({"batch", gemm_modes, 9 * 100, [=](auto* context, T* out, const auto* options) {
                    return api::gemm_strided_batched_ex(T{}, context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS,
                                                        ACCUBLAS_NO_TRANS, std::int64_t{3}, std::int64_t{3},
                                                        std::int64_t{40}, &alpha, x, std::int64_t{3}, std::int64_t{120},
                                                        y, std::int64_t{40}, std::int64_t{120}, &beta, out,
                                                        std::int64_t{3}, std::int64_t{9}, std::int64_t{100}, options);
                  }});
  return list;
}

std::int64_t threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

template <class T>
class Threads : public ::testing::Test {};
TYPED_TEST_SUITE(Threads, api::Types);

}  // namespace

TYPED_TEST(Threads, AnyNumberUnderAnyCap) {
  using T = TypeParam;
  const std::int64_t before = threads_of_this_process();
  for (const Call<T>& call : calls<T>())
    for (const std::string& mode : call.modes) {
      api::Context context(mode);
      std::vector<T> expected(call.results, T(2));
      const bool bits = mode != "native" && mode != "dp";
      for (const std::int64_t cap : caps)
        for (const int threads : counts) {
          accublas_options options = ACCUBLAS_OPTIONS_INIT;
          options.num_threads = threads;
          options.workspace_bytes = cap;
          std::vector<T> got(call.results, T(2));
          const std::string what =
              call.name + " " + mode + ", " + std::to_string(threads) + " threads, cap " + std::to_string(cap);
          ASSERT_EQ(call.run(context, got.data(), &options), ACCUBLAS_SUCCESS) << what << ": " << context.error();
          if (threads == 1 && cap == caps[0]) expected = got;
          ASSERT_TRUE(!bits || api::same_bits(got, expected)) << what;
          const accublas_report_t report = context.report();
          ASSERT_LE(report.workspace_bytes, (cap == standard ? standard_cap : cap) + beyond_cap) << what;
          ASSERT_GE(report.threads, 1) << what;
          ASSERT_LE(report.threads, std::min(threads, most_threads)) << what;
        }
    }
  EXPECT_LE(threads_of_this_process(), before + most_threads + sysconf(_SC_NPROCESSORS_ONLN));
}

TEST(ThreadsOfContexts, AnyNumber) {
  const std::vector<double> x = data<double>(4, 1), y = data<double>(4, 2);
  for (const int threads : counts) {
    api::Context context("cr");
    ASSERT_EQ(accublas_set_num_threads(context, threads), ACCUBLAS_SUCCESS);
    double result = 0;
    ASSERT_EQ(accublas_ddot(context, 4, x.data(), 1, y.data(), 1, &result), ACCUBLAS_SUCCESS) << context.error();
    EXPECT_LT(context.report().workspace_bytes, 64 * kib) << threads;
    ASSERT_EQ(accublas_ddot(context, 2, x.data(), 2, y.data(), 2, &result), ACCUBLAS_SUCCESS) << context.error();
    EXPECT_LT(context.report().workspace_bytes, 64 * kib) << threads;
  }
}

TEST(ThreadsOfArrays, AnyNumber) {
  constexpr std::int64_t n = 300;
  const std::vector<double> values = data<double>(n * n, 3);
  std::vector<double> expected;
  for (const int threads : counts) {
    api::Context context;
    ASSERT_EQ(accublas_set_num_threads(context, threads), ACCUBLAS_SUCCESS);
    accublas_mp_array *a = nullptr, *x = nullptr, *y = nullptr;
    ASSERT_EQ(accublas_mp_create(context, 212, n * n, &a), ACCUBLAS_SUCCESS);
    ASSERT_EQ(accublas_mp_create(context, 212, n, &x), ACCUBLAS_SUCCESS);
    ASSERT_EQ(accublas_mp_create(context, 212, n, &y), ACCUBLAS_SUCCESS);
    const auto succeeds = [&](accublas_status status) { ASSERT_EQ(status, ACCUBLAS_SUCCESS) << context.error(); };
    succeeds(accublas_mp_set_double(context, a, 0, n, n, n, values.data(), n));
    succeeds(accublas_mp_set_double(context, x, 0, n, n, 1, values.data(), n));
    succeeds(accublas_mp_gemv(context, ACCUBLAS_NO_TRANS, n, n, nullptr, 0, a, 0, n, x, 0, 1, nullptr, 0, y, 0, 1));
    accublas_mp_report_t report{};
    report.struct_size = sizeof report;
    succeeds(accublas_mp_report(context, &report));
    EXPECT_LE(report.threads, std::min(threads, most_threads));
    succeeds(accublas_mp_dot(context, n, x, 0, 1, x, 0, 1, y, 0));
    succeeds(accublas_mp_axpy(context, n, x, 0, x, 0, 1, y, 0, 1));
    succeeds(accublas_mp_scal(context, n, x, 0, y, 0, 1));
    succeeds(accublas_mp_align(context, a, 0, n, n, n, -1));
    succeeds(accublas_mp_gemm(context, ACCUBLAS_TRANS, ACCUBLAS_NO_TRANS, n, 1, n, nullptr, 0, a, 0, n, x, 0, n,
                              nullptr, 0, y, 0, n));
    std::vector<double> got(n);
    succeeds(accublas_mp_get_double(context, y, 0, n, n, 1, got.data(), n));
    if (expected.empty()) expected = got;
    EXPECT_TRUE(api::same_bits(got, expected)) << threads;
    accublas_mp_destroy(a);
    accublas_mp_destroy(x);
    accublas_mp_destroy(y);
  }
}
