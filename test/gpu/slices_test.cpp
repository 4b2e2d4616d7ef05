// slices:D and slices:D:fast on the device against the CPU's engine, bit for bit.
#include "cuda/fp64/slices.hpp"

#include "cuda/core/call_state.hpp"
#include "cuda/exact/open_elements.hpp"
#include "test/gpu/engine_problem.hpp"

namespace accublas {
namespace {

using cuda::Cublas;
using cuda::ExactArguments;
using cuda::SliceBlocks;
using cuda::SliceScheme;
using namespace test;

const auto fp64 = [](const auto& gemm, const Mode& mode, Execution& execution) {
  cpu::fp64_gemm(gemm, mode, execution);
};

/// The pass against the CPU: equal bits, or, in special lines, open and untouched.
template <class T>
void check(const EngineProblem<T>& problem, int slices, bool fast, std::size_t available, bool device_scalars,
           const std::string& what) {
  const std::vector<T> want = problem.on_cpu(fp64, Mode{ACCUBLAS_MODE_SLICES, slices, fast});
  const MeasuredLines<T> rows(problem.host_rows()), cols(problem.host_cols());
  const Index count = problem.rows().count, width = problem.cols().count, words = cuda::OpenBits::words_per_row(width);
  const SliceScheme scheme = cuda::slice_scheme(slices, fast, problem.k);
  const SliceBlocks blocks = cuda::slice_blocks({}, scheme, count, width, problem.k, available);
  DeviceArray<T> c(problem.c), scalars(std::vector<T>{problem.alpha, problem.beta});
  DeviceArray<char> memory(blocks.bytes());
  DeviceArray<std::uint32_t> open(static_cast<std::size_t>(count * words));
  DeviceArray<CallState> state(std::vector<CallState>(1));
  Cublas cublas{0};
  cublas.begin(nullptr, nullptr, 0);
  cuda::slice_pass(cublas, scheme, blocks,
                   ExactArguments<T>{problem.rows(),
                                     problem.cols(),
                                     rows.lines,
                                     cols.lines,
                                     problem.at(c.data()),
                                     {problem.alpha, device_scalars ? scalars.data() : nullptr},
                                     {problem.beta, device_scalars ? scalars.data() + 1 : nullptr},
                                     open.data(),
                                     state.data()},
                   static_cast<const CombinedParts<T>*>(nullptr), memory.data(), nullptr);
  require(cudaDeviceSynchronize(), "pass");
  const std::vector<T> got = c.values();
  std::vector<T> rest = got;
  const std::vector<std::uint32_t> bits = open.values();
  const Matrix<T> at = problem.at(nullptr);
  Index wrong = 0;
  for (Index r = 0; r < count; ++r) {
    for (Index q = 0; q < words * 32; ++q) {
      const bool bit = (bits[static_cast<std::size_t>(r * words + q / 32)] >> (q % 32) & 1) != 0;
      const bool special = q < width && (rows.is_special(r) || cols.is_special(q));
      if (bit != special && wrong++ == 0) ADD_FAILURE() << what << ": open bit " << bit << " at " << r << ", " << q;
      if (q >= width) continue;
      const auto i = static_cast<std::size_t>(r * at.row_stride + q * at.col_stride);
      const T expected = special ? problem.c[i] : want[i];
      if (to_bits(got[i]) != to_bits(expected) && wrong++ == 0)
        ADD_FAILURE() << what << ": (" << r << ", " << q << ") got " << got[i] << " want " << expected;
      rest[i] = problem.c[i];
    }
  }
  EXPECT_EQ(wrong, 0) << what;
  for (std::size_t i = 0; i < rest.size() && wrong == 0; ++i) {
    if (to_bits(rest[i]) != to_bits(problem.c[i]) && wrong++ == 0) ADD_FAILURE() << what << ": written outside of C";
  }
}

template <class T>
class SlicesTest : public testing::Test {};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(SlicesTest, Types);

const Kind slice_kinds[] = {{Data::phi, 0},       {Data::phi, 1},         {Data::phi, 10},    {Data::graded},
                            {Data::whole_range},  {Data::block_diagonal}, {Data::triangular}, {Data::ties},
                            {Data::cancellation}, {Data::subnormal},      {Data::overflow},   {Data::integers},
                            {Data::few_special},  {Data::many_special},   {Data::zero_lines}, {Data::extreme}};

TYPED_TEST(SlicesTest, EqualTheCpu) {
  using T = TypeParam;
  constexpr T infinity = std::numeric_limits<T>::infinity();
  constexpr T huge = std::numeric_limits<T>::max(), tiny = std::numeric_limits<T>::denorm_min();
  const std::pair<T, T> scalars[] = {{T(1), T(0)},     {T(-0.7), T(1.3)}, {T(2), T(-1)}, {huge, tiny},     {tiny, huge},
                                     {T(1), infinity}, {infinity, T(0)},  {T(1), T(1)},  {-infinity, T(2)}};
  Random rng(21);
  std::size_t count = 0;
  for (const Kind& kind : slice_kinds)
    for (int slices : {1, 2, 3, 5, 8, 50})
      for (bool fast : {false, true}) {
        const Index m = 1 + below(rng, 60), n = 1 + below(rng, 60), k = 1 + below(rng, slices == 50 ? 60 : 300);
        const auto [alpha, beta] = scalars[count % std::size(scalars)];
        const EngineProblem<T> problem(make_entries<T>(kind, m, n, k, rng), alpha, beta, rng() & 1, rng() & 1,
                                       rng() & 1);
        check(problem, slices, fast, std::size_t{1} << 30, count % 2 == 1,
              kind.name() + " slices:" + std::to_string(slices) + (fast ? ":fast" : ""));
        if (this->HasFailure()) return;
        ++count;
      }
}

/// Beta C cancels alpha S to its last bits.
TYPED_TEST(SlicesTest, CancellationWithC) {
  using T = TypeParam;
  Random rng(22);
  for (int slices : {1, 2, 4}) {
    GemmEntries<T> e = make_entries<T>({Data::phi, 2}, 50, 41, 77, rng);
    const EngineProblem<T> first(e, T(1), T(0), false, false, false);
    const std::vector<T> c = first.on_cpu(fp64, Mode{ACCUBLAS_MODE_SLICES, slices, false});
    for (Index j = 0; j < e.n; ++j)
      for (Index i = 0; i < e.m; ++i)
        e.c[static_cast<std::size_t>(i + j * e.m)] =
            c[static_cast<std::size_t>(i * first.view_c.row_stride + j * first.view_c.col_stride)];
    for (T beta : {T(-1), T(1)}) {
      const EngineProblem<T> problem(e, -beta, beta, false, true, slices == 2);
      check(problem, slices, false, std::size_t{1} << 30, false, "cancellation");
    }
  }
}

TYPED_TEST(SlicesTest, BlocksAndChunksDoNotMatter) {
  using T = TypeParam;
  Random rng(23);
  const Index sizes[][3] = {{1, 1, 1},        {1, 300, 5000}, {300, 1, 4097},
                            {130, 200, 9000}, {520, 300, 65}, {3, 4, 300001}};
  for (const auto& size : sizes)
    for (std::size_t available : {std::size_t{1} << 30, std::size_t{30} << 20, std::size_t{0}}) {
      const EngineProblem<T> problem(make_entries<T>({Data::phi, 3}, size[0], size[1], size[2], rng), T(1.5), T(-0.5),
                                     rng() & 1, rng() & 1, rng() & 1);
      check(problem, 3, size[0] % 2 == 0, available, false, "blocks in " + std::to_string(available));
      if (this->HasFailure()) return;
    }
}

}  // namespace
}  // namespace accublas
