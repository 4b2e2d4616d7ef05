// Tests of complex GEMM through the public interface. In every mode that defines bits, the GPU's bits must be the
// CPU's, whatever the layout, transposition, strides and sizes. Nothing may be written between the elements of C.
#include "test/gpu/complex_gemm_test.hpp"

#include <cstring>

#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {
namespace {

TYPED_TEST(ComplexGemm, LayoutsAndTranspositions) {
  for (const std::string& mode : complex_modes) {
    this->cpu.set(mode);
    this->gpu.set(mode);
    for (const accublas_layout layout : {ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR})
      for (const accublas_transpose transa : transpositions)
        for (const accublas_transpose transb : transpositions) {
          const Index k = inner_dimension(mode, below(this->rng, 4), 1 + below(this->rng, 150), 2);
          auto call = this->packed_call(1 + below(this->rng, 90), 1 + below(this->rng, 90), k, layout, transa, transb,
                                        below(this->rng, 2) * 3);
          call.alpha[0] = below(this->rng, 2) ? TypeParam(1) : TypeParam(-0.7);
          call.beta[0] = below(this->rng, 2) ? TypeParam(0) : TypeParam(1.3);
          this->fill(call, {Data::phi, 1});
          this->expect_same(call, mode, below(this->rng, 4) == 0);
          if (testing::Test::HasFatalFailure()) return;
        }
  }
}

TYPED_TEST(ComplexGemm, EveryKindOfData) {
  for (const std::string& mode : complex_modes)
    for (const char* engine : {"auto", "int8", "fp64", "fp16"}) {
      if (std::strcmp(engine, "auto") && (mode == "dot2" || mode.rfind("slices", 0) == 0)) continue;
      this->cpu.set(mode);
      this->gpu.set(mode, engine);
      for (const Kind& kind : complex_kinds) {
        const Index k = inner_dimension(mode, below(this->rng, 4), 1 + below(this->rng, 200), 2);
        auto call = this->packed_call(1 + below(this->rng, 60), 1 + below(this->rng, 60), k, ACCUBLAS_COL_MAJOR,
                                      transpositions[below(this->rng, 3)], transpositions[below(this->rng, 3)], 0);
        call.beta[0] = TypeParam(below(this->rng, 2));
        this->fill(call, kind);
        this->expect_same(call, mode + " " + engine + " " + kind.name());
        if (testing::Test::HasFatalFailure()) return;
      }
    }
}

// Residues decide few elements of these matrices, and tiles compute them.
TYPED_TEST(ComplexGemm, Decaying) {
  using T = TypeParam;
  int number = 0;
  for (const Kind& kind : {Kind{Data::named, 0, "gauss:0.03"},
                           {Data::named, 0, "decay:0.9"},
                           {Data::named, 0, "decay:0.1"},
                           {Data::inverse}})
    for (const std::string mode : {"cr", "dp:repro"}) {
      this->cpu.set(mode);
      this->gpu.set(mode);
      for (const accublas_transpose transa : transpositions)
        for (const accublas_transpose transb : transpositions) {
          ++number;
          auto call =
              this->packed_call(230, 190, inner_dimension(mode, 1, 140, 2),
                                number % 2 ? ACCUBLAS_COL_MAJOR : ACCUBLAS_ROW_MAJOR, transa, transb, number % 3);
          if (number % 3 == 1) call.beta[0] = T(0.5);
          if (number == 2) call.alpha[1] = T(0.25);
          this->fill(call, kind);
          this->expect_same(call, mode);
          if (testing::Test::HasFatalFailure()) return;
        }
    }
}

// Both parts of the rounded sums are zero, the exact real part is negative, and alpha times the error of the sums
// underflows. The results are -0, so a decision for +0 would be wrong.
TYPED_TEST(ComplexGemm, SignsOfUnderflows) {
  using T = TypeParam;
  if (sizeof(T) == sizeof(float)) return;  // products with alpha do not underflow in double precision
  this->cpu.set("cr");
  this->gpu.set("cr");
  for (const int least : {-150, -200, -250, -300})
    for (const int scale : {-200, -600, -1000})
      for (const Index size : {Index{3}, Index{70}}) {
        auto call = this->packed_call(size, size, 3, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, 0);
        const T s = static_cast<T>(std::ldexp(1.0, least)), small = static_cast<T>(std::ldexp(1.0, least - 100));
        call.a.assign(static_cast<std::size_t>(2 * call.at_a.size), T(0));
        call.b.assign(static_cast<std::size_t>(2 * call.at_b.size), T(0));
        call.c.assign(static_cast<std::size_t>(2 * call.at_c.size), T(0));
        for (Index i = 0; i < size; ++i)
          for (Index t = 0; t < 3; ++t) {
            call.a[static_cast<std::size_t>(2 * call.at_a.at(i, t))] = t < 2 ? s : small;
            call.b[static_cast<std::size_t>(2 * call.at_b.at(t, i))] = t == 0 ? s : t == 1 ? -s : -small;
          }
        call.alpha[0] = call.alpha[1] = static_cast<T>(std::ldexp(1.0, scale));
        const T want = -static_cast<T>(std::ldexp(1.0, std::max(2 * (least - 100) + scale, -1200)));
        std::vector<T> here = call.c;
        ASSERT_EQ(call.run(this->cpu, call.a.data(), call.b.data(), here.data()), ACCUBLAS_SUCCESS);
        for (const T x : here) {
          ASSERT_EQ(x, want) << least << " " << scale;
          ASSERT_TRUE(std::signbit(x)) << least << " " << scale;
        }
        this->expect_same(call, "underflow " + std::to_string(least) + " " + std::to_string(scale));
        if (testing::Test::HasFatalFailure()) return;
      }
}

TYPED_TEST(ComplexGemm, AnyStrides) {
  for (const std::string& mode : complex_modes) {
    this->cpu.set(mode);
    this->gpu.set(mode);
    for (int number = 0; number < scaled(12); ++number) {
      auto call = this->strided_call(mode);
      call.beta[0] = below(this->rng, 2) ? TypeParam(0.5) : TypeParam(0);
      this->fill(call, {Data::phi, 1});
      this->expect_same(call, mode, number == 0);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// A call that a small cap cuts into blocks has the bits of the whole call.
TYPED_TEST(ComplexGemm, SmallWorkspace) {
  for (const std::string& mode : complex_modes) {
    this->cpu.set(mode);
    this->gpu.set(mode);
    ASSERT_EQ(accublas_set_workspace_mib(this->gpu, 24), ACCUBLAS_SUCCESS);
    auto call = this->packed_call(700, 610, 900, ACCUBLAS_COL_MAJOR, ACCUBLAS_CONJ_TRANS, ACCUBLAS_TRANS, 0);
    this->fill(call, {Data::phi, 2});
    this->expect_same(call, mode + " 24 MiB");
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(ComplexGemm, NothingToMultiply) {
  for (const std::string& mode : {std::string("cr"), std::string("dp:repro"), std::string("dp")}) {
    this->cpu.set(mode);
    this->gpu.set(mode);
    for (const Index k : {0, 5})
      for (const TypeParam beta :
           {TypeParam(0), TypeParam(1), TypeParam(-0.3), std::numeric_limits<TypeParam>::infinity()}) {
        auto call = this->packed_call(33, 21, k, ACCUBLAS_ROW_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, 2);
        call.alpha[0] = TypeParam(k == 0);
        call.beta[0] = beta;
        this->fill(call, {Data::phi, 1});
        if (beta != 0) call.c[0] = std::numeric_limits<TypeParam>::infinity();
        this->expect_same(call, mode);
        if (testing::Test::HasFatalFailure()) return;
      }
  }
}

/// With k = 0 cuBLAS wants larger leading dimensions of A and B than BLAS does, which are the least ones here.
TYPED_TEST(ComplexGemm, NoTermsByCublas) {
  using T = TypeParam;
  const Index m = 21, n = 17, count = 2;
  const auto routine = sizeof(T) == 8 ? accublas_zgemm : accublas_cgemm;
  const auto by_strides = sizeof(T) == 8 ? accublas_zgemm_strided_batched : accublas_cgemm_strided_batched;
  const auto by_pointers = sizeof(T) == 8 ? accublas_zgemm_batched : accublas_cgemm_batched;
  const T alpha[2] = {T(-1.5), T(0.5)};
  std::vector<T> old(static_cast<std::size_t>(2 * count * m * n));
  for (T& x : old) x = static_cast<T>(spread(this->rng, 1));
  const DeviceArray<T> nothing(std::vector<T>(2, std::numeric_limits<T>::quiet_NaN())),
      alpha_there(std::vector<T>(alpha, alpha + 2));
  for (const char* mode : {"native", "dp", "cr"})
    for (const bool device_scalars : {false, true})
      for (const accublas_layout layout : {ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR})
        for (const accublas_transpose transa : transpositions)
          for (const accublas_transpose transb : transpositions)
            for (const std::vector<T>& beta : {std::vector<T>{T(0.75), T(1)}, {T(-1), 0}, {0, 0}, {1, 0}}) {
              this->gpu.set(mode);
              ASSERT_EQ(accublas_set_pointer_mode(this->gpu,
                                                  device_scalars ? ACCUBLAS_POINTER_DEVICE : ACCUBLAS_POINTER_HOST),
                        ACCUBLAS_SUCCESS);
              const DeviceArray<T> beta_there(beta);
              const T *const of_alpha = device_scalars ? alpha_there.data() : alpha, *const of_beta =
                                                                                         device_scalars
                                                                                             ? beta_there.data()
                                                                                             : beta.data();
              const bool rows = layout == ACCUBLAS_ROW_MAJOR;
              const Index lda = rows == (transa == ACCUBLAS_NO_TRANS) ? 1 : m,
                          ldb = rows == (transb == ACCUBLAS_NO_TRANS) ? n : 1, ldc = rows ? n : m;
              const std::string what = std::string(mode) + " layout " + std::to_string(layout) + " " +
                                       std::to_string(transa) + " " + std::to_string(transb);
              const auto check = [&](const DeviceArray<T>& c, Index matrices) {
                ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->gpu.error();
                const std::vector<T> got = c.values();
                for (std::size_t i = 0; i < static_cast<std::size_t>(2 * matrices * m * n); i += 2) {
                  const T re = beta[0] * old[i] - beta[1] * old[i + 1], im = beta[0] * old[i + 1] + beta[1] * old[i];
                  ASSERT_NEAR(got[i], re, 8 * std::numeric_limits<T>::epsilon()) << what;
                  ASSERT_NEAR(got[i + 1], im, 8 * std::numeric_limits<T>::epsilon()) << what;
                }
              };
              const DeviceArray<T> single(old), strided(old), pointed(old);
              ASSERT_EQ(routine(this->gpu, layout, transa, transb, m, n, 0, of_alpha, nothing.data(), lda,
                                nothing.data(), ldb, of_beta, single.data(), ldc),
                        ACCUBLAS_SUCCESS)
                  << what << " " << this->gpu.error();
              ASSERT_NO_FATAL_FAILURE(check(single, 1));
              ASSERT_EQ(by_strides(this->gpu, layout, transa, transb, m, n, 0, of_alpha, nothing.data(), lda, 0,
                                   nothing.data(), ldb, 0, of_beta, strided.data(), ldc, m * n, count),
                        ACCUBLAS_SUCCESS)
                  << what << " " << this->gpu.error();
              ASSERT_NO_FATAL_FAILURE(check(strided, count));
              const DeviceArray<const void*> operands(std::vector<const void*>(count, nothing.data()));
              const DeviceArray<void*> results(std::vector<void*>{pointed.data(), pointed.data() + 2 * m * n});
              ASSERT_EQ(by_pointers(this->gpu, layout, transa, transb, m, n, 0, of_alpha, operands.data(), lda,
                                    operands.data(), ldb, of_beta, results.data(), ldc, count),
                        ACCUBLAS_SUCCESS)
                  << what << " " << this->gpu.error();
              ASSERT_NO_FATAL_FAILURE(check(pointed, count));
            }
}

/// Results of dp and native, by cuBLAS or emulation, are within the bound of dp, with all conjugations and layouts.
TYPED_TEST(ComplexGemm, NativeAndGrade) {
  using T = TypeParam;
  for (const char* mode : {"native", "dp"})
    for (const accublas_layout layout : {ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR})
      for (const accublas_transpose transa : transpositions)
        for (const accublas_transpose transb : transpositions)
          for (const Index size : {Index{1}, 1 + below(this->rng, 60)}) {
            auto call =
                this->packed_call(size, 1 + below(this->rng, 40), 1 + below(this->rng, 50), layout, transa, transb, 1);
            call.alpha[1] = std::strcmp(mode, "native") ? T(0) : T(0.5);
            call.beta[0] = T(0.5);
            this->fill(call, {Data::phi, 0});
            this->cpu.set("cr");
            this->gpu.set(mode);
            std::vector<T> want = call.c;
            ASSERT_EQ(call.run(this->cpu, call.a.data(), call.b.data(), want.data()), ACCUBLAS_SUCCESS);
            const DeviceArray<T> a(call.a), b(call.b), c(call.c);
            ASSERT_EQ(call.run(this->gpu, a.data(), b.data(), c.data()), ACCUBLAS_SUCCESS) << this->gpu.error();
            ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
            const std::vector<T> got = c.values();
            const double bound = (2.0 * static_cast<double>(call.k) + 8) * std::numeric_limits<T>::epsilon() *
                                 (2.0 * static_cast<double>(call.k) * 0.25 * 1.5 + 16);
            for (std::size_t i = 0; i < want.size(); ++i) {
              if (std::isnan(want[i])) {
                ASSERT_TRUE(std::isnan(got[i])) << mode;
              } else {
                ASSERT_LE(std::fabs(static_cast<double>(got[i]) - static_cast<double>(want[i])), bound)
                    << mode << " " << call.describe();
              }
            }
          }
}

// Batches with real factors take groups in the modes of engine int8: all transpositions, hard data in one matrix, and a
// workspace that holds two products at a time. In dp:repro most have a certificate.
TYPED_TEST(ComplexGemm, Groups) {
  using T = TypeParam;
  constexpr accublas_transpose all[] = {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS, ACCUBLAS_CONJ_TRANS};
  int round = 0;
  for (const std::string mode : {"cr", "dp:repro", "fixed:53"})
    for (const accublas_transpose transa : all)
      for (const accublas_transpose transb : all) {
        ++round;
        const accublas_layout layout = round % 2 ? ACCUBLAS_COL_MAJOR : ACCUBLAS_ROW_MAJOR;
        const Index m = round % 3 ? 37 : 130, n = round % 4 ? 61 : 128,
                    usual = round % 7 == 4 ? 530
                            : round % 5    ? 67
                                           : 90,
                    k = inner_dimension(mode, round, usual, 2), count = 5;
        this->cpu.set(mode);
        this->gpu.set(mode);
        ASSERT_EQ(accublas_set_workspace_mib(this->gpu, round % 2            ? 0
                                                        : mode == "dp:repro" ? 224
                                                                             : 64),
                  ACCUBLAS_SUCCESS);
        auto call = this->packed_call(m, n, k, layout, transa, transb, round % 2);
        const Kind kinds[] = {{Data::phi, 0}, {Data::ties}, {Data::few_special}, {Data::phi, 8}, {Data::zero_lines}};
        const T alpha[] = {T(round % 2 ? 1 : -0.3), T(0)};
        call.beta[0] = T(round % 3 ? 0 : 0.7);
        std::vector<T> a, b, c;
        for (const Kind& kind : kinds) {
          this->fill(call, kind);
          a.insert(a.end(), call.a.begin(), call.a.end());
          b.insert(b.end(), call.b.begin(), call.b.end());
          c.insert(c.end(), call.c.begin(), call.c.end());
        }
        const Index stride_a = static_cast<Index>(call.a.size()) / 2, stride_b = static_cast<Index>(call.b.size()) / 2,
                    stride_c = static_cast<Index>(call.c.size()) / 2;
        const auto ld = [](const Place& x) { return std::max(x.row, x.col); };
        const auto routine = sizeof(T) == 8 ? accublas_zgemm_strided_batched : accublas_cgemm_strided_batched;
        const auto run = [&](Context& context, const T* x, const T* y, T* z) {
          return routine(context, layout, transa, transb, m, n, k, alpha, x, ld(call.at_a), stride_a, y, ld(call.at_b),
                         stride_b, call.beta, z, ld(call.at_c), stride_c, count);
        };
        std::vector<T> want = c;
        ASSERT_EQ(run(this->cpu, a.data(), b.data(), want.data()), ACCUBLAS_SUCCESS) << this->cpu.error();
        const DeviceArray<T> on_a(a), on_b(b), on_c(c), in_place(c);
        ASSERT_EQ(run(this->gpu, on_a.data(), on_b.data(), on_c.data()), ACCUBLAS_SUCCESS) << this->gpu.error();
        ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
        ASSERT_EQ(std::memcmp(on_c.values().data(), want.data(), want.size() * sizeof(T)), 0)
            << mode << " " << call.describe();
        EXPECT_EQ(this->gpu.report().rejected, this->cpu.report().rejected) << mode << " " << call.describe();
        std::vector<const void*> of_a, of_b;
        std::vector<void*> of_c;
        for (Index i = count - 1; i >= 0; --i) {
          of_a.push_back(on_a.data() + 2 * i * stride_a);
          of_b.push_back(on_b.data() + 2 * i * stride_b);
          of_c.push_back(in_place.data() + 2 * i * stride_c);
        }
        const DeviceArray<const void*> pa(of_a), pb(of_b);
        const DeviceArray<void*> pc(of_c);
        const auto by_pointers = sizeof(T) == 8 ? accublas_zgemm_batched : accublas_cgemm_batched;
        ASSERT_EQ(by_pointers(this->gpu, layout, transa, transb, m, n, k, alpha, pa.data(), ld(call.at_a), pb.data(),
                              ld(call.at_b), call.beta, pc.data(), ld(call.at_c), count),
                  ACCUBLAS_SUCCESS)
            << this->gpu.error();
        ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
        ASSERT_EQ(std::memcmp(in_place.values().data(), want.data(), want.size() * sizeof(T)), 0)
            << mode << " by pointers " << call.describe();
        EXPECT_GT(this->gpu.report().workspace_bytes, std::int64_t{16} << 20) << mode;
      }
  ASSERT_EQ(accublas_set_workspace_mib(this->gpu, 0), ACCUBLAS_SUCCESS);
}

TYPED_TEST(ComplexGemm, StridedBatches) {
  using T = TypeParam;
  const Index m = 37, n = 29, k = 41, count = 7;
  for (const std::string& mode : complex_modes) {
    this->cpu.set(mode);
    this->gpu.set(mode);
    auto call = this->packed_call(m, n, k, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_CONJ_TRANS, 0);
    std::vector<T> a, b, c;
    for (Index i = 0; i < count; ++i) {
      this->fill(call, {Data::phi, static_cast<double>(i)});
      a.insert(a.end(), call.a.begin(), call.a.end());
      b.insert(b.end(), call.b.begin(), call.b.end());
      c.insert(c.end(), call.c.begin(), call.c.end());
    }
    const auto routine = sizeof(T) == 8 ? accublas_zgemm_strided_batched : accublas_cgemm_strided_batched;
    const auto run = [&](Context& context, const T* x, const T* y, T* z) {
      return routine(context, call.layout, call.transa, call.transb, m, n, k, call.alpha, x, m, m * k, y, n, n * k,
                     call.beta, z, m, m * n, count);
    };
    std::vector<T> want = c;
    ASSERT_EQ(run(this->cpu, a.data(), b.data(), want.data()), ACCUBLAS_SUCCESS) << this->cpu.error();
    const DeviceArray<T> on_a(a), on_b(b), on_c(c);
    ASSERT_EQ(run(this->gpu, on_a.data(), on_b.data(), on_c.data()), ACCUBLAS_SUCCESS) << this->gpu.error();
    ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
    EXPECT_EQ(std::memcmp(on_c.values().data(), want.data(), want.size() * sizeof(T)), 0) << mode;

    // The next call has pointers, and an alpha and a beta with imaginary parts.
    call.alpha[1] = T(0.5), call.beta[0] = T(-0.3), call.beta[1] = 1;
    for (T& x : c) x = static_cast<T>(spread(this->rng, 1));
    want = c;
    ASSERT_EQ(run(this->cpu, a.data(), b.data(), want.data()), ACCUBLAS_SUCCESS) << this->cpu.error();
    const DeviceArray<T> in_place(c);
    std::vector<const void*> of_a, of_b;
    std::vector<void*> of_c;
    for (Index i = count - 1; i >= 0; --i) {
      of_a.push_back(on_a.data() + 2 * i * m * k);
      of_b.push_back(on_b.data() + 2 * i * n * k);
      of_c.push_back(in_place.data() + 2 * i * m * n);
    }
    const DeviceArray<const void*> pa(of_a), pb(of_b);
    const DeviceArray<void*> pc(of_c);
    const auto by_pointers = sizeof(T) == 8 ? accublas_zgemm_batched : accublas_cgemm_batched;
    ASSERT_EQ(by_pointers(this->gpu, call.layout, call.transa, call.transb, m, n, k, call.alpha, pa.data(), m,
                          pb.data(), n, call.beta, pc.data(), m, count),
              ACCUBLAS_SUCCESS)
        << this->gpu.error();
    ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
    EXPECT_EQ(std::memcmp(in_place.values().data(), want.data(), want.size() * sizeof(T)), 0) << mode;
  }
}

}  // namespace
}  // namespace accublas::test
