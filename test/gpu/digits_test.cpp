// Engines fp16 and fp64 on the device against the CPU's int8 engine, bit for bit.
#include "cuda/fp64/digits.hpp"

#include <algorithm>

#include "cuda/core/call_state.hpp"
#include "cuda/exact/open_elements.hpp"
#include "cuda/int8/gemm_int8.hpp"
#include "test/gpu/engine_problem.hpp"

namespace accublas {
namespace {

using cuda::Cublas;
using cuda::DigitBlocks;
using cuda::DigitPass;
using cuda::DigitScheme;
using namespace test;

/// The results of a pass.
template <class T>
struct Outcome {
  std::vector<T> c;
  std::vector<std::uint32_t> open;
  CallState state;
};

template <class T>
class Runner {
 public:
  Runner(const EngineProblem<T>& problem)
      : problem_(problem),
        rows_(problem.host_rows()),
        cols_(problem.host_cols()),
        words_(cuda::OpenBits::words_per_row(problem.rows().count)) {
    words_ = cuda::OpenBits::words_per_row(problem.cols().count);
    state_.rows.needed_bits = static_cast<std::int32_t>(std::min<std::int64_t>(rows_.needed_bits, 1 << 30));
    state_.cols.needed_bits = static_cast<std::int32_t>(std::min<std::int64_t>(cols_.needed_bits, 1 << 30));
    cublas_.begin(nullptr, nullptr, 0);
  }

  CallState& state() { return state_; }
  Index words() const { return words_; }
  std::vector<std::uint32_t> no_bits() const {
    return std::vector<std::uint32_t>(static_cast<std::size_t>(problem_.rows().count * words_), 0);
  }
  bool special(Index row, Index col) const { return rows_.is_special(row) || cols_.is_special(col); }

  /// plan(pass) is called with the pass on the device. `open`: the bits before, poison where none matter.
  template <class Plan>
  Outcome<T> run(bool half, int bits, std::size_t available, bool all_undecided, const std::vector<std::uint32_t>* open,
                 Plan&& plan, bool device_scalars = false) {
    const DigitScheme scheme = cuda::digit_scheme(half, bits, problem_.k);
    const DigitBlocks blocks =
        cuda::digit_blocks(scheme, problem_.rows().count, problem_.cols().count, problem_.k, available);
    DeviceArray<T> c(problem_.c), scalars(std::vector<T>{problem_.alpha, problem_.beta});
    DeviceArray<char> memory(blocks.bytes());
    DeviceArray<std::uint32_t> bitmap(no_bits().size());
    if (open) bitmap = *open;
    DeviceArray<CallState> state(std::vector<CallState>{state_});
    const DigitPass<T> pass{problem_.rows(),
                            problem_.cols(),
                            rows_.lines,
                            cols_.lines,
                            problem_.at(c.data()),
                            {problem_.alpha, device_scalars ? scalars.data() : nullptr},
                            {problem_.beta, device_scalars ? scalars.data() + 1 : nullptr},
                            bitmap.data(),
                            0,
                            all_undecided,
                            state.data()};
    plan(scheme, blocks, pass);
    cuda::digit_pass(cublas_, scheme, blocks, pass, memory.data(), nullptr);
    require(cudaDeviceSynchronize(), "pass");
    return {c.values(), bitmap.values(), state.values()[0]};
  }

  Outcome<T> fixed(bool half, int t, std::size_t available = std::size_t{1} << 30, bool device_scalars = false) {
    return run(
        half, t, available, false, nullptr,
        [&](const auto& scheme, const auto& blocks, const auto& pass) {
          cuda::plan_digits_fixed(scheme, blocks, pass, t, 0, 0, nullptr);
        },
        device_scalars);
  }
  Outcome<T> cr(bool half, bool all_undecided = false, std::size_t available = std::size_t{1} << 30) {
    return run(half, cuda::digit_bits_cr<T>(), available, all_undecided, nullptr,
               [&](const auto& scheme, const auto& blocks, const auto& pass) {
                 cuda::plan_digits_cr(scheme, blocks, pass, true, nullptr);
               });
  }

