// The plan of a call: which backend and which engine it gets.
#include "lib/runtime/plan.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <cstddef>
#include <string>

#include "lib/base/error.hpp"
#include "lib/base/isa.hpp"
#include "lib/call/engines.hpp"
#include "lib/runtime/context.hpp"
#include "lib/runtime/settings.hpp"
#include "test/unit/settings.hpp"

namespace {

/// A CUDA backend with a device that serves modes on tensor cores.
class FakeCuda final : public Backend {
 public:
  explicit FakeCuda(int devices) : devices_(devices) {}
  const char* name() const noexcept override { return "cuda"; }
  int device_count(std::string& reason) const override {
    reason = "no fake device";
    return devices_;
  }
  std::string device_name(int) const override { return "fake"; }
  Location locate(const void*) const override { return {MemoryKind::device, 0}; }
  Choice choose(const EngineList& engines, Routine, const Mode&, const CallShape& shape) const override {
    return {shape.m == 1 ? ACCUBLAS_ENGINE_FP16 : ACCUBLAS_ENGINE_INT8, engines.count > 1};
  }
  bool worth_copying(Routine, const Mode&, const CallShape& shape) const override { return shape.m >= 100; }
  std::size_t default_workspace(int) const override { return 0; }
  std::unique_ptr<BackendState> make_state(int) override { return nullptr; }
  void compute(const AnyCall&, BackendState*, Execution&) override {}
  void begin_steps(AnySteps, BackendState*, Workspace&, int) override {}

 private:
  int devices_;
};

/// A device that lacks cr but for GEMM.
constexpr EngineRow rows_of_fake[] = {
    {ACCUBLAS_MODE_CR,
     false,
     RoutineKind::gemm,
     {ACCUBLAS_ENGINE_INT8, ACCUBLAS_ENGINE_SUMS},
     {ACCUBLAS_ENGINE_INT8, ACCUBLAS_ENGINE_FP16}},
    {ACCUBLAS_MODE_CR, false, RoutineKind::vector, {ACCUBLAS_ENGINE_SUMS}, {}},
    {ACCUBLAS_MODE_CR, false, RoutineKind::norm, {ACCUBLAS_ENGINE_SUMS}, {}},
};

/// The plan of a call of this shape, under the settings of a context alone.
Plan plan_of(Routine routine, const Level& context, const CallShape& shape, const Backend& cuda,
             const EngineTable& table) {
  Plan plan =
      make_plan(routine, resolve(routine, nullptr, context, Level(), build_settings()), cpu_backend(), cuda, table);
  fit_plan(plan, shape, cpu_backend(), cuda);
  return plan;
}

}  // namespace

