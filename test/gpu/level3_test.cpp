// Products of level 3 on the GPU: the CPU's bits in every mode that defines them, in all of C's buffer, so that the
// triangle that is not wanted stays as it was; what cuBLAS serves, within its bound.
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include "test/gpu/gemm_problem.hpp"
#include "test/level3_routines.hpp"

namespace accublas::test {
namespace {

/// HERK's factors are real, and so is HER2K's beta.
bool has_name(const Level3Routine& r, const char* name) { return std::strcmp(r.name + 1, name) == 0; }

template <class T>
class Level3 : public testing::Test {
 protected:
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};
  Random rng{11};

  struct Problem {
    Arguments x;
    T alpha[2], beta[2];
    std::vector<T> a, b, c;
  };

  Problem make(const Level3Routine& r, Index parts, Index m, Index n, Index k, const Kind& kind) {
    const auto pick = [&](auto one, auto other) { return below(rng, 2) ? one : other; };
    Problem p{{pick(ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR), pick(ACCUBLAS_LEFT, ACCUBLAS_RIGHT),
               pick(ACCUBLAS_UPPER, ACCUBLAS_LOWER), pick(ACCUBLAS_NO_TRANS, r.other ? r.other : ACCUBLAS_NO_TRANS),
               pick(ACCUBLAS_NO_TRANS, ACCUBLAS_CONJ_TRANS), pick(ACCUBLAS_UNIT, ACCUBLAS_NON_UNIT), m, n, k, 0, 0, 0},
              {T(below(rng, 2) ? 1 : -0.7), 0},
              {T(below(rng, 2) ? 0 : 1.3), 0},
              {},
              {},
              {}};
    // Leading dimensions that serve every form of the operands.
    const Index ld = std::max({m, n, k}) + below(rng, 3);
    if (parts == 2 && !has_name(r, "herk") && below(rng, 2)) {
      p.alpha[1] = T(below(rng, 2) ? 1 : -0.3);
      if (!has_name(r, "her2k")) p.beta[1] = T(below(rng, 2) ? 0 : 0.6);
      if (below(rng, 4) == 0) p.alpha[0] = 0;
    }
    p.x.lda = p.x.ldb = p.x.ldc = ld;
    const std::size_t size = static_cast<std::size_t>(parts * ld * ld);
    const GemmEntries<T> e = make_entries<T>(kind, ld, parts * ld, ld, rng);
    p.a.resize(size), p.b.resize(size), p.c.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      p.a[i] = e.a[i % e.a.size()];
      p.b[i] = e.b[i % e.b.size()];
      p.c[i] = static_cast<T>(spread(rng, 1));
    }
    return p;
  }

  /// A problem whose sums have more terms than those that have cr's values in dp:repro.
  Problem make_long(const Level3Routine& r, Index parts, const Kind& kind) {
    const Index terms = most_terms_as_cr / parts + 1 + below(rng, 30), few = 1 + below(rng, 40);
    const bool of_order = has_name(r, "symm") || has_name(r, "hemm") || has_name(r, "trmm");
    Problem p = make(r, parts, of_order ? terms : few, of_order ? terms : few, of_order ? few : terms, kind);
    if (of_order) (p.x.side == ACCUBLAS_LEFT ? p.x.n : p.x.m) = few;
    return p;
  }

  void expect_same(const Level3Routine& r, const Problem& p, const std::string& what, bool staged = false) {
    std::vector<T> b = p.b, c = p.c;
    ASSERT_EQ(r.run(cpu, p.x, p.alpha, p.a.data(), b.data(), p.beta, c.data()), ACCUBLAS_SUCCESS)
        << r.name << " " << cpu.error();
    const std::vector<T>& want = r.in_place ? b : c;
    const DeviceArray<T> da(p.a), db(p.b), dc(p.c);
    ASSERT_EQ(r.run(gpu, p.x, p.alpha, da.data(), db.data(), p.beta, dc.data()), ACCUBLAS_SUCCESS)
        << what << " " << r.name << " " << gpu.error();
    ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
    ASSERT_STREQ(gpu.report().backend, "cuda");
    const std::vector<T> got = (r.in_place ? db : dc).values();
    const auto text = [&] {
      std::ostringstream out;
      out << what << " " << r.name << " layout " << p.x.layout << " side " << p.x.side << " uplo " << p.x.uplo << " "
          << p.x.transa << " " << p.x.transb << " diag " << p.x.diag << " m " << p.x.m << " n " << p.x.n << " k "
          << p.x.k << " alpha " << p.alpha[0] << "," << p.alpha[1] << " beta " << p.beta[0] << "," << p.beta[1];
      return out.str();
    };
    ASSERT_EQ(std::memcmp(got.data(), want.data(), want.size() * sizeof(T)), 0) << text();
    if (!staged) return;
    std::vector<T> sb = p.b, sc = p.c;
    ASSERT_EQ(r.run(gpu, p.x, p.alpha, p.a.data(), sb.data(), p.beta, sc.data()), ACCUBLAS_SUCCESS) << gpu.error();
    ASSERT_STREQ(gpu.report().backend, "cuda");
    ASSERT_EQ(std::memcmp((r.in_place ? sb : sc).data(), want.data(), want.size() * sizeof(T)), 0)
        << "staged " << text();
  }

