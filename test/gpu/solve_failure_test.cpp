// TRSM on the GPU, LU of host matrices, certified solutions and spectra without enough memory, by a failing allocation
// or in a user's workspace: ACCUBLAS_ERROR_MEMORY and all as it was, or the same bits as ever.
#include <optional>

#include "test/gpu/device_lists.hpp"
#include "test/gpu/failing_allocation.hpp"
#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {
namespace {

constexpr Index system_order = 600, sides = 1100;

/// A system whose products are the INT8 engine's.
struct SolveInLittleMemory : testing::TestWithParam<std::pair<const char*, Index>> {
  const char* const mode = GetParam().first;
  const Index parts = GetParam().second;
  Context gpu{ACCUBLAS_BACKEND_CUDA};
  Random rng{23};
  std::vector<double> before, want;
  std::optional<DeviceArray<double>> a, b;

  void SetUp() override {
    gpu.set(mode);
    std::vector<double> matrix(static_cast<std::size_t>(parts * system_order * system_order));
    for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = spread(rng, 1) / system_order;
    for (Index i = 0; i < system_order; ++i) matrix[static_cast<std::size_t>(parts * i * (system_order + 1))] = 2;
    before.resize(static_cast<std::size_t>(parts * system_order * sides));
    for (double& x : before) x = spread(rng, 1);
    a.emplace(matrix);
    b.emplace(before);
    ASSERT_EQ(solve(), ACCUBLAS_SUCCESS) << gpu.error();
    want = b->values();
  }

  accublas_status solve() {
    *b = before;
    const double alpha[2] = {-0.75, 0};
    const auto call = [&](auto routine) {
      return routine(gpu, ACCUBLAS_COL_MAJOR, ACCUBLAS_LEFT, ACCUBLAS_LOWER, ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT,
                     system_order, sides, alpha, a->data(), system_order, b->data(), system_order);
    };
    const accublas_status status = parts == 1 ? call(accublas_dtrsm) : call(accublas_ztrsm);
    EXPECT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
    return status;
  }