TEST(Plan, EnginesOfTheCpu) {
  FakeCuda no_device(0);
  const auto plan = [&](Routine routine, const char* mode, accublas_engine engine) {
    Level context;
    context.all = parse_mode(mode);
    context.engine = engine;
    return plan_of(routine, context, {}, no_device, engine_table);
  };
  const accublas_engine residues = cpu::detected_isa() < cpu::Isa::avx512 ? ACCUBLAS_ENGINE_FP64 : ACCUBLAS_ENGINE_INT8;
  // Without a shape there is nothing to multiply: the smallest case of an engine that goes by the shape.
  const accublas_engine idle_cr = cpu::detected_isa() >= cpu::Isa::avx2 ? ACCUBLAS_ENGINE_SUMS : residues;
  const accublas_engine idle_fixed =
      cpu::detected_isa() >= cpu::Isa::avx2 ? ACCUBLAS_ENGINE_SUMS : ACCUBLAS_ENGINE_INT8;
  const struct {
    Routine routine;
    const char* mode;
    accublas_engine first;
  } rows[] = {
      {routine_named("dgemm"), "native", ACCUBLAS_ENGINE_NATIVE},
      {routine_named("sgemm"), "sp", ACCUBLAS_ENGINE_NATIVE},
      {routine_named("dgemm"), "dp:repro", residues},
      {routine_named("ddot"), "dp:repro", ACCUBLAS_ENGINE_SUMS},
      {routine_named("dgemm"), "fixed:70", idle_fixed},
      {routine_named("sgemv"), "fixed:70", ACCUBLAS_ENGINE_SUMS},
      {routine_named("sgemm"), "slices:4", ACCUBLAS_ENGINE_FP64},
      {routine_named("ddot"), "slices:4:fast", ACCUBLAS_ENGINE_FP64},
      {routine_named("dgemv"), "dot2", ACCUBLAS_ENGINE_DOT2},
      {routine_named("dgemm"), "cr", idle_cr},
      {routine_named("dgemv"), "cr", ACCUBLAS_ENGINE_SUMS},
      {routine_named("dnrm2"), "cr", ACCUBLAS_ENGINE_SUMS},
      {routine_named("sasum"), "dot2", ACCUBLAS_ENGINE_DOT2},
      {routine_named("snrm2"), "sp:repro", ACCUBLAS_ENGINE_SUMS},
      {routine_named("dasum"), "fixed:70", ACCUBLAS_ENGINE_NATIVE},
  };
  for (const auto& row : rows) {
    const Plan made = plan(row.routine, row.mode, ACCUBLAS_ENGINE_AUTO);
    EXPECT_EQ(made.engine, row.first) << to_string(made);
    EXPECT_EQ(made.backend, ACCUBLAS_BACKEND_CPU);
    EXPECT_EQ(plan(row.routine, row.mode, row.first).engine, row.first);
  }
  EXPECT_EQ(plan(routine_named("dgemm"), "cr", ACCUBLAS_ENGINE_FP64).engine, ACCUBLAS_ENGINE_FP64);
  EXPECT_EQ(plan(routine_named("dgemm"), "cr", ACCUBLAS_ENGINE_SUMS).engine, ACCUBLAS_ENGINE_SUMS);
  EXPECT_EQ(plan(routine_named("dgemm"), "dp", ACCUBLAS_ENGINE_INT8).engine, ACCUBLAS_ENGINE_INT8);
  // Where the engine goes by the shape, a plan without one does not serve a call; the calls of OpenBLAS need no other.
  EXPECT_TRUE(plan(routine_named("dgemm"), "cr", ACCUBLAS_ENGINE_AUTO).by_shape());
  EXPECT_TRUE(plan(routine_named("sgemm_batched"), "sp:repro", ACCUBLAS_ENGINE_AUTO).by_shape());
  EXPECT_FALSE(plan(routine_named("dgemm"), "cr", ACCUBLAS_ENGINE_INT8).by_shape());
  EXPECT_FALSE(plan(routine_named("dgemm"), "dp", ACCUBLAS_ENGINE_AUTO).by_shape());

  std::string message;
  EXPECT_EQ(status_of([&] { plan(routine_named("dgemm"), "cr", ACCUBLAS_ENGINE_DOT2); }, &message),
            ACCUBLAS_ERROR_ENGINE);
  EXPECT_TRUE(contains(message, "auto, int8, fp64, sums")) << message;
  EXPECT_EQ(status_of([&] { plan(routine_named("ddot"), "cr", ACCUBLAS_ENGINE_INT8); }), ACCUBLAS_ERROR_ENGINE);
  EXPECT_EQ(status_of([&] { plan(routine_named("sgemm"), "tf32x3", ACCUBLAS_ENGINE_NATIVE); }, &message),
            ACCUBLAS_ERROR_ENGINE);
  EXPECT_TRUE(contains(message, "auto, multiword")) << message;
  Level lacking;
  lacking.all = parse_mode("dot2");
  EXPECT_EQ(status_of([&] { plan_of(routine_named("sgemm"), lacking, {}, no_device, rows_of_fake); }, &message),
            ACCUBLAS_ERROR_UNAVAILABLE);
  EXPECT_TRUE(contains(message, "dot2") && contains(message, "native, sp, sp:repro, fixed:T")) << message;
  EXPECT_EQ(to_string(plan(routine_named("sgemm"), "dp:repro", ACCUBLAS_ENGINE_INT8)),
            "sgemm mode=sp:repro backend=cpu engine=int8 (mode from the context; engine as asked for; backend: no fake "
            "device)");
}

