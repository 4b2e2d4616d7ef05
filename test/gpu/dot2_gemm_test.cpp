// GEMM in mode dot2 on the GPU against the CPU, bit by bit, through the public interface. Layouts, strides, scalars,
// empty products and host operands: gemm_test.cpp.
#include <algorithm>
#include <cmath>

#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {
namespace {

template <class T>
class Dot2Gemm : public testing::Test {
 protected:
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};
  Random rng{20261121};

  void SetUp() override {
    cpu.set("dot2");
    gpu.set("dot2");
  }
  /// A problem of given entries in a random layout.
  Problem<T> place(const GemmEntries<T>& e, const std::string& text) {
    auto p = random_problem<T>(rng, {Data::phi, 0}, e.m, e.n, e.k);
    if (p.at_a.row == 0 || p.at_a.col == 0 || p.at_b.row == 0 || p.at_b.col == 0)  // repeated entries: not these
      p = plain_problem<T>(rng, {Data::phi, 0}, e.m, e.n, e.k);
    p.text = text;
    fill(p, e);
    return p;
  }
};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(Dot2Gemm, Types);

const std::vector<Kind> kinds = {{Data::phi, 0},      {Data::phi, 1},   {Data::phi, 10},       {Data::graded},
                                 {Data::whole_range}, {Data::ties},     {Data::cancellation},  {Data::subnormal},
                                 {Data::overflow},    {Data::integers}, {Data::few_special},   {Data::many_special},
                                 {Data::zero_lines},  {Data::extreme},  {Data::block_diagonal}};

TYPED_TEST(Dot2Gemm, Kinds) {
  using T = TypeParam;
  for (const Kind& kind : kinds)
    for (int number = 0; number < scaled(6); ++number) {
      auto p = random_problem<T>(this->rng, kind, 2 + below(this->rng, 150), 2 + below(this->rng, 150),
                                 1 + below(this->rng, 600));
      if (number % 2) p.alpha = T(-1.3);
      if (number % 3 == 1) p.beta = T(0.7);
      expect_same(this->cpu, this->gpu, p, "dot2", number % 3 == 2);
      if (testing::Test::HasFatalFailure()) return;
    }
}

/// Around a thread block's tile, a word of the bitmap, a step and a block of the definition.
TYPED_TEST(Dot2Gemm, Edges) {
  using T = TypeParam;
  for (const Index k : {1, 7, 8, 9, 15, 17, 127, 128, 129, 255, 256, 257, 385})
    for (const auto& [m, n] :
         {std::pair<Index, Index>{2, 2}, {31, 33}, {32, 64}, {63, 65}, {64, 32}, {65, 63}, {128, 129}}) {
      const auto p = random_problem<T>(this->rng, {Data::cancellation}, m, n, k);
      expect_same(this->cpu, this->gpu, p, "dot2");
      if (testing::Test::HasFatalFailure()) return;
    }
}

