// The device memory of accumulators, as the driver counts it: the residues, and a workspace within its cap for host
// panels, for the second round and for the final rounding. The library's pool keeps what it has taken, so the free
// memory after a call is the least that there was. Sizes are such that a step without the cap exceeds it by far.
#include "test/api/accumulators.hpp"
#include "test/gpu/device.hpp"

namespace accublas::test {
namespace {

using namespace accumulators_test;

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

std::int64_t free_memory() {
  std::size_t free = 0, total = 0;
  require(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return static_cast<std::int64_t>(free);
}

class AccumulatorMemory : public testing::Test {
 protected:
  /// The pool and the driver may take this beyond the sizes that are asked for: the pool grows by 32 MiB.
  static constexpr std::int64_t slack = 72 * mebibyte;

  void SetUp() override {
    ASSERT_EQ(accublas_set_backend(nullptr, ACCUBLAS_BACKEND_CUDA), ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
  }
  void TearDown() override {
    accublas_set_workspace_mib(nullptr, 0);
    accublas_set_backend(nullptr, ACCUBLAS_BACKEND_AUTO);
  }
  static void set_cap(std::int64_t mib) {
    ASSERT_EQ(accublas_set_workspace_mib(nullptr, mib), ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
  }
  /// Returns the result of one call on the GPU.
  template <class E>
  static std::vector<E> one_call(const Product<E>& p, const char* mode) {
    set_cap(0);
    using T = Real<E>;
    accublas_options options = ACCUBLAS_OPTIONS_INIT;
    options.mode_name = mode;
    std::vector<E> c = p.c;
    EXPECT_EQ(
        Numbers<E>::gemm(nullptr, p.layout, p.transa, p.transb, p.m, p.n, p.k, reinterpret_cast<const T*>(&p.alpha),
                         reinterpret_cast<const T*>(p.a.data()), p.lda, reinterpret_cast<const T*>(p.b.data()), p.ldb,
                         reinterpret_cast<const T*>(&p.beta), reinterpret_cast<T*>(c.data()), p.ldc, &options),
        ACCUBLAS_SUCCESS)
        << accublas_last_error(nullptr);
    return c;
  }
  template <class E>
  static void expect_bits(const std::vector<E>& got, const std::vector<E>& expected, const char* text) {
    EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(E)), 0) << text;
  }
};

template <class E>
Product<E> make_product(Kind kind, Index m, Index n, Index k, int seed) {
  Random random(static_cast<std::uint64_t>(seed));
  Product<E> p(random, kind, m, n, k);
  p.alpha = E(1.1F);
  p.beta = E(-0.5F);
  return p;
}

/// One panel of host operands is copied and converted in parts. A row whose Inf lies in one part counts as zero in all
/// of them, where it has numbers beyond its exponents.
template <class E>
void add_large_host_panel(std::int64_t cap, Index size, Index k, std::int64_t slack, std::int64_t* taken) {
  Product<E> p = make_product<E>(Kind::normal, size, size, k, 5);
  p.at_a(3, 10) = E(std::numeric_limits<double>::infinity());
  p.at_a(3, k - 5) = E(1e100);
  p.at_b(k - 7, 5) = E(std::numeric_limits<double>::quiet_NaN());
  p.at_b(2, 5) = E(1e90);
  const std::int64_t staged = static_cast<std::int64_t>((p.a.size() + p.b.size()) * sizeof(E));
  ASSERT_GT(staged, 2 * (cap + slack));
  const std::int64_t before = free_memory();
  Sums<E> sums(p, "fixed:40", {{0, k}});
  sums.add({0, k});
  const accublas_accumulator_report_t added = sums.report();
  Answer<E> answer;
  ASSERT_EQ(sums.finish(answer), ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
  *taken = before - free_memory();
  EXPECT_GT(added.workspace_bytes, 0);
  EXPECT_LE(added.workspace_bytes, cap);
  EXPECT_LE(sums.report().workspace_bytes, cap);
  // `bytes` has the terms that wait, which count in the cap.
  EXPECT_LE(*taken, added.bytes + cap + slack);
  answer.raised = 0;
  Answer<E> expected = by_one_call(p, "fixed:40");
  expected.raised = 0;
  expect_same(answer, expected, "a large host panel");
}

TEST_F(AccumulatorMemory, OfHostPanels) {
  set_cap(48);
  std::int64_t taken = 0;
  add_large_host_panel<double>(48 * mebibyte, 1800, 10000, slack, &taken);
  EXPECT_GE(taken, 32 * mebibyte) << "the GPU did not compute";  // this test is the first of its program
}
TEST_F(AccumulatorMemory, OfComplexHostPanels) {
  set_cap(48);
  std::int64_t taken = 0;
  add_large_host_panel<std::complex<double>>(48 * mebibyte, 900, 10000, slack, &taken);
}

/// The exact sums of 490,000 undecided elements, whose exponents may be any.
TEST_F(AccumulatorMemory, OfTheSecondRound) {
  constexpr std::int64_t cap = 16 * mebibyte;
  const Product<double> p = make_product<double>(Kind::normal, 700, 700, 60, 6);
  const std::vector<std::int32_t> wide(static_cast<std::size_t>(2 * 700), 1000);
  accublas_accumulator* sums = nullptr;
  Sums<double>::good(
      accublas_accumulator_create(nullptr, ACCUBLAS_TYPE_D, "cr", p.m, p.n, p.k, wide.data(), wide.data(), 4, &sums));
  const DeviceArray<double> a(p.a), b(p.b), c(p.c);
  set_cap(16);
  const std::int64_t before = free_memory();
  const auto add = [&](Index first, Index k) {
    Sums<double>::good(accublas_accumulator_add(nullptr, sums, p.layout, p.transa, p.transb, k,
                                                a.data() + (p.panel_a(first) - p.a.data()), p.lda,
                                                b.data() + (p.panel_b(first) - p.b.data()), p.ldb));
  };
  const auto finish = [&] {
    return accublas_accumulator_finish(nullptr, sums, p.layout, &p.alpha, &p.beta, c.data(), p.ldc);
  };
  add(0, 25);
  add(25, 35);
  ASSERT_EQ(finish(), ACCUBLAS_ERROR_UNDECIDED);
  for (const Panel& panel : {Panel{0, 25}, Panel{25, 35}}) {
    add(panel.first, panel.k);
    accublas_accumulator_report_t report;
    report.struct_size = sizeof report;
    Sums<double>::good(accublas_accumulator_report(nullptr, sums, &report));
    EXPECT_EQ(report.undecided, p.m * p.n);
    EXPECT_LE(report.workspace_bytes, cap);
    EXPECT_GT(report.workspace_bytes, cap / 8) << "the GPU did not compute";
  }
  ASSERT_EQ(finish(), ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
  EXPECT_LE(before - free_memory(), cap + slack + 64 * mebibyte);  // 250 MiB if all sums are computed at a time
  accublas_accumulator_destroy(sums);
  expect_bits(c.values(), by_one_call(p, "cr").c, "second round");
}

/// Results go to host memory in blocks of columns, also if the device first looks for undecided elements.
TEST_F(AccumulatorMemory, OfResults) {
  const Product<double> p = make_product<double>(Kind::normal, 3000, 3100, 200, 7);
  for (const char* const mode : {"fixed:40", "cr"}) {
    const std::vector<double> expected = one_call(p, mode);
    set_cap(64);
    Sums<double> sums(p, mode, {{0, 200}});
    Answer<double> answer;
    const std::int64_t before = free_memory();
    finish_rounds(sums, answer, p, [](Sums<double>& to) { to.add({0, 200}); });
    const accublas_accumulator_report_t report = sums.report();
    EXPECT_LE(report.workspace_bytes, 64 * mebibyte) << mode;
    EXPECT_LE(before - free_memory(), report.bytes + 64 * mebibyte + slack) << mode;
    expect_bits(answer.c, expected, mode);
  }
}

/// A workspace that becomes smaller holds for the terms that wait, too.
TEST_F(AccumulatorMemory, FollowsTheCap) {
  const Product<double> p = make_product<double>(Kind::normal, 1000, 1000, 6000, 8);
  const std::vector<double> expected = one_call(p, "fixed:40");
  Sums<double> sums(p, "fixed:40", {{0, 6000}});
  sums.add({0, 1000});
  const std::int64_t with_all = sums.report().bytes;
  set_cap(24);
  sums.add({1000, 3000});
  const std::int64_t with_few = sums.report().bytes;
  EXPECT_LE(with_few, with_all - 64 * mebibyte);
  set_cap(0);
  sums.add({4000, 1000});
  // Less than a row of products: the CPU adds the panel.
  set_cap(1);
  sums.add({5000, 500});
  set_cap(0);
  sums.add({5500, 500});
  // The terms that wait take more than this workspace. Rounding gives their memory back.
  set_cap(12);
  Answer<double> answer;
  ASSERT_EQ(sums.finish(answer), ACCUBLAS_SUCCESS) << accublas_last_error(nullptr);
  const accublas_accumulator_report_t report = sums.report();
  EXPECT_GT(report.workspace_bytes, mebibyte) << "the CPU rounded";
  EXPECT_LE(report.workspace_bytes, 12 * mebibyte);
  EXPECT_LE(report.bytes, with_few);
  expect_bits(answer.c, expected, "smaller and larger workspaces");
}

}  // namespace
}  // namespace accublas::test