TEST(Plan, CudaAsAValue) {
  Level context;
  context.backend = ACCUBLAS_BACKEND_CUDA;
  context.all = parse_mode("cr");
  FakeCuda one(1), absent(0);
  std::string message;
  CallShape shape;
  const auto plan = [&](Routine routine, const Backend& cuda) {
    return plan_of(routine, context, shape, cuda, rows_of_fake);
  };
  EXPECT_EQ(status_of([&] { plan(routine_named("dgemm"), absent); }, &message), ACCUBLAS_ERROR_NO_DEVICE);
  EXPECT_TRUE(contains(message, "no fake device")) << message;
  context.backend = ACCUBLAS_BACKEND_AUTO;
  EXPECT_EQ(plan(routine_named("dgemm"), absent).backend, ACCUBLAS_BACKEND_CPU);
  EXPECT_TRUE(contains(plan_reason(plan(routine_named("dgemm"), absent)), "no fake device"));
  EXPECT_FALSE(contains(plan_reason(plan(routine_named("dgemm"), one)), "no fake device"));
  context.backend = ACCUBLAS_BACKEND_CUDA;
  std::string reason;
  if (cuda_backend().device_count(reason) == 0) {
    EXPECT_EQ(status_of([&] { plan(routine_named("dgemm"), cuda_backend()); }), ACCUBLAS_ERROR_NO_DEVICE);
  }
  EXPECT_EQ(plan(routine_named("dgemm"), one).backend, ACCUBLAS_BACKEND_CUDA);
  EXPECT_EQ(plan(routine_named("dgemm"), one).engine, ACCUBLAS_ENGINE_INT8);
  context.engine = ACCUBLAS_ENGINE_FP16;
  EXPECT_EQ(plan(routine_named("dgemm"), one).engine, ACCUBLAS_ENGINE_FP16);
  context.engine = -1;
  // The CPU computes a call in a mode that the device lacks, if the operands allow it.
  EXPECT_EQ(plan(routine_named("dgemv"), one).backend, ACCUBLAS_BACKEND_CPU);
  shape.on_device = true;
  EXPECT_EQ(status_of([&] { plan(routine_named("dgemv"), one); }), ACCUBLAS_ERROR_UNAVAILABLE);
  EXPECT_EQ(status_of([&] { plan(routine_named("dnrm2"), one); }, &message), ACCUBLAS_ERROR_UNAVAILABLE);
  EXPECT_TRUE(contains(message, "mode cr of dnrm2 is not available") && !contains(message, "fixed")) << message;
  // A routine that is made of other calls works in the operands' memory space; only those other calls copy host
  // operands.
  EXPECT_EQ(plan_of(routine_named("zgetri"), context, shape, one, engine_table).backend, ACCUBLAS_BACKEND_CUDA);
  EXPECT_EQ(plan_of(routine_named("zgetri"), context, {}, one, engine_table).backend, ACCUBLAS_BACKEND_CPU);
  context.all = parse_mode("native");
  EXPECT_EQ(status_of([&] { plan_of(routine_named("zgetri"), context, shape, one, engine_table); }),
            ACCUBLAS_ERROR_UNAVAILABLE);
}

// An engine that only the device has takes host operands there; one that it lacks leaves them to the CPU.
TEST(Plan, EnginesOfOneBackend) {
  Level context;
  context.all = parse_mode("cr");
  FakeCuda one(1);
  const auto plan = [&](const CallShape& shape) {
    return plan_of(routine_named("dgemm"), context, shape, one, rows_of_fake);
  };
  context.engine = ACCUBLAS_ENGINE_FP16;
  EXPECT_EQ(plan({}).backend, ACCUBLAS_BACKEND_CUDA);
  EXPECT_FALSE(plan({}).by_shape());
  context.engine = ACCUBLAS_ENGINE_SUMS;
  EXPECT_EQ(plan({100, 100, 100}).backend, ACCUBLAS_BACKEND_CPU);
  EXPECT_FALSE(plan({}).by_shape());
  EXPECT_EQ(status_of([&] { plan({1, 1, 1, true}); }), ACCUBLAS_ERROR_ENGINE);
  context.engine = ACCUBLAS_ENGINE_INT8;
  EXPECT_EQ(plan({99, 99, 99}).backend, ACCUBLAS_BACKEND_CPU);
  EXPECT_EQ(plan({100, 100, 100}).backend, ACCUBLAS_BACKEND_CUDA);
  EXPECT_EQ(plan({1, 1, 1, true}).engine, ACCUBLAS_ENGINE_INT8);
}

