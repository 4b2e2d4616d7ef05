// Batched GEMM on the GPU: by strides and by pointers the bits of the CPU's calls one by one, in every mode.
#include "test/gpu/gemm_batch.hpp"
#include "test/gpu/gemm_bound.hpp"
#include "test/gpu/stream.hpp"

namespace accublas::test {
namespace {

/// The first element beyond its bound, or the first one outside of C that was written.
template <class T>
std::string beyond_bound(const Batch<T>& x, const std::vector<T>& got) {
  std::vector<T> rest = got;  // must be what c holds outside of C
  for (std::size_t q = 0; q < x.problems.size(); ++q) {
    const Problem<T>& p = x.problems[q];
    for (Index i = 0; i < p.m; ++i)
      for (Index j = 0; j < p.n; ++j) {
        const std::size_t at = q * static_cast<std::size_t>(x.stride_c) + static_cast<std::size_t>(p.at_c.at(i, j));
        const std::string wrong = beyond_bound(p, i, j, got[at]);
        if (!wrong.empty()) return "matrix " + std::to_string(q) + ": " + wrong;
        rest[at] = x.c[at];
      }
  }
  return difference(x, x.c, rest);
}

using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(GemmBatched, Types);

TYPED_TEST(GemmBatched, EveryMode) {
  using T = TypeParam;
  Random rng(51);
  int round = 0;
  for (const char* mode : {"cr", "dp:repro", "fixed:53", "fixed:11", "slices:5", "dot2"})
    for (const char* engine : {"auto", "int8"}) {
      if (std::string(engine) == "int8" && (std::string(mode) == "slices:5" || std::string(mode) == "dot2")) continue;
      this->cpu.set(mode);
      this->gpu.set(mode, engine);
      for (const std::vector<Kind>& kinds : {ordinary_batches, hard_batches}) {
        ++round;
        Batch<T> x(rng, kinds, 5, 1 + below(rng, 70), 1 + below(rng, 70), 1 + below(rng, 90),
                   round % 2 ? ACCUBLAS_COL_MAJOR : ACCUBLAS_ROW_MAJOR, round % 4, round % 3);
        if (round % 3) x.scalars(T(-1.25), T(0.5));
        this->expect_same(x, std::string(mode) + " " + engine, round % 2);
      }
    }
}

// The kernels for small matrices: all ways that tiles and chunks are cut, and every kind of data.
TYPED_TEST(GemmBatched, CorrectlyRounded) {
  using T = TypeParam;
  Random rng(52);
  this->set("cr");
  const Index sizes[] = {1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 47, 64, 65, 100, 127, 128};
  const auto size = [&] { return sizes[below(rng, 16)]; };
  for (int round = 0; round < scaled(60); ++round) {
    Index m = size(), n = size(), k = size();
    if (round < 16) m = n = k = sizes[round];
    Batch<T> x(rng, round % 2 ? hard_batches : ordinary_batches, 1 + below(rng, 14), m, n, k,
               below(rng, 2) ? ACCUBLAS_COL_MAJOR : ACCUBLAS_ROW_MAJOR, static_cast<int>(below(rng, 4)), below(rng, 3));
    const T alphas[] = {T(1), T(1), T(-1), T(0.3), T(-0x1p-90), T(0), std::numeric_limits<T>::infinity()};
    const T betas[] = {T(0), T(0), T(1), T(-0.7), std::numeric_limits<T>::quiet_NaN()};
    x.scalars(alphas[below(rng, 7)], betas[below(rng, 5)]);
    this->expect_same(x, "cr", below(rng, 2));
  }
}

// Tests sums of more than 128 terms and matrices of several tiles. The cases have large tiles, small tiles (few
// matrices), whole and partial chunks of terms, and decaying matrices, of which most elements are pending.
TYPED_TEST(GemmBatched, LongSums) {
  using T = TypeParam;
  Random rng(60);
  std::vector<Kind> decaying;
  for (const char* name : matrix_names()) decaying.push_back({Data::named, 0, name});
  const Index sizes[] = {1, 5, 31, 64, 65, 127, 128, 129, 160, 191, 192, 193, 255, 256, 257, 300};
  const auto size = [&] { return sizes[below(rng, 16)]; };
  int round = 0;
  for (const char* mode : {"cr", "fixed:53", "cr", "fixed:64", "cr", "fixed:20", "cr", "fixed:63", "cr", "fixed:24"})
    for (const std::vector<Kind>& kinds : {ordinary_batches, hard_batches, decaying}) {
      this->set(mode);
      ++round;
      Index m = size(), n = size(), k = 129 + below(rng, 384);
      if (round % 3 == 0) k = size();
      if (round % 5 == 0) m = n = k = std::array<Index, 6>{129, 256, 257, 384, 511, 512}[round / 5 - 1];
      const Index count = m * n > 100000 ? 2 : round % 7 == 0 ? 60 : 1 + below(rng, 9);
      Batch<T> x(rng, kinds, count, m, n, k, below(rng, 2) ? ACCUBLAS_COL_MAJOR : ACCUBLAS_ROW_MAJOR,
                 static_cast<int>(below(rng, 4)), below(rng, 3));
      const T alphas[] = {T(1), T(1), T(-1), T(0.3), T(-0x1p-90), std::numeric_limits<T>::infinity()};
      const T betas[] = {T(0), T(0), T(1), T(-0.7), std::numeric_limits<T>::quiet_NaN()};
      x.scalars(alphas[below(rng, 6)], betas[below(rng, 5)]);
      this->expect_same(x, mode, below(rng, 2));
      if (testing::Test::HasFatalFailure()) return;
    }
}

// The sums reach the bounds of the kernels for small matrices: entries next to a power of two, all of one sign, and the
// longest sums of each number of chunks. The report says that these kernels computed them.
TYPED_TEST(GemmBatched, EdgesOfLongSums) {
  using T = TypeParam;
  Random rng(62);
  for (const char* mode : {"cr", "fixed:53", "fixed:63", "fixed:64"})
    for (const Index k : {129, 256, 257, 384, 385, 511, 512}) {
      this->set(mode);
      const Batch<T> x(rng, {{Data::extreme}, {Data::phi, 0}, {Data::extreme}}, 3, 70, 33, k, ACCUBLAS_COL_MAJOR, 1, 1);
      this->expect_same(x, mode);
      if (testing::Test::HasFatalFailure()) return;
      if (mode == std::string("cr")) EXPECT_EQ(this->gpu.report().parts, int{sizeof(T)} + 2) << k;
    }
  // m n k = 384^3, and more.
  for (const Index n : {384, 385}) {
    this->set("fixed:40");
    const Batch<T> x(rng, {{Data::extreme}, {Data::phi, 1}}, 2, 384, n, 384, ACCUBLAS_COL_MAJOR, 1, 1);
    this->expect_same(x, "fixed:40");
  }
}

// Orders that are too large for the kernels for small matrices, and smaller orders, have the bits of one definition.
TYPED_TEST(GemmBatched, BeyondTheLargestOrder) {
  using T = TypeParam;
  Random rng(61);
  this->set("cr");
  for (const auto& [m, n, k] : {std::array<Index, 3>{513, 20, 30}, {20, 513, 30}, {20, 30, 513}, {512, 20, 512}}) {
    const Batch<T> x(rng, {{Data::phi, 1}, {Data::phi, 10}, {Data::few_special}}, 3, m, n, k, ACCUBLAS_COL_MAJOR, 1, 1);
    this->expect_same(x, "cr");
  }
}

// Every number of digits that fixed:T takes, T beyond the kernel too; and dp:repro, which has cr's values at these
// sizes.
TYPED_TEST(GemmBatched, FixedAndReproducible) {
  using T = TypeParam;
  Random rng(57);
  const Index sizes[] = {1, 2, 8, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 90, 128};
  const auto size = [&] { return sizes[below(rng, 15)]; };
  int round = 0;
  for (const char* mode : {"dp:repro", "fixed:2",  "fixed:6",  "fixed:7",  "dp:repro", "fixed:14", "fixed:15",
                           "fixed:24", "fixed:46", "fixed:47", "dp:repro", "fixed:53", "fixed:54", "fixed:55",
                           "fixed:60", "fixed:62", "fixed:63", "dp:repro", "fixed:64", "fixed:65"})
    for (const std::vector<Kind>& kinds :
         {ordinary_batches, hard_batches, {{Data::phi, 2}, {Data::phi, 5}, {Data::block_diagonal}}}) {
      this->set(mode);
      ++round;
      Index m = size(), n = size(), k = size();
      if (round % 4 == 0) m = n = k = sizes[round / 4 % 15];
      Batch<T> x(rng, kinds, 1 + below(rng, 14), m, n, k, below(rng, 2) ? ACCUBLAS_COL_MAJOR : ACCUBLAS_ROW_MAJOR,
                 static_cast<int>(below(rng, 4)), below(rng, 3));
      const T alphas[] = {T(1), T(1), T(-1), T(0.3), T(-0x1p-90), T(0), std::numeric_limits<T>::infinity()};
      const T betas[] = {T(0), T(0), T(1), T(-0.7), std::numeric_limits<T>::quiet_NaN()};
      x.scalars(alphas[below(rng, 7)], betas[below(rng, 5)]);
      this->expect_same(x, mode, below(rng, 2));
    }
}

// One matrix of the batch has cr's values, because one more of its elements is rejected, and another has not.
TYPED_TEST(GemmBatched, EachMatrixHasItsOwnCertificate) {
  using T = TypeParam;
  Random rng(59);
  this->set("dp:repro");
  for (const Index k : {most_terms_as_cr + 1, Index{1100}})
    for (const bool scalars : {false, true}) {
      Batch<T> x(rng, {{Data::rejected, 0}, {Data::rejected, 1}, {Data::phi, 6}, {Data::phi, 0.5}}, 4, 65, 40, k,
                 ACCUBLAS_COL_MAJOR, scalars ? 3 : 0, 0);
      x.scalars(T(-1.25), T(0.5));
      this->expect_same(x, "limits", scalars);
      EXPECT_EQ(this->gpu.report().rejected, 65 * 40 / 64 + 2 * 65 * 40);
    }
}

// The report of the kernels for small matrices is the report of the CPU's calls together.
TYPED_TEST(GemmBatched, ReportOfFixedAndReproducible) {
  using T = TypeParam;
  Random rng(58);
  for (const char* mode : {"dp:repro", "fixed:40", "fixed:24", "fixed:64"})
    for (const Kind& kind :
         {Kind{Data::phi, 0}, Kind{Data::phi, 2}, Kind{Data::ties}, Kind{Data::integers}, Kind{Data::phi, 10}}) {
      this->set(mode);
      const bool large = below(rng, 2);  // of several tiles
      const Batch<T> x(rng, {kind}, 7, large ? 100 : 33, large ? 66 : 40, large ? 190 : 57, ACCUBLAS_COL_MAJOR, 0, 0);
      std::int64_t rejected = 0;
      std::int32_t bits = 0;
      double bound = 0;
      for (const Problem<T>& p : x.problems) {
        std::vector<T> c;
        ASSERT_EQ(on_host(this->cpu, p, c), ACCUBLAS_SUCCESS);
        const accublas_report_t one = this->cpu.report();
        rejected += one.rejected;
        bits = std::max(bits, one.bits);
        bound = std::max(bound, one.bound_componentwise);
      }
      const BatchOnDevice<T> operands(x);
      ASSERT_EQ(operands.run(this->gpu, x, false, false), ACCUBLAS_SUCCESS) << this->gpu.error();
      const accublas_report_t report = this->gpu.report();
      EXPECT_STREQ(report.engine, "int8");
      EXPECT_EQ(report.rejected, rejected) << mode << " " << kind.name();
      EXPECT_EQ(report.bound_componentwise, bound) << mode << " " << kind.name();
      if (std::string(mode) != "dp:repro") {  // cr chooses its bits
        EXPECT_EQ(report.bits, bits) << mode << " " << kind.name();
      }
    }
}

// An alpha that turns out to be zero on the device: A and B are not read.
TYPED_TEST(GemmBatched, AlphaIsZeroOnTheDevice) {
  using T = TypeParam;
  Random rng(78);
  Context context(ACCUBLAS_BACKEND_CUDA);
  for (const char* mode : {"native", "cr", "fixed:30"})
    for (const Index order : {5, 60, 300})
      for (const int mib : {0, 1})
        for (const T beta : {T(0), T(1), T(0.5)})
          for (const bool by_pointers : {false, true}) {
            Batch<T> batch(rng, {{Data::phi, 1}}, 7, order, order + 3, order + 1, ACCUBLAS_ROW_MAJOR, 1, 3);
            std::vector<T> want = batch.c;
            for (Problem<T>& p : batch.problems) {
              const std::size_t first =
                  static_cast<std::size_t>(&p - batch.problems.data()) * static_cast<std::size_t>(batch.stride_c);
              for (Index i = 0; i < p.m; ++i)
                for (Index j = 0; j < p.n; ++j) {
                  const std::size_t at = first + static_cast<std::size_t>(p.at_c.at(i, j));
                  want[at] = beta == 0 ? T(0) : beta * want[at];
                }
            }
            for (T& x : batch.a) x = std::numeric_limits<T>::quiet_NaN();
            batch.scalars(T(0), beta);
            const BatchOnDevice<T> device(batch);
            context.set(mode);
            ASSERT_EQ(accublas_set_workspace_mib(context, mib), ACCUBLAS_SUCCESS);
            ASSERT_EQ(device.run(context, batch, by_pointers, true), ACCUBLAS_SUCCESS) << context.error();
            ASSERT_EQ(accublas_sync(context), ACCUBLAS_SUCCESS) << context.error();
            EXPECT_EQ(difference(batch, want, device.c.values()), "") << mode;
          }
}

// dp would hand these data over to cuBLAS, but for the engine's name.
TYPED_TEST(GemmBatched, ANamedEngineIsKept) {
  using T = TypeParam;
  Random rng(77);
  const Batch<T> batch(rng, {{Data::phi, 4}}, 1, 2560, 2560, 4608, ACCUBLAS_COL_MAJOR, 0, 0);
  const BatchOnDevice<T> device(batch);
  Context context(ACCUBLAS_BACKEND_CUDA);
  for (const bool by_pointers : {false, true}) {
    context.set(sizeof(T) == 8 ? "dp" : "sp", "int8");
    ASSERT_EQ(device.run(context, batch, by_pointers, false), ACCUBLAS_SUCCESS) << context.error();
    ASSERT_EQ(accublas_sync(context), ACCUBLAS_SUCCESS) << context.error();
    EXPECT_STREQ(context.report().engine, "int8") << (by_pointers ? "by pointers" : "by strides");
  }
}

TYPED_TEST(GemmBatched, ReportAddsUp) {
  using T = TypeParam;
  Random rng(53);
  for (const char* engine : {"auto", "int8"}) {
    this->gpu.set("cr", engine);
    const Batch<T> x(rng, {{Data::ties}, {Data::phi, 10}}, 6, 40, 30, 50, ACCUBLAS_COL_MAJOR, 0, 0);
    const BatchOnDevice<T> operands(x);
    accublas_set_report_level(this->gpu, 2);
    ASSERT_EQ(operands.run(this->gpu, x, false, false), ACCUBLAS_SUCCESS) << this->gpu.error();
    const accublas_report_t report = this->gpu.report();
    EXPECT_STREQ(report.routine, sizeof(T) == 8 ? "dgemm_batched" : "sgemm_batched");
    EXPECT_STREQ(report.backend, "cuda");
    EXPECT_EQ(report.batch_count, 6);
    EXPECT_GT(report.parts, 0) << engine;
    EXPECT_GT(report.ms_total, 0) << engine;
    EXPECT_GT(report.ms_product, 0) << engine;
    EXPECT_LE(report.undecided, 6 * 40 * 30);
    if (sizeof(T) == 8 && std::string(engine) == "auto") {
      EXPECT_STREQ(report.engine, "int8");
      EXPECT_GT(report.undecided, 0);
    }
  }
}

// Bits are not promised, but the bound of dp is: against exact sums, wide data and cancellation included.
TYPED_TEST(GemmBatched, NativeKeepsTheBound) {
  using T = TypeParam;
  Random rng(54);
  const std::vector<Kind> wide = {{Data::phi, 0},       {Data::phi, 2},         {Data::phi, 5},     {Data::graded},
                                  {Data::cancellation}, {Data::block_diagonal}, {Data::triangular}, {Data::integers}};
  for (const char* mode : {"native", sizeof(T) == 8 ? "dp" : "sp"}) {
    this->gpu.set(mode);
    for (int trans = 0; trans < 4; ++trans)
      for (accublas_layout layout : {ACCUBLAS_COL_MAJOR, ACCUBLAS_ROW_MAJOR})
        for (auto [m, n, k] :
             {std::array<Index, 3>{20, 30, 25}, {40, 33, 50}, {20, 1, 5}, {1, 20, 5}, {7, 9, 1}, {1, 1, 1}})
          for (bool by_pointers : {false, true}) {
            Batch<T> x(rng, wide, 9, m, n, k, layout, trans, trans);
            x.scalars(T(-2), T(0.5));  // powers of two: alpha a and beta c are exact
            const BatchOnDevice<T> operands(x);
            ASSERT_EQ(operands.run(this->gpu, x, by_pointers, trans % 2), ACCUBLAS_SUCCESS) << this->gpu.error();
            ASSERT_EQ(accublas_sync(this->gpu), ACCUBLAS_SUCCESS) << this->gpu.error();
            ASSERT_EQ(beyond_bound(x, operands.c.values()), "") << mode << (by_pointers ? " by pointers" : "");
          }
  }
}

TYPED_TEST(GemmBatched, GraphsReplayOnOtherData) {
  using T = TypeParam;
  Random rng(55);
  const Stream stream;
  for (const char* mode : {"cr", "fixed:66", "native"})
    for (bool by_pointers : {false, true}) {
      Context gpu(ACCUBLAS_BACKEND_CUDA);
      gpu.set(mode);
      this->cpu.set(std::string(mode) == "native" ? "cr" : mode);
      ASSERT_EQ(accublas_set_stream(gpu, static_cast<cudaStream_t>(stream)), ACCUBLAS_SUCCESS);
      const bool exact = std::string(mode) == "native";
      const Index k = exact ? 33 : 200;  // cr: sums in two chunks; fixed:66: a group
      Batch<T> x(rng, {{exact ? Data::integers : Data::phi, 1}}, 9, 72, 40, k, ACCUBLAS_COL_MAJOR, 1, 1);
      BatchOnDevice<T> operands(x);
      ASSERT_EQ(operands.run(gpu, x, by_pointers, true), ACCUBLAS_SUCCESS) << gpu.error();
      ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS);
      cudaGraph_t graph = nullptr;
      cudaGraphExec_t executable = nullptr;
      require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "begin capture");
      const accublas_status status = operands.run(gpu, x, by_pointers, true);
      const std::string message = gpu.error();
      ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
      ASSERT_EQ(status, ACCUBLAS_SUCCESS) << mode << ": " << message;
      ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
      for (const Kind& kind : {Kind{Data::integers}, Kind{Data::few_special}, Kind{Data::phi, 10}}) {
        if (exact && kind.data != Data::integers) break;
        Batch<T> next(rng, {kind}, 9, 72, 40, k, ACCUBLAS_COL_MAJOR, 1, 1);
        next.scalars(T(-2), T(1));
        operands.a = next.a, operands.b = next.b, operands.c = next.c;
        operands.scalars = std::vector<T>{T(-2), T(1)};
        ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
        stream.wait();
        ASSERT_EQ(difference(next, next.expected(this->cpu), operands.c.values()), "")
            << mode << (by_pointers ? " by pointers" : "");
      }
      cudaGraphExecDestroy(executable);
      cudaGraphDestroy(graph);
    }
}

