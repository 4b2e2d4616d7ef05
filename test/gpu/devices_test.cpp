// Contexts on every device of the host at once, operands larger than a device's memory, and what is left of accublas
// when a device is lost. Fills the device: not beside other tests.
#include <future>

#include "test/gpu/gemm_bound.hpp"

namespace accublas::test {
namespace {

int device_count() {
  int count = 0;
  require(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  return count;
}

TEST(Devices, AllAtOnce) {
  Random rng{77};
  const auto p = plain_problem<double>(rng, {Data::phi, 2}, 210, 190, 300);
  const Context cpu(ACCUBLAS_BACKEND_CPU);
  std::vector<std::string> modes{"cr", "dp:repro", "fixed:60", "dot2"};
  std::vector<std::vector<double>> expected;
  for (const auto& mode : modes) {
    accublas_set_mode_name(cpu, mode.c_str());
    ASSERT_EQ(on_host(cpu, p, expected.emplace_back()), ACCUBLAS_SUCCESS) << mode;
  }
  // Two threads a device: one whose context names its device, one that works where its operands are.
  std::vector<std::future<void>> threads;
  for (int device = 0; device < device_count(); ++device)
    for (const bool named : {true, false})
      threads.push_back(std::async(std::launch::async, [&, device, named] {
        require(cudaSetDevice(device), "cudaSetDevice");
        Context gpu(ACCUBLAS_BACKEND_CUDA);
        if (named) {
          ASSERT_EQ(accublas_set_device(gpu, device), ACCUBLAS_SUCCESS) << gpu.error();
        }
        for (int round = 0; round < 5; ++round)
          for (std::size_t i = 0; i < modes.size(); ++i) {
            const std::string what = modes[i] + " on device " + std::to_string(device);
            gpu.set(modes[i]);
            std::vector<double> out;
            ASSERT_EQ(on_device(gpu, p, out), ACCUBLAS_SUCCESS) << what << ": " << gpu.error();
            EXPECT_EQ(mismatch(p, expected[i], out), "") << what;
            EXPECT_STREQ(gpu.report().backend, "cuda") << what;
            int current = -1;
            EXPECT_EQ(cudaGetDevice(&current), cudaSuccess);
            EXPECT_EQ(current, device) << what << ": the thread's device was changed";
          }
      }));
  for (auto& thread : threads) thread.get();
}

TEST(Devices, HostOperandsOnEachInTurn) {
  Random rng{78};
  const auto p = plain_problem<float>(rng, {Data::phi, 1}, 150, 160, 170);
  const Context cpu(ACCUBLAS_BACKEND_CPU), gpu(ACCUBLAS_BACKEND_CUDA);
  std::vector<float> expected, out;
  accublas_set_mode_name(cpu, "cr");
  accublas_set_mode_name(gpu, "cr");
  ASSERT_EQ(on_host(cpu, p, expected), ACCUBLAS_SUCCESS);
  for (int round = 0; round < 3; ++round)
    for (int device = 0; device < device_count(); ++device) {
      ASSERT_EQ(accublas_set_device(gpu, device), ACCUBLAS_SUCCESS) << gpu.error();
      ASSERT_EQ(on_host(gpu, p, out), ACCUBLAS_SUCCESS) << gpu.error();
      EXPECT_EQ(mismatch(p, expected, out), "") << "device " << device;
    }
}

TEST(Devices, OperandsOfTwoAreRefused) {
  if (device_count() < 2) GTEST_SKIP() << "one device";
  Random rng{79};
  const auto p = plain_problem<double>(rng, {Data::phi, 1}, 40, 30, 20);
  Context gpu(ACCUBLAS_BACKEND_CUDA);
  gpu.set("cr");
  require(cudaSetDevice(1), "cudaSetDevice");
  const OnDevice<double> second(p);
  require(cudaSetDevice(0), "cudaSetDevice");
  const OnDevice<double> first(p);
  const double* const other = second.b.data();
  EXPECT_EQ(call<double>(gpu, p, first.a.data(), other, first.c.data(), &p.alpha, &p.beta), ACCUBLAS_ERROR_POINTERS);
  EXPECT_NE(std::string(gpu.error()), "");
  EXPECT_EQ(mismatch(p, p.c, first.c.values()), "") << "C was written";
  ASSERT_EQ(accublas_set_device(gpu, 0), ACCUBLAS_SUCCESS);
  EXPECT_EQ(second.run(gpu, p), ACCUBLAS_ERROR_POINTERS) << "operands on device 1, context on device 0";
  EXPECT_EQ(mismatch(p, p.c, second.c.values()), "") << "C was written";
}

// Another program has nearly all of the memory: host operands that do not fit come in blocks, with the same bits
// (native: within its bound).
TEST(Devices, OperandsLargerThanFreeMemory) {
  Random rng{81};
  auto p = plain_problem<double>(rng, {Data::phi, 1}, 6100, 6000, 900);  // 366 MB
  p.beta = -0.5;
  const Context gpu(ACCUBLAS_BACKEND_CUDA);
  ASSERT_EQ(accublas_set_workspace_mib(gpu, 64), ACCUBLAS_SUCCESS);
  constexpr std::size_t left = std::size_t{420} << 20;
  for (const char* mode : {"cr", "fixed:60", "native"}) {
    ASSERT_EQ(accublas_set_mode_name(gpu, mode), ACCUBLAS_SUCCESS) << gpu.error();
    std::vector<double> expected, out;
    ASSERT_EQ(on_host(gpu, p, expected), ACCUBLAS_SUCCESS) << mode << ": " << gpu.error();
    std::size_t free = 0, total = 0;
    require(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    ASSERT_GT(free, left);
    const DeviceArray<unsigned char> others(free - left);
    ASSERT_EQ(on_host(gpu, p, out), ACCUBLAS_SUCCESS) << mode << ": " << gpu.error();
    EXPECT_STREQ(gpu.report().backend, "cuda") << mode;
    if (std::string(mode) != "native") {
      EXPECT_EQ(mismatch(p, expected, out), "") << mode;
      continue;
    }
    // It promises no bits, but keeps the bound: one element in 8000, the last row and column among them.
    for (Index i = p.m - 1; i >= 0; i -= 97)
      for (Index j = p.n - 1; j >= 0; j -= 89)
        ASSERT_EQ(beyond_bound(p, i, j, out[static_cast<std::size_t>(p.at_c.at(i, j))]), "");
  }
}

/// In a process of its own: loses the device by a read far past an operand. The exit status is 0 if all went as
/// documented, else the line of the first surprise.
int lose_device() {
#define EXPECT_OR_LEAVE(condition) \
  if (!(condition)) return __LINE__
  Random rng{80};
  const auto p = plain_problem<double>(rng, {Data::phi, 1}, 64, 64, 64);
  Context gpu(ACCUBLAS_BACKEND_CUDA);
  const Context cpu(ACCUBLAS_BACKEND_CPU);
  gpu.set("cr");
  const auto operands = std::make_unique<OnDevice<double>>(p);
  std::vector<double> out, expected;
  EXPECT_OR_LEAVE(operands->run(gpu, p) == ACCUBLAS_SUCCESS && accublas_sync(gpu) == ACCUBLAS_SUCCESS);
  expected = operands->c.values();
  auto bad = p;
  bad.at_a.col = Index{1} << 36;  // columns 512 GiB apart: no device has the memory
  EXPECT_OR_LEAVE(operands->run(gpu, bad) == ACCUBLAS_SUCCESS);
  EXPECT_OR_LEAVE(accublas_sync(gpu) == ACCUBLAS_ERROR_C_UNDEFINED);
  EXPECT_OR_LEAVE(std::string(gpu.error()).find("device") != std::string::npos);
  // The device is lost for the process: calls on it say so, whatever the context.
  for (int i = 0; i < 2; ++i) EXPECT_OR_LEAVE(operands->run(gpu, p) != ACCUBLAS_SUCCESS);
  EXPECT_OR_LEAVE(on_host(gpu, p, out) != ACCUBLAS_SUCCESS);
  EXPECT_OR_LEAVE(mismatch(p, p.c, out).empty());
  // The CPU goes on.
  accublas_set_mode_name(cpu, "cr");
  EXPECT_OR_LEAVE(on_host(cpu, p, out) == ACCUBLAS_SUCCESS && mismatch(p, expected, out).empty());
  gpu.close();  // whatever it says of the lost device
  return 0;
#undef EXPECT_OR_LEAVE
}

TEST(DevicesDeathTest, LostDevice) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  // The contexts are destroyed before the exit, which must not crash either.
  EXPECT_EXIT(std::exit(lose_device()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace accublas::test