  void for_routines(const std::function<void(const Level3Routine&, Index parts)>& body) {
    for (const Level3Routine& r : real_routines<T>()) body(r, 1);
    for (const Level3Routine& r : complex_routines<T>()) body(r, 2);
  }
};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(Level3, Types);

const std::vector<std::string> level3_modes = {"cr", "dp:repro", "dot2", "fixed:53", "fixed:9", "slices:3"};

TYPED_TEST(Level3, EveryMode) {
  for (const std::string& mode : level3_modes) {
    this->cpu.set(mode);
    this->gpu.set(mode);
    const Index most = 130;
    this->for_routines([&](const Level3Routine& r, Index parts) {
      for (int i = 0; i < 3 && !testing::Test::HasFatalFailure(); ++i)
        this->expect_same(r,
                          mode == "dp:repro" && i < 2
                              ? this->make_long(r, parts, {Data::phi, 1})
                              : this->make(r, parts, 1 + below(this->rng, most), 1 + below(this->rng, most),
                                           1 + below(this->rng, most), {Data::phi, 1}),
                          mode, i == 0);
    });
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(Level3, EveryKindOfData) {
  std::vector<Kind> kinds = {{Data::phi, 4},     {Data::graded},      {Data::whole_range}, {Data::ties},
                             {Data::integers},   {Data::subnormal},   {Data::overflow},    {Data::cancellation},
                             {Data::zero_lines}, {Data::few_special}, {Data::many_special}};
  for (const Kind& kind : named_kinds()) kinds.push_back(kind);
  for (const char* mode : {"cr", "dp:repro", "fixed:53"}) {
    this->cpu.set(mode);
    this->gpu.set(mode);
    for (const Kind& kind : kinds)
      this->for_routines([&](const Level3Routine& r, Index parts) {
        if (testing::Test::HasFatalFailure()) return;
        const bool longer = !std::strcmp(mode, "dp:repro") && below(this->rng, 4) == 0;
        this->expect_same(r,
                          longer ? this->make_long(r, parts, kind)
                                 : this->make(r, parts, 1 + below(this->rng, 40), 1 + below(this->rng, 70),
                                              1 + below(this->rng, 90), kind),
                          std::string(mode) + " " + kind.name());
      });
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// alpha and beta in device memory, with the bits of those on the host; what BLAS leaves alone stays as it was.
TYPED_TEST(Level3, FactorsOnTheDevice) {
  using T = TypeParam;
  for (const char* mode : {"cr", "dp:repro", "dot2", "fixed:53", "slices:3", "dp"}) {
    const bool exact = !std::strcmp(mode, "dp");
    this->cpu.set(exact ? "cr" : mode);
    Context gpu(ACCUBLAS_BACKEND_CUDA);
    gpu.set(mode);
    ASSERT_EQ(accublas_set_pointer_mode(gpu, ACCUBLAS_POINTER_DEVICE), ACCUBLAS_SUCCESS);
    this->for_routines([&](const Level3Routine& r, Index parts) {
      if (testing::Test::HasFatalFailure()) return;
      // In dp:repro HER2K needs alpha in host memory if its sums have more terms than cr's values have.
      const bool certified = !std::strcmp(mode, "dp:repro") && !has_name(r, "her2k");
      for (int factors = 0; factors < (has_name(r, "her2k") ? 8 : 4); ++factors) {
        auto p = certified && factors == 0
                     ? this->make_long(r, parts, {Data::phi, 1})
                     : this->make(r, parts, 1 + below(this->rng, 60), 1 + below(this->rng, 60),
                                  1 + below(this->rng, 50), {exact ? Data::integers : Data::phi, 1});
        if (exact) p.alpha[0] = 2, p.alpha[1] = 0, p.beta[0] = p.beta[1] = 0;
        if (factors == 1) p.alpha[0] = p.alpha[1] = 0;
        if (factors == 2) p.alpha[0] = p.alpha[1] = 0, p.beta[0] = 1, p.beta[1] = 0;
        if (factors == 3) p.beta[0] = p.beta[1] = 0;
        std::vector<T> b = p.b, c = p.c;
        ASSERT_EQ(r.run(this->cpu, p.x, p.alpha, p.a.data(), b.data(), p.beta, c.data()), ACCUBLAS_SUCCESS);
        const DeviceArray<T> da(p.a), db(p.b), dc(p.c), alpha(std::vector<T>(p.alpha, p.alpha + 2)),
            beta(std::vector<T>(p.beta, p.beta + 2));
        ASSERT_EQ(r.run(gpu, p.x, alpha.data(), da.data(), db.data(), beta.data(), dc.data()), ACCUBLAS_SUCCESS)
            << mode << " " << r.name << " " << gpu.error();
        ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
        if (exact && factors != 0) continue;
        const std::vector<T> got = (r.in_place ? db : dc).values(), &want = r.in_place ? b : c;
        ASSERT_TRUE(exact ? got == want : std::memcmp(got.data(), want.data(), want.size() * sizeof(T)) == 0)
            << mode << " " << r.name << " factors " << factors << " layout " << p.x.layout << " uplo " << p.x.uplo;
      }
    });
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// Several tiles along the diagonal, and blocks of C under a small workspace.
TYPED_TEST(Level3, TilesAndBlocks) {
  for (const bool small : {false, true}) {
    if (small) {
      ASSERT_EQ(accublas_set_workspace_mib(this->gpu, 16), ACCUBLAS_SUCCESS) << this->gpu.error();
    }
    for (const char* mode : {"cr", "dp:repro"}) {
      this->cpu.set(mode);
      this->gpu.set(mode);
      this->for_routines([&](const Level3Routine& r, Index parts) {
        if (testing::Test::HasFatalFailure()) return;
        const bool certified = !std::strcmp(mode, "dp:repro");
        const Index n = (parts == 2 ? 520 : certified ? 1030 : 900) + below(this->rng, 100);
        auto p = this->make(r, parts, 300, n, inner_dimension(mode, 1, 200 + below(this->rng, 200), parts),
                            {Data::phi, 0.5});
        if (certified) p.x.side = ACCUBLAS_RIGHT;  // sums of n terms
        // The CPU joins parts element by element: one routine in two modes is enough.
        if (parts == 2 && !has_name(r, "syrk")) p.alpha[1] = p.beta[1] = 0, p.alpha[0] = 1;
        this->expect_same(r, p, mode);
      });
    }
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// Bands of a triangular operand, and tiles whose terms are a part of theirs, also where these go in chunks.
TYPED_TEST(Level3, ManyTilesOfATriangle) {
  using T = TypeParam;
  for (const bool small : {false, true}) {
    if (small) {
      ASSERT_EQ(accublas_set_workspace_mib(this->gpu, 16), ACCUBLAS_SUCCESS) << this->gpu.error();
    }
    for (const char* mode : {"cr", small ? "fixed:40" : "dp:repro"}) {
      this->cpu.set(mode);
      this->gpu.set(mode);
      this->for_routines([&](const Level3Routine& r, Index parts) {
        if (testing::Test::HasFatalFailure() || !has_name(r, "trmm")) return;
        for (const accublas_side side : {ACCUBLAS_LEFT, ACCUBLAS_RIGHT})
          for (const accublas_uplo uplo : {ACCUBLAS_UPPER, ACCUBLAS_LOWER}) {
            const Index order = 1050 + below(this->rng, 250);
            auto p = this->make(r, parts, order, order, order, {Data::phi, 0.5});
            p.x.side = side;
            p.x.uplo = uplo;
            (side == ACCUBLAS_LEFT ? p.x.n : p.x.m) = 9;
            p.alpha[0] = T(-0.7), p.alpha[1] = 0;
            this->expect_same(r, p, mode);
          }
      });
    }
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// dp takes cuBLAS or the emulation: both keep its bound, and leave the other triangle alone.
TYPED_TEST(Level3, GradeAndNative) {
  using T = TypeParam;
  const double u = sizeof(T) == 8 ? 0x1p-53 : 0x1p-24;
  for (const auto& [mode, engine] :
       std::vector<std::pair<const char*, const char*>>{{"native", "auto"}, {"dp", "auto"}, {"dp", "int8"}})
    this->for_routines([&](const Level3Routine& r, Index parts) {
      if (testing::Test::HasFatalFailure()) return;
      const auto p = this->make(r, parts, 100, 130 + below(this->rng, 200), 150, {Data::phi, 0.5});
      this->cpu.set("cr");
      this->gpu.set(mode, engine);
      std::vector<T> b = p.b, c = p.c;
      ASSERT_EQ(r.run(this->cpu, p.x, p.alpha, p.a.data(), b.data(), p.beta, c.data()), ACCUBLAS_SUCCESS);
      const DeviceArray<T> da(p.a), db(p.b), dc(p.c);
      ASSERT_EQ(r.run(this->gpu, p.x, p.alpha, da.data(), db.data(), p.beta, dc.data()), ACCUBLAS_SUCCESS)
          << mode << " " << r.name << " " << this->gpu.error();
      const std::vector<T>&want = r.in_place ? b : c, before = r.in_place ? p.b : p.c,
            got = (r.in_place ? db : dc).values();
      double largest = 0;
      for (const T x : p.a) largest = std::max(largest, std::fabs(static_cast<double>(x)));
      double of_b = 1;
      for (const T x : p.b) of_b = std::max(of_b, std::fabs(static_cast<double>(x)));
      largest = std::max(largest, of_b);
      const double bound = 1000 * u * (4000 * largest * largest + 4);
      for (std::size_t i = 0; i < want.size(); ++i)
        ASSERT_LE(std::fabs(static_cast<double>(got[i]) - static_cast<double>(want[i])),
                  want[i] == before[i] && got[i] == before[i] ? 0 : bound)
            << mode << " " << engine << " " << r.name << " " << i;
    });
}

/// Refused with C as it was: in dp:repro T* would have to wait for HER2K's alpha. A sum of up to most_terms_as_cr terms
/// has no T*.
TEST(Level3OnGpu, FactorsOfHer2k) {
  Context context(ACCUBLAS_BACKEND_CUDA);
  context.set("dp:repro");
  constexpr Index most = most_terms_as_cr / 4;  // a complex number of two products has four terms
  const std::vector<double> numbers(8 * (most + 1), 1);
  const DeviceArray<double> a(numbers), c(numbers), one(numbers);
  ASSERT_EQ(accublas_set_pointer_mode(context, ACCUBLAS_POINTER_DEVICE), ACCUBLAS_SUCCESS);
  const auto her2k = [&](Index k) {
    return accublas_zher2k(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, 4, k, one.data(), a.data(),
                           4, a.data(), 4, one.data(), c.data(), 4);
  };
  EXPECT_EQ(her2k(most + 1), ACCUBLAS_ERROR_UNAVAILABLE);
  EXPECT_EQ(c.values(), numbers);
  EXPECT_EQ(her2k(most), ACCUBLAS_SUCCESS) << context.error();
}

}  // namespace
/// cuBLAS's routines too: imaginary parts of a Hermitian diagonal, and C beside a beta of -0.
TEST(Level3OnGpu, WhatIsNotRead) {
  const Index n = 5, k = 4;
  const float one[2] = {1, 0}, zero[2] = {-0.0f, 0};
  for (const char* mode : {"native", "dp"}) {
    Context context(ACCUBLAS_BACKEND_CUDA);
    context.set(mode);
    std::vector<float> ones(2 * n * n), given(2 * n * n);
    for (Index i = 0; i < n * n; ++i) {
      ones[2 * i] = given[2 * i] = 1;
      given[2 * i + 1] = i % (n + 1) == 0 ? NAN : 0;
    }
    const DeviceArray<float> a(ones), of_her2k(given), of_herk(given), of_gemm(std::vector<float>(2 * n * n, NAN)),
        of_gemmt(std::vector<float>(2 * n * n, NAN));
    ASSERT_EQ(accublas_cher2k(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, n, k, one, a.data(), n,
                              a.data(), n, one, of_her2k.data(), n),
              ACCUBLAS_SUCCESS)
        << context.error();
    ASSERT_EQ(accublas_cherk(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, n, k, one, a.data(), n,
                             one, of_herk.data(), n),
              ACCUBLAS_SUCCESS)
        << context.error();
    ASSERT_EQ(accublas_cgemm(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS, n, n, k, one, a.data(), n,
                             a.data(), n, zero, of_gemm.data(), n),
              ACCUBLAS_SUCCESS)
        << context.error();
    ASSERT_EQ(accublas_cgemmt(context, ACCUBLAS_COL_MAJOR, ACCUBLAS_UPPER, ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS, n, k, one,
                              a.data(), n, a.data(), n, zero, of_gemmt.data(), n),
              ACCUBLAS_SUCCESS)
        << context.error();
    const std::vector<float> her2k = of_her2k.values(), herk = of_herk.values(), gemm = of_gemm.values(),
                             gemmt = of_gemmt.values();
    for (Index i = 0; i < n; ++i)
      for (Index j = i; j < n; ++j) {
        const Index at = 2 * (i + j * n);
        EXPECT_EQ(her2k[at], 2 * k + 1) << mode;
        EXPECT_EQ(her2k[at + 1], 0) << mode;
        EXPECT_EQ(herk[at], k + 1) << mode;
        EXPECT_EQ(herk[at + 1], 0) << mode;
        EXPECT_EQ(gemm[at], k) << mode;
        EXPECT_EQ(gemm[at + 1], 0) << mode;
        EXPECT_EQ(gemmt[at], k) << mode;
        EXPECT_EQ(gemmt[at + 1], 0) << mode;
      }
  }
}

/// A complex number has the alignment of its parts in C and Fortran, and cuBLAS wants that of the whole.
TEST(Level3OnGpu, NumbersAtHalfTheirSize) {
  const Index n = 6;
  const float one[2] = {1, 0};
  const accublas_layout layout = ACCUBLAS_COL_MAJOR;
  const accublas_transpose plain = ACCUBLAS_NO_TRANS;
  std::vector<float> given(2 * n * n + 1, 0.25f);
  for (Index i = 0; i < n; ++i) given[1 + 2 * i * (n + 1)] = 4;
  const DeviceArray<float> a(given), aligned(given), c(given), tau(2 * n);
  const DeviceArray<std::int64_t> pivots(n), info(1);
  const float *const x = a.data() + 1, *const y = aligned.data();
  float *const z = c.data() + 1, *const w = c.data();
  const std::vector<std::pair<const char*, std::function<accublas_status(accublas_context*)>>> calls = {
      {"argument a",
       [&](auto* ctx) { return accublas_cgemm(ctx, layout, plain, plain, n, n, n, one, x, n, y, n, one, w, n); }},
      {"argument b",
       [&](auto* ctx) { return accublas_cgemm(ctx, layout, plain, plain, n, n, n, one, y, n, x, n, one, w, n); }},
      {"argument c",
       [&](auto* ctx) { return accublas_cgemm(ctx, layout, plain, plain, n, n, n, one, y, n, y, n, one, z, n); }},
      {"argument a",
       [&](auto* ctx) {
         return accublas_cgemm_strided_batched(ctx, layout, plain, plain, n, n, 2, one, x, n, 2, y, n, 2, one, w, n,
                                               n * n / 2, 1);
       }},
      {"argument a",
       [&](auto* ctx) { return accublas_cherk(ctx, layout, ACCUBLAS_UPPER, plain, n, n, one, x, n, one, w, n); }},
      {"argument b",
       [&](auto* ctx) {
         return accublas_ctrsm(ctx, layout, ACCUBLAS_LEFT, ACCUBLAS_UPPER, plain, ACCUBLAS_NON_UNIT, n, n, one, y, n, z,
                               n);
       }},
      {"argument y", [&](auto* ctx) { return accublas_cher2(ctx, layout, ACCUBLAS_UPPER, n, one, y, 1, x, 1, w, n); }},
      {"argument a", [&](auto* ctx) { return accublas_cgetrf(ctx, layout, n, n, z, n, pivots.data(), info.data()); }},
      {"argument a", [&](auto* ctx) { return accublas_cpotri(ctx, layout, ACCUBLAS_UPPER, n, z, n, info.data()); }},
      {"argument a", [&](auto* ctx) { return accublas_cgeqrf(ctx, layout, n, n, z, n, tau.data()); }},
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    for (const char* mode : {"native", "dp"}) {
      Context context(ACCUBLAS_BACKEND_CUDA);
      context.set(mode);
      EXPECT_EQ(calls[i].second(context), ACCUBLAS_ERROR_UNAVAILABLE) << i << " " << mode;
      if (mode == std::string("dp")) {
        EXPECT_NE(std::string(context.error()).find(calls[i].first), std::string::npos) << i << context.error();
      }
      EXPECT_EQ(c.values(), given) << i << " " << mode;
    }
    Context context(ACCUBLAS_BACKEND_CUDA);
    context.set("cr");
    EXPECT_EQ(calls[i].second(context), ACCUBLAS_SUCCESS) << i << context.error();
    ASSERT_EQ(accublas_sync(context), ACCUBLAS_SUCCESS) << i << context.error();
    require(cudaMemcpy(w, given.data(), given.size() * sizeof(float), cudaMemcpyHostToDevice), "copy to device");
  }
}

}  // namespace accublas::test
