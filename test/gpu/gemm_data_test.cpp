// Tests of GEMM through the public interface on hard data, long inner dimensions, large sizes and small workspaces. The
// GPU's bits must be the CPU's.
#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {
namespace {

template <class T>
class GemmData : public testing::Test {
 protected:
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};

  void set(const std::string& mode) {
    cpu.set(mode);
    gpu.set(mode);
  }
  /// Makes random calls on data of a kind, in the given modes and with sizes up to the given ones.
  void check(const Kind& kind, int count, Index most, Index most_k, std::initializer_list<const char*> modes,
             unsigned seed) {
    Random rng(seed);
    for (const char* mode : modes) {
      set(mode);
      for (int number = 0; number < scaled(count); ++number) {
        auto p = random_problem<T>(rng, kind, 1 + below(rng, most), 1 + below(rng, most),
                                   inner_dimension(mode, number, 2 + below(rng, most_k)));
        if (number % 3 == 1) p.alpha = T(-1.3), p.beta = T(0.7);
        if (number % 3 == 2) p.alpha = T(0.5), p.beta = T(-1);
        expect_same(cpu, gpu, p, mode, number % 2 == 1);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(GemmData, Types);

#define FOUR_MODES \
  { "cr", "dp:repro", "fixed:53", "fixed:100" }

TYPED_TEST(GemmData, Phi) {
  for (const double phi : {0.0, 0.5, 1.0, 2.0, 4.0, 7.0, 10.0})
    this->check({Data::phi, phi}, 6, 260, 700, FOUR_MODES, 11);
}
TYPED_TEST(GemmData, Graded) { this->check({Data::graded}, 10, 150, 400, FOUR_MODES, 12); }
TYPED_TEST(GemmData, WholeRange) { this->check({Data::whole_range}, 10, 80, 300, FOUR_MODES, 13); }
TYPED_TEST(GemmData, BlockDiagonal) { this->check({Data::block_diagonal}, 10, 300, 400, FOUR_MODES, 14); }
TYPED_TEST(GemmData, Triangular) { this->check({Data::triangular}, 10, 300, 300, FOUR_MODES, 15); }
TYPED_TEST(GemmData, Ties) { this->check({Data::ties}, 10, 300, 600, FOUR_MODES, 16); }
TYPED_TEST(GemmData, Cancellation) { this->check({Data::cancellation}, 10, 200, 600, FOUR_MODES, 17); }
TYPED_TEST(GemmData, Subnormal) { this->check({Data::subnormal}, 10, 150, 300, FOUR_MODES, 18); }
TYPED_TEST(GemmData, Overflow) { this->check({Data::overflow}, 10, 150, 300, FOUR_MODES, 19); }
TYPED_TEST(GemmData, FewSpecials) { this->check({Data::few_special}, 12, 200, 400, FOUR_MODES, 20); }
TYPED_TEST(GemmData, ManySpecials) { this->check({Data::many_special}, 12, 120, 200, FOUR_MODES, 21); }
TYPED_TEST(GemmData, ZeroLines) { this->check({Data::zero_lines}, 10, 300, 300, FOUR_MODES, 22); }
TYPED_TEST(GemmData, NamedMatrices) {
  for (const Kind& kind : named_kinds()) this->check(kind, 3, 150, 250, FOUR_MODES, 30);
}

// The limits of dp:repro: sums of up to most_terms_as_cr terms have cr's values, and so have all elements if more than
// one in 64 is rejected. A row or column with Inf or NaN counts among the elements.
TYPED_TEST(GemmData, LimitsOfReproducible) {
  using T = TypeParam;
  Random rng(31);
  this->set("dp:repro");
  int number = 0;
  for (const char* engine : {"auto", "int8", "fp64", "fp16"})
    for (const Index k : {most_terms_as_cr, most_terms_as_cr + 1, Index{1100}})
      for (const double more : {0, 1})
        for (const auto& [m, n] : {std::pair<Index, Index>{65, 70}, {200, 333}, {1, 640}, {700, 530}}) {
          this->gpu.set("dp:repro", engine);
          auto p = plain_problem<T>(rng, {Data::rejected, more}, m, n, k);
          if (++number % 3 == 1) p.alpha = T(-1.3), p.beta = T(0.7);
          if (number % 4 == 1 && m > 1)
            for (Index q = 0; q < k; q += 50) p.a[static_cast<std::size_t>(p.at_a.at(m / 2, q))] = T(INFINITY);
          expect_same(this->cpu, this->gpu, p, engine, number % 2 == 1);
          if (testing::Test::HasFatalFailure()) return;
          const std::int64_t rejected = this->gpu.report().rejected;
          EXPECT_EQ(rejected, this->cpu.report().rejected) << engine << " " << p.describe();
          if (number % 4 != 1) {
            EXPECT_EQ(rejected, k <= most_terms_as_cr ? 0
                                : more > 0            ? m * n
                                                      : m * n / 64)
                << engine << " " << p.describe();
          }
        }
}

// Residues decide few elements of these matrices, and tiles compute them (cuda/dot2/tile_elements.cu). The results have
// more elements than are computed one by one.
TYPED_TEST(GemmData, Decaying) {
  using T = TypeParam;
  Random rng(28);
  std::vector<Kind> kinds = named_kinds();
  for (const Kind& kind : {Kind{Data::both_ends}, {Data::inverse}, {Data::whole_range}, {Data::phi, 60}})
    kinds.push_back(kind);
  int number = 0;
  for (const Kind& kind : kinds) {
    for (const char* mode : {"cr", "dp:repro"}) {
      this->set(mode);
      std::vector<std::array<Index, 3>> shapes = {{300, 500, 200}, {401, 290, 333}};
      if (mode == std::string("dp:repro")) shapes = {{300, 400, 1030}, {401, 290, 1333}};
      if (kind.name() == "decay:0.1") shapes.push_back({1400, 97, 1100});  // with results below the least number
      for (const auto& [m, n, k] : shapes) {
        ++number;
        const auto trans = [&](int which) {
          return static_cast<accublas_transpose>(ACCUBLAS_NO_TRANS + (number >> which & 1));
        };
        auto p = packed_problem<T>(rng, kind, m, n, k, number % 3 ? ACCUBLAS_COL_MAJOR : ACCUBLAS_ROW_MAJOR, trans(0),
                                   trans(1), number % 5);
        if (number % 4 == 1) p.alpha = T(-1.3), p.beta = T(0.7);
        if (number % 4 == 3) p.alpha = T(number % 8 == 3 ? 0 : 0.5), p.beta = T(-1);
        if (number % 5 == 2) {  // rows and columns with special values
          for (std::vector<T>* x : {&p.a, &p.b})
            for (int q = 0; q < 9; ++q)
              (*x)[static_cast<std::size_t>(below(rng, static_cast<Index>(x->size())))] = any_special<T>(rng);
        }
        expect_same(this->cpu, this->gpu, p, mode, number % 2 == 1);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST(GemmData, DecayingInSmallWorkspaces) {
  using T = TypeParam;
  Random rng(29);
  this->set("cr");
  for (const char* name : {"gauss:0.03", "decay:0.1"}) {
    const Kind kind{Data::named, 0, name};
    const auto p = plain_problem<T>(rng, kind, 500, 600, 700);
    std::vector<T> want, got;
    ASSERT_EQ(on_host(this->cpu, p, want), ACCUBLAS_SUCCESS);
    for (const std::int64_t mib : {8, 30, 0}) {
      ASSERT_EQ(accublas_set_workspace_mib(this->gpu, mib), ACCUBLAS_SUCCESS);
      ASSERT_EQ(on_device(this->gpu, p, got), ACCUBLAS_SUCCESS) << this->gpu.error();
      EXPECT_EQ(mismatch(p, want, got), "") << "workspace " << mib << " MiB";
    }
  }
}

// Matrices that are large enough for products by slabs (cuda/int8/slabs.hpp) of 128, 256 and 512 terms have the CPU's
// bits.
TYPED_TEST(GemmData, DecayingBySlabs) {
  using T = TypeParam;
  Random rng(30);
  this->set("cr");
  int number = 0;
  for (const char* name : {"gauss:0.05", "gauss:0.02", "decay:0.9", "exp:0.01"}) {
    for (const auto& [m, n, k] : {std::array<Index, 3>{1030, 1100, 961}, {700, 730, 2110}, {520, 530, 4200}}) {
      ++number;
      const Kind kind{Data::named, 0, name};
      const auto trans = [&](int which) {
        return static_cast<accublas_transpose>(ACCUBLAS_NO_TRANS + (number >> which & 1));
      };
      auto p = packed_problem<T>(rng, kind, m, n, k, number % 3 ? ACCUBLAS_COL_MAJOR : ACCUBLAS_ROW_MAJOR, trans(0),
                                 trans(1), number % 5);
      if (number % 4 == 1) p.alpha = T(-1.3), p.beta = T(0.7);
      if (number % 4 == 3) p.alpha = T(0.5), p.beta = T(-1);
      if (number % 5 == 2) {  // rows and columns with special values
        for (std::vector<T>* x : {&p.a, &p.b})
          for (int q = 0; q < 9; ++q)
            (*x)[static_cast<std::size_t>(below(rng, static_cast<Index>(x->size())))] = any_special<T>(rng);
      }
      if (number % 6 == 4) {  // entries at the ends of the range
        for (T& x : p.a) x = std::ldexp(x, sizeof(T) == 8 ? 900 : 90);
        for (T& x : p.b) x = std::ldexp(x, sizeof(T) == 8 ? -1000 : -100);
      }
      if (number % 6 == 2) {  // terms whose entries are huge in A and tiny in B, and rows that are large elsewhere
        const int far = sizeof(T) == 8 ? 1000 : 100;
        for (Index q = 5; q < k; q += 97) {
          for (Index i = 0; i < m; ++i) p.a[static_cast<std::size_t>(p.at_a.at(i, q))] *= std::ldexp(T(1), far);
          for (Index j = 0; j < n; ++j) p.b[static_cast<std::size_t>(p.at_b.at(q, j))] *= std::ldexp(T(1), -far);
        }
        for (Index q = 0; q < k; q += 50) p.a[static_cast<std::size_t>(p.at_a.at(7, q))] *= std::ldexp(T(1), far / 5);
      }
      expect_same(this->cpu, this->gpu, p, name, number % 2 == 1);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

// The certificate accepts some of these elements and rejects others, which slabs compute. The test compares the call
// with one whose workspace is too small for slabs, because the CPU would take a minute.
TYPED_TEST(GemmData, RejectedElementsBySlabs) {
  using T = TypeParam;
  Random rng(32);
  this->set(sizeof(T) == 8 ? "dp:repro" : "sp:repro");
  for (const char* name : {"gauss:0.02", "decay:0.9"}) {
    auto p = plain_problem<T>(rng, {Data::named, 0, name}, 4100, 2050, 8200);
    p.alpha = T(-1.3), p.beta = T(0.7);
    for (int q = 0; q < 3; ++q)
      p.a[static_cast<std::size_t>(below(rng, static_cast<Index>(p.a.size())))] = any_special<T>(rng);
    std::vector<T> want, got;
    ASSERT_EQ(accublas_set_workspace_mib(this->gpu, 16), ACCUBLAS_SUCCESS);
    ASSERT_EQ(on_device(this->gpu, p, want), ACCUBLAS_SUCCESS) << this->gpu.error();
    ASSERT_EQ(accublas_set_workspace_mib(this->gpu, 0), ACCUBLAS_SUCCESS);
    ASSERT_EQ(on_device(this->gpu, p, got), ACCUBLAS_SUCCESS) << this->gpu.error();
    EXPECT_EQ(mismatch(p, want, got), "") << name;
    EXPECT_GT(this->gpu.report().rejected, 0) << name;
  }
}

TYPED_TEST(GemmData, SlabsInSmallWorkspaces) {
  using T = TypeParam;
  Random rng(31);
  this->set("cr");
  const auto p = plain_problem<T>(rng, {Data::named, 0, "gauss:0.05"}, 1000, 1100, 1000);
  std::vector<T> want, got;
  ASSERT_EQ(on_host(this->cpu, p, want), ACCUBLAS_SUCCESS);
  for (const std::int64_t mib : {30, 100, 400, 0}) {
    ASSERT_EQ(accublas_set_workspace_mib(this->gpu, mib), ACCUBLAS_SUCCESS);
    ASSERT_EQ(on_device(this->gpu, p, got), ACCUBLAS_SUCCESS) << this->gpu.error();
    EXPECT_EQ(mismatch(p, want, got), "") << "workspace " << mib << " MiB";
    if (mib != 0) {
      EXPECT_LE(this->gpu.report().workspace_bytes, mib << 20) << mib << " MiB";
    }
  }
}

TYPED_TEST(GemmData, AllZero) {
  Random rng(23);
  for (const char* mode : FOUR_MODES) {
    this->set(mode);
    auto p = plain_problem<TypeParam>(rng, {Data::phi, 1}, 70, 60, inner_dimension(mode, 1, 50));
    for (auto& x : p.a) x = 0;
    p.beta = TypeParam(0.5);
    expect_same(this->cpu, this->gpu, p, mode);
  }
}

// The inner dimensions are the longest that 32-bit sums hold (a chunk), one more, and several chunks.
TYPED_TEST(GemmData, BeyondAChunkOfTheInnerDimension) {
  using T = TypeParam;
  Random rng(24);
  for (const int k : {65919, 65920, 65921, 66052, 70000, 140000}) {
    for (const auto& [mode, kind] :
         std::initializer_list<std::pair<const char*, Kind>>{{"fixed:53", {Data::extreme}},
                                                             {"fixed:24", {Data::extreme}},
                                                             {"fixed:53", {Data::largest_residue, 53}},
                                                             {"fixed:20", {Data::largest_residue, 20}},
                                                             {"cr", {Data::extreme}},
                                                             {"cr", {Data::phi, 1}},
                                                             {"dp:repro", {Data::extreme}},
                                                             {"dp:repro", {Data::phi, 1}}}) {
      this->set(mode);
      const auto p = plain_problem<T>(rng, kind, 9 + below(rng, 9), 5 + below(rng, 9), k);
      expect_same(this->cpu, this->gpu, p, mode);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
  this->set("fixed:40");
  expect_same(this->cpu, this->gpu, plain_problem<T>(rng, {Data::largest_residue, 40}, 300, 270, 66051), "fixed:40");
}

TYPED_TEST(GemmData, Large) {
  using T = TypeParam;
  Random rng(25);
  struct Big {
    Index m, n, k;
    const char* mode;
    Kind kind;
  };
  for (const Big& big :
       {Big{3000, 2000, 4000, "cr", {Data::phi, 0.5}}, Big{2000, 3000, 1500, "dp:repro", {Data::phi, 1}},
        Big{1700, 2100, 3000, "fixed:60", {Data::phi, 2}}, Big{4100, 300, 2000, "cr", {Data::ties}},
        Big{300, 4100, 2000, "cr", {Data::phi, 4}}, Big{1500, 1500, 1200, "dp:repro", {Data::phi, 4}},
        Big{2050, 2050, 512, "cr", {Data::block_diagonal}}, Big{1800, 900, 900, "cr", {Data::few_special}},
        Big{9000, 70, 600, "cr", {Data::phi, 1}}, Big{70, 9000, 600, "fixed:53", {Data::phi, 1}}}) {
    this->set(big.mode);
    const auto p = packed_problem<T>(rng, big.kind, big.m, big.n, big.k, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS,
                                     ACCUBLAS_NO_TRANS, 3);
    expect_same(this->cpu, this->gpu, p, big.mode);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Host operands, also row-major and strided ones, are copied in panels of columns. The test has small panels and
// several blocks of rows.
TYPED_TEST(GemmData, HostOperandsInPanels) {
  using T = TypeParam;
  Random rng(27);
  for (const char* mode : {"cr", "fixed:53", "dp:repro", "slices:2"}) {
    this->set(mode);
    for (const auto& [m, n, k] : {std::array<Index, 3>{1100, 4200, 60}, {1030, 5000, 7}}) {
      auto p = plain_problem<T>(rng, {Data::phi, 1}, m, n, k);
      p.beta = T(0.5);
      std::vector<T> want, got;
      ASSERT_EQ(on_host(this->cpu, p, want), ACCUBLAS_SUCCESS);
      ASSERT_EQ(on_host(this->gpu, p, got), ACCUBLAS_SUCCESS)
          << mode << " " << p.describe() << ": " << this->gpu.error();
      EXPECT_EQ(mismatch(p, want, got), "") << mode;
      EXPECT_STREQ(this->gpu.report().backend, "cuda");
      EXPECT_GE(this->gpu.report().copied_bytes, static_cast<std::int64_t>(sizeof(T)) * (m * k + k * n + 2 * m * n));
    }
  }
}

// Blocking under the workspace changes no bit, and its cap is kept.
TYPED_TEST(GemmData, SmallWorkspaces) {
  using T = TypeParam;
  Random rng(26);
  for (const char* mode : FOUR_MODES) {
    this->set(mode);
    for (const auto& [m, n, k] : {std::array<Index, 3>{900, 700, 800}, {400, 1500, 2500}, {60, 50, 70000}}) {
      const auto p = plain_problem<T>(rng, {Data::phi, 1}, m, n, k);
      std::vector<T> want, got;
      ASSERT_EQ(on_host(this->cpu, p, want), ACCUBLAS_SUCCESS);
      for (const std::int64_t mib : {1, 8, 64, 0}) {
        ASSERT_EQ(accublas_set_workspace_mib(this->gpu, mib), ACCUBLAS_SUCCESS);
        const accublas_status status = on_device(this->gpu, p, got);
        if (mib == 1 && status == ACCUBLAS_ERROR_MEMORY) {  // a cap that cannot hold the call is a status
          EXPECT_EQ(mismatch(p, p.c, got), "") << mode << ": C was written";
          continue;
        }
        ASSERT_EQ(status, ACCUBLAS_SUCCESS)
            << mode << " " << mib << " MiB " << p.describe() << ": " << this->gpu.error();
        EXPECT_EQ(mismatch(p, want, got), "") << mode << ", workspace " << mib << " MiB";
        if (mib) {  // the least that a call can do with passes a cap below 7 MiB
          EXPECT_LE(this->gpu.report().workspace_bytes, (std::max<std::int64_t>(mib, 7) + 1) << 20)
              << mode << " " << mib << " MiB " << p.describe();
        }
      }
    }
  }
}

TYPED_TEST(GemmData, UsersWorkspace) {
  using T = TypeParam;
  Random rng(27);
  for (const std::size_t mib : {8, 50}) {
    const std::size_t bytes = mib << 20;
    // The buffer is not aligned, and has guards before and after it.
    const DeviceArray<unsigned char> memory(bytes + 8192);
    unsigned char* const buffer = memory.data() + 4096 + 1;
    ASSERT_EQ(accublas_set_workspace(this->gpu, buffer, bytes), ACCUBLAS_SUCCESS) << this->gpu.error();
    for (const char* mode : FOUR_MODES) {
      this->set(mode);
      const auto p = random_problem<T>(rng, {Data::phi, 2}, 500, 400, inner_dimension(mode, 1, 200));
      expect_same(this->cpu, this->gpu, p, std::string(mode) + ", user's workspace");
      if (testing::Test::HasFatalFailure()) return;
    }
    const std::vector<unsigned char> all = memory.values();
    for (std::size_t q = 0; q < all.size(); ++q) {
      if (q < 4097 || q >= 4097 + bytes) {
        ASSERT_EQ(all[q], 0xFF) << "written outside the user's workspace, at " << q;
      }
    }
    ASSERT_EQ(accublas_set_workspace(this->gpu, nullptr, 0), ACCUBLAS_SUCCESS);
  }
}

}  // namespace
}  // namespace accublas::test
