// Random calls of every routine that computes in a workspace, of every type: on device operands over sizes of the
// user's workspace, with the CPU's bits, in workspaces with nothing of the device behind them, and on host operands,
// which a machine with a GPU serves wherever one without does. ACCUBLAS_TEST_SCALE multiplies the cases,
// ACCUBLAS_TEST_SEED gives another sequence.
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "test/gpu/guarded.hpp"
#include "test/workspace_sweep.hpp"

namespace accublas::test {
namespace {

/// Operands in device memory, and room there for a workspace that begins anywhere, between bytes that nothing may
/// write. The result of DOT, which follows the pointer mode, stays in host memory.
class DevicePlace {
 public:
  static constexpr std::size_t room = std::size_t{1} << 28, alignment = 256;

  DevicePlace() { require(cudaMemset(memory_.data(), workspace_sweep::untouched, memory_.size()), "cudaMemset"); }

  static accublas_status run(const Context& context, const any_call::Call& call,
                             std::vector<any_call::Bytes>& operands) {
    std::vector<std::unique_ptr<DeviceArray<unsigned char>>> arrays;
    std::vector<void*> all;
    const std::size_t on_device = operands.size() - (call.name.find("dot") == 1 ? 1 : 0);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (i < on_device) arrays.push_back(std::make_unique<DeviceArray<unsigned char>>(operands[i]));
      all.push_back(i < on_device ? arrays[i]->data() : operands[i].data());
    }
    accublas_status status = call.run(context, all);
    if (status == ACCUBLAS_SUCCESS) status = accublas_sync(context);
    for (std::size_t i = 0; i < on_device; ++i) operands[i] = arrays[i]->values();
    return status;
  }
  unsigned char* workspace(std::size_t offset) { return memory_.data() + guard + offset; }
  bool guards_hold(std::size_t offset, std::size_t bytes) {
    unsigned char *const begin = workspace(offset), *const end = begin + bytes;
    bool hold = true;
    for (const unsigned char* at : {begin - guard, end}) {
      any_call::Bytes found(guard);
      require(cudaMemcpy(found.data(), at, guard, cudaMemcpyDeviceToHost), "guards");
      for (const unsigned char x : found) hold = hold && x == workspace_sweep::untouched;
    }
    require(cudaMemset(begin, workspace_sweep::untouched, bytes), "cudaMemset");
    require(cudaStreamSynchronize(nullptr), "cudaMemset");
    return hold;
  }

 private:
  static constexpr std::size_t guard = 256;
  DeviceArray<unsigned char> memory_{room + 4 * guard};
};

/// Some shapes have the blocks of larger ones: TRMM's bands, products of TRSM's unknowns, panels of LU.
any_call::Shape shape_on_device(any_call::Random& rng, const any_call::Routine& routine) {
  using any_call::below;
  const bool lapack = routine.modes == any_call::Modes::exact;
  switch (below(rng, 6)) {
    case 0:
      if (lapack) return {100 + below(rng, 200), 100 + below(rng, 200), 1 + below(rng, 4)};
      return {300 + below(rng, 100), 800 + below(rng, 100), 1 + below(rng, 4)};
    case 1:
      if (!lapack) return {1 + below(rng, 4), 1030 + below(rng, 100), 1 + below(rng, 40)};
      [[fallthrough]];
    default:
      return workspace_sweep::random_shape(rng, routine);
  }
}

void sweep(int count, bool (*chosen)(const any_call::Routine&)) {
  DevicePlace place;
  Context cpu(ACCUBLAS_BACKEND_CPU), gpu(ACCUBLAS_BACKEND_CUDA);
  workspace_sweep::for_calls(
      count, chosen, shape_on_device,
      [&](const std::string& mode, const std::string& engine, int) { cpu.set(mode), gpu.set(mode, engine); },
      [&](const any_call::Call& call, const std::string& mode, const std::string& what, any_call::Random& rng) {
        workspace_sweep::Sweep one(place, gpu, cpu, call, what, rng);
        if (one.begin(mode)) one.run();
      });
}

TEST(WorkspaceOnDevice, ProductsInEverySize) {
  sweep(48, [](const any_call::Routine& r) { return r.modes == any_call::Modes::products; });
}
TEST(WorkspaceOnDevice, LapackInEverySize) {
  sweep(24, [](const any_call::Routine& r) { return r.modes == any_call::Modes::exact; });
}

/// A call in workspaces that are allocations of their own: the call is served, with the bits that it has without one
/// where `bits_are_defined`, or refused with its operands as they were. It is served by as many bytes as it asks for.
class OwnWorkspace {
 public:
  OwnWorkspace(Context& gpu, const any_call::Call& call, std::string what, bool bits_are_defined)
      : gpu_(gpu), call_(call), what_(std::move(what)), bits_are_defined_(bits_are_defined), want_(call.operands) {}