  /// body(row, col, position in C's array, open bit) for all elements.
  template <class Body>
  void each(const std::vector<std::uint32_t>& open, Body&& body) const {
    const Matrix<T> at = problem_.at(nullptr);
    for (Index r = 0; r < problem_.rows().count; ++r)
      for (Index c = 0; c < problem_.cols().count; ++c)
        body(r, c, static_cast<std::size_t>(r * at.row_stride + c * at.col_stride),
             (open[static_cast<std::size_t>(r * words_ + c / 32)] >> (c % 32) & 1) != 0);
  }

 private:
  const EngineProblem<T>& problem_;
  MeasuredLines<T> rows_, cols_;
  Index words_;
  CallState state_{};
  Cublas cublas_{0};
};

template <class T>
bool same(T x, T y) {
  return to_bits(x) == to_bits(y);
}

/// All elements of finite lines equal the CPU's, or (`may_stay`) are open and as they were; those of special lines are
/// open and as they were; so is all around C. Returns the number of open elements of finite lines.
template <class T>
Index compare(const EngineProblem<T>& problem, const Runner<T>& runner, const Outcome<T>& got,
              const std::vector<T>& want, bool may_stay, const std::string& what) {
  std::vector<T> rest = got.c;
  Index open_finite = 0, wrong = 0;
  runner.each(got.open, [&](Index r, Index c, std::size_t at, bool open) {
    const bool special = runner.special(r, c);
    const T expected = open ? problem.c[at] : want[at];
    if ((special != open && !(may_stay && open)) || !same(got.c[at], expected)) {
      if (wrong++ == 0)
        ADD_FAILURE() << what << ": first at (" << r << ", " << c << ") special " << special << " open " << open
                      << ": got " << got.c[at] << " want " << expected;
    }
    open_finite += open && !special;
    rest[at] = problem.c[at];
  });
  EXPECT_EQ(wrong, 0) << what;
  EXPECT_EQ(got.state.open[0], static_cast<unsigned long long>(open_finite)) << what;
  for (std::size_t i = 0; i < rest.size(); ++i)
    if (!same(rest[i], problem.c[i])) {
      ADD_FAILURE() << what << ": written outside of C";
      break;
    }
  // Bits of columns that do not exist are clear.
  const Index cols = problem.cols().count;
  if (cols % 32) {
    for (Index r = 0; r < problem.rows().count; ++r)
      EXPECT_EQ(got.open[static_cast<std::size_t>((r + 1) * runner.words() - 1)] >> (cols % 32), 0u) << what;
  }
  return open_finite;
}

const auto int8 = [](const auto& gemm, const Mode& mode, Execution& execution) {
  cpu::int8_gemm(gemm, mode, execution);
};

const Kind digit_kinds[] = {{Data::phi, 0},
                            {Data::phi, 1},
                            {Data::phi, 4},
                            {Data::graded},
                            {Data::whole_range},
                            {Data::block_diagonal},
                            {Data::triangular},
                            {Data::ties},
                            {Data::cancellation},
                            {Data::subnormal},
                            {Data::overflow},
                            {Data::integers},
                            {Data::few_special},
                            {Data::many_special},
                            {Data::zero_lines},
                            {Data::extreme},
                            {Data::largest_residue, 30}};

template <class T>
class DigitsTest : public testing::Test {};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(DigitsTest, Types);

template <class T>
std::vector<std::pair<T, T>> scalar_pairs() {
  return {{T(1), T(0)}, {T(-0.7), T(1.3)}, {T(2), T(-1)}};
}

TYPED_TEST(DigitsTest, FixedEqualsTheCpu) {
  using T = TypeParam;
  Random rng(11);
  int count = 0;
  for (const Kind& kind : digit_kinds)
    for (int t : {2, 7, 24, 48, 53, 64, 100, 150}) {
      const Index m = 1 + below(rng, 70), n = 1 + below(rng, 70), k = 1 + below(rng, 300);
      const auto [alpha, beta] = scalar_pairs<T>()[static_cast<std::size_t>(count) % 3];
      const EngineProblem<T> problem(make_entries<T>(kind, m, n, k, rng), alpha, beta, rng() & 1, rng() & 1, rng() & 1);
      Runner<T> runner(problem);
      const std::vector<T> want = problem.on_cpu(int8, Mode{ACCUBLAS_MODE_FIXED, t});
      for (bool half : {true, false}) {
        const Outcome<T> got = runner.fixed(half, t, std::size_t{1} << 30, count % 2);
        compare(problem, runner, got, want, false,
                kind.name() + " fixed:" + std::to_string(t) + (half ? " fp16" : " fp64"));
        EXPECT_EQ(got.state.bits, t);
        if (this->HasFailure()) return;
      }
      ++count;
    }
}

TYPED_TEST(DigitsTest, BlocksAndChunksDoNotMatter) {
  using T = TypeParam;
  Random rng(12);
  const Index sizes[][3] = {{1, 1, 1},        {1, 300, 5000},  {300, 1, 4097},
                            {257, 511, 2049}, {520, 300, 129}, {33, 31, 20000}};
  for (const auto& size : sizes)
    for (std::size_t available : {std::size_t{1} << 30, std::size_t{40} << 20, std::size_t{0}}) {
      const EngineProblem<T> problem(make_entries<T>({Data::phi, 1}, size[0], size[1], size[2], rng), T(1.5), T(-0.5),
                                     rng() & 1, rng() & 1, rng() & 1);
      Runner<T> runner(problem);
      const int t = sizeof(T) == 8 ? 64 : 40;
      const std::vector<T> want = problem.on_cpu(int8, Mode{ACCUBLAS_MODE_FIXED, t});
      for (bool half : {true, false}) {
        compare(problem, runner, runner.fixed(half, t, available), want, false,
                "blocks in " + std::to_string(available));
        if (this->HasFailure()) return;
      }
    }
}

/// Long enough for narrower FP64 digits: level sums must stay in 64 bits.
TYPED_TEST(DigitsTest, LongInnerDimension) {
  using T = TypeParam;
  Random rng(18);
  const Index k = 300001;
  EXPECT_LT(cuda::digit_scheme(false, 64, k).width, cuda::digit_scheme(false, 64, 1000).width);
  for (const Kind& kind : {Kind{Data::extreme}, Kind{Data::phi, 1}}) {
    const EngineProblem<T> problem(make_entries<T>(kind, 5, 3, k, rng), T(1), T(0), true, false, false);
    Runner<T> runner(problem);
    const int t = sizeof(T) == 8 ? 64 : 40;
    const std::vector<T> want = problem.on_cpu(int8, Mode{ACCUBLAS_MODE_FIXED, t});
    for (bool half : {true, false}) compare(problem, runner, runner.fixed(half, t), want, false, kind.name());
  }
}

/// Every digit but the topmost is as large as digits get, in chunks as long as chunks get: sums reach 2^24 (2^53).
TYPED_TEST(DigitsTest, LargestDigits) {
  using T = TypeParam;
  Random rng(13);
  for (bool half : {true, false})
    for (int pattern : {0, 1, 2, 3, 4}) {
      const int width = cuda::digit_scheme(half, 30, 4096).width,
                t = sizeof(T) == 8 ? (half ? 41 : 43) : (half ? 20 : 22);
      // Some digits are one less, so that the sums need every bit of the accumulator.
      const auto entry = [&] {
        double value = 0;
        for (int q = 0; width * q + width - 1 < t; ++q)
          value += std::ldexp((1 << (width - 1)) - (pattern > 0 && (rng() & 1)), width * q);
        return value;
      };
      const Index m = 70, n = 90, k = pattern == 3 ? 3 * 4096 - 5 : 4096;
      GemmEntries<T> e{m,
                       n,
                       k,
                       std::vector<T>(static_cast<std::size_t>(m * k)),
                       std::vector<T>(static_cast<std::size_t>(k * n)),
                       std::vector<T>(static_cast<std::size_t>(m * n), T(0))};
      // Each line's largest entry is just below 2^t, so that E = t and a' = a.
      const T top = static_cast<T>(std::ldexp(1.0, t) - 1);
      for (T& x : e.a) x = static_cast<T>(pattern == 2 && (rng() & 1) ? -entry() : entry());
      for (T& x : e.b) x = static_cast<T>(entry());
      for (Index p = 0; p < k; ++p)
        if (pattern == 4 && p >= k / 2)
          for (Index j = 0; j < n; ++j) e.B(p, j) = -e.B(p, j);
      for (Index i = 0; i < m; ++i) e.A(i, k - 1) = top;
      for (Index j = 0; j < n; ++j) e.B(k - 2, j) = top;
      const EngineProblem<T> problem(e, T(1), T(0), true, false, true);
      Runner<T> runner(problem);
      const std::vector<T> want = problem.on_cpu(int8, Mode{ACCUBLAS_MODE_FIXED, t});
      compare(problem, runner, runner.fixed(half, t), want, false,
              std::string(half ? "fp16" : "fp64") + " pattern " + std::to_string(pattern));
    }
}

TYPED_TEST(DigitsTest, CorrectlyRoundedOrOpen) {
  using T = TypeParam;
  Random rng(14);
  int count = 0;
  for (const Kind& kind : digit_kinds)
    for (int repeat = 0; repeat < 4; ++repeat, ++count) {
      const Index m = 1 + below(rng, 90), n = 1 + below(rng, 90), k = 1 + below(rng, 600);
      const auto [alpha, beta] = scalar_pairs<T>()[static_cast<std::size_t>(count) % 3];
      const EngineProblem<T> problem(make_entries<T>(kind, m, n, k, rng), alpha, beta, rng() & 1, rng() & 1, rng() & 1);
      Runner<T> runner(problem);
      const std::vector<T> want = problem.on_cpu(int8, Mode{ACCUBLAS_MODE_CR});
      for (bool half : {true, false}) {
        const std::string what = kind.name() + " cr" + (half ? " fp16" : " fp64");
        const Index open = compare(problem, runner, runner.cr(half), want, true, what);
        if (kind.data == Data::phi && kind.parameter <= 1) {
          EXPECT_LE(open, m * n / 100 + 3) << what;
        }
        if (kind.data == Data::integers) {
          EXPECT_EQ(open, 0) << what;
        }
        if (this->HasFailure()) return;
      }
    }
}

TYPED_TEST(DigitsTest, HookLeavesEverythingOpen) {
  using T = TypeParam;
  Random rng(15);
  const EngineProblem<T> problem(make_entries<T>({Data::phi, 1}, 40, 37, 50, rng), T(1), T(0), false, false, false);
  Runner<T> runner(problem);
  const Index open = compare(problem, runner, runner.cr(true, true), problem.c, true, "hook");
  EXPECT_EQ(open, 40 * 37);
}

/// After a certificate: the accepted elements at its T*, the rejected ones by Ziv's test.
TYPED_TEST(DigitsTest, AcceptedAndRejectedElements) {
  using T = TypeParam;
  Random rng(16);
  constexpr CertificateRungs rungs = certificate_rungs<T>();
  for (int rung = 0; rung < rungs.count; ++rung)
    for (bool half : {true, false}) {
      const Index m = 75, n = 301, k = 260;
      const EngineProblem<T> problem(
          make_entries<T>(rung % 2 ? Kind{Data::few_special} : Kind{Data::phi, 1}, m, n, k, rng), T(-1), T(0.5), false,
          true, rung % 3 == 0);
      Runner<T> runner(problem);
      std::vector<std::uint32_t> open = runner.no_bits();
      unsigned long long rejected = 0;
      runner.each(open, [&](Index r, Index c, std::size_t, bool) {
        const bool special = runner.special(r, c), out = special || rng() % 3 == 0;
        if (out) open[static_cast<std::size_t>(r * runner.words() + c / 32)] |= 1u << (c % 32);
        rejected += out && !special;
      });
      runner.state().largest_rung = rung + 1;
      runner.state().rejected = rejected;
      const int most = rungs.t[rungs.count - 1], t = rungs.t[rung];
      const Outcome<T> first = runner.run(
          half, most, std::size_t{1} << 30, false, &open,
          [&](const auto& s, const auto& b, const auto& p) { cuda::plan_digits_fixed(s, b, p, 0, 0, 0, nullptr); });
      EXPECT_EQ(first.open, open);
      EXPECT_EQ(first.state.open[0], rejected);
      EXPECT_EQ(first.state.bits, t);
      compare(problem, runner, first, problem.on_cpu(int8, Mode{ACCUBLAS_MODE_FIXED, t}), true, "accepted");
      const Outcome<T> second = runner.run(
          half, cuda::digit_bits_cr<T>(), std::size_t{1} << 30, false, &open,
          [&](const auto& s, const auto& b, const auto& p) { cuda::plan_digits_cr(s, b, p, false, nullptr); });
      // Elements that were not open stay as they were, the others are the correct ones or still open.
      std::vector<T> want = problem.on_cpu(int8, Mode{ACCUBLAS_MODE_CR});
      runner.each(open, [&](Index, Index, std::size_t at, bool bit) {
        if (!bit) want[at] = problem.c[at];
      });
      compare(problem, runner, second, want, true, "rejected");
      EXPECT_LT(second.state.open[0], rejected / 20);
    }
}

TYPED_TEST(DigitsTest, InactivePassesTouchNothing) {
  using T = TypeParam;
  Random rng(17);
  const EngineProblem<T> problem(make_entries<T>({Data::phi, 1}, 50, 60, 70, rng), T(1), T(1), false, false, false);
  const EngineProblem<T> zero(make_entries<T>({Data::phi, 1}, 50, 60, 70, rng), T(0), T(1), false, false, false);
  for (bool half : {true, false}) {
    Runner<T> runner(problem), none(zero);
    const std::vector<std::uint32_t> open = runner.no_bits();
    const auto untouched = [&](const EngineProblem<T>& p, const Outcome<T>& got) {
      EXPECT_TRUE(std::equal(got.c.begin(), got.c.end(), p.c.begin(), same<T>));
      EXPECT_EQ(got.open, open);
    };
    untouched(problem, runner.run(half, 40, 0, false, &open, [&](const auto& s, const auto& b, const auto& p) {
      cuda::plan_digits_fixed(s, b, p, 0, 0, 0, nullptr);  // the certificate accepted nothing
    }));
    untouched(problem, runner.run(half, 40, 0, false, &open, [&](const auto& s, const auto& b, const auto& p) {
      cuda::plan_digits_cr(s, b, p, false, nullptr);  // and rejected nothing
    }));
    const Outcome<T> missed = runner.run(half, 10, 0, false, &open, [&](const auto& s, const auto& b, const auto& p) {
      cuda::plan_digits_fixed(s, b, p, 10, 1e-3, 0, nullptr);  // drops bits
    });
    untouched(problem, missed);
    EXPECT_EQ(missed.state.missed_target, 1);
    untouched(zero, none.run(
                        half, 40, 0, false, &open,
                        [&](const auto& s, const auto& b, const auto& p) {
                          cuda::plan_digits_fixed(s, b, p, 40, 0, 0, nullptr);  // alpha = 0
                        },
                        true));
  }
}

}  // namespace
}  // namespace accublas
