// The plan of a GPU's int8 GEMM, made without a GPU: the workspace holds what the plan says, what is launched covers C
// and k exactly once whatever the device plans, and the moduli suffice wherever the CPU's engine finds so many needed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cuda/int8/even_moduli.hpp"
#include "cuda/int8/int8_plan.hpp"
#include "lib/base/integers.hpp"
#include "lib/cpu/int8/int8_call.hpp"
#include "lib/cpu/int8/int8_moduli.hpp"
#include "lib/cpu/kernels/int8_kernels.hpp"
#include "lib/numerics/capacity.hpp"

namespace accublas::cuda {
namespace {

/// A problem of so many numbers, real ones or pairs of parts, in memory that nothing reads.
template <class T>
struct PlannedProblem {
  Gemm<T> gemm{};
  Mode mode{};
  T one = 1, zero = 0;

  PlannedProblem(Index m, Index n, Index k, Mode of_mode, RowPairs pairs = RowPairs::none, bool stored = false)
      : mode(of_mode) {
    const Index parts = pairs == RowPairs::none ? 1 : 2;
    gemm.m = parts * m;
    gemm.n = n;
    gemm.k = parts * k;
    gemm.a = {nullptr, 1, gemm.m};
    gemm.b = {nullptr, 1, gemm.k};
    gemm.c = {nullptr, 1, gemm.m};
    gemm.row_pairs = pairs;
    gemm.numbers_as_stored = stored;
  }
  EngineCall<T> in_engine(bool grouped = false) const {
    return EngineCall<T>({gemm, {&one, false}, {&zero, false}, true, true, mode, ACCUBLAS_ENGINE_INT8}, grouped);
  }
  Int8Plan plan(std::size_t cap, const NativeOffer* offer = nullptr, int sum_moduli = 0, int spare = 0) const {
    return plan_int8(in_engine(), {mode, cap, true, false, offer, sum_moduli, spare});
  }
};

template <class T>
Mode grade_mode(bool reproducible) {
  return parse_mode(std::string(sizeof(T) == sizeof(double) ? "dp" : "sp") + (reproducible ? ":repro" : ""));
}

/// The bytes of arrays, as they are laid out in memory that nothing touches.
class ArrayLayout {
 public:
  explicit ArrayLayout(std::uintptr_t base) : base_(base) {}
  void add(const void* array, std::size_t bytes) {
    const auto at = reinterpret_cast<std::uintptr_t>(array);
    EXPECT_EQ(at % 256, 0u);
    if (array) spans_.emplace_back(at - base_, at - base_ + bytes);
  }
  template <class T>
  void add_lines(const Lines& lines, const Operand<T>& operand) {
    const std::size_t count = static_cast<std::size_t>(padded_lines(operand.count));
    EXPECT_EQ(lines.count, operand.count);
    EXPECT_EQ(lines.k, operand.k);
    add(lines.exponent, 4 * count);
    add(lines.last_bit, 4 * count);
    add(lines.norm, 8 * count);
    add(lines.lambda, 8 * count);
    add(lines.special, count);
    add(lines.nonzero, 8 * count * static_cast<std::size_t>(lines.words));
  }
  /// An array may be there twice, where two sides share it.
  void expect_apart_within(std::size_t bytes) {
    std::sort(spans_.begin(), spans_.end());
    spans_.erase(std::unique(spans_.begin(), spans_.end()), spans_.end());
    for (std::size_t i = 1; i < spans_.size(); ++i) EXPECT_GE(spans_[i].first, spans_[i - 1].second);
    EXPECT_LE(spans_.back().second, bytes);
  }