TEST(EngineTable, RowsOfARoutine) {
  const auto engines = [](Routine routine, const char* mode) { return engine_table.row(routine, parse_mode(mode)); };
  EXPECT_EQ(&engine_table.row(routine_named("sgemm"), parse_mode("sp:repro")),
            &engine_table.row(routine_named("dgemm_batched"), parse_mode("dp:repro")));
  EXPECT_NE(engines(routine_named("dgemm"), "dp").cpu.first(), engines(routine_named("dgemm"), "dp:repro").cpu.first());
  EXPECT_TRUE(engines(routine_named("dgemm"), "cr").cuda.has(ACCUBLAS_ENGINE_FP16));
  EXPECT_FALSE(engines(routine_named("dgemm"), "cr").on(ACCUBLAS_BACKEND_CPU).has(ACCUBLAS_ENGINE_FP16));
  EXPECT_EQ(engines(routine_named("ddot"), "fixed:7").on(ACCUBLAS_BACKEND_CUDA).count, 1);
  EXPECT_EQ(engines(routine_named("dnrm2"), "fixed:7").cpu.count, 0);
  EXPECT_EQ(engines(routine_named("sgemm_batched"), "tf32x3").cpu.first(), ACCUBLAS_ENGINE_MULTIWORD);
}

TEST(Plan, WhereOperandsAre) {
  Level context;
  context.all = parse_mode("cr");
  FakeCuda one(1);
  const auto plan = [&](const CallShape& shape) {
    return plan_of(routine_named("dgemm"), context, shape, one, rows_of_fake);
  };
  EXPECT_EQ(plan({}).backend, ACCUBLAS_BACKEND_CPU);
  EXPECT_TRUE(plan({}).by_shape());
  EXPECT_EQ(plan({99, 99, 99}).backend, ACCUBLAS_BACKEND_CPU);
  EXPECT_EQ(plan({100, 100, 100}).backend, ACCUBLAS_BACKEND_CUDA);
  EXPECT_EQ(plan({1, 1, 1, true}).backend, ACCUBLAS_BACKEND_CUDA);
  EXPECT_EQ(plan({1, 1, 1, true}).engine, ACCUBLAS_ENGINE_FP16);
  EXPECT_EQ(plan({100, 1, 1, true}).engine, ACCUBLAS_ENGINE_INT8);
  context.backend = ACCUBLAS_BACKEND_CPU;
  EXPECT_EQ(plan({100, 100, 100}).backend, ACCUBLAS_BACKEND_CPU);
  EXPECT_EQ(status_of([&] { plan({1, 1, 1, true}); }), ACCUBLAS_ERROR_POINTERS);
}

/// A plan that is kept for the shape of a call is what fit_plan makes, whatever shapes came before, and a new one where
/// a setting has changed.
TEST(Plan, IsKeptForItsShape) {
  const Routine routine = routine_named("dgemm");
  Context context;
  const CallShape shapes[] = {{4, 4, 4}, {400, 400, 400}, {4, 400, 4}, {400, 400, 400}, {400, 400, 400}, {4, 4, 4}};
  for (const char* mode : {"cr", "dp", "dp:repro"}) {
    context.level.all = parse_mode(mode);
    context.settings_changed();
    const Resolved& resolved = context.resolved(routine);
    for (const CallShape& shape : shapes) {
      Plan expected = resolved.plan;
      fit_plan(expected, shape, cpu_backend(), cuda_backend());
      const Plan& kept = resolved.plan_for(shape);
      EXPECT_EQ(to_string(kept), to_string(expected)) << mode;
      EXPECT_EQ(&resolved.plan_for(shape), &kept);
    }
  }
}