  /// False where the mode does not serve the routine.
  bool begin() {
    const accublas_status status = DevicePlace::run(gpu_, call_, want_);
    if (any_call::lacks(status)) return false;
    EXPECT_EQ(status, ACCUBLAS_SUCCESS) << what_ << ": " << gpu_.error();
    return status == ACCUBLAS_SUCCESS;
  }
  void run(std::size_t bytes) {
    const std::size_t needed = in_allocation(bytes);
    if (needed == 0 || needed == served_) return;
    served_ = needed;
    EXPECT_EQ(in_allocation(needed), 0u) << what_ << ": " << gpu_.error();
    // It ends where nothing is mapped, and begins at any multiple of a byte.
    const GuardedArray<unsigned char> pages(any_call::Bytes(needed), Edge::end);
    EXPECT_EQ(in(pages.data(), needed), 0u) << what_ << " beside unmapped pages: " << gpu_.error();
  }

 private:
  std::size_t in_allocation(std::size_t bytes) {
    const DeviceArray<unsigned char> memory(bytes);
    return in(memory.data(), bytes);
  }
  /// Returns 0, or how many bytes are needed.
  std::size_t in(unsigned char* memory, std::size_t bytes) {
    std::vector<any_call::Bytes> operands = call_.operands;
    EXPECT_EQ(accublas_set_workspace(gpu_, memory, bytes), ACCUBLAS_SUCCESS);
    const accublas_status status = DevicePlace::run(gpu_, call_, operands);
    const std::string error = gpu_.error();
    EXPECT_EQ(accublas_set_workspace(gpu_, nullptr, 0), ACCUBLAS_SUCCESS);
    if (status == ACCUBLAS_SUCCESS) {
      EXPECT_TRUE(!bits_are_defined_ || operands == want_) << what_ << ": other bits with " << bytes << " bytes";
      return 0;
    }
    EXPECT_EQ(status, ACCUBLAS_ERROR_MEMORY) << what_ << " with " << bytes << " bytes: " << error;
    EXPECT_TRUE(operands == call_.operands) << what_ << ": refused, and operands have changed";
    const std::string before = "too small: ";
    const std::size_t at = error.find(before);
    const std::size_t needed =
        at == std::string::npos ? 0 : std::strtoull(error.c_str() + at + before.size(), nullptr, 10);
    EXPECT_GT(needed, bytes) << what_ << ": " << error;
    return needed > bytes ? needed : bytes + 1;
  }