 private:
  std::uintptr_t base_;
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> spans_;
};

void add_slab_arrays(ArrayLayout& layout, const SlabArrays& arrays, const SlabShape& shape, Index m, Index n) {
  const auto add = [&](const void* array, Index bytes) { layout.add(array, static_cast<std::size_t>(bytes)); };
  const Index squares[2] = {shape.squares(m), shape.squares(n)}, groups = shape.groups();
  for (int side = 0; side < 2; ++side) {
    add(arrays.top[side], 2 * squares[side] * groups * shape.k_padded());
    add(arrays.low[side], 2 * squares[side] * groups * shape.k_padded());
    add(arrays.centre[side], 2 * squares[side] * shape.k_padded());
    add(arrays.lines[side], Index{sizeof(SlabLine)} * shape.rows * shape.cols / shape.square * shape.slabs);
  }
  add(arrays.balance, squares[0] * squares[1] * shape.slabs);
  add(arrays.rest, 4 * squares[0] * groups * squares[1] * groups);
}

template <class T>
void expect_layout(const EngineCall<T>& call, const Int8Plan& plan, std::size_t cap) {
  constexpr std::uintptr_t base = std::uintptr_t{1} << 40;
  Carver carver(reinterpret_cast<void*>(base));
  const Int8Arrays arrays = take_arrays(carver, call, plan);
  EXPECT_EQ(carver.used(), plan.bytes);
  ArrayLayout layout(base);
  layout.add_lines(arrays.rows, call.rows);
  layout.add_lines(arrays.cols, call.cols);
  layout.add_lines(arrays.numbers, plan.as_stored ? call.cols.numbers() : call.cols);
  EXPECT_EQ(arrays.rows.nonzero != nullptr, plan.keep_nonzero);
  layout.add(arrays.open, 4 * open_words(call));
  if (plan.slabs.square > 0) add_slab_arrays(layout, arrays.slabs, plan.slabs, call.rows.count, call.cols.count);
  layout.add(arrays.row_residues, plan.buffers.rows_bytes);
  layout.add(arrays.col_residues, plan.buffers.cols_bytes);
  layout.add(arrays.result, plan.buffers.result_bytes);
  layout.expect_apart_within(plan.bytes);
  // The cap is passed only where the shortest chunk and the smallest blocks need more.
  const bool complex = plan.residues == ResidueKind::complex;
  const Index step = complex ? 256 : 128;
  const std::size_t least = static_cast<std::size_t>(2 * line_group * max_moduli * step +
                                                     line_group * line_group * (complex ? max_planes : max_moduli));
  const Buffers& b = plan.buffers;
  if (plan.bytes > cap) {
    EXPECT_LE(b.rows_bytes + b.cols_bytes + b.result_bytes, least);
  }
  EXPECT_EQ(plan.chunk % step, 0);
}

/// Chunks of k have at most as many terms as 32 bits hold.
void expect_terms(const Int8Plan& plan, Index k) {
  EXPECT_LE(plan.chunk, product_most_terms);
  EXPECT_LE(std::int64_t{255} * 255 * plan.chunk, std::int64_t{UINT32_MAX});
  Index covered = 0;
  for (Index chunk = 0; chunk < plan.chunks; ++chunk) {
    const Index terms = std::min(k - chunk * plan.chunk, plan.chunk);
    EXPECT_GT(terms, 0);
    covered += terms;
  }
  EXPECT_EQ(covered, k);
}

/// The blocks that the host launches for a pass hold all blocks that the device can plan, which cover C once.
template <class T>
void expect_blocks(const EngineCall<T>& call, const Int8Plan& plan, const PassLaunch& launched) {
  const Index parts = launched.residues == ResidueKind::complex ? 2 : 1;
  const Index m = call.rows.count, n = call.cols.count / parts;
  EXPECT_EQ(launched.buffers.k_padded * parts, plan.chunk);
  EXPECT_GE(launched.moduli, 1);
  EXPECT_LE(launched.moduli, most_moduli(launched.residues));
  for (int moduli = 1; moduli <= launched.moduli; ++moduli) {
    const int planes = planes_of(launched.residues, moduli);
    const Block block = fit_block(launched.buffers, planes, m, n);
    ASSERT_GE(block.rows, line_group);
    ASSERT_GE(block.cols, line_group);
    EXPECT_EQ(block.rows % line_group + block.cols % line_group, 0);
    EXPECT_TRUE(launched.covers(moduli, block, m, n));
    EXPECT_LE(static_cast<std::size_t>(block.rows * planes * launched.buffers.k_padded), plan.buffers.rows_bytes);
    EXPECT_LE(static_cast<std::size_t>(block.cols * planes * launched.buffers.k_padded), plan.buffers.cols_bytes);
    EXPECT_LE(static_cast<std::size_t>(block.rows * block.cols * planes), plan.buffers.result_bytes);
    const auto covered = [](Index launched_blocks, Index block_lines, Index lines) {
      Index sum = 0;
      for (Index i = 0; i < launched_blocks; ++i)
        sum += std::clamp(lines - i * block_lines, Index{0}, block_lines);  // blocks beyond the last line are empty
      return sum;
    };
    EXPECT_EQ(covered(launched.row_blocks, block.rows, m), m);
    EXPECT_EQ(covered(launched.col_blocks, block.cols, n), n);
  }
}

/// The slabs must cover k, and the buffers must hold the residues and results of a chunk with all moduli that the
/// device may plan.
template <class T>
void expect_slabs(const EngineCall<T>& call, const Int8Plan& plan) {
  const SlabShape& shape = plan.slabs;
  EXPECT_TRUE(plan.flow == Int8Flow::cr || plan.flow == Int8Flow::grade);
  EXPECT_GE(shape.k_padded(), call.rows.k);
  EXPECT_LT(shape.k_padded() - shape.terms, call.rows.k);
  EXPECT_LE(shape.slabs, most_slabs);
  EXPECT_LE(shape.terms, most_slab_terms);
  EXPECT_EQ(shape.terms % 128, 0);
  EXPECT_LE(shape.square, most_square);
  EXPECT_EQ(shape.square % line_group + shape.rows % shape.square + shape.cols % shape.square, 0);
  const auto bytes = [](Index count) { return static_cast<std::size_t>(count); };
  EXPECT_LE(bytes(shape.rows * shape.bytes_of_row() * shape.moduli), plan.buffers.rows_bytes);
  EXPECT_LE(bytes(shape.cols * shape.bytes_of_col() * shape.moduli), plan.buffers.cols_bytes);
  EXPECT_LE(bytes(shape.rows * shape.cols * shape.slabs * shape.moduli), plan.buffers.result_bytes);
  EXPECT_LE(bytes(slab_tile_offset(shape, shape.moduli, shape.rows - slab_tile, shape.cols - slab_tile) +
                  shape.slabs * shape.moduli * slab_tile * slab_tile),
            plan.buffers.result_bytes);
}

template <class T>
void expect_certificate(const EngineCall<T>& call, const Int8Plan& plan) {
  const CertificateBlocks& blocks = plan.certificate;
  const Index terms = certificate_terms(call.rows.k, plan.certificate_stride);
  const bool whole = terms <= blocks.chunk;
  EXPECT_GE(blocks.rows, line_group);
  EXPECT_GE(blocks.cols, line_group);
  EXPECT_EQ(blocks.rows % line_group + blocks.cols % line_group + blocks.chunk % 128, 0);
  EXPECT_LE(blocks.chunk, product_most_terms);
  EXPECT_LE(blocks.rows_bytes(), plan.buffers.rows_bytes);
  EXPECT_LE(blocks.cols_bytes(), plan.buffers.cols_bytes);
  if (!whole) {
    EXPECT_LE(static_cast<std::size_t>(blocks.rows * blocks.cols) * 4, plan.buffers.result_bytes);
  }
  // Rungs of moduli want all sampled terms in one chunk.
  EXPECT_TRUE(whole || plan.ladder.kind == CertificateRungKind::bits);
  EXPECT_GE(plan.ladder.most, 1);
  EXPECT_LE(plan.ladder.most, all_rungs);
}

template <class T>
void expect_plan(const EngineCall<T>& call, const Int8Plan& plan, std::size_t cap) {
  expect_layout(call, plan, cap);
  expect_terms(plan, call.rows.k);
  expect_blocks(call, plan, plan.first);
  if (plan.passes > 1) expect_blocks(call, plan, plan.further);
  if (plan.flow == Int8Flow::grade) expect_certificate(call, plan);
  if (plan.slabs.square > 0) expect_slabs(call, plan);
}

template <class T>
class GpuInt8Plan : public testing::Test {};
using PlannedTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(GpuInt8Plan, PlannedTypes);

TYPED_TEST(GpuInt8Plan, MemoryAndBlocksOfManySizes) {
  using T = TypeParam;
  std::mt19937_64 random(20);
  const auto size = [&] { return static_cast<Index>(1 + random() % (std::uint64_t{1} << random() % 18)); };
  const std::vector<Mode> modes{parse_mode("fixed:2"), parse_mode("fixed:53"), parse_mode("fixed:150"),
                                parse_mode("cr"),      grade_mode<T>(true),    grade_mode<T>(false)};
  const NativeOffer offer{16, 0};
  for (int round = 0; round < 2000; ++round) {
    const RowPairs pairs = static_cast<RowPairs>(random() % 3);
    const Mode& mode = modes[random() % modes.size()];
    const std::size_t cap = (std::size_t{1} << random() % 36) + random() % 1000000;
    const bool offered = (mode.kind == ACCUBLAS_MODE_DP || mode.kind == ACCUBLAS_MODE_SP) && !mode.reproducible;
    const PlannedProblem<T> problem(size(), size(), size(), mode, pairs, pairs != RowPairs::none && random() % 2 == 0);
    const Int8Plan plan = problem.plan(cap, offered && random() % 2 == 0 ? &offer : nullptr);
    SCOPED_TRACE(std::to_string(problem.gemm.m) + " x " + std::to_string(problem.gemm.n) + " x " +
                 std::to_string(problem.gemm.k) + ", cap " + std::to_string(cap) + ": " + plan.describe());
    expect_plan(problem.in_engine(), plan, cap);
    const int moduli = static_cast<int>(1 + random() % max_moduli);
    if (pairs == RowPairs::none) expect_plan(problem.in_engine(), problem.plan(cap, nullptr, moduli), cap);
    if (this->HasFailure()) return;
  }
}

/// Both sides of SYRK have the same lines, which are measured once. The operands of a group have no data to compare.
TYPED_TEST(GpuInt8Plan, SameLinesAreOneSet) {
  using T = TypeParam;
  PlannedProblem<T> problem(300, 300, 70, parse_mode("cr"));
  const std::size_t cap = std::size_t{1} << 30;
  problem.gemm.b = {nullptr, problem.gemm.a.col_stride, problem.gemm.a.row_stride};
  const Int8Plan same = problem.plan(cap);
  expect_plan(problem.in_engine(), same, cap);
  EXPECT_TRUE(same.first.same_lines);
  Carver carver(reinterpret_cast<void*>(256));
  const Int8Arrays arrays = take_arrays(carver, problem.in_engine(), same);
  EXPECT_EQ(arrays.rows.norm, arrays.cols.norm);
  EXPECT_LT(same.bytes, PlannedProblem<T>(300, 300, 70, parse_mode("cr")).plan(cap).bytes);
  EXPECT_FALSE(problem.in_engine(true).same_lines());
}

/// The moduli that the host launches for fixed:T are no fewer than the CPU's engine finds needed, on entries next to
/// the largest that have T bits; and no more than it needs for these, since k 2^(2T) is what both must hold.
TYPED_TEST(GpuInt8Plan, ModuliOfFixedAreTheCpus) {
  using T = TypeParam;
  for (int t : {2, 7, 24, 53, 54, 80, 150}) {
    for (Index k : {1, 3, 100, 1000}) {
      const Index m = 3, n = 5;
      const T most = std::nextafter(T(1), T(0));
      const std::vector<T> a(static_cast<std::size_t>(m * k), most), b(static_cast<std::size_t>(k * n), most);
      std::vector<T> c(static_cast<std::size_t>(m * n));
      const Gemm<T> gemm{m, n, k, T(1), {a.data(), 1, m}, {b.data(), 1, k}, T(0), {c.data(), 1, m}};
      Workspace workspace(std::size_t{1} << 26, nullptr, 0);
      accublas_report_t report{};
      Execution execution{1, cpu::Isa::baseline, workspace, report};
      const Mode mode = parse_mode("fixed:" + std::to_string(t));
      cpu::Int8Call<T> on_cpu(gemm, mode, execution);
      on_cpu.measure();
      const int needed = cpu::int8_fixed_moduli(on_cpu, t);
      const PlannedProblem<T> problem(m, n, k, mode);
      const PassLaunch launched = problem.plan(std::size_t{1} << 30).first;
      EXPECT_GE(launched.moduli, needed) << "T " << t << ", k " << k;
      EXPECT_LE(launched.moduli, needed + 1) << "T " << t << ", k " << k;
      // Complex residues, or real ones where these hold too little.
      const PassLaunch complex = PlannedProblem<T>(m, n, k, mode, RowPairs::complex).plan(std::size_t{1} << 30).first;
      EXPECT_GE(int8_capacity(complex.moduli, complex.residues), 2 * t + std::log2(static_cast<double>(2 * k)));
    }
  }
}

/// dp:repro is defined by T: the GPU tries the CPU's rungs. It launches what cr needs, whose passes may compute the
/// call.
TYPED_TEST(GpuInt8Plan, RungsOfTheReproducibleGrade) {
  using T = TypeParam;
  constexpr CertificateRungs rungs = certificate_rungs<T>();
  for (Index k : {most_terms_as_cr + 1, Index{2000}, Index{5000}, Index{100000}}) {
    const Int8Plan plan = PlannedProblem<T>(500, 400, k, grade_mode<T>(true)).plan(std::size_t{1} << 30);
    EXPECT_EQ(plan.flow, Int8Flow::grade);
    EXPECT_EQ(plan.ladder.kind, CertificateRungKind::bits);
    EXPECT_GE(plan.ladder.most, rungs.count);
    EXPECT_EQ(plan.certificate_stride, certificate_stride(k));
    EXPECT_EQ(plan.first.moduli, max_moduli);
  }
}

/// Where no bits are promised the rungs are numbers of moduli. With an offer those that cost more than cuBLAS are not
/// tried, and what the only pass leaves is the exact accumulators'.
TYPED_TEST(GpuInt8Plan, RungsAndPassesOfTheGrade) {
  using T = TypeParam;
  const std::size_t cap = std::size_t{1} << 30;
  const PlannedProblem<T> problem(2000, 2000, 3000, grade_mode<T>(false));
  const CertificateModuli rungs = certificate_moduli<T>(3000);
  const Int8Plan plan = problem.plan(cap);
  EXPECT_EQ(plan.ladder.kind, CertificateRungKind::moduli);
  EXPECT_EQ(plan.first.moduli, rungs.moduli[rungs.count - 1]);
  EXPECT_GT(plan.passes, 1);
  EXPECT_EQ(problem.plan(cap, nullptr, 0, 2).first.moduli, plan.first.moduli + 2);
  const int even = even_moduli(sizeof(T) == sizeof(float), 3000).most;
  for (int most = 1; most <= 24; ++most) {
    const NativeOffer offer{most, 0};
    const Int8Plan offered = problem.plan(cap, &offer);
    EXPECT_EQ(offered.passes, 1);
    EXPECT_FALSE(offered.keep_nonzero);
    for (int rung = 1; rung < offered.ladder.most; ++rung) EXPECT_LE(rungs.moduli[rung], most);
    EXPECT_GE(offered.first.moduli, even);
    EXPECT_GE(offered.first.moduli, rungs.moduli[std::min(rungs.count, offered.ladder.most) - 1]);
  }
}

TYPED_TEST(GpuInt8Plan, Passes) {
  using T = TypeParam;
  const std::size_t cap = std::size_t{1} << 30;
  const auto passes = [&](Index order, const Mode& mode, int sum_moduli = 0) {
    return PlannedProblem<T>(order, order, order, mode).plan(cap, nullptr, sum_moduli).passes;
  };
  EXPECT_EQ(passes(100, parse_mode("fixed:60")), 1);
  EXPECT_EQ(passes(5000, parse_mode("fixed:60")), 1);
  EXPECT_EQ(passes(5000, parse_mode("cr"), 20), 1);
  EXPECT_EQ(passes(1000, parse_mode("cr")), 1);
  EXPECT_EQ(PlannedProblem<T>(512, 1024, 2048, grade_mode<T>(true)).plan(cap).passes, 1);
  EXPECT_EQ(passes(1025, grade_mode<T>(true)), 2);
  EXPECT_EQ(passes(1000, grade_mode<T>(false)), 2);
  EXPECT_EQ(passes(4095, parse_mode("cr")), 1);
  EXPECT_EQ(passes(4096, parse_mode("cr")), 2);
  EXPECT_EQ(passes(4096, grade_mode<T>(true)), 2);
  EXPECT_EQ(passes(20000, parse_mode("cr")), 3);
}

/// GEMM in cr may multiply by slabs if it is large enough and has a workspace of usual size.
TYPED_TEST(GpuInt8Plan, Slabs) {
  using T = TypeParam;
  const auto slabs = [](Index m, Index n, Index k, const char* mode, std::size_t cap) {
    const PlannedProblem<T> problem(m, n, k, parse_mode(mode));
    const Int8Plan plan = problem.plan(cap);
    expect_plan(problem.in_engine(), plan, cap);
    return plan.slabs;
  };
  const std::size_t cap = std::size_t{8} << 30;
  const SlabShape small = slabs(1024, 1024, 1024, "cr", cap);
  EXPECT_EQ(small.square, 256);
  EXPECT_EQ(small.terms, 128);
  EXPECT_EQ(small.rows, 1024);
  EXPECT_EQ(small.cols, 1024);
  const SlabShape large = slabs(4096, 4096, 4096, "cr", cap);
  EXPECT_EQ(large.square, 512);
  EXPECT_EQ(large.terms, 512);
  EXPECT_GE(large.rows * large.cols, 4096 * 4096 / 4);
  EXPECT_EQ(slabs(4096, 4096, 4096, "fixed:53", cap).square, 0);
  EXPECT_EQ(slabs(100, 100, 100, "cr", cap).square, 0);
  const char* const grade = sizeof(T) == 8 ? "dp:repro" : "sp:repro";
  EXPECT_GT(slabs(4096, 4096, 4096, grade, cap).square, 0);
  EXPECT_GT(slabs(1024, 1024, 1025, grade, cap).square, 0);
  EXPECT_EQ(slabs(900, 900, 1100, grade, cap).square, 0);
  EXPECT_EQ(slabs(4096, 4096, 100000, "cr", cap).square, 0);
  EXPECT_EQ(slabs(4096, 4096, 4096, "cr", std::size_t{8} << 20).square, 0);
}

TEST(GpuInt8PlanText, SaysWhatIsChosen) {
  const std::size_t cap = std::size_t{4} << 30;
  EXPECT_EQ(PlannedProblem<double>(4096, 4096, 4096, parse_mode("cr")).plan(cap).describe(),
            "cr: 1 x 4096 terms; real residues of at most 49 moduli in 1 x 1 blocks; 1 more: real residues of at most "
            "49 moduli in 1 x 1 blocks; slabs of 512 terms for squares of 512 in chunks of 1536 x 2048; residues "
            "1047206752 + 1047206752, results 1047206752, in all 3153295616 bytes, with bitmaps of nonzero entries");
  EXPECT_EQ(PlannedProblem<double>(1000, 2000, 3000, grade_mode<double>(true), RowPairs::complex).plan(cap).describe(),
            "grade: 1 x 6144 terms; certificate by bits, at most 6 rungs, 1 block of terms in 8, blocks of 2048 x 2048 "
            "x 768; complex residues of at most 28 moduli in 1 x 1 blocks; 1 more: real residues of at most 49 moduli "
            "in 1 x 1 blocks; residues 616562688 + 616562688, results 205520896, in all 1442332928 bytes, with bitmaps "
            "of nonzero entries");
}

}  // namespace
}  // namespace accublas::cuda
