// How a batch on the CPU is shared out: every plan keeps within the threads and the workspace that it was given, and
// the shapes that matter get what they should.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "lib/base/integers.hpp"
#include "lib/base/isa.hpp"
#include "lib/call/backend.hpp"
#include "lib/cpu/batch.hpp"

using accublas::Index;
using accublas::cpu::BatchPlan;
using accublas::cpu::plan_batch;

namespace {

constexpr std::size_t MiB = std::size_t{1} << 20;

std::string text(const BatchPlan& p) {
  return std::to_string(p.threads) + " threads, " + std::to_string(p.threads_a_matrix) + " a matrix, " +
         std::to_string(p.a_task) + " a task, " + std::to_string(p.bytes) + " bytes";
}

}  // namespace

TEST(BatchPlan, KeepsWithinThreadsMatricesAndWorkspace) {
  for (Index order : {1, 2, 4, 16, 64, 100, 115, 256, 300, 1000, 100000})
    for (Index count : {1, 2, 3, 7, 8, 100, 1000, 1000000})
      for (int threads : {1, 2, 3, 16, 200})
        for (std::size_t workspace :
             {std::size_t{0}, std::size_t{100}, std::size_t{1000000}, MiB, 4 * MiB, 9 * MiB, 256 * MiB, 4096 * MiB})
          for (bool native : {false, true}) {
            const BatchPlan p = plan_batch(order, order, order, count, native, threads, workspace);
            const std::string what = std::to_string(order) + " x " + std::to_string(count) + " " +
                                     std::to_string(threads) + " " + std::to_string(workspace) + ": " + text(p);
            ASSERT_GE(p.threads, 1) << what;
            ASSERT_GE(p.threads_a_matrix, 1) << what;
            ASSERT_LE(p.threads * p.threads_a_matrix, threads) << what;
            ASSERT_LE(p.threads, count) << what;
            ASSERT_GE(p.a_task, 1) << what;
            ASSERT_LE(static_cast<std::size_t>(p.threads) * p.bytes, workspace) << what;
            ASSERT_EQ(p.bytes % 64, 0u) << what;
            // Either matrices or what is inside one is shared, never both.
            ASSERT_TRUE(p.threads == 1 || p.threads_a_matrix == 1) << what;
            if (p.threads > 1) {
              // Every thread finds a task, and several if there are enough.
              ASSERT_GE(accublas::ceil_div(count, p.a_task), std::min<Index>(count, 8 * p.threads)) << what;
              ASSERT_GE(p.bytes, 2 * MiB) << what;
            }
          }
}

TEST(BatchPlan, SmallMatricesOneAThread) {
  const BatchPlan p = plan_batch(16, 16, 16, 1000, false, 8, 256 * MiB);
  EXPECT_EQ(p.threads, 8) << text(p);
  EXPECT_EQ(p.threads_a_matrix, 1);
  EXPECT_GT(p.a_task, 1);  // 30 us of work, not one matrix
}

// The real BLAS needs less time for a tiny matrix than a thread needs to wake.
TEST(BatchPlan, TinyMatricesOfTheRealBlas) {
  EXPECT_EQ(plan_batch(4, 4, 4, 1000, true, 8, 256 * MiB).threads, 1);
  EXPECT_EQ(plan_batch(32, 32, 32, 1000, true, 8, 256 * MiB).threads, 8);
}

TEST(BatchPlan, LargeMatricesOneAfterAnother) {
  const BatchPlan p = plan_batch(1000, 1000, 1000, 100, false, 8, 256 * MiB);
  EXPECT_EQ(p.threads, 1) << text(p);
  EXPECT_EQ(p.threads_a_matrix, 8);
  EXPECT_EQ(p.bytes, 256 * MiB);
}

// Between the two bounds it depends on whether there are matrices enough for the threads.
TEST(BatchPlan, MiddleSizesByCount) {
  EXPECT_EQ(plan_batch(200, 200, 200, 16, false, 8, 256 * MiB).threads, 8);
  EXPECT_EQ(plan_batch(200, 200, 200, 15, false, 8, 256 * MiB).threads, 1);
  EXPECT_EQ(plan_batch(200, 200, 200, 15, false, 8, 256 * MiB).threads_a_matrix, 8);
}

// OpenBLAS takes one thread up to 64^3 and shares larger ones out itself.
TEST(BatchPlan, NativeLeavesLargerMatricesToTheBlas) {
  EXPECT_EQ(plan_batch(64, 64, 64, 1000, true, 8, 256 * MiB).threads, 8);
  EXPECT_EQ(plan_batch(65, 64, 64, 1000, true, 8, 256 * MiB).threads_a_matrix, 8);
}

TEST(BatchPlan, FewTinyMatricesWakeNobody) {
  EXPECT_EQ(plan_batch(4, 4, 4, 5, false, 8, 256 * MiB).threads, 1);
  EXPECT_LE(plan_batch(4, 4, 4, 20, false, 8, 256 * MiB).threads, 3);
}

