// GEMV of complex numbers, the other routines of level 2 and DSDOT and SDSDOT on the GPU: the CPU's bits in every mode
// that defines them, in all of the result's buffer; what is not to be read is poisoned. What cuBLAS serves keeps its
// bound.
#include "test/gpu/level2_test.hpp"

#include <cmath>
#include <cstring>

#include "test/gpu/gemm_problem.hpp"
#include "test/gpu/stream.hpp"

namespace accublas::test {
namespace {

TYPED_TEST_SUITE(Level2, Types);

TYPED_TEST(Level2, EveryMode) {
  for (const std::string& mode : level2_modes) {
    this->set(mode);
    this->for_routines([&](const Level2Routine& r, Index parts) {
      if (!has_mode(r, mode)) return;
      for (int i = 0; i < scaled(12) && !testing::Test::HasFatalFailure(); ++i)
        this->expect_same(
            r, this->make(r, parts, 1 + below(this->rng, 90), 1 + below(this->rng, i % 3 ? 90 : 300), {Data::phi, 1}),
            mode, i % 3 == 0);
    });
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(Level2, EveryKindOfData) {
  const std::vector<Kind> kinds = {{Data::phi, 10},    {Data::graded},      {Data::whole_range}, {Data::ties},
                                   {Data::integers},   {Data::subnormal},   {Data::overflow},    {Data::cancellation},
                                   {Data::zero_lines}, {Data::few_special}, {Data::many_special}};
  for (const std::string& mode : level2_modes) {
    this->set(mode);
    for (const Kind& kind : kinds)
      this->for_routines([&](const Level2Routine& r, Index parts) {
        if (!has_mode(r, mode)) return;
        for (int i = 0; i < scaled(3) && !testing::Test::HasFatalFailure(); ++i)
          this->expect_same(r, this->make(r, parts, 1 + below(this->rng, 40), 1 + below(this->rng, 70), kind), mode,
                            i == 0);
      });
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// An infinity or a NaN in x alone, which the zeros of a triangle must not meet.
TYPED_TEST(Level2, SpecialValuesOfTriangularProducts) {
  using T = TypeParam;
  for (const std::string& mode : level2_modes) {
    this->set(mode);
    this->for_routines([&](const Level2Routine& r, Index parts) {
      if (r.form != Form::trmv) return;
      for (int i = 0; i < scaled(6) && !testing::Test::HasFatalFailure(); ++i) {
        auto p = this->make(r, parts, 1, 1 + below(this->rng, 50), {Data::phi, 1});
        p.s.incx = 1;
        p.x.resize(static_cast<std::size_t>(parts * p.s.n));
        for (T& entry : p.x) entry = static_cast<T>(spread(this->rng, 1));
        p.x[static_cast<std::size_t>(below(this->rng, parts * p.s.n))] =
            i % 3 ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::quiet_NaN();
        this->expect_same(r, p, mode, i == 0);
      }
    });
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// Many terms, few and many rows, several panels of lines under a small cap.
TYPED_TEST(Level2, Shapes) {
  for (const bool small : {false, true}) {
    if (small) {
      ASSERT_EQ(accublas_set_workspace_mib(this->gpu, 1), ACCUBLAS_SUCCESS) << this->gpu.error();
    }
    for (const char* mode : {"cr", "dot2", "fixed:53"}) {
      this->set(mode);
      this->for_routines([&](const Level2Routine& r, Index parts) {
        if (!has_mode(r, mode)) return;
        for (const auto& [m, n] : std::vector<std::pair<Index, Index>>{{1, 1}, {1, 2000}, {1500, 3}, {400, 700}}) {
          if (testing::Test::HasFatalFailure()) return;
          if (small && r.form != Form::gemv) continue;
          for (int again = 0; again < (small && m == 400 ? 6 : 1); ++again)  // layouts and transpositions are random
            this->expect_same(
                r,
                this->make(r, parts, m, r.form == Form::gemv || r.form == Form::ger ? n : n % 600 + 1, {Data::phi, 2}),
                mode);
        }
      });
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// Orders at the edges of the tiles in which a symmetric or Hermitian matrix is read.
TYPED_TEST(Level2, EdgesOfTiles) {
  using T = TypeParam;
  for (const char* mode : {"cr", "dot2", "fixed:53"}) {
    this->set(mode);
    this->for_routines([&](const Level2Routine& r, Index parts) {
      if (r.form != Form::symv && r.form != Form::hemv) return;
      for (const Index n : {1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 384, 1000})
        for (int again = 0; again < (n < 300 ? 4 : 2); ++again) {  // layouts and triangles are random
          if (testing::Test::HasFatalFailure()) return;
          auto p = this->make(r, parts, n, n, again == 3 ? Kind{Data::few_special} : Kind{Data::phi, 2});
          p.alpha[1] = p.beta[1] = T(0);
          this->expect_same(r, p, mode);
        }
    });
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// alpha = 0: nothing but y is read, and y times beta has each part rounded once.
TYPED_TEST(Level2, NothingToMultiply) {
  using T = TypeParam;
  for (const std::string& mode : level2_modes) {
    this->set(mode);
    this->for_routines([&](const Level2Routine& r, Index parts) {
      if (is_update(r.form) || r.form == Form::trmv) return;
      for (int i = 0; i < 6 && !testing::Test::HasFatalFailure(); ++i) {
        auto p = this->make(r, parts, 9, 7, i == 5 ? Kind{Data::many_special} : Kind{Data::phi, 1});
        p.alpha[0] = p.alpha[1] = 0;
        p.beta[0] = T(i % 2 ? 1 : 0.3);
        p.beta[1] = T(i / 2 % 2 ? 1.7 : 0);
        std::fill(p.a.begin(), p.a.end(), this->nan);
        std::fill(p.x.begin(), p.x.end(), this->nan);
        this->expect_same(r, p, mode, true);
      }
    });
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// native and dp are cuBLAS's: within dp's bound, conjugations and layouts are right.
TYPED_TEST(Level2, GradeAndNative) {
  using T = TypeParam;
  const double u = sizeof(T) == 8 ? 0x1p-53 : 0x1p-24;
  for (const char* mode : {"native", "dp"})
    this->for_routines([&](const Level2Routine& r, Index parts) {
      for (int i = 0; i < scaled(12); ++i) {
        if (testing::Test::HasFatalFailure()) return;
        const auto p = this->make(r, parts, 1 + below(this->rng, 60), 1 + below(this->rng, 60), {Data::phi, 0});
        this->cpu.set("cr");
        this->gpu.set(mode);
        const std::vector<T> want = this->on_host(this->cpu, r, p, mode), got = this->on_device(r, p, mode);
        for (std::size_t q = 0; q < want.size(); ++q) {
          if (std::isnan(want[q])) {
            // cuBLAS may set the imaginary parts of a Hermitian diagonal, as it may read them.
            ASSERT_TRUE(std::isnan(got[q])) << mode << " " << p.text;
          } else {
            ASSERT_LE(std::fabs(static_cast<double>(got[q]) - static_cast<double>(want[q])), 5e3 * u)
                << mode << " " << p.text;
          }
        }
      }
    });
}

template <class T>
auto strided_gemv() {
  if constexpr (sizeof(T) == 8)
    return accublas_zgemv_strided;
  else
    return accublas_cgemv_strided;
}

TYPED_TEST(Level2, AnyStrides) {
  using T = TypeParam;
  for (const std::string& mode : level2_modes) {
    this->set(mode);
    for (int i = 0; i < scaled(8); ++i) {
      const Index m = 1 + below(this->rng, 60), n = 1 + below(this->rng, 60);
      const Place at = strided(this->rng, m, n, true);
      std::vector<T> a(static_cast<std::size_t>(2 * at.size)), x(static_cast<std::size_t>(2 * n)),
          y(static_cast<std::size_t>(2 * m));
      for (std::vector<T>* v : {&a, &x, &y})
        for (T& entry : *v) entry = static_cast<T>(spread(this->rng, 1));
      const T alpha[2] = {T(0.7), T(i % 2)}, beta[2] = {T(-1.1), 0};
      const auto run = [&](accublas_context* context, const T* of_a, const T* of_x, T* of_y) {
        return strided_gemv<T>()(context, m, n, alpha, of_a + 2 * at.offset, at.row, at.col, of_x, 1, beta, of_y, 1);
      };
      std::vector<T> want = y;
      ASSERT_EQ(run(this->cpu, a.data(), x.data(), want.data()), ACCUBLAS_SUCCESS) << this->cpu.error();
      const DeviceArray<T> on_a(a), on_x(x), on_y(y);
      ASSERT_EQ(run(this->gpu, on_a.data(), on_x.data(), on_y.data()), ACCUBLAS_SUCCESS) << this->gpu.error();
      ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
      ASSERT_EQ(this->difference(want, on_y.values()), "") << mode << " rows " << at.row << " columns " << at.col;
    }
  }
}

/// Tests complex numbers at addresses that are not multiples of their size. No kernel may load such a number by one
/// instruction.
TYPED_TEST(Level2, OddAddresses) {
  using T = TypeParam;
  const auto shifted = [&](const std::vector<T>& v) {
    std::vector<T> to(v.size() + 1, this->nan);
    std::copy(v.begin(), v.end(), to.begin() + 1);
    return to;
  };
  for (const std::string& mode : level2_modes) {
    this->set(mode);
    this->for_routines([&](const Level2Routine& r, Index parts) {
      if (parts != 2 || !has_mode(r, mode)) return;
      for (int odd = 1; odd < 8; ++odd) {
        const auto p = this->make(r, parts, 70, 130, {Data::phi, 1});
        const auto at = [&](int bit, const std::vector<T>& v) { return odd >> bit & 1 ? shifted(v) : v; };
        const DeviceArray<T> a(at(0, p.a)), x(at(1, p.x)), y(at(2, p.y));
        ASSERT_EQ(r.run(this->gpu, p.s, p.alpha, a.data() + (odd & 1), x.data() + (odd >> 1 & 1), p.beta,
                        y.data() + (odd >> 2)),
                  ACCUBLAS_SUCCESS)
            << mode << " " << p.text << " " << this->gpu.error();
        ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->gpu.error();
        const int bit = is_update(r.form) ? 0 : r.form == Form::trmv ? 1 : 2;
        const std::vector<T> got = bit == 0 ? a.values() : bit == 1 ? x.values() : y.values();
        ASSERT_EQ(this->difference(at(bit, this->on_host(this->cpu, r, p, mode)), got), "")
            << mode << " " << p.text << " odd " << odd;
      }
    });
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// Calls that wait for nothing, and replays on other data, of GEMV with scalars in device memory that turn out to be
/// real, or not, or zero.
TYPED_TEST(Level2, StreamsAndGraphs) {
  using T = TypeParam;
  const Stream stream;
  ASSERT_EQ(accublas_set_stream(this->gpu, static_cast<cudaStream_t>(stream)), ACCUBLAS_SUCCESS);
  for (const std::string& mode : level2_modes)
    this->for_routines([&](const Level2Routine& r, Index parts) {
      if (!has_mode(r, mode) || testing::Test::HasFatalFailure()) return;
      this->set(mode);
      auto p = this->make(r, parts, 70, 130, {Data::phi, 1});
      const bool there = r.form == Form::gemv;
      const DeviceArray<T> warm(p.a), warm_x(p.x), warm_y(p.y);
      DeviceArray<T> a(p.a), x(p.x), y(p.y), scalars({p.alpha[0], p.alpha[1], p.beta[0], p.beta[1]});
      accublas_set_pointer_mode(this->gpu, there ? ACCUBLAS_POINTER_DEVICE : ACCUBLAS_POINTER_HOST);
      const auto run = [&](const DeviceArray<T>& of_a, const DeviceArray<T>& of_x, const DeviceArray<T>& of_y) {
        return r.run(this->gpu, p.s, there ? scalars.data() : p.alpha, of_a.data(), of_x.data(),
                     there ? scalars.data() + 2 : p.beta, of_y.data());
      };
      // The first call may make what is made once.
      ASSERT_EQ(run(warm, warm_x, warm_y), ACCUBLAS_SUCCESS) << p.text << this->gpu.error();
      ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
      ASSERT_NO_FATAL_FAILURE(expect_no_wait(this->gpu, stream, p.text, [&] { return run(a, x, y); }));
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t executable = nullptr;
      require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin capture");
      const accublas_status status = run(a, x, y);
      const std::string message = this->gpu.error();
      const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
      ASSERT_EQ(status, ACCUBLAS_SUCCESS) << mode << ": " << message;
      ASSERT_EQ(ended, cudaSuccess) << mode << ": " << cudaGetErrorString(ended);
      ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess) << mode;
      for (const T alpha : {T(0), T(-0.6)})
        for (const T imaginary : {T(0), T(0.8)}) {
          if (there) {
            p.alpha[0] = alpha, p.alpha[1] = imaginary;
            p.beta[0] = below(this->rng, 2) ? T(1) : T(0.4), p.beta[1] = below(this->rng, 2) ? T(0) : T(0.2);
          }
          for (T& entry : p.x) entry *= T(-0.8);
          a = p.a, x = p.x, y = p.y;
          scalars = std::vector<T>{p.alpha[0], p.alpha[1], p.beta[0], p.beta[1]};
          ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess) << mode;
          stream.wait();
          const std::vector<T> got = is_update(r.form) ? a.values() : r.form == Form::trmv ? x.values() : y.values();
          ASSERT_EQ(this->difference(this->on_host(this->cpu, r, p, mode), got), "")
              << mode << " replayed " << p.text << " alpha " << p.alpha[0] << " " << p.alpha[1] << " beta " << p.beta[0]
              << " " << p.beta[1];
          if (!there) break;
        }
      cudaGraphExecDestroy(executable);
      cudaGraphDestroy(graph);
    });
  accublas_set_pointer_mode(this->gpu, ACCUBLAS_POINTER_HOST);
}

/// The user's workspace holds all that a call needs.
TYPED_TEST(Level2, UsersWorkspace) {
  const DeviceArray<unsigned char> workspace(std::size_t{64} << 20);
  ASSERT_EQ(accublas_set_workspace(this->gpu, workspace.data() + 8, workspace.size() - 8), ACCUBLAS_SUCCESS);
  for (const std::string& mode : level2_modes) {
    this->set(mode);
    this->for_routines([&](const Level2Routine& r, Index parts) {
      if (has_mode(r, mode) && !testing::Test::HasFatalFailure())
        this->expect_same(r, this->make(r, parts, 150, 190, {Data::phi, 3}), mode);
    });
  }
}

/// alpha and beta of the others are read by the host.
TYPED_TEST(Level2, ScalarsOnTheDeviceAreRefused) {
  using T = TypeParam;
  this->set("cr");
  accublas_set_pointer_mode(this->gpu, ACCUBLAS_POINTER_DEVICE);
  this->for_routines([&](const Level2Routine& r, Index parts) {
    if (r.form == Form::gemv || r.form == Form::trmv) return;
    const auto p = this->make(r, parts, 5, 5, {Data::phi, 1});
    const DeviceArray<T> a(p.a), x(p.x), y(p.y), scalars({1, 0, 1, 0});
    EXPECT_EQ(r.run(this->gpu, p.s, scalars.data(), a.data(), x.data(), scalars.data() + 2, y.data()),
              ACCUBLAS_ERROR_UNAVAILABLE)
        << p.text;
    EXPECT_NE(std::string(this->gpu.error()).find("alpha"), std::string::npos) << this->gpu.error();
    EXPECT_EQ(this->difference(p.a, a.values()) + this->difference(p.y, y.values()), "") << p.text;
  });
}

// ---- DSDOT and SDSDOT ----------------------------------------------------------------------------------------------

accublas_status mixed(const Context& c, Index n, const float*, const float* x, Index incx, const float* y, Index incy,
                      double* result) {
  return accublas_dsdot(c, n, x, incx, y, incy, result);
}

accublas_status mixed(const Context& c, Index n, const float* sb, const float* x, Index incx, const float* y,
                      Index incy, float* result) {
  return accublas_sdsdot(c, n, sb, x, incx, y, incy, result);
}

TYPED_TEST(Level2, MixedDots) {
  using T = TypeParam;
  const std::vector<Kind> kinds = {{Data::phi, 0.5}, {Data::phi, 10},      {Data::whole_range},
                                   {Data::ties},     {Data::cancellation}, {Data::subnormal},
                                   {Data::overflow}, {Data::few_special},  {Data::many_special}};
  for (const char* mode : {"cr", "dp:repro", "dot2"}) {
    this->set(mode);
    for (const Kind& kind : kinds)
      for (const Index n : {0, 1, 5, 1000, 70000})
        for (const Index inc : {1, -2}) {
          if (n > 1000 && inc != 1) continue;
          const auto e = make_entries<float>(kind, 1, 1, n == 0 ? 1 : n, this->rng);
          std::vector<float> x(static_cast<std::size_t>(std::max<Index>(1, n) * std::abs(inc)),
                               std::numeric_limits<float>::quiet_NaN());
          for (Index i = 0; i < n; ++i)
            x[static_cast<std::size_t>(i * std::abs(inc))] = e.a[static_cast<std::size_t>(i)];
          const float sb = n % 2 ? -1.5f : 0.0f;
          T want = 77, got[3] = {78, 78, 78};
          ASSERT_EQ(mixed(this->cpu, n, &sb, x.data(), inc, e.b.data(), 1, &want), ACCUBLAS_SUCCESS);
          const DeviceArray<float> on_x(x), on_y(e.b), on_sb(std::vector<float>{sb});
          const DeviceArray<T> result(1);
          accublas_set_pointer_mode(this->gpu, ACCUBLAS_POINTER_HOST);
          ASSERT_EQ(mixed(this->gpu, n, &sb, x.data(), inc, e.b.data(), 1, &got[0]), ACCUBLAS_SUCCESS)
              << this->gpu.error();
          ASSERT_EQ(mixed(this->gpu, n, &sb, on_x.data(), inc, on_y.data(), 1, &got[1]), ACCUBLAS_SUCCESS)
              << this->gpu.error();
          accublas_set_pointer_mode(this->gpu, ACCUBLAS_POINTER_DEVICE);
          ASSERT_EQ(mixed(this->gpu, n, on_sb.data(), on_x.data(), inc, on_y.data(), 1, result.data()),
                    ACCUBLAS_SUCCESS)
              << this->gpu.error();
          ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS);
          got[2] = result.values()[0];
          for (const T value : got) ASSERT_EQ(bits(value), bits(want)) << mode << " " << kind.name() << " n " << n;
        }
  }
  accublas_set_pointer_mode(this->gpu, ACCUBLAS_POINTER_HOST);
}

}  // namespace
}  // namespace accublas::test
