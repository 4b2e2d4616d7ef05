// QR in dp in blocks of 4096 columns, which a factorization takes from order 24576 on, where engine int8 applies them.
#include "test/gpu/factor_dp.hpp"

namespace accublas::test {
namespace {

/// A matrix whose blocks of 128 columns have the same random numbers, each in rows of its own. The test compares A x
/// with Q R x, and the lengths of vectors before and after Q.
TEST(QrBlocks, OfManyColumns) {
  constexpr Index n = 24576, step = 128;
  constexpr std::size_t column = static_cast<std::size_t>(n) * sizeof(double);
  std::size_t free = 0, total = 0;
  cudaDeviceProp properties{};
  require(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  require(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  if (properties.major != 9 || properties.minor != 0 || free < std::size_t{40} << 30)
    GTEST_SKIP() << "engine int8 of compute capability 9.0, and 40 GiB of device memory";
  Random rng{7};
  std::vector<double> some(static_cast<std::size_t>(n * step)), x(static_cast<std::size_t>(n));
  for (double& number : some) number = uniform(rng) - 0.5;
  for (double& number : x) number = uniform(rng) - 0.5;
  const DeviceArray<double> pool(some), a(n * n), tau(n), of_x(x), product(n), made(x);
  for (Index j = 0; j < n; j += step) {
    const Index shift = 7919 * (j / step) % n;
    double* const to = a.data() + j * n;
    require(cudaMemcpy2D(to + shift, column, pool.data(), column, static_cast<std::size_t>(n - shift) * sizeof(double),
                         static_cast<std::size_t>(step), cudaMemcpyDeviceToDevice),
            "cudaMemcpy2D");
    if (shift > 0)
      require(
          cudaMemcpy2D(to, column, pool.data() + n - shift, column, static_cast<std::size_t>(shift) * sizeof(double),
                       static_cast<std::size_t>(step), cudaMemcpyDeviceToDevice),
          "cudaMemcpy2D");
  }
  Context gpu(ACCUBLAS_BACKEND_CUDA), exact(ACCUBLAS_BACKEND_CUDA);
  gpu.set("dp"), exact.set("cr");
  const double one = 1, zero = 0;
  const auto columns = ACCUBLAS_COL_MAJOR;
  ASSERT_EQ(accublas_dgemv(exact, columns, ACCUBLAS_NO_TRANS, n, n, &one, a.data(), n, of_x.data(), 1, &zero,
                           product.data(), 1),
            ACCUBLAS_SUCCESS)
      << exact.error();
  ASSERT_EQ(accublas_sync(exact), ACCUBLAS_SUCCESS);
  ASSERT_EQ(accublas_dgeqrf(gpu, columns, n, n, a.data(), n, tau.data()), ACCUBLAS_SUCCESS) << gpu.error();
  ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
  EXPECT_GE(gpu.report().workspace_bytes, n * 4096 * static_cast<Index>(sizeof(double))) << "narrower blocks";
  ASSERT_EQ(accublas_dtrmv(exact, columns, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, ACCUBLAS_NON_UNIT, n, a.data(), n,
                           made.data(), 1),
            ACCUBLAS_SUCCESS)
      << exact.error();
  ASSERT_EQ(accublas_sync(exact), ACCUBLAS_SUCCESS);
  const auto length = [](const std::vector<double>& v) {
    double sum = 0;
    for (const double number : v) sum += number * number;
    return std::sqrt(sum);
  };
  const double before = length(made.values());
  ASSERT_EQ(
      accublas_dormqr(gpu, columns, ACCUBLAS_LEFT, ACCUBLAS_NO_TRANS, n, 1, n, a.data(), n, tau.data(), made.data(), n),
      ACCUBLAS_SUCCESS)
      << gpu.error();
  ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
  const std::vector<double> wanted = product.values(), got = made.values();
  // Errors as LAPACK's grow with the root of the sizes: 4 n / 8 roundoffs of the norms.
  const double bound = (20 + static_cast<double>(n) / 2) * roundoff<double>;
  EXPECT_NEAR(length(got) / before, 1, bound);
  std::vector<double> apart(wanted.size());
  for (std::size_t i = 0; i < apart.size(); ++i) apart[i] = wanted[i] - got[i];
  // norm(A) norm(x): the columns of A have about n / 12 squares.
  EXPECT_LE(length(apart), bound * std::sqrt(static_cast<double>(n) / 12) * length(x) * 2);
  EXPECT_GT(length(wanted), 0);
}

}  // namespace
}  // namespace accublas::test