  Context& gpu_;
  const any_call::Call& call_;
  const std::string what_;
  const bool bits_are_defined_;
  std::vector<any_call::Bytes> want_;
  std::size_t served_ = 0;  ///< bytes that were asked for and have sufficed
};

bool is_single_type(char type) { return type == 's' || type == 'c'; }

// Every routine of every type; the flows of LAPACK's routines plan in addresses behind such a workspace.
TEST(WorkspaceOfItsOwn, EveryRoutineOfEveryType) {
  Context gpu(ACCUBLAS_BACKEND_CUDA);
  for (const any_call::Routine& routine : any_call::routines())
    for (const char type : {'s', 'd', 'c', 'z'})
      for (const char* mode : {"cr", is_single_type(type) ? "sp" : "dp"}) {
        gpu.set(mode);
        any_call::Random rng(workspace_sweep::seed_of(type));
        const any_call::Call call = any_call::random_call(rng, routine.name, type, {90, 70, 50}, true);
        OwnWorkspace one(gpu, call, call.name + " in " + mode, std::string(mode) == "cr");
        if (!one.begin()) continue;
        for (const std::size_t bytes : {1, 4096, 65536}) one.run(bytes);
        if (testing::Test::HasFailure()) return;
      }
}

TEST(WorkspaceOfItsOwn, LargeFlows) {
  Context gpu(ACCUBLAS_BACKEND_CUDA);
  for (const char* name : {"geqrf", "orgqr", "ormqr", "gels", "potri", "getri"})
    for (const char* mode : {"cr", "dp"}) {
      gpu.set(mode);
      any_call::Random rng(workspace_sweep::seed_of(0));
      const any_call::Call call = any_call::random_call(rng, name, 'd', {1000, 1000, 100}, true);
      OwnWorkspace one(gpu, call, call.name + " in " + mode, std::string(mode) == "cr");
      ASSERT_TRUE(one.begin());
      for (const std::size_t bytes : {4096, 65536}) one.run(bytes);
      if (testing::Test::HasFailure()) return;
    }
}

// GELS in dp is calls of GEQRF and ORMQR. With so many rows these are flows too, within the first.
TEST(WorkspaceOfItsOwn, FlowsWithinAFlow) {
  constexpr any_call::Index m = 70000, n = 40, sides = 3;
  Context gpu(ACCUBLAS_BACKEND_CUDA), cpu(ACCUBLAS_BACKEND_CPU);
  any_call::Random rng(workspace_sweep::seed_of(0));
  std::vector<double> a(m * n), b(m * sides);
  for (double& x : a) x = static_cast<double>(static_cast<std::int64_t>(rng())) * 0x1p-63;
  for (double& x : b) x = static_cast<double>(static_cast<std::int64_t>(rng())) * 0x1p-63;
  std::int64_t info = -77;
  std::vector<double> factor = a, want = b;
  cpu.set("dp");
  ASSERT_EQ(
      accublas_dgels(cpu, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, m, n, sides, factor.data(), m, want.data(), m, &info),
      ACCUBLAS_SUCCESS)
      << cpu.error();
  gpu.set("dp");
  const auto solve = [&](std::size_t bytes, std::int64_t* to) {
    const DeviceArray<unsigned char> workspace(bytes);
    const DeviceArray<double> on_a(a), on_b(b);
    EXPECT_EQ(accublas_set_workspace(gpu, workspace.data(), bytes), ACCUBLAS_SUCCESS);
    const accublas_status status =
        accublas_dgels(gpu, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, m, n, sides, on_a.data(), m, on_b.data(), m, to);
    if (status == ACCUBLAS_SUCCESS) {
      EXPECT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
      const std::vector<double> got = on_b.values();
      for (any_call::Index j = 0; j < sides; ++j)
        for (any_call::Index i = 0; i < n; ++i) {
          const auto at = static_cast<std::size_t>(i + j * m);
          EXPECT_NEAR(got[at], want[at], 1e-12) << bytes << " bytes: " << i << ", " << j;
        }
    } else {
      EXPECT_EQ(status, ACCUBLAS_ERROR_MEMORY) << bytes << " bytes: " << gpu.error();
      EXPECT_EQ(on_a.values(), a) << bytes;
      EXPECT_EQ(on_b.values(), b) << bytes;
    }
    return status;
  };
  const DeviceArray<std::int64_t> on_device(std::vector<std::int64_t>{-77});
  EXPECT_EQ(solve(std::size_t{1} << 28, &info), ACCUBLAS_SUCCESS) << gpu.error();
  EXPECT_EQ(info, 0);
  for (const std::size_t bytes : {std::size_t{65536}, std::size_t{12} << 20}) {
    if (solve(bytes, on_device.data()) == ACCUBLAS_SUCCESS) continue;
    EXPECT_EQ(on_device.values()[0], -77) << bytes;
    const std::string error = gpu.error();
    const std::size_t at = error.find("too small: ");
    ASSERT_NE(at, std::string::npos) << error;
    EXPECT_EQ(solve(std::stoull(error.substr(at + 11)), &info), ACCUBLAS_SUCCESS) << error << gpu.error();
  }
  EXPECT_EQ(solve(std::size_t{1} << 28, on_device.data()), ACCUBLAS_SUCCESS) << gpu.error();
  EXPECT_EQ(on_device.values()[0], 0);
  EXPECT_EQ(accublas_set_workspace(gpu, nullptr, 0), ACCUBLAS_SUCCESS);
}

// A call that fails leaves an info in device memory as it was.
TEST(WorkspaceOfItsOwn, InfoInDeviceMemory) {
  constexpr accublas_layout columns = ACCUBLAS_COL_MAJOR;
  constexpr any_call::Index n = 300;
  Context gpu(ACCUBLAS_BACKEND_CUDA);
  any_call::Random rng(workspace_sweep::seed_of(0));
  std::vector<double> matrix(n * n);
  for (double& x : matrix) x = static_cast<double>(static_cast<std::int64_t>(rng())) * 0x1p-63;
  for (any_call::Index i = 0; i < n; ++i) matrix[static_cast<std::size_t>(i * (n + 1))] = 2 * n;
  std::vector<std::int64_t> rows(n);
  for (any_call::Index i = 0; i < n; ++i) rows[static_cast<std::size_t>(i)] = i + 1;
  using Routine = accublas_status (*)(accublas_context*, double* a, double* b, std::int64_t* ipiv, std::int64_t* info);
  const std::pair<const char*, Routine> routines[] = {
      {"potrf", [](auto* c, double* a, double*, auto*,
                   auto* info) { return accublas_dpotrf(c, columns, ACCUBLAS_LOWER, n, a, n, info); }},
      {"posv", [](auto* c, double* a, double* b, auto*,
                  auto* info) { return accublas_dposv(c, columns, ACCUBLAS_UPPER, n, n, a, n, b, n, info); }},
      {"getrf", [](auto* c, double* a, double*, auto* ipiv,
                   auto* info) { return accublas_dgetrf(c, columns, n, n, a, n, ipiv, info); }},
      {"gesv", [](auto* c, double* a, double* b, auto* ipiv,
                  auto* info) { return accublas_dgesv(c, columns, n, n, a, n, ipiv, b, n, info); }},
      {"trtri",
       [](auto* c, double* a, double*, auto*, auto* info) {
         return accublas_dtrtri(c, columns, ACCUBLAS_LOWER, ACCUBLAS_NON_UNIT, n, a, n, info);
       }},
      {"potri", [](auto* c, double* a, double*, auto*,
                   auto* info) { return accublas_dpotri(c, columns, ACCUBLAS_UPPER, n, a, n, info); }},
      {"getri", [](auto* c, double* a, double*, auto* ipiv,
                   auto* info) { return accublas_dgetri(c, columns, n, a, n, ipiv, info); }},
      {"gels", [](auto* c, double* a, double* b, auto*,
                  auto* info) { return accublas_dgels(c, columns, ACCUBLAS_NO_TRANS, n, n, n, a, n, b, n, info); }},
  };
  for (const char* mode : {"cr", "dp"}) {
    gpu.set(mode);
    for (const auto& [name, routine] : routines)
      for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{1} << 26}) {
        const DeviceArray<unsigned char> workspace(bytes);
        const DeviceArray<double> a(matrix), b(matrix);
        const DeviceArray<std::int64_t> ipiv(rows), info(std::vector<std::int64_t>{-77});
        ASSERT_EQ(accublas_set_workspace(gpu, workspace.data(), bytes), ACCUBLAS_SUCCESS);
        const accublas_status status = routine(gpu, a.data(), b.data(), ipiv.data(), info.data());
        const std::string what = std::string(name) + " in " + mode + " with " + std::to_string(bytes) + " bytes: ";
        if (status == ACCUBLAS_SUCCESS) {
          EXPECT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << what << gpu.error();
          EXPECT_EQ(info.values()[0], 0) << what;
        } else {
          EXPECT_LT(bytes, std::size_t{1} << 26) << what << gpu.error();
          EXPECT_EQ(status, ACCUBLAS_ERROR_MEMORY) << what << gpu.error();
          EXPECT_EQ(info.values()[0], -77) << what;
          EXPECT_EQ(a.values(), matrix) << what;
          EXPECT_EQ(b.values(), matrix) << what;
        }
        ASSERT_EQ(accublas_set_workspace(gpu, nullptr, 0), ACCUBLAS_SUCCESS);
      }
  }
}