TYPED_TEST(Dot2Gemm, LargeShapes) {
  using T = TypeParam;
  for (int number = 0; number < scaled(12); ++number) {
    const Kind& kind = kinds[static_cast<std::size_t>(below(this->rng, static_cast<Index>(kinds.size())))];
    const auto p = random_problem<T>(this->rng, kind, 1 + below(this->rng, 700), 1 + below(this->rng, 700),
                                     1 + below(this->rng, 5000));
    expect_same(this->cpu, this->gpu, p, "dot2");
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// Few tiles and a long k: thread blocks share it. In a workspace of any size, down to none for that.
TYPED_TEST(Dot2Gemm, LongSums) {
  using T = TypeParam;
  for (int number = 0; number < scaled(16); ++number) {
    const Kind& kind = kinds[static_cast<std::size_t>(below(this->rng, static_cast<Index>(kinds.size())))];
    const Index k = 300 + below(this->rng, number < 3 ? 60000 : 8000);
    auto p = random_problem<T>(this->rng, kind, 2 + below(this->rng, 140), 2 + below(this->rng, 140), k);
    if (number % 2) p.beta = T(-0.7);
    const std::size_t bytes = std::size_t{1} << (17 + number % 6);
    const DeviceArray<char> workspace(bytes);
    ASSERT_EQ(accublas_set_workspace(this->gpu, number % 3 ? workspace.data() : nullptr, number % 3 ? bytes : 0),
              ACCUBLAS_SUCCESS);
    expect_same(this->cpu, this->gpu, p, "dot2", number % 4 == 1);
    ASSERT_EQ(accublas_set_workspace(this->gpu, nullptr, 0), ACCUBLAS_SUCCESS);
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// Lines of exponents that bring sums to either side of what the fast comparison can order, and of overflow: within a
/// tile, and in tiles of their own.
TYPED_TEST(Dot2Gemm, ExponentsNearTheLimit) {
  using T = TypeParam;
  const int top = std::numeric_limits<T>::max_exponent;
  for (int number = 0; number < scaled(20); ++number) {
    const Index m = 40 + below(this->rng, 200), n = 40 + below(this->rng, 200), k = 2 + below(this->rng, 400);
    auto e = make_entries<T>({Data::phi, 1}, m, n, k, this->rng);
    const bool by_tile = below(this->rng, 2) != 0;
    for (Index i = 0; i < m; ++i) {
      const int shift =
          (by_tile ? i / 64 % 2 : below(this->rng, 3)) ? top / 2 - static_cast<int>(below(this->rng, 24)) : 0;
      for (Index p = 0; p < k; ++p) e.A(i, p) = std::ldexp(e.A(i, p), shift);
    }
    for (Index j = 0; j < n; ++j) {
      const int shift = below(this->rng, 3) ? top / 2 - static_cast<int>(below(this->rng, 24)) : -top / 2;
      for (Index p = 0; p < k; ++p) e.B(p, j) = std::ldexp(e.B(p, j), shift);
    }
    auto p = this->place(e, "exponents near the limit");
    if (number % 3 == 0) p.alpha = std::ldexp(T(1.5), -top / 2);
    if (number % 2 == 0) p.beta = T(-0.75);  // no element may be written twice
    expect_same(this->cpu, this->gpu, p, "dot2");
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// Sums of the largest numbers that overflow and would come back, or just do not; errors at the least subnormal.
TYPED_TEST(Dot2Gemm, Extremes) {
  using T = TypeParam;
  const int top = std::numeric_limits<T>::max_exponent, low = std::numeric_limits<T>::min_exponent;
  const T largest = std::numeric_limits<T>::max();
  const std::vector<T> huge = {largest,
                               -largest,
                               T(1),
                               T(-1),
                               T(0),
                               std::ldexp(T(1), top - 54 + 29 * (sizeof(T) == 4)),
                               std::ldexp(T(-3), top - 54 + 29 * (sizeof(T) == 4)),
                               std::numeric_limits<T>::denorm_min()};
  const std::vector<T> tiny = {std::numeric_limits<T>::denorm_min(),
                               -std::numeric_limits<T>::denorm_min(),
                               std::ldexp(T(1.5), low),
                               std::ldexp(T(-1.25), low + 3),
                               T(0.5),
                               T(-1.5),
                               -T(0),
                               std::ldexp(T(3), low / 2)};
  for (int number = 0; number < scaled(20); ++number) {
    const Index m = 2 + below(this->rng, 90), n = 2 + below(this->rng, 90), k = 1 + below(this->rng, 300);
    auto e = make_entries<T>({Data::phi, 0}, m, n, k, this->rng);
    const std::vector<T>& from = number % 2 ? tiny : huge;
    for (T& x : e.a) x = from[static_cast<std::size_t>(below(this->rng, 8))];
    for (T& x : e.b)
      x = below(this->rng, 3) ? static_cast<T>(sign(this->rng)) : from[static_cast<std::size_t>(below(this->rng, 8))];
    auto p = this->place(e, "extremes");
    if (below(this->rng, 2)) p.beta = T(-1);
    expect_same(this->cpu, this->gpu, p, "dot2");
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// A CUDA graph replays the call on whatever data lies in the operands then: ordinary ones, special ones, huge ones.
TYPED_TEST(Dot2Gemm, Graph) {
  using T = TypeParam;
  cudaStream_t stream;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  ASSERT_EQ(accublas_set_stream(this->gpu, stream), ACCUBLAS_SUCCESS);
  accublas_set_pointer_mode(this->gpu, ACCUBLAS_POINTER_HOST);
  const Index m = 150, n = 170, k = 300;
  const auto first = plain_problem<T>(this->rng, {Data::phi, 1}, m, n, k);
  OnDevice<T> operands(first);
  ASSERT_EQ(operands.run(this->gpu, first), ACCUBLAS_SUCCESS) << this->gpu.error();
  require(cudaStreamSynchronize(stream), "first call");
  cudaGraph_t graph;
  cudaGraphExec_t replay;
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capture");
  EXPECT_EQ(operands.run(this->gpu, first), ACCUBLAS_SUCCESS) << this->gpu.error();
  require(cudaStreamEndCapture(stream, &graph), "end of capture");
  require(cudaGraphInstantiate(&replay, graph, 0), "instantiate");
  for (const Kind& kind :
       {Kind{Data::phi, 4}, Kind{Data::few_special}, Kind{Data::whole_range}, Kind{Data::cancellation}}) {
    const auto next = plain_problem<T>(this->rng, kind, m, n, k);
    operands.a = next.a, operands.b = next.b, operands.c = next.c;
    require(cudaGraphLaunch(replay, stream), "launch");
    require(cudaStreamSynchronize(stream), "replay");
    std::vector<T> want;
    ASSERT_EQ(on_host(this->cpu, next, want), ACCUBLAS_SUCCESS);
    EXPECT_EQ(mismatch(next, want, operands.c.values()), "") << kind.name();
  }
  cudaGraphExecDestroy(replay);
  cudaGraphDestroy(graph);
  ASSERT_EQ(accublas_set_stream(this->gpu, nullptr), ACCUBLAS_SUCCESS);
  cudaStreamDestroy(stream);
}

TYPED_TEST(Dot2Gemm, Report) {
  using T = TypeParam;
  const auto p = plain_problem<T>(this->rng, {Data::phi, 1}, 300, 200, 1000);
  std::vector<T> out;
  for (const bool host_operands : {false, true}) {
    ASSERT_EQ(host_operands ? on_host(this->gpu, p, out) : on_device(this->gpu, p, out), ACCUBLAS_SUCCESS)
        << this->gpu.error();
    const accublas_report_t report = this->gpu.report();
    EXPECT_STREQ(report.backend, "cuda");
    EXPECT_STREQ(report.engine, "dot2");
    EXPECT_EQ(report.undecided, 0);
    EXPECT_GT(report.bound_relative, 0);
    EXPECT_LT(report.bound_componentwise, sizeof(T) == 8 ? 1e-27 : 1e-12);
    EXPECT_GT(report.bound_absolute, 0);
  }
  ASSERT_EQ(on_host(this->cpu, p, out), ACCUBLAS_SUCCESS);
  const accublas_report_t want = this->cpu.report();
  ASSERT_EQ(on_device(this->gpu, p, out), ACCUBLAS_SUCCESS);
  const accublas_report_t got = this->gpu.report();
  EXPECT_EQ(got.bound_relative, want.bound_relative);
  EXPECT_EQ(got.bound_componentwise, want.bound_componentwise);
}

}  // namespace
}  // namespace accublas::test
