// Skinny products of mode cr on the device: the kernel that cuts the large operand into digits while it reads it, and
// the steps for elements that it leaves pending. The results are compared with exact sums of the CPU, bit by bit.
#include <algorithm>
#include <array>

#include "cuda/batch/skinny_kernels.hpp"
#include "cuda/core/call_state.hpp"
#include "cuda/exact/open_elements.hpp"
#include "lib/cpu/engines.hpp"
#include "test/gpu/device_lines.hpp"
#include "test/gpu/engine_problem.hpp"

#ifdef ACCUBLAS_HAVE_HOPPER_KERNELS

namespace accublas::test {
namespace {

cuda::DeviceModel skinny_model() {
  cuda::DeviceModel model = device_model();
  model.hopper_kernels = model.major == 9;
  return model;
}

#define SKIP_UNLESS_SKINNY(model) \
  if (!cuda::skinny_serves(model, 1, 1)) GTEST_SKIP() << "the kernel needs compute capability 9.0"

struct SkinnyCase {
  Index m, n, k;
  double alpha = 1, beta = 0;
  bool row_major_a = false, row_major_b = false, row_major_c = false;
  Index share = 0;  ///< steps of a thread block; 0: the plan's
  bool all_undecided = false;
};

/// Computes a product and compares it with exact sums. Returns the number of elements of finite lines that the kernel
/// left pending.
unsigned long long check_skinny(const cuda::DeviceModel& model, const Kind& kind, const SkinnyCase& c, Random& rng) {
  SCOPED_TRACE(testing::Message() << kind.name() << " " << c.m << " x " << c.n << " x " << c.k << " alpha " << c.alpha
                                  << " beta " << c.beta << " rows " << c.row_major_a << c.row_major_b << c.row_major_c
                                  << " share " << c.share << " undecided " << c.all_undecided);
  const EngineProblem<double> p(make_entries<double>(kind, c.m, c.n, c.k, rng), c.alpha, c.beta, c.row_major_a,
                                c.row_major_b, c.row_major_c);
  const std::vector<double> want = p.on_cpu(
      [](const Gemm<double>& gemm, const Mode&, Execution& execution) { cpu::exact_gemm(gemm, execution); }, Mode{});
  const DeviceArray<double> result(p.c);
  const cuda::Operand<double> rows = p.rows(), cols = p.cols();
  const auto unmeasured = [](const cuda::Operand<double>& x) {
    HostLines lines(x.count, x.k);
    std::fill_n(lines.special.begin(), x.count, std::uint8_t{1});  // the kernel says which lines are special
    return lines;
  };
  const DeviceLines row_lines(unmeasured(rows)), col_lines(unmeasured(cols));
  const Index pitch = cuda::OpenBits::words_per_row(cols.count);
  const DeviceArray<std::uint32_t> open(std::vector<std::uint32_t>(static_cast<std::size_t>(rows.count * pitch), ~0u));
  const DeviceState state(cuda::CallState{});
  const bool large_cols = cols.count >= rows.count;
  cuda::SkinnyPlan plan(model, std::max(rows.count, cols.count), std::min(rows.count, cols.count), c.k);
  if (c.share > 0) {
    plan.share = c.share;
    plan.blocks = ceil_div(plan.tiles() * plan.steps, c.share);
  }
  const DeviceArray<std::byte> memory(
      cuda::bytes_of_arrays([&](cuda::Carver& carver) { cuda::take_skinny(carver, plan); }));
  cuda::Carver carver(memory.data());
  const cuda::SkinnyArrays arrays = cuda::take_skinny(carver, plan);
  const cuda::ExactArguments<double> exact{rows,
                                           cols,
                                           row_lines.lines(false),
                                           col_lines.lines(false),
                                           p.at(result.data()),
                                           {c.alpha, nullptr},
                                           {c.beta, nullptr},
                                           open.data(),
                                           state.data()};
  cuda::start_skinny(model, exact, large_cols, plan, arrays, nullptr);
  cuda::multiply_skinny(model, large_cols ? cols : rows, plan, arrays, nullptr);
  cuda::round_skinny(model, exact, large_cols, plan, arrays, c.all_undecided, nullptr);
  const cuda::CallState after = state.read();
  const std::vector<std::uint32_t> words = open.values();
  std::vector<double> got = result.values(), expected = want, before = p.c;
  const auto in_engine = [&](std::vector<double>& x, Index i, Index j) -> double& {
    const Matrix<double> at = p.at(x.data());
    return at.data[i * at.row_stride + j * at.col_stride];
  };
  unsigned long long pending = 0;
  for (Index i = 0; i < rows.count; ++i) {
    for (Index j = 0; j < cols.count; ++j) {
      const bool is_open = (words[static_cast<std::size_t>(i * pitch + j / 32)] >> j % 32 & 1) != 0;
      pending += is_open;
      const double at = in_engine(got, i, j), right = in_engine(is_open ? before : expected, i, j);
      if (to_bits(at) != to_bits(right)) {
        ADD_FAILURE() << (is_open ? "pending" : "rounded") << " element " << i << ", " << j << " is " << at << ", not "
                      << right;
        return 0;
      }
    }
    for (Index j = cols.count; j < 32 * pitch; ++j)
      EXPECT_EQ(words[static_cast<std::size_t>(i * pitch + j / 32)] >> j % 32 & 1, 0u) << i << " " << j;
  }
  EXPECT_EQ(after.open[0], pending);
  EXPECT_LE(after.rejected, pending);
  if (c.all_undecided) {
    EXPECT_EQ(pending, static_cast<unsigned long long>(c.m * c.n));
  }
  cuda::finish_skinny(model, exact, arrays, nullptr);
  got = result.values();
  for (std::size_t q = 0; q < got.size(); ++q)
    if (to_bits(got[q]) != to_bits(want[q])) {
      ADD_FAILURE() << "entry " << q << " of C's array is " << got[q] << ", not " << want[q];
      break;
    }
  return after.rejected;
}

TEST(Skinny, KindsOfData) {
  const cuda::DeviceModel model = skinny_model();
  SKIP_UNLESS_SKINNY(model);
  Random rng{11};
  for (const Kind& kind : kinds_of_digits) {
    check_skinny(model, kind, {.m = 150, .n = 40, .k = 330}, rng);
    check_skinny(model, kind, {.m = 37, .n = 130, .k = 200, .alpha = -1.3, .beta = 0.7, .share = 3}, rng);
    if (HasFailure()) return;
  }
}

TEST(Skinny, EdgesOfTilesAndTerms) {
  const cuda::DeviceModel model = skinny_model();
  SKIP_UNLESS_SKINNY(model);
  Random rng{12};
  for (const Index k : {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 257})
    for (const auto& [m, n] : {std::array<Index, 2>{1, 1}, {64, 64}, {65, 63}, {128, 128}, {129, 33}, {32, 193}}) {
      check_skinny(model, {Data::phi, 1}, {.m = m, .n = n, .k = k}, rng);
      if (HasFailure()) return;
    }
}

TEST(Skinny, LayoutsAndShares) {
  const cuda::DeviceModel model = skinny_model();
  SKIP_UNLESS_SKINNY(model);
  Random rng{13};
  for (int layout = 0; layout < 8; ++layout)
    for (const Index share : {1, 5, 1000})
      for (const auto& [m, n] : {std::array<Index, 2>{170, 50}, {70, 190}}) {
        check_skinny(model, {Data::cancellation},
                     {.m = m,
                      .n = n,
                      .k = 210,
                      .alpha = 0.3,
                      .beta = layout % 2 ? 0.0 : -2.5,
                      .row_major_a = (layout & 1) != 0,
                      .row_major_b = (layout & 2) != 0,
                      .row_major_c = (layout & 4) != 0,
                      .share = share},
                     rng);
        if (HasFailure()) return;
      }
}

/// Long sums fill the range of int32 several times. Few elements of random data are pending.
TEST(Skinny, LongSums) {
  const cuda::DeviceModel model = skinny_model();
  SKIP_UNLESS_SKINNY(model);
  Random rng{14};
  for (const Index share : {0, 2000}) {
    const unsigned long long pending =
        check_skinny(model, {Data::phi, 0.5}, {.m = 64, .n = 20, .k = 20000, .share = share}, rng);
    EXPECT_LE(pending, 30u);
  }
  check_skinny(model, {Data::whole_range}, {.m = 5, .n = 70, .k = 9000, .share = 2000}, rng);
  check_skinny(model, {Data::integers}, {.m = 66, .n = 3, .k = cuda::most_skinny_terms, .share = 5000}, rng);
}

/// All elements are pending, few of them or so many that tiles compute them.
TEST(Skinny, PendingElements) {
  const cuda::DeviceModel model = skinny_model();
  SKIP_UNLESS_SKINNY(model);
  Random rng{15};
  for (const Kind& kind : {Kind{Data::phi, 1}, Kind{Data::few_special}, Kind{Data::zero_lines}})
    for (const auto& [m, n] : {std::array<Index, 2>{90, 30}, {40, 300}, {1300, 64}}) {
      check_skinny(model, kind, {.m = m, .n = n, .k = 70, .all_undecided = true}, rng);
      if (HasFailure()) return;
    }
}

}  // namespace
}  // namespace accublas::test

#endif
