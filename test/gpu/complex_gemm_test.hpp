// Complex GEMM on the GPU against the CPU, bit by bit.
#pragma once

#include <cstring>

#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {
namespace {

inline const std::vector<Kind> complex_kinds = {{Data::phi, 4},
                                                {Data::graded},
                                                {Data::whole_range},
                                                {Data::ties},
                                                {Data::cancellation},
                                                {Data::subnormal},
                                                {Data::overflow},
                                                {Data::integers},
                                                {Data::few_special},
                                                {Data::many_special},
                                                {Data::zero_lines},
                                                {Data::extreme},
                                                {Data::block_diagonal},
                                                {Data::named, 0, "gauss:0.02"},
                                                {Data::named, 0, "decay:0.1"},
                                                {Data::named, 0, "banded:5"},
                                                {Data::named, 0, "permutation"},
                                                {Data::named, 0, "sparse:0.01"}};

/// Numbers of two T side by side; a, b and c are counted in complex numbers.
template <class T>
struct ComplexCall {
  Index m, n, k;
  bool general = false;  ///< the strided entry
  accublas_layout layout = ACCUBLAS_COL_MAJOR;
  accublas_transpose transa = ACCUBLAS_NO_TRANS, transb = ACCUBLAS_NO_TRANS;
  T alpha[2] = {1, 0}, beta[2] = {0, 0};
  Place at_a{}, at_b{}, at_c{};  ///< of op(A), op(B), C
  std::vector<T> a{}, b{}, c{};

  std::string describe() const {
    std::ostringstream out;
    out << (sizeof(T) == 8 ? "zgemm" : "cgemm") << " m " << m << " n " << n << " k " << k << " alpha " << alpha[0]
        << "," << alpha[1] << " beta " << beta[0] << "," << beta[1] << " layout " << layout << " " << transa << " "
        << transb << (general ? " strided" : "");
    return out.str();
  }
  accublas_status run(Context& context, const T* x, const T* y, T* z) const {
    x += 2 * at_a.offset, y += 2 * at_b.offset, z += 2 * at_c.offset;
    if (general) {
      const auto routine = sizeof(T) == 8 ? accublas_zgemm_strided : accublas_cgemm_strided;
      return routine(context, m, n, k, alpha, x, at_a.row, at_a.col, y, at_b.row, at_b.col, beta, z, at_c.row,
                     at_c.col);
    }
    const auto ld = [](const Place& p) { return std::max(p.row, p.col); };
    const auto routine = sizeof(T) == 8 ? accublas_zgemm : accublas_cgemm;
    return routine(context, layout, transa, transb, m, n, k, alpha, x, ld(at_a), y, ld(at_b), beta, z, ld(at_c));
  }
};

template <class T>
class ComplexGemm : public testing::Test {
 protected:
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};
  Random rng{7};

  /// Re of a product has the terms of a real problem of 2k terms, with its ties and cancellations.
  void fill(ComplexCall<T>& call, const Kind& kind) {
    const T poison = std::numeric_limits<T>::quiet_NaN();
    call.a.assign(static_cast<std::size_t>(2 * call.at_a.size), poison);
    call.b.assign(static_cast<std::size_t>(2 * call.at_b.size), poison);
    call.c.assign(static_cast<std::size_t>(2 * call.at_c.size), poison);
    const GemmEntries<T> e = make_entries<T>(kind, call.m, call.n, 2 * call.k, rng);
    for (Index i = 0; i < call.m; ++i)
      for (Index t = 0; t < 2 * call.k; ++t)
        call.a[static_cast<std::size_t>(2 * call.at_a.at(i, t / 2) + t % 2)] =
            e.a[static_cast<std::size_t>(i + t * call.m)];
    for (Index j = 0; j < call.n; ++j)
      for (Index t = 0; t < 2 * call.k; ++t)
        call.b[static_cast<std::size_t>(2 * call.at_b.at(t / 2, j) + t % 2)] =
            (t % 2 ? -1 : 1) * e.b[static_cast<std::size_t>(t + j * 2 * call.k)];
    if (call.beta[0] != 0 || call.beta[1] != 0)
      for (Index j = 0; j < call.n; ++j)
        for (Index i = 0; i < call.m; ++i)
          for (int part : {0, 1})
            call.c[static_cast<std::size_t>(2 * call.at_c.at(i, j) + part)] = static_cast<T>(spread(rng, 1));
  }

  /// On device operands and, `staged`, on host operands that are copied there.
  void expect_same(const ComplexCall<T>& call, const std::string& what, bool staged = false) {
    std::vector<T> want = call.c, host = call.c;
    ASSERT_EQ(call.run(cpu, call.a.data(), call.b.data(), want.data()), ACCUBLAS_SUCCESS) << cpu.error();
    const DeviceArray<T> a(call.a), b(call.b), c(call.c);
    ASSERT_EQ(call.run(gpu, a.data(), b.data(), c.data()), ACCUBLAS_SUCCESS) << what << " " << gpu.error();
    ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << gpu.error();
    ASSERT_STREQ(gpu.report().backend, "cuda");
    const accublas_report_t there = gpu.report(), here = cpu.report();
    ASSERT_EQ(there.rejected, here.rejected) << what << " " << call.describe();
    const std::vector<T> got = c.values();
    ASSERT_EQ(std::memcmp(got.data(), want.data(), want.size() * sizeof(T)), 0) << what << " " << call.describe();
    if (!staged) return;
    ASSERT_EQ(call.run(gpu, call.a.data(), call.b.data(), host.data()), ACCUBLAS_SUCCESS) << what << " " << gpu.error();
    ASSERT_STREQ(gpu.report().backend, "cuda");
    ASSERT_EQ(std::memcmp(host.data(), want.data(), want.size() * sizeof(T)), 0)
        << what << " staged " << call.describe();
  }

  ComplexCall<T> packed_call(Index m, Index n, Index k, accublas_layout layout, accublas_transpose transa,
                             accublas_transpose transb, Index extra) {
    ComplexCall<T> call{m, n, k, false, layout, transa, transb};
    const bool rows = layout == ACCUBLAS_ROW_MAJOR, ta = transa != ACCUBLAS_NO_TRANS, tb = transb != ACCUBLAS_NO_TRANS;
    call.at_a = packed(m, k, rows != ta, extra);
    call.at_b = packed(k, n, rows != tb, extra);
    call.at_c = packed(m, n, rows, extra);
    return call;
  }
  /// A small call with any strides.
  ComplexCall<T> strided_call(const std::string& mode) {
    const Index m = 1 + below(rng, 70), n = 1 + below(rng, 70),
                k = inner_dimension(mode, below(rng, 4), 1 + below(rng, 90), 2);
    ComplexCall<T> call{m, n, k, true};
    call.at_a = strided(rng, m, k, true);
    call.at_b = strided(rng, k, n, true);
    call.at_c = strided(rng, m, n, false);
    return call;
  }
};

using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(ComplexGemm, Types);

const std::vector<std::string> complex_modes = {"cr",      "dp:repro", "dot2",         "fixed:53",
                                                "fixed:9", "slices:3", "slices:2:fast"};

constexpr accublas_transpose transpositions[] = {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS, ACCUBLAS_CONJ_TRANS};

}  // namespace
}  // namespace accublas::test
