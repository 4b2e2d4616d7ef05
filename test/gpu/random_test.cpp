// Random calls, GPU against CPU, bit by bit: shapes, modes (every T, many of them small), engines, strides, data,
// workspaces, scalars, batches and vectors, with operands between unmapped pages and guards around the user's
// workspace. ACCUBLAS_TEST_SCALE=30 makes ten minutes of it on an H200, ACCUBLAS_TEST_SEED another sequence.
#include "test/gpu/random_test.hpp"

#include <cmath>
#include <cstdlib>

#include "lib/numerics/crt.hpp"
#include "lib/numerics/moduli.hpp"
#include "test/gpu/gemm_problem.hpp"
#include "test/gpu/guarded.hpp"

namespace accublas::test {
namespace {

TYPED_TEST_SUITE(RandomCalls, Types);

TYPED_TEST(RandomCalls, Gemm) {
  this->cases(
      150, [&] { this->gemm(random_shape(this->rng), random_choice(this->rng, sizeof(TypeParam) == 4, true), false); });
}

TYPED_TEST(RandomCalls, GemmInManyBlocks) {
  this->cases(16, [&] {
    Choice choice = random_choice(this->rng, sizeof(TypeParam) == 4, true);
    if (choice.mode == "dot2") choice = {"fixed:2", "int8", 2};
    this->gemm(blocked_shape(this->rng), choice, true);
  });
}

// Every T, with the largest sums that there are, where they come to what some number of moduli holds: 2^(2 T) k at the
// edge of P / 2.
TYPED_TEST(RandomCalls, EveryT) {
  using T = TypeParam;
  this->cases(2, [&] {
    double capacity[max_moduli + 1] = {-1 - std::log2(crt_margin)};
    for (int l = 0; l < max_moduli; ++l) capacity[l + 1] = capacity[l] + std::log2(moduli_list().p[l]);
    for (int t = 2; t <= 150; ++t) {
      // Between what norms give, each side's with 1/2 an entry for rounding, and what magnitudes give.
      const double side = std::exp2(t);
      std::vector<Index> edges;
      for (const double most : capacity)
        if (most >= 2 * t && most < 2 * t + 11.5) {
          const double sum = std::exp2(most), least = sum / ((side + 0.5) * (side + 0.5)), last = sum / (side * side);
          edges.push_back(static_cast<Index>(least + uniform(this->rng) * (last - least)) + below(this->rng, 2));
        }
      const Index k = std::max<Index>(
          1, edges.empty() ? 1 + below(this->rng, 2000)
                           : edges[static_cast<std::size_t>(below(this->rng, static_cast<Index>(edges.size())))]);
      const bool blocks = t % 3 == 0 || t < 8;
      this->what = "T = " + std::to_string(t) + ", ";
      this->choose({"fixed:" + std::to_string(t), "int8", t});
      auto p = plain_problem<T>(this->rng, {Data::extreme}, blocks ? 1536 : 300, blocks ? 1290 : 520, k);
      const T entry = 1 - T(0x1p-20);
      for (T& x : p.a) x = entry;
      for (T& x : p.b) x = entry;
      const RandomWorkspace workspace(this->gpu, this->rng, true);
      this->what += workspace.text();
      this->compare(p, workspace);
      if (testing::Test::HasFailure()) return;
    }
  });
}

TYPED_TEST(RandomCalls, Batches) {
  using T = TypeParam;
  this->cases(60, [&] {
    Random& rng = this->rng;
    const bool small = below(rng, 4) != 0;
    const Index count = 1 + below(rng, small ? 40 : 5);
    const Shape shape = small ? Shape{1 + below(rng, 140), 1 + below(rng, 140), 1 + below(rng, 140)}
                              : Shape{1 + below(rng, 400), 1 + below(rng, 400), 1 + below(rng, 700)};
    const Choice choice = random_choice(rng, sizeof(T) == 4, true);
    this->choose(choice);
    const T alpha = random_scalar<T>(rng), beta = random_scalar<T>(rng);
    std::vector<Problem<T>> problems;
    std::vector<std::unique_ptr<GuardedArray<T>>> a, b, c;
    std::vector<const T*> at_a, at_b;
    std::vector<T*> at_c;
    const accublas_layout layout = below(rng, 2) ? ACCUBLAS_ROW_MAJOR : ACCUBLAS_COL_MAJOR;
    const accublas_transpose transa = below(rng, 2) ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS,
                             transb = below(rng, 2) ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS;
    const Index extra = below(rng, 3) ? 0 : below(rng, 9);
    const Edge edge = random_edge(rng);
    for (Index i = 0; i < count; ++i) {
      problems.push_back(packed_problem<T>(rng, random_kind(rng, choice.bits, true), shape.m, shape.n, shape.k, layout,
                                           transa, transb, extra));
      problems.back().alpha = alpha, problems.back().beta = beta;
      a.push_back(std::make_unique<GuardedArray<T>>(problems.back().a, edge));
      b.push_back(std::make_unique<GuardedArray<T>>(problems.back().b, edge));
      c.push_back(std::make_unique<GuardedArray<T>>(problems.back().c, edge));
      at_a.push_back(a.back()->data()), at_b.push_back(b.back()->data()), at_c.push_back(c.back()->data());
    }
    const DeviceArray<const T*> device_a(at_a), device_b(at_b);
    const DeviceArray<T*> device_c(at_c);
    const DeviceArray<T> scalars(std::vector<T>{alpha, beta});
    const bool on_device = this->random_pointer_mode();
    const RandomWorkspace workspace(this->gpu, rng, false);
    this->what += workspace.text() + ", " + std::to_string(count) + " x ";
    const Problem<T>& p = problems[0];
    const auto run = [&](auto entry) {
      return entry(this->gpu, p.layout, p.transa, p.transb, p.m, p.n, p.k, on_device ? scalars.data() : &alpha,
                   device_a.data(), p.lda(), device_b.data(), p.ldb(), on_device ? scalars.data() + 1 : &beta,
                   device_c.data(), p.ldc(), count);
    };
    accublas_status status;
    if constexpr (sizeof(T) == 8)
      status = run(accublas_dgemm_batched);
    else
      status = run(accublas_sgemm_batched);
    if (status == ACCUBLAS_ERROR_MEMORY && workspace.own()) {
      for (Index i = 0; i < count; ++i) {
        const std::size_t q = static_cast<std::size_t>(i);
        ASSERT_EQ(mismatch(problems[q], problems[q].c, c[q]->values()), "") << this->what << ": no memory, C changed";
      }
      return;
    }
    ASSERT_EQ(status, ACCUBLAS_SUCCESS) << this->what << p.describe() << ": " << this->gpu.error();
    ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->what << p.describe() << ": " << this->gpu.error();
    for (Index i = 0; i < count; ++i) {
      const std::size_t q = static_cast<std::size_t>(i);
      std::vector<T> want;
      ASSERT_EQ(on_host(this->cpu, problems[q], want), ACCUBLAS_SUCCESS) << this->what << this->cpu.error();
      ASSERT_EQ(mismatch(problems[q], want, c[q]->values()), "") << this->what << "matrix " << i;
    }
    ASSERT_TRUE(workspace.guards_hold()) << this->what << p.describe() << ": written beside the workspace";
  });
}

/// DOT, GEMV and the norms; increments of either sign, zero for what is read.
enum class Vectors { dot, gemv, nrm2, asum };

TYPED_TEST(RandomCalls, VectorCalls) {
  using T = TypeParam;
  this->cases(150, [&] {
    Random& rng = this->rng;
    const Vectors routine = pick(rng, {Vectors::dot, Vectors::gemv, Vectors::gemv, Vectors::nrm2, Vectors::asum});
    const bool norm = routine == Vectors::nrm2 || routine == Vectors::asum;
    Choice choice = random_choice(rng, sizeof(T) == 4, false);
    if (norm && (choice.bits > 0 || choice.mode.starts_with("slices"))) choice = {"cr"};
    this->choose(choice);
    const Index m = routine != Vectors::gemv ? 1 : 1 + below(rng, below(rng, 2) ? 40 : 3000);
    const Index k = 1 + below(rng, routine != Vectors::gemv ? (below(rng, 2) ? 500 : 300000) : 3000000 / (m + 1000));
    const Kind kind = random_kind(rng, choice.bits, true);
    const GemmEntries<T> entries = make_entries<T>(kind, m, 1, k, rng);
    const auto increment = [&](bool zero) {
      const Index step = below(rng, 3) ? 1 : 2 + below(rng, 3);
      return zero && below(rng, 12) == 0 ? 0 : below(rng, 3) ? step : -step;
    };
    const auto spaced = [](const std::vector<T>& x, Index inc) {
      const Index step = std::abs(inc);
      std::vector<T> out(x.empty() ? 0 : static_cast<std::size_t>((static_cast<Index>(x.size()) - 1) * step + 1),
                         std::numeric_limits<T>::quiet_NaN());
      for (std::size_t i = 0; i < x.size(); ++i) out[static_cast<std::size_t>(step) * i] = x[i];
      return out;
    };
    const bool trans = below(rng, 2), row_major = below(rng, 2);
    const Index rows = trans ? k : m, cols = trans ? m : k, ld = (row_major ? cols : rows) + below(rng, 5);
    const Index incx = increment(routine != Vectors::gemv), incy = increment(routine == Vectors::dot);
    std::vector<T> a;
    if (routine == Vectors::gemv) {
      a.assign(static_cast<std::size_t>(ld * (row_major ? rows : cols)), std::numeric_limits<T>::quiet_NaN());
      for (Index i = 0; i < m; ++i)
        for (Index q = 0; q < k; ++q) {
          const Index row = trans ? q : i, col = trans ? i : q;
          a[static_cast<std::size_t>(row_major ? row * ld + col : row + col * ld)] =
              entries.a[static_cast<std::size_t>(i + q * m)];
        }
    } else {
      a = spaced(entries.a, incx);
    }
    const std::vector<T> x = spaced(entries.b, routine == Vectors::gemv ? incx : incy);
    const std::vector<T> y = routine == Vectors::gemv ? spaced(entries.c, incy) : std::vector<T>{T(77)};
    const T alpha = random_scalar<T>(rng), beta = random_scalar<T>(rng);
    const RandomWorkspace workspace(this->gpu, rng, false);
    this->what += workspace.text();
    const auto run = [&](const Context& context, const T* on_a, const T* on_x, T* on_y, const T* at_alpha,
                         const T* at_beta, T* result) {
      const auto entry = [&](auto dot, auto gemv, auto nrm2, auto asum) {
        switch (routine) {
          case Vectors::dot:
            return dot(context, k, on_a, incx, on_x, incy, result);
          case Vectors::nrm2:
            return nrm2(context, k, on_a, incx, result);
          case Vectors::asum:
            return asum(context, k, on_a, incx, result);
          default:
            return gemv(context, row_major ? ACCUBLAS_ROW_MAJOR : ACCUBLAS_COL_MAJOR,
                        trans ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS, rows, cols, at_alpha, on_a, ld, on_x, incx, at_beta,
                        on_y, incy);
        }
      };
      if constexpr (sizeof(T) == 8)
        return entry(accublas_ddot, accublas_dgemv, accublas_dnrm2, accublas_dasum);
      else
        return entry(accublas_sdot, accublas_sgemv, accublas_snrm2, accublas_sasum);
    };
    const std::string text = std::string(1, "dgna"[static_cast<int>(routine)]) + " m " + std::to_string(m) + " k " +
                             std::to_string(k) + " inc " + std::to_string(incx) + ", " + std::to_string(incy) + " ld " +
                             std::to_string(ld) + (trans ? " T" : " N") + (row_major ? " row-major " : " ") +
                             kind.name();
    std::vector<T> want = y;
    ASSERT_EQ(run(this->cpu, a.data(), x.data(), want.data(), &alpha, &beta, want.data()), ACCUBLAS_SUCCESS)
        << this->what << " " << text << ": " << this->cpu.error();
    const GuardedArray<T> device_a(a, random_edge(rng)), device_x(x, random_edge(rng)), device_y(y, random_edge(rng));
    const DeviceArray<T> scalars(std::vector<T>{alpha, beta});
    const bool on_device = this->random_pointer_mode();
    std::vector<T> got = y;
    const accublas_status status =
        run(this->gpu, device_a.data(), device_x.data(), device_y.data(), on_device ? scalars.data() : &alpha,
            on_device ? scalars.data() + 1 : &beta, on_device ? device_y.data() : got.data());
    if (status == ACCUBLAS_ERROR_MEMORY && workspace.own()) {
      const std::vector<T> left = device_y.values();
      for (std::size_t i = 0; i < y.size(); ++i)
        ASSERT_TRUE(bits(y[i]) == bits(left[i]) && bits(y[i]) == bits(got[i])) << this->what << " " << text;
      return;
    }
    ASSERT_EQ(status, ACCUBLAS_SUCCESS) << this->what << " " << text << ": " << this->gpu.error();
    ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->what << " " << text << ": " << this->gpu.error();
    if (routine == Vectors::gemv || on_device) got = device_y.values();
    for (std::size_t i = 0; i < want.size(); ++i)
      ASSERT_EQ(bits(want[i]), bits(got[i]))
          << this->what << " " << text << ": element " << i << ", want " << want[i] << ", got " << got[i];
    ASSERT_TRUE(workspace.guards_hold()) << this->what << " " << text << ": written beside the workspace";
  });
}

}  // namespace
}  // namespace accublas::test