  /// Whether the call was served.
  bool expect_all_or_nothing(accublas_status status, const std::string& what) {
    const bool served = status == ACCUBLAS_SUCCESS;
    if (!served) {
      EXPECT_EQ(status, ACCUBLAS_ERROR_MEMORY) << what;
    }
    const std::vector<double>&expected = served ? want : before, got = b->values();
    for (std::size_t i = 0; i < got.size(); ++i)
      if (bits(got[i]) != bits(expected[i])) {
        ADD_FAILURE() << mode << " parts " << parts << " " << what << " status " << status << ": number " << i;
        break;
      }
    return served;
  }
};

TEST_P(SolveInLittleMemory, Allocations) {
  int failures = 0;
  for (const char* from : {"", "+"})
    for (int nth = 1; nth <= 12; ++nth) {
      const std::string which = std::to_string(nth) + from;
      const accublas_status status = with_failing_allocation(which, [&] { return solve(); });
      failures += expect_all_or_nothing(status, "allocation " + which) ? 0 : 1;
    }
  EXPECT_GT(failures, 0);
  EXPECT_TRUE(expect_all_or_nothing(solve(), "after all"));
}

TEST_P(SolveInLittleMemory, UsersWorkspace) {
  int served = 0, refused = 0;
  const DeviceArray<unsigned char> buffer(std::vector<unsigned char>(std::size_t{160} << 20));
  for (std::size_t bytes = 100'000; bytes <= buffer.size(); bytes += bytes / 3) {
    ASSERT_EQ(accublas_set_workspace(gpu, buffer.data(), bytes), ACCUBLAS_SUCCESS) << gpu.error();
    ++(expect_all_or_nothing(solve(), std::to_string(bytes) + " bytes") ? served : refused);
  }
  EXPECT_GT(served, 0);
  EXPECT_GT(refused, 0);
}

/// LU of a matrix that stays in host memory, which the CPU computes where the device has none: of cr, which takes all
/// of its memory first, A is the answer, or as it was; of dp it may be undefined.
TEST(HostMatrixInLittleMemory, Allocations) {
  constexpr Index n = 300;
  Random rng{29};
  std::vector<double> matrix(std::size_t{n * n});
  for (double& x : matrix) x = spread(rng, 1);
  for (const std::string mode : {"cr", "dp"}) {
    Context gpu(ACCUBLAS_BACKEND_CUDA);
    gpu.set(mode);
    ASSERT_EQ(accublas_set_workspace_mib(gpu, 1), ACCUBLAS_SUCCESS) << gpu.error();
    std::vector<double> a;
    std::vector<std::int64_t> pivots(std::size_t{n});
    const auto factor = [&] {
      a = matrix;
      std::int64_t info = -1;
      return accublas_dgetrf(gpu, ACCUBLAS_COL_MAJOR, n, n, a.data(), n, pivots.data(), &info);
    };
    ASSERT_EQ(factor(), ACCUBLAS_SUCCESS) << gpu.error();
    ASSERT_STREQ(gpu.report().backend, "cuda");
    const std::vector<double> want = a;
    for (const char* from : {"", "+"})
      for (int nth = 1; nth <= 12; ++nth) {
        const std::string which = std::to_string(nth) + from;
        const accublas_status status = with_failing_allocation(which, factor);
        if (status == ACCUBLAS_ERROR_MEMORY) {
          EXPECT_EQ(a, matrix) << mode << " allocation " << which;
        } else if (mode == "cr") {
          EXPECT_EQ(status, ACCUBLAS_SUCCESS) << gpu.error();
          EXPECT_EQ(a, want) << "allocation " << which;
        } else {
          EXPECT_TRUE(status == ACCUBLAS_SUCCESS || status == ACCUBLAS_ERROR_C_UNDEFINED) << gpu.error();
        }
      }
    EXPECT_EQ(factor(), ACCUBLAS_SUCCESS) << gpu.error();
  }
}

/// LU and Cholesky's factorization that two devices share. All devices have their memory before one of them writes, so
/// that the CPU has A as it was; it lacks memory too if all allocations fail.
TEST(SharedFactorsInLittleMemory, Allocations) {
  constexpr Index n = 7200;
  Random rng{30};
  std::vector<float> matrix(std::size_t{n * n});
  for (std::size_t i = 0; i < matrix.size(); ++i)
    matrix[i] = i < 1000003 ? static_cast<float>(uniform(rng) - 0.5) : matrix[i - 1000003];
  for (Index i = 0; i < n; ++i) matrix[static_cast<std::size_t>(i * (n + 1))] = 200;
  Context gpu(ACCUBLAS_BACKEND_CUDA);
  list_devices(gpu, 2);
  for (const char* mode : {"cr", "sp"})
    for (const bool lu : {true, false}) {
      SCOPED_TRACE(std::string(mode) + (lu ? " LU" : " Cholesky"));
      gpu.set(mode);
      const bool defined = std::string(mode) == "cr";
      std::vector<float> a;
      std::vector<std::int64_t> pivots(std::size_t{n});
      const auto factor = [&] {
        a = matrix;
        std::int64_t info = -1;
        return lu ? accublas_sgetrf(gpu, ACCUBLAS_COL_MAJOR, n, n, a.data(), n, pivots.data(), &info)
                  : accublas_spotrf(gpu, ACCUBLAS_COL_MAJOR, ACCUBLAS_LOWER, n, a.data(), n, &info);
      };
      ASSERT_EQ(factor(), ACCUBLAS_SUCCESS) << gpu.error();
      ASSERT_NE(std::strchr(gpu.report().device, ','), nullptr) << gpu.report().device;
      const std::vector<float> want = a;
      int failures = 0;
      for (int nth = 1; nth <= (defined ? 12 : 8); ++nth) {
        const accublas_status status = with_failing_allocation(std::to_string(nth) + "+", factor);
        if (status == ACCUBLAS_ERROR_MEMORY) {
          EXPECT_TRUE(a == matrix) << "allocation " << nth;
        } else if (status == ACCUBLAS_SUCCESS) {
          // In sp the real LAPACK may have computed the call.
          EXPECT_TRUE(!defined || a == want) << "allocation " << nth;
        } else {
          EXPECT_TRUE(!defined && status == ACCUBLAS_ERROR_C_UNDEFINED) << "allocation " << nth << ": " << gpu.error();
        }
        failures += status != ACCUBLAS_SUCCESS;
      }
      if (defined) {
        EXPECT_GT(failures, 3);
      }
      EXPECT_EQ(factor(), ACCUBLAS_SUCCESS) << gpu.error();
      EXPECT_TRUE(a == want);
    }
}

/// A certified solution, whose matrices are the device's; those of host operands move to the host.
TEST(CertifiedInLittleMemory, Allocations) {
  constexpr Index n = 40;
  Random rng{37};
  std::vector<double> a(std::size_t{n * n}), b(std::size_t{n});
  for (double& x : a) x = spread(rng, 1);
  for (double& x : b) x = spread(rng, 1);
  const std::vector<double> before(std::size_t{n}, 7.);
  const DeviceArray<double> there_a(a), there_b(b);
  DeviceArray<double> there_x(before), there_radius(before);
  Context gpu(ACCUBLAS_BACKEND_CUDA);
  gpu.set("cr");
  for (const bool on_device : {false, true}) {
    std::vector<double> x, radius;
    const auto solve = [&] {
      x = radius = before;
      there_x = before, there_radius = before;
      const auto of = [&](const std::vector<double>& here, const DeviceArray<double>& there) {
        return on_device ? there.data() : const_cast<double*>(here.data());
      };
      const accublas_status status =
          accublas_dgesv_certified(gpu, ACCUBLAS_COL_MAJOR, n, 1, of(a, there_a), n, of(b, there_b), n, of(x, there_x),
                                   n, of(radius, there_radius), n, nullptr);
      EXPECT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
      if (on_device) x = there_x.values(), radius = there_radius.values();
      return status;
    };
    ASSERT_EQ(solve(), ACCUBLAS_SUCCESS) << gpu.error();
    const std::vector<double> want = x, want_radius = radius;
    int failures = 0;
    for (const char* from : {"", "+"})
      for (const int nth : {1, 2, 3, 4, 6, 9, 13, 19, 28, 42, 63}) {
        const std::string which = std::to_string(nth) + from;
        const accublas_status status = with_failing_allocation(which, solve);
        const bool failed = status == ACCUBLAS_ERROR_MEMORY;
        failures += failed;
        EXPECT_TRUE(status == ACCUBLAS_SUCCESS || (failed && (on_device || *from == '+')))
            << "allocation " << which << ": " << gpu.error();
        EXPECT_EQ(x, failed ? before : want) << "allocation " << which;
        EXPECT_EQ(radius, failed ? before : want_radius) << "allocation " << which;
      }
    EXPECT_TRUE(failures > 0 || !on_device);
  }
}

/// Certified eigenvalues and singular values, as above. On the host LAPACK's vectors take the place of cuSOLVER's, so
/// that other bits prove the same numbers.
TEST(SpectraInLittleMemory, Allocations) {
  constexpr Index n = 40;
  Random rng{38};
  std::vector<double> a(std::size_t{n * n});
  for (double& x : a) x = uniform(rng) - 0.5;
  const std::vector<double> before(std::size_t{n}, 7.), vectors_before(std::size_t{n * n}, 7.);
  const std::vector<std::int64_t> clusters_before(std::size_t{n}, 7);
  const DeviceArray<double> there_a(a);
  DeviceArray<double> there_w(before), there_radius(before), there_angle(before), there_u(vectors_before),
      there_v(vectors_before);
  const DeviceArray<std::int64_t> there_cluster(clusters_before);
  Context gpu(ACCUBLAS_BACKEND_CUDA);
  gpu.set("cr");
  for (const bool singular : {false, true})
    for (const bool on_device : {false, true}) {
      std::vector<double> w, radius, angle, u, v;
      std::vector<std::int64_t> cluster = clusters_before;
      const auto solve = [&] {
        w = radius = angle = before;
        u = v = vectors_before;
        there_w = before, there_radius = before, there_angle = before;
        there_u = vectors_before, there_v = vectors_before;
        const auto of = [&](std::vector<double>& here, const DeviceArray<double>& there) {
          return on_device ? there.data() : here.data();
        };
        std::int64_t* const clusters = on_device ? there_cluster.data() : cluster.data();
        const accublas_status status =
            singular ? accublas_dgesvd_certified(gpu, ACCUBLAS_COL_MAJOR, ACCUBLAS_VECTORS, n, n, of(a, there_a), n,
                                                 of(w, there_w), of(radius, there_radius), of(u, there_u), n,
                                                 of(v, there_v), n, of(angle, there_angle), clusters, nullptr)
                     : accublas_dsyev_certified(gpu, ACCUBLAS_COL_MAJOR, ACCUBLAS_VECTORS, ACCUBLAS_UPPER, n,
                                                of(a, there_a), n, of(w, there_w), of(radius, there_radius),
                                                of(u, there_u), n, of(angle, there_angle), clusters, nullptr);
        EXPECT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
        if (!on_device) return status;
        w = there_w.values(), radius = there_radius.values(), angle = there_angle.values();
        u = there_u.values(), v = there_v.values();
        return status;
      };
      ASSERT_EQ(solve(), ACCUBLAS_SUCCESS) << gpu.error();
      const std::vector<double> want = w, want_radius = radius;
      int failures = 0;
      for (const char* from : {"", "+"})
        for (const int nth : {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144}) {
          const std::string which = std::to_string(nth) + from;
          const accublas_status status = with_failing_allocation(which, solve);
          if (status == ACCUBLAS_ERROR_MEMORY) {
            ++failures;
            EXPECT_TRUE(on_device || *from == '+') << "allocation " << which;
            EXPECT_EQ(w, before) << "allocation " << which;
            EXPECT_EQ(radius, before) << "allocation " << which;
            EXPECT_EQ(u, vectors_before) << "allocation " << which;
            EXPECT_EQ(v, vectors_before) << "allocation " << which;
            continue;
          }
          ASSERT_EQ(status, ACCUBLAS_SUCCESS) << "allocation " << which << ": " << gpu.error();
          for (std::size_t k = 0; k < std::size_t{n}; ++k)
            EXPECT_LE(std::fabs(static_cast<long double>(w[k]) - want[k]),
                      static_cast<long double>(radius[k]) + want_radius[k])
                << "allocation " << which;
        }
      EXPECT_TRUE(failures > 0 || !on_device);
    }
}

INSTANTIATE_TEST_SUITE_P(Modes, SolveInLittleMemory,
                         testing::Values(std::pair<const char*, Index>("cr", 1), std::pair<const char*, Index>("cr", 2),
                                         std::pair<const char*, Index>("dot2", 1)));

}  // namespace
}  // namespace accublas::test
