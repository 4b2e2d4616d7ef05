// GEMM with host operands that several devices share, and its pieces on one device: the bits, reports and failures of a
// call on operands in device memory. With one GPU in the host, the device is listed twice.
#include <complex>
#include <cstring>
#include <limits>
#include <numeric>

#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {
namespace {

/// All devices of the host, or the only one twice.
std::vector<std::int32_t> all_devices() {
  int count = 0;
  require(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  std::vector<std::int32_t> devices(static_cast<std::size_t>(std::max(count, 2)), 0);
  if (count >= 2) std::iota(devices.begin(), devices.end(), 0);
  return devices;
}

template <class E>
struct SharedGemm;
#define ACCUBLAS_TEST_SHARED_GEMM(E, p, grade)                                      \
  template <>                                                                       \
  struct SharedGemm<E> {                                                            \
    static constexpr auto call = accublas_##p##gemm;                                \
    static constexpr const char* repro = grade ":repro";                            \
    static constexpr const char* fixed = grade[0] == 'd' ? "fixed:60" : "fixed:30"; \
  }
ACCUBLAS_TEST_SHARED_GEMM(double, d, "dp");
ACCUBLAS_TEST_SHARED_GEMM(float, s, "sp");
ACCUBLAS_TEST_SHARED_GEMM(std::complex<double>, z, "dp");
ACCUBLAS_TEST_SHARED_GEMM(std::complex<float>, c, "sp");
#undef ACCUBLAS_TEST_SHARED_GEMM

/// A call on buffers that all shapes of a test share.
template <class E>
class SharedProducts : public testing::Test {
 protected:
  using T = decltype(std::abs(E{}));
  static constexpr bool complex = !std::is_same_v<E, T>;

  void SetUp() override {
    gpu.set("cr");
    single.set("cr");
    list = all_devices();
    ASSERT_EQ(accublas_set_devices(gpu, static_cast<std::int32_t>(list.size()), list.data()), ACCUBLAS_SUCCESS)
        << gpu.error();
  }
  static E number(T re, T im) {
    if constexpr (complex)
      return {re, im};
    else
      return re;
  }
  /// Entries repeat after a prime number of them, since random numbers take longer than the calls.
  void fill(std::vector<E>& x, Index count, double phi) {
    constexpr std::size_t period = 1000003;
    x.resize(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = i >= period ? x[i - period] : number(static_cast<T>(spread(rng, phi)), static_cast<T>(uniform(rng) - 0.5));
  }
  void make(Index rows, Index cols, Index terms, double phi = 0.5) {
    m = rows, n = cols, k = terms;
    fill(a, m * k + 5 * std::max(m, k), phi);
    fill(b, k * n + 5 * std::max(k, n), phi);
    fill(c, (m + 3) * n, 0);
  }
  Index lda() const { return (ta == ACCUBLAS_NO_TRANS ? m : k) + 5; }
  Index ldb() const { return (tb == ACCUBLAS_NO_TRANS ? k : n) + 5; }
  accublas_status run(const Context& context, const E* x, const E* y, E* z) const {
    return SharedGemm<E>::call(context, ACCUBLAS_COL_MAJOR, ta, tb, m, n, k, &alpha, x, lda(), y, ldb(), &beta, z,
                               m + 3);
  }
  /// Compares the shared call on host operands with one on operands in device memory; `shares`: several devices do.
  void compare(const std::string& mode, bool shares = true, bool on_one = false) {
    const std::string what = mode + " " + std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k) +
                             " trans " + std::to_string(ta) + std::to_string(tb);
    single.set(mode);
    gpu.set(mode);
    std::vector<E> got = c;
    const DeviceArray<E> x(a), y(b), z(c);
    ASSERT_EQ(run(single, x.data(), y.data(), z.data()), ACCUBLAS_SUCCESS) << what << ": " << single.error();
    ASSERT_EQ(accublas_sync(single), ACCUBLAS_SUCCESS) << single.error();
    const std::vector<E> want = z.values();
    for (const Context* context : {&gpu, on_one ? &host_single : nullptr}) {
      if (!context) continue;
      ASSERT_EQ(accublas_set_mode_name(*context, mode.c_str()), ACCUBLAS_SUCCESS) << context->error();
      got = c;
      ASSERT_EQ(run(*context, a.data(), b.data(), got.data()), ACCUBLAS_SUCCESS) << what << ": " << context->error();
      const accublas_report_t report = context->report(), expected = single.report();
      EXPECT_STREQ(report.backend, "cuda") << what;
      EXPECT_EQ(std::strchr(report.device, ',') != nullptr, shares && context == &gpu) << what << ": " << report.device;
      EXPECT_EQ(report.rejected, expected.rejected) << what;
      // The report's bits of cr's passes depend on samples of a part.
      if (mode != "cr" && report.rejected == 0) {
        EXPECT_EQ(report.bits, expected.bits) << what;
      }
      if (std::memcmp(got.data(), want.data(), want.size() * sizeof(E)) == 0) continue;
      Index different = 0, first = -1;
      for (std::size_t i = 0; i < want.size(); ++i)
        if (std::memcmp(&got[i], &want[i], sizeof(E)) != 0 && ++different == 1) first = static_cast<Index>(i);
      ADD_FAILURE() << what << (context == &gpu ? ", shared" : ", one device") << ": " << different
                    << " elements differ, first (" << first % (m + 3) << ", " << first / (m + 3) << ")";
    }
  }

  Context gpu{ACCUBLAS_BACKEND_CUDA}, single{ACCUBLAS_BACKEND_CUDA}, host_single{ACCUBLAS_BACKEND_CUDA};
  Random rng{91};
  std::vector<std::int32_t> list;
  Index m = 0, n = 0, k = 0;
  accublas_transpose ta = ACCUBLAS_NO_TRANS, tb = ACCUBLAS_NO_TRANS;
  E alpha = number(static_cast<T>(0.75), static_cast<T>(-0.5)), beta = number(static_cast<T>(-1.5), 0);
  std::vector<E> a, b, c;
};
/// Occupies nearly all of the memory of every device, as other programs might.
std::vector<std::unique_ptr<DeviceArray<unsigned char>>> memory_of_others(std::size_t left) {
  std::vector<std::unique_ptr<DeviceArray<unsigned char>>> held;
  int count = 0;
  require(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  for (int device = 0; device < count; ++device) {
    require(cudaSetDevice(device), "cudaSetDevice");
    std::size_t free = 0, total = 0;
    require(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    if (free > left) held.push_back(std::make_unique<DeviceArray<unsigned char>>(free - left));
  }
  require(cudaSetDevice(0), "cudaSetDevice");
  return held;
}

/// This suite is the first of its program: the memory that the library keeps from earlier calls counts as free.
class SharedMemory : public SharedProducts<double> {};

// The operands of a part do not fit its device. The number of bits of dp:repro is found in parts then.
TEST_F(SharedMemory, LargerThanFreeMemory) {
  make(6100, 6000, 1300);
  for (const Context* context : {&gpu, &single, &host_single})
    ASSERT_EQ(accublas_set_workspace_mib(*context, 64), ACCUBLAS_SUCCESS);
  std::vector<std::vector<double>> want;
  const std::vector<std::string> modes{"cr", "dp:repro", "fixed:60"};
  for (const std::string& mode : modes) {
    ASSERT_EQ(accublas_set_mode_name(host_single, mode.c_str()), ACCUBLAS_SUCCESS);
    want.push_back(c);
    ASSERT_EQ(run(host_single, a.data(), b.data(), want.back().data()), ACCUBLAS_SUCCESS) << host_single.error();
    std::vector<double> shared = c;
    ASSERT_EQ(run(gpu, a.data(), b.data(), shared.data()), ACCUBLAS_SUCCESS) << gpu.error();
  }
  const auto others = memory_of_others(std::size_t{64} << 20);
  for (std::size_t i = 0; i < modes.size(); ++i)
    for (const Context* context : {&host_single, &gpu}) {
      ASSERT_EQ(accublas_set_mode_name(*context, modes[i].c_str()), ACCUBLAS_SUCCESS);
      std::vector<double> got = c;
      ASSERT_EQ(run(*context, a.data(), b.data(), got.data()), ACCUBLAS_SUCCESS) << modes[i] << context->error();
      EXPECT_STREQ(context->report().backend, "cuda") << modes[i] << ": " << context->report().reason;
      EXPECT_EQ(std::memcmp(got.data(), want[i].data(), got.size() * sizeof(double)), 0)
          << modes[i] << (context == &gpu ? ", shared" : ", one device");
    }
}

using SharedTypes = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(SharedProducts, SharedTypes);

TYPED_TEST(SharedProducts, EveryTransposition) {
  this->make(2300, 1900, 4600);
  for (const auto ta : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS, ACCUBLAS_CONJ_TRANS})
    for (const auto tb : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS, ACCUBLAS_CONJ_TRANS}) {
      if (!this->complex && (ta == ACCUBLAS_CONJ_TRANS || tb == ACCUBLAS_CONJ_TRANS)) continue;
      this->ta = ta, this->tb = tb;
      this->compare("cr");
      if (ta != tb) this->compare(SharedGemm<TypeParam>::repro);
    }
}

TYPED_TEST(SharedProducts, EveryMode) {
  this->make(2049, 2305, 4300, 1);
  for (const char* mode : {"cr", SharedGemm<TypeParam>::fixed, SharedGemm<TypeParam>::repro, "dot2"})
    this->compare(mode);
  // A list of three, and one in pinned memory.
  this->list.push_back(this->list.front());
  ASSERT_EQ(accublas_set_devices(this->gpu, static_cast<std::int32_t>(this->list.size()), this->list.data()),
            ACCUBLAS_SUCCESS);
  for (auto* x : {&this->a, &this->b})
    require(cudaHostRegister(x->data(), x->size() * sizeof(TypeParam), cudaHostRegisterPortable), "cudaHostRegister");
  for (const char* mode : {"cr", SharedGemm<TypeParam>::repro}) this->compare(mode);
  for (auto* x : {&this->a, &this->b}) require(cudaHostUnregister(x->data()), "cudaHostUnregister");
}

// C grows by borders, on each device and on one alone.
TYPED_TEST(SharedProducts, Borders) {
  this->make(4500, 4300, 1100);
  for (const char* mode : {"cr", SharedGemm<TypeParam>::repro}) this->compare(mode, true, true);
  this->beta = TypeParam(0);
  std::fill(this->c.begin(), this->c.end(), TypeParam(std::numeric_limits<typename TestFixture::T>::quiet_NaN()));
  this->tb = ACCUBLAS_TRANS;
  this->compare(SharedGemm<TypeParam>::fixed, true, true);
}

// A NaN in a row of A, an Inf in a column of B and in C, and beta = NaN.
TYPED_TEST(SharedProducts, SpecialValues) {
  using T = typename TestFixture::T;
  this->make(2300, 1900, 4600);
  this->a[2299] = TypeParam(std::numeric_limits<T>::quiet_NaN());
  this->b[static_cast<std::size_t>(1850 * this->ldb() + 7)] = TypeParam(std::numeric_limits<T>::infinity());
  this->c[static_cast<std::size_t>(3 * (this->m + 3) + 2)] = TypeParam(-std::numeric_limits<T>::infinity());
  for (const char* mode : {"cr", SharedGemm<TypeParam>::fixed, SharedGemm<TypeParam>::repro}) this->compare(mode);
  // NaN as beta makes every element NaN, so that there is no product to share.
  this->beta = TypeParam(std::numeric_limits<T>::quiet_NaN());
  this->compare("cr", false);
}

// The number of bits of dp:repro, and the share of rejected elements, belong to all of C. Twenty columns whose
// largest entry is in a block of terms that the certificate leaves out are less than one in 64 of all, but more of one
// device's part.
TYPED_TEST(SharedProducts, CertificateOverAllDevices) {
  using T = typename TestFixture::T;
  this->make(2300, 1900, 4600, 0);
  const auto widen = [&](Index first, Index end) {
    for (Index j = first; j < end; ++j)
      for (Index p = 0; p < this->k; ++p)
        this->b[static_cast<std::size_t>(j * this->ldb() + p)] *= static_cast<T>(p == 200 ? 0x1p40 : 0x1p-20);
  };
  this->compare(SharedGemm<TypeParam>::repro);
  const std::int64_t none = this->gpu.report().rejected;
  widen(1780, 1800);
  this->compare(SharedGemm<TypeParam>::repro);
  const std::int64_t some = this->gpu.report().rejected, all = (this->complex ? 2 : 1) * this->m * this->n;
  EXPECT_GT(some, none);
  EXPECT_LE(some, all / 64);
  widen(100, 140);
  this->compare(SharedGemm<TypeParam>::repro);
  EXPECT_EQ(this->gpu.report().rejected, all);
}

using SharedDoubles = SharedProducts<double>;

TEST_F(SharedDoubles, BitsOfTheCpu) {
  make(2300, 1900, 4600);
  const Context cpu(ACCUBLAS_BACKEND_CPU);
  std::vector<double> want = c, got = c;
  ASSERT_EQ(accublas_set_mode_name(cpu, "cr"), ACCUBLAS_SUCCESS);
  ASSERT_EQ(run(cpu, a.data(), b.data(), want.data()), ACCUBLAS_SUCCESS) << cpu.error();
  ASSERT_EQ(run(gpu, a.data(), b.data(), got.data()), ACCUBLAS_SUCCESS) << gpu.error();
  EXPECT_EQ(std::memcmp(got.data(), want.data(), want.size() * sizeof(double)), 0);
}

// A small product, and an empty list, stay on one device. A target is judged for all of C by one device.
TEST_F(SharedDoubles, OneDevice) {
  make(300, 280, 500);
  compare("cr", false);
  make(2300, 1900, 4600);
  ASSERT_EQ(accublas_set_target(gpu, 1e-30), ACCUBLAS_SUCCESS);
  gpu.set("fixed:60");
  std::vector<double> out = c;
  EXPECT_EQ(run(gpu, a.data(), b.data(), out.data()), ACCUBLAS_ERROR_ACCURACY);
  EXPECT_EQ(std::memcmp(out.data(), c.data(), c.size() * sizeof(double)), 0);
  ASSERT_EQ(accublas_set_target(gpu, 0), ACCUBLAS_SUCCESS);
  ASSERT_EQ(accublas_set_devices(gpu, 0, nullptr), ACCUBLAS_SUCCESS) << gpu.error();
  compare("cr", false);
}

TEST_F(SharedDoubles, BadLists) {
  make(2300, 1900, 4600);
  const std::int32_t missing[] = {0, 4711}, negative[] = {0, -1};
  EXPECT_EQ(accublas_set_devices(gpu, 2, missing), ACCUBLAS_ERROR_NO_DEVICE);
  EXPECT_NE(gpu.error().find("4711"), std::string::npos) << gpu.error();
  EXPECT_EQ(accublas_set_devices(gpu, 2, negative), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_NE(gpu.error().find("devices"), std::string::npos) << gpu.error();
  EXPECT_EQ(accublas_set_devices(gpu, 2, nullptr), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(accublas_set_devices(gpu, -1, missing), ACCUBLAS_ERROR_ARGUMENT);
  compare("cr");  // the list is as it was
}

}  // namespace
}  // namespace accublas::test
