// Groups of 256 rows or columns of large products need some terms only, or none (cuda/core/group_terms.hpp). The GPU's
// bits must be the CPU's.
#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {
namespace {

template <class T>
class GemmZeros : public testing::Test {};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(GemmZeros, Types);

TYPED_TEST(GemmZeros, OfGroups) {
  using T = TypeParam;
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};
  Random rng(33);
  int number = 0;
  for (const char* mode : {"cr", "dp:repro"}) {
    cpu.set(mode);
    gpu.set(mode);
    for (const auto& [m, n, k] : {std::array<Index, 3>{1500, 1300, 2211}, {1100, 900, 4400}, {600, 530, 14001}}) {
      for (int kind = 0; kind < 6; ++kind) {
        ++number;
        const auto trans = [&](int which) {
          return static_cast<accublas_transpose>(ACCUBLAS_NO_TRANS + (number >> which & 1));
        };
        auto p = packed_problem<T>(rng, {Data::phi, 1}, m, n, k, number % 3 ? ACCUBLAS_COL_MAJOR : ACCUBLAS_ROW_MAJOR,
                                   trans(0), trans(1), number % 5);
        if (number % 4 == 1) p.alpha = T(-1.3), p.beta = T(0.7);
        if (number % 4 == 3) p.alpha = T(0.5), p.beta = T(-1);
        // Whether term q of row i is kept, of `lines` rows; columns alike.
        const auto kept = [&](Index i, Index lines, Index q, bool col) {
          switch (kind) {
            case 0:  // bands
              return std::abs(q - i * k / lines) < 40;
            case 1:  // triangles
              return col ? q <= i * k / lines : q >= i * k / lines;
            case 2:  // blocks, and groups without terms in common
              return i / 256 % 2 == q / 256 % 2 && (col || i / 256 != 1);
            case 3:  // one side is dense, and one term matters
              return col || q == k - 1;
            case 4:  // no terms in common
              return col ? q >= k / 2 : q < k / 2;
            default:  // groups of zeros
              return i / 256 % 3 != (col ? 1 : 0);
          }
        };
        for (Index q = 0; q < k; ++q) {
          for (Index i = 0; i < m; ++i)
            if (!kept(i, m, q, false)) p.a[static_cast<std::size_t>(p.at_a.at(i, q))] = T(i % 2 ? -0.0 : 0);
          for (Index j = 0; j < n; ++j)
            if (!kept(j, n, q, true)) p.b[static_cast<std::size_t>(p.at_b.at(q, j))] = 0;
        }
        if (number % 5 == 2) {  // rows and columns with special values
          for (std::vector<T>* x : {&p.a, &p.b})
            for (int q = 0; q < 3; ++q)
              (*x)[static_cast<std::size_t>(below(rng, static_cast<Index>(x->size())))] = any_special<T>(rng);
        }
        std::vector<T> want, got;
        ASSERT_EQ(on_host(cpu, p, want), ACCUBLAS_SUCCESS);
        for (const std::int64_t mib : {number % 2 ? 12 : 40, 0}) {
          ASSERT_EQ(accublas_set_workspace_mib(gpu, mib), ACCUBLAS_SUCCESS);
          ASSERT_EQ(on_device(gpu, p, got), ACCUBLAS_SUCCESS) << gpu.error();
          EXPECT_EQ(mismatch(p, want, got), "") << mode << " kind " << kind << ", workspace " << mib << " MiB";
        }
      }
    }
  }
}

}  // namespace
}  // namespace accublas::test