// Every cap is enough for a plan that was made for it, a multiple of 64 bytes or not: no batch falls to the least plan.
TEST(BatchPlan, TakesWhatItPlans) {
  using accublas::Call;
  using accublas::Execution;
  using accublas::Gemm;
  using accublas::Workspace;
  static std::size_t least;
  double a[4] = {1, 2, 3, 4}, c[4] = {};
  const double one = 1, zero = 0;
  const accublas::Mode mode = accublas::parse_mode("cr");
  const accublas::GemmBatch<double> batch{
      {2, 2, 2, 1, {a, 1, 2}, {a, 1, 2}, 0, {c, 1, 2}}, 3, {a, 0, nullptr}, {a, 0, nullptr}, {c, 0, nullptr}};
  const Call<accublas::GemmBatch<double>, double> call{batch, {&one, false}, {&zero, false},      false,
                                                       false, mode,          ACCUBLAS_ENGINE_SUMS};
  for (std::size_t cap = 0; cap < 3000000; cap += cap < 1000 ? 1 : cap / 7) {
    for (int threads : {1, 2, 5}) {
      Workspace workspace(cap, nullptr, 0);
      accublas_report_t report{};
      Execution execution{threads, accublas::cpu::detected_isa(), workspace, report, 0};
      least = SIZE_MAX;
      accublas::cpu::run_batch<accublas::GemmBatch<double>, double>(
          call,
          [](const Call<Gemm<double>, double>&, Execution& with) {
            least = std::min(least, with.workspace.left());
            with.workspace.take<unsigned char>(with.workspace.left());
          },
          execution);
      ASSERT_GE(least, Workspace::beyond_cap / 2) << "cap " << cap << ", threads " << threads;
    }
  }
}

// A thread with less than 4 MiB would lose more by small blocks than it gains.
TEST(BatchPlan, SmallWorkspaceForFewerThreads) {
  EXPECT_EQ(plan_batch(32, 32, 32, 1000, false, 8, 12 * MiB).threads, 3);
  EXPECT_EQ(plan_batch(32, 32, 32, 1000, false, 8, 3 * MiB).threads, 1);
  EXPECT_LE(plan_batch(32, 32, 32, 1000, false, 8, 3 * MiB).bytes, 3 * MiB);
}

// Residues do not pay for the smallest matrices.
TEST(BatchPlan, SmallMatricesOnTheEngineSums) {
  const auto chosen = [](accublas::Routine routine, const char* mode, Index order, Index cols = 0,
                         bool judged = false) {
    accublas::CallShape shape;
    shape.m = shape.k = order;
    shape.n = cols == 0 ? order : cols;
    shape.judged = judged;
    const accublas::Mode parsed = accublas::parse_mode(mode), values = accublas::mode_of_values(parsed, shape.k);
    const accublas::EngineList& engines = accublas::engine_table.row(routine, parsed).cpu;
    return accublas::cpu_backend().choose(engines, routine, values, shape).engine;
  };
  using accublas::cpu::Isa;
  const Isa isa = accublas::cpu::detected_isa();
  for (const char* mode : {"cr", "dp:repro", "fixed:60"}) {
    const bool fixed = std::string(mode) == "fixed:60";
    const accublas_engine residues = isa >= Isa::avx512 || fixed ? ACCUBLAS_ENGINE_INT8 : ACCUBLAS_ENGINE_FP64;
    // Residues are slow before VNNI and SDOT. On Arm only narrow products in fixed:T are sums.
    const bool slow_residues = isa == Isa::avx2 || isa == Isa::avx512 || isa == Isa::neon;
    const accublas_engine small = isa >= Isa::avx2 ? ACCUBLAS_ENGINE_SUMS : residues;
    const accublas_engine middle = fixed && isa >= Isa::neon ? residues : small,
                          large = slow_residues ? middle : residues;
    EXPECT_EQ(chosen(accublas::routine_named("dgemm_batched"), mode, 8), ACCUBLAS_ENGINE_SUMS) << mode;
    EXPECT_EQ(chosen(accublas::routine_named("sgemm_batched"), mode, 4), ACCUBLAS_ENGINE_SUMS) << mode;
    EXPECT_EQ(chosen(accublas::routine_named("dgemm_batched"), mode, 64), middle) << mode;
    EXPECT_EQ(chosen(accublas::routine_named("dgemm"), mode, 8), small) << mode;
    EXPECT_EQ(chosen(accublas::routine_named("sgemm"), mode, 64), middle) << mode;
    EXPECT_EQ(chosen(accublas::routine_named("dgemm"), mode, 1024), large) << mode;
    EXPECT_EQ(chosen(accublas::routine_named("sgemm_batched"), mode, 1024), large) << mode;
    EXPECT_EQ(chosen(accublas::routine_named("dgemm"), mode, 1000, 4), small) << mode;
    EXPECT_EQ(chosen(accublas::routine_named("dgemm"), "dp:repro", accublas::most_terms_as_cr + 1),
              isa >= Isa::avx512 ? ACCUBLAS_ENGINE_INT8 : ACCUBLAS_ENGINE_FP64);
    // Sums of rounded entries judge no target, and triangular operands keep to residues.
    EXPECT_EQ(chosen(accublas::routine_named("dgemm"), mode, 16, 16, true), fixed ? residues : small) << mode;
    EXPECT_EQ(chosen(accublas::routine_named("dtrmm"), mode, 16), fixed ? residues : small) << mode;
  }
  EXPECT_EQ(chosen(accublas::routine_named("dgemm_batched"), "dp", 8), ACCUBLAS_ENGINE_NATIVE);
  EXPECT_EQ(chosen(accublas::routine_named("dgemm_batched"), "dot2", 8), ACCUBLAS_ENGINE_DOT2);
  EXPECT_EQ(chosen(accublas::routine_named("dgemm_batched"), "slices:3", 8), ACCUBLAS_ENGINE_FP64);
}
