// Random calls of every routine that computes in a workspace, of every type: on device operands over sizes of the
// user's workspace, with the CPU's bits, and on host operands, which a machine with a GPU serves wherever one without
// does. ACCUBLAS_TEST_SCALE multiplies the cases, ACCUBLAS_TEST_SEED gives another sequence.
#include <memory>

#include "test/gpu/device.hpp"
#include "test/workspace_sweep.hpp"

namespace accublas::test {
namespace {

/// Operands in device memory, and room there for a workspace that begins anywhere, between bytes that nothing may
/// write. The result of DOT, which follows the pointer mode, stays in host memory.
class DevicePlace {
 public:
  static constexpr std::size_t room = std::size_t{1} << 28, alignment = 256;

  DevicePlace() { require(cudaMemset(memory_.data(), workspace_sweep::untouched, memory_.size()), "cudaMemset"); }

  accublas_status run(const Context& context, const any_call::Call& call, std::vector<any_call::Bytes>& operands) {
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
