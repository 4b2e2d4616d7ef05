// Calls that GEMM on the GPU refuses, and reports that it makes: statuses with C untouched, targets, T, counts and
// rigorous bounds.
#include "test/gpu/gemm_errors_test.hpp"

#include <cstdlib>

#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {
namespace {

TYPED_TEST(GemmErrors, HostAndDeviceMixed) {
  using T = TypeParam;
  const auto p = plain_problem<T>(this->rng, {Data::phi, 1}, 40, 30, 50);
  const OnDevice<T> device(p);
  for (const char* mode : {"cr", "dp", "fixed:53"}) {
    this->gpu.set(mode);
    for (int mask = 1; mask < 7; ++mask) {  // bit q: operand q is in device memory
      std::vector<T> c = p.c;
      EXPECT_EQ(call<T>(this->gpu, p, mask & 1 ? device.a.data() : p.a.data(), mask & 2 ? device.b.data() : p.b.data(),
                        mask & 4 ? device.c.data() : c.data(), &p.alpha, &p.beta),
                ACCUBLAS_ERROR_POINTERS)
          << mode << " mask " << mask;
      EXPECT_NE(std::string(this->gpu.error()), "");
      EXPECT_EQ(mismatch(p, p.c, c), "") << mode << ": C was written";
    }
    // Scalars against the pointer mode.
    EXPECT_EQ(device.run(this->gpu, p, true), ACCUBLAS_ERROR_POINTERS) << mode;
    ASSERT_EQ(accublas_set_pointer_mode(this->gpu, ACCUBLAS_POINTER_DEVICE), ACCUBLAS_SUCCESS);
    EXPECT_EQ(device.run(this->gpu, p, false), ACCUBLAS_ERROR_POINTERS) << mode;
    ASSERT_EQ(accublas_set_pointer_mode(this->gpu, ACCUBLAS_POINTER_HOST), ACCUBLAS_SUCCESS);
    EXPECT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->gpu.error();
    EXPECT_EQ(mismatch(p, p.c, device.c.values()), "") << mode << ": C was written";
  }
  this->cpu.set("cr");
  EXPECT_EQ(device.run(this->cpu, p), ACCUBLAS_ERROR_POINTERS) << "backend cpu, device operands";
  EXPECT_EQ(mismatch(p, p.c, device.c.values()), "");
}

TYPED_TEST(GemmErrors, BadArguments) {
  using T = TypeParam;
  auto p = plain_problem<T>(this->rng, {Data::phi, 1}, 40, 30, 50);
  const OnDevice<T> device(p);
  this->gpu.set("cr");
  EXPECT_EQ(call<T>(this->gpu, p, nullptr, device.b.data(), device.c.data(), &p.alpha, &p.beta),
            ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(call<T>(this->gpu, p, device.a.data(), nullptr, device.c.data(), &p.alpha, &p.beta),
            ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(call<T>(this->gpu, p, device.a.data(), device.b.data(), nullptr, &p.alpha, &p.beta),
            ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(call<T>(this->gpu, p, device.a.data(), device.b.data(), device.c.data(), nullptr, &p.beta),
            ACCUBLAS_ERROR_ARGUMENT);
  auto bad = p;
  bad.at_a.col = 39;  // a leading dimension below the least
  EXPECT_EQ(device.run(this->gpu, bad), ACCUBLAS_ERROR_ARGUMENT);
  bad = p;
  bad.m = -1;
  EXPECT_EQ(device.run(this->gpu, bad), ACCUBLAS_ERROR_ARGUMENT);
  EXPECT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->gpu.error();
  EXPECT_EQ(mismatch(p, p.c, device.c.values()), "");
  for (const std::int32_t number : {4711, -1}) EXPECT_NE(accublas_set_device(this->gpu, number), ACCUBLAS_SUCCESS);
  EXPECT_EQ(accublas_set_device(this->gpu, 4711), ACCUBLAS_ERROR_NO_DEVICE);
  std::int32_t count = 0;
  EXPECT_EQ(accublas_device_count(&count), ACCUBLAS_SUCCESS);
  EXPECT_GE(count, 1);
  EXPECT_EQ(accublas_set_device(this->gpu, 0), ACCUBLAS_SUCCESS) << this->gpu.error();
  EXPECT_EQ(accublas_set_device(this->gpu, count), ACCUBLAS_ERROR_NO_DEVICE);
  // After all that the context still works.
  this->cpu.set("cr");
  expect_same(this->cpu, this->gpu, p, "after errors");
}

TYPED_TEST(GemmErrors, UsersWorkspaceTooSmall) {
  using T = TypeParam;
  const auto p = plain_problem<T>(this->rng, {Data::phi, 1}, 300, 200, most_terms_as_cr + 76);
  const OnDevice<T> device(p);
  const DeviceArray<unsigned char> workspace(4096);
  ASSERT_EQ(accublas_set_workspace(this->gpu, workspace.data(), workspace.size()), ACCUBLAS_SUCCESS);
  for (const char* mode : {"cr", "dp:repro", "fixed:53"}) {
    this->gpu.set(mode);
    EXPECT_EQ(device.run(this->gpu, p), ACCUBLAS_ERROR_MEMORY) << mode;
    EXPECT_NE(std::string(this->gpu.error()), "");
    EXPECT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
    EXPECT_EQ(mismatch(p, p.c, device.c.values()), "") << mode << ": C was written";
  }
  ASSERT_EQ(accublas_set_workspace(this->gpu, nullptr, 0), ACCUBLAS_SUCCESS);
  this->cpu.set("cr");
  this->gpu.set("cr");
  expect_same(this->cpu, this->gpu, p, "after a workspace too small");
}

// Scalars that turn out to be zero on the device: A and B, or C, are not read, cuBLAS included.
TYPED_TEST(GemmErrors, ZeroScalarsOnTheDevice) {
  using T = TypeParam;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  for (const char* mode : {"native", "dp", "dp:repro", "cr", "fixed:30", "dot2", "slices:2"})
    for (const auto& [m, n, k] : {std::tuple{5, 4, 3}, {130, 1, 70}, {1, 130, 70}, {300, 200, 100}, {1100, 1030, 2400}})
      for (const T beta : {T(0), T(1), T(0.5)}) {
        const std::string what = std::string(mode) + ", " + std::to_string(m) + " x " + std::to_string(n) + " x " +
                                 std::to_string(k) + ", beta " + std::to_string(beta);
        this->gpu.set(sizeof(T) == 4 && mode[0] == 'd' && mode[1] == 'p' ? "s" + std::string(mode + 1) : mode);
        auto p = plain_problem<T>(this->rng, {Data::phi, 1}, m, n, k);
        p.alpha = 0, p.beta = beta;
        for (T& x : p.a) x = nan;
        for (T& x : p.b) x = nan;
        std::vector<T> want = p.c, got;
        for (T& x : want) x = beta == 0 ? T(0) : beta * x;
        if (beta == 0)
          for (T& x : p.c) x = nan;
        ASSERT_EQ(on_device(this->gpu, p, got, true), ACCUBLAS_SUCCESS) << what << ": " << this->gpu.error();
        EXPECT_EQ(mismatch(p, want, got), "") << what;
      }
}

// Memory of the host is no workspace for the device, nor the other way round: the pool serves.
TYPED_TEST(GemmErrors, UsersWorkspaceOfTheOtherBackend) {
  using T = TypeParam;
  const auto small = plain_problem<T>(this->rng, {Data::phi, 1}, 60, 50, 40),
             large = plain_problem<T>(this->rng, {Data::phi, 1}, 2000, 1900, 1500);
  std::vector<unsigned char> host(std::size_t{64} << 20, 0xAB);
  const DeviceArray<unsigned char> device(host);
  Context either;
  either.set("cr");
  this->cpu.set("cr");
  for (unsigned char* const buffer : {host.data(), device.data()}) {
    const char* const what = buffer == host.data() ? "host workspace" : "device workspace";
    ASSERT_EQ(accublas_set_workspace(either, buffer, host.size()), ACCUBLAS_SUCCESS);
    for (const Problem<T>* p : {&small, &large}) {
      std::vector<T> want, got;
      ASSERT_EQ(on_host(this->cpu, *p, want), ACCUBLAS_SUCCESS);
      ASSERT_EQ(on_host(either, *p, got), ACCUBLAS_SUCCESS) << what << ": " << either.error();
      EXPECT_EQ(mismatch(*p, want, got), "") << what << ", host operands, " << either.report().backend;
      ASSERT_EQ(on_device(either, *p, got), ACCUBLAS_SUCCESS) << what << ": " << either.error();
      EXPECT_EQ(mismatch(*p, want, got), "") << what << ", device operands";
    }
  }
}

// An engine that only the GPU has is named without naming the backend.
TYPED_TEST(GemmErrors, EngineOfTheGpuAlone) {
  using T = TypeParam;
  const auto p = plain_problem<T>(this->rng, {Data::phi, 1}, 60, 50, 40);
  Context either;
  either.set("cr", "fp16");
  this->cpu.set("cr");
  std::vector<T> want, got;
  ASSERT_EQ(on_host(this->cpu, p, want), ACCUBLAS_SUCCESS);
  ASSERT_EQ(on_device(either, p, got), ACCUBLAS_SUCCESS) << either.error();
  EXPECT_EQ(mismatch(p, want, got), "");
  EXPECT_STREQ(either.report().engine, "fp16");
  ASSERT_EQ(on_host(either, p, got), ACCUBLAS_SUCCESS) << either.error();
  EXPECT_EQ(mismatch(p, want, got), "");
  EXPECT_STREQ(either.report().backend, "cuda");
}

// A call with host operands reports only its own miss of the target: an earlier call's miss stays for accublas_sync.
TYPED_TEST(GemmErrors, AMissOfAnEarlierCall) {
  using T = TypeParam;
  const auto p = plain_problem<T>(this->rng, {Data::phi, 1}, 150, 140, 60);
  const OnDevice<T> device(p);
  std::vector<T> want, got;
  this->cpu.set("cr");
  ASSERT_EQ(on_host(this->cpu, p, want), ACCUBLAS_SUCCESS);
  this->gpu.set("fixed:12");
  ASSERT_EQ(accublas_set_target(this->gpu, 1e-30), ACCUBLAS_SUCCESS);
  ASSERT_EQ(device.run(this->gpu, p), ACCUBLAS_SUCCESS) << this->gpu.error();
  ASSERT_EQ(accublas_set_target(this->gpu, 0), ACCUBLAS_SUCCESS);
  this->gpu.set("cr");
  EXPECT_EQ(on_host(this->gpu, p, got), ACCUBLAS_SUCCESS) << this->gpu.error();
  EXPECT_EQ(mismatch(p, want, got), "");
  EXPECT_EQ(accublas_sync(this->gpu), ACCUBLAS_ERROR_ACCURACY);
  EXPECT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
}

/// Expects that the call, or accublas_sync after it, refuses, once, and that C is as it was.
template <class T>
void expect_refused(const Context& gpu, const Problem<T>& p, const std::string& what) {
  const OnDevice<T> device(p);
  accublas_status status = device.run(gpu, p);
  if (status == ACCUBLAS_SUCCESS) status = accublas_sync(gpu);
  EXPECT_EQ(status, ACCUBLAS_ERROR_ACCURACY) << what << ": " << gpu.error();
  EXPECT_NE(std::string(gpu.error()), "");
  EXPECT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << what << ": an error is told once";
  EXPECT_EQ(mismatch(p, p.c, device.c.values()), "") << what << ": C was written";
}

TYPED_TEST(GemmErrors, Targets) {
  using T = TypeParam;
  const double u = sizeof(T) == 8 ? 0x1p-53 : 0x1p-24;
  auto p = plain_problem<T>(this->rng, {Data::phi, 1}, 150, 140, 60);
  p.beta = T(0.5);
  for (const auto& [mode, target, kept] :
       std::initializer_list<std::tuple<const char*, double, bool>>{{"fixed:4", 64 * u, false},
                                                                    {"fixed:12", 64 * u, false},
                                                                    {"fixed:120", 2 * u, true},
                                                                    {"cr", u, true},
                                                                    {"cr", u / 4, false},
                                                                    {"dp:repro", 64 * u, true},
                                                                    {"dp:repro", u / 4, false},
                                                                    {"dp", 64 * u, true},
                                                                    {"dp", u / 4, false}}) {
    const std::string what = std::string(mode) + " target " + std::to_string(target / u) + " u";
    this->cpu.set(mode);
    this->gpu.set(mode);
    ASSERT_EQ(accublas_set_target(this->gpu, target), ACCUBLAS_SUCCESS);
    if (!kept) {
      expect_refused(this->gpu, p, what);
      // With host operands the call itself answers, as on the CPU.
      std::vector<T> out;
      EXPECT_EQ(on_host(this->gpu, p, out), ACCUBLAS_ERROR_ACCURACY) << what;
      EXPECT_EQ(mismatch(p, p.c, out), "") << what;
    } else if (std::string(mode) != "dp") {
      expect_same(this->cpu, this->gpu, p, what);
    }
    ASSERT_EQ(accublas_set_target(this->gpu, 0), ACCUBLAS_SUCCESS);
  }
}

// Copies are judged before C is written: also where beta = 0 and the device never had C.
TYPED_TEST(GemmErrors, TargetsMissedByHostOperands) {
  using T = TypeParam;
  const double u = sizeof(T) == 8 ? 0x1p-53 : 0x1p-24;
  for (const char* engine : {"int8", "fp64", "fp16"})
    for (const T beta : {T(0), T(0.5)}) {
      auto p = plain_problem<T>(this->rng, {Data::phi, 1}, 150, 140, 60);
      p.beta = beta;
      this->gpu.set("fixed:12", engine);
      ASSERT_EQ(accublas_set_target(this->gpu, 64 * u), ACCUBLAS_SUCCESS);
      std::vector<T> c;
      EXPECT_EQ(on_host(this->gpu, p, c), ACCUBLAS_ERROR_ACCURACY) << engine;
      EXPECT_EQ(mismatch(p, p.c, c), "") << engine << ": C was written";
      EXPECT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << engine << ": an error is told once";
      this->cpu.set("fixed:120");
      this->gpu.set("fixed:120", engine);
      ASSERT_EQ(accublas_set_target(this->gpu, 2 * u), ACCUBLAS_SUCCESS);
      std::vector<T> want;
      EXPECT_EQ(on_host(this->cpu, p, want), ACCUBLAS_SUCCESS);
      EXPECT_EQ(on_host(this->gpu, p, c), ACCUBLAS_SUCCESS) << engine << ": " << this->gpu.error();
      EXPECT_EQ(mismatch(p, want, c), "") << engine;
      ASSERT_EQ(accublas_set_target(this->gpu, 0), ACCUBLAS_SUCCESS);
    }
}

// An address that was host memory in one call may be device memory in the next.
TYPED_TEST(GemmErrors, MemoryThatChangesHands) {
  using T = TypeParam;
  const auto p = plain_problem<T>(this->rng, {Data::phi, 1}, 60, 50, 70);
  this->cpu.set("cr");
  this->gpu.set("cr");
  std::vector<T> want, got;
  ASSERT_EQ(on_host(this->cpu, p, want), ACCUBLAS_SUCCESS) << this->cpu.error();
  constexpr std::size_t bytes = std::size_t{512} << 20;
  bool changed = false;
  for (int attempt = 0; attempt < 8 && !changed; ++attempt) {
    char* const host = static_cast<char*>(std::malloc(bytes));
    ASSERT_NE(host, nullptr);
    // A call on every neighbourhood, small enough to be quick.
    const T one = 1;
    for (std::size_t at = 1 << 20; at + (1 << 20) < bytes; at += 1 << 21) {
      T* const x = reinterpret_cast<T*>(host + at);
      x[0] = x[1] = x[2] = 1;
      ASSERT_EQ(call<T>(this->gpu, plain_problem<T>(this->rng, {Data::phi, 1}, 1, 1, 1), x, x + 1, x + 2, &one, &one),
                ACCUBLAS_SUCCESS);
    }
    const auto begin = reinterpret_cast<std::uintptr_t>(host), end = begin + bytes;
    std::free(host);
    std::vector<void*> taken;
    for (int block = 0; block < 64; ++block) {
      void* memory = nullptr;
      require(cudaMalloc(&memory, std::size_t{8} << 20), "cudaMalloc");
      taken.push_back(memory);
      const auto at = reinterpret_cast<std::uintptr_t>(memory);
      if (at < begin || at + (8 << 20) > end || changed) continue;
      changed = true;
      T *a = static_cast<T*>(memory), *b = a + p.a.size(), *c = b + p.b.size();
      require(cudaMemcpy(a, p.a.data(), p.a.size() * sizeof(T), cudaMemcpyHostToDevice), "copy");
      require(cudaMemcpy(b, p.b.data(), p.b.size() * sizeof(T), cudaMemcpyHostToDevice), "copy");
      require(cudaMemcpy(c, p.c.data(), p.c.size() * sizeof(T), cudaMemcpyHostToDevice), "copy");
      EXPECT_EQ(call<T>(this->gpu, p, a, b, c, &p.alpha, &p.beta), ACCUBLAS_SUCCESS) << this->gpu.error();
      EXPECT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->gpu.error();
      got.resize(p.c.size());
      require(cudaMemcpy(got.data(), c, got.size() * sizeof(T), cudaMemcpyDeviceToHost), "copy");
      EXPECT_EQ(mismatch(p, want, got), "");
    }
    for (void* memory : taken) cudaFree(memory);
  }
  if (!changed) GTEST_SKIP() << "no device memory has the address of former host memory";
}

}  // namespace
}  // namespace accublas::test