// A call with host operands succeeds wherever the CPU serves it, whatever its mode, engine and arguments, with the
// CPU's bits where the mode defines them. What the CPU refuses, a GPU serves or refuses as lacking the mode or engine.
TEST(HostOperands, WhatTheCpuServesAMachineWithAGpuServes) {
  using namespace any_call;
  Context cpu(ACCUBLAS_BACKEND_CPU), automatic, gpu(ACCUBLAS_BACKEND_CUDA);
  for (int number = 0; number < workspace_sweep::scaled_count(160) && !testing::Test::HasFailure(); ++number) {
    Random rng(workspace_sweep::seed_of(number));
    const any_call::Routine& routine = routines()[static_cast<std::size_t>(number) % routines().size()];
    const char type = "sdcz"[below(rng, 4)];
    const bool single = type == 's' || type == 'c';
    std::string mode = random_mode(rng, Modes::products, type).mode;
    if (below(rng, 2)) mode = below(rng, 3) ? (single ? "sp" : "dp") : "native";
    const char* const engines[] = {"auto", "native", "int8", "fp64", "fp16", "dot2", "sums"};
    const std::string engine = engines[below(rng, 7)];
    const Call call =
        random_call(rng, routine.name, type, workspace_sweep::random_shape(rng, routine), below(rng, 3) == 0);
    const bool defined = mode != "native" && mode != "dp" && mode != "sp";
    const auto served = [&](const Context& context, std::vector<Bytes>& operands) {
      operands = call.operands;
      return call.run(context, workspace_sweep::addresses(operands));
    };
    const auto compare = [&](Context& tried, const std::string& by) {
      const std::string what = "seed " + std::to_string(workspace_sweep::seed_of(number)) + ": " + call.name + " in " +
                               mode + " by " + by + (&tried == &gpu ? ", backend cuda" : "");
      cpu.set(mode, by), tried.set(mode, by);
      std::vector<Bytes> want, got;
      const accublas_status on_cpu = served(cpu, want), here = served(tried, got);
      if (on_cpu == ACCUBLAS_SUCCESS) {
        EXPECT_EQ(here, ACCUBLAS_SUCCESS) << what << ": " << tried.error();
        // A word that the routine lacks leaves it in dp or sp.
        if (defined && std::string(cpu.report().mode) == mode) {
          EXPECT_TRUE(got == want) << what << ": other bits than the CPU's";
        }
      } else if (lacks(on_cpu)) {
        EXPECT_TRUE(here == ACCUBLAS_SUCCESS || lacks(here)) << what << ": " << here << ", " << tried.error();
      }
    };
    compare(automatic, engine);
    compare(gpu, "auto");
  }
}

}  // namespace
}  // namespace accublas::test