TYPED_TEST(GemmBatched, UsersWorkspaceAndHostOperands) {
  using T = TypeParam;
  Random rng(56);
  const DeviceArray<unsigned char> workspace(std::size_t{32} << 20);
  for (const Index k : {20, 200})  // 200: groups of three in fixed:66
    for (const auto& [mode, engine] :
         {std::pair("cr", "auto"), {"cr", "int8"}, {"fixed:66", "auto"}, {"fixed:66", "int8"}}) {
      Batch<T> x(rng, ordinary_batches, 7, 40, 30, k, ACCUBLAS_COL_MAJOR, 2, 1);
      x.scalars(T(1), T(1));
      this->cpu.set(mode);
      this->gpu.set(mode, engine);
      ASSERT_EQ(accublas_set_workspace(this->gpu, workspace.data(), workspace.size()), ACCUBLAS_SUCCESS);
      this->expect_same(x, std::string(mode) + " in the user's workspace");
      if (k == 200 && mode == std::string("fixed:66")) {
        EXPECT_GT(this->gpu.report().workspace_bytes, std::int64_t{16} << 20);
      }
      ASSERT_EQ(accublas_set_workspace(this->gpu, nullptr, 0), ACCUBLAS_SUCCESS);
      std::vector<T> c = x.c;
      accublas_set_pointer_mode(this->gpu, ACCUBLAS_POINTER_HOST);
      const Problem<T>& p = x.problems[0];
      const auto strided = [] {
        if constexpr (sizeof(T) == 8)
          return accublas_dgemm_strided_batched;
        else
          return accublas_sgemm_strided_batched;
      }();
      ASSERT_EQ(strided(this->gpu, p.layout, p.transa, p.transb, p.m, p.n, p.k, &p.alpha, x.a.data(), p.lda(),
                        x.stride_a, x.b.data(), p.ldb(), x.stride_b, &p.beta, c.data(), p.ldc(), x.stride_c, x.count()),
                ACCUBLAS_SUCCESS)
          << this->gpu.error();
      EXPECT_EQ(difference(x, x.expected(this->cpu), c), "") << mode << " on host operands";
      EXPECT_STREQ(this->gpu.report().backend, "cuda");
    }
}

}  // namespace
}  // namespace accublas::test
