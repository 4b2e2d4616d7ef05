// Device allocations that fail in a batch. Nothing of C is written before the first one; where matrices are calls of
// their own, a later failure is ACCUBLAS_ERROR_C_UNDEFINED, with every matrix either finished or as it was. Whole
// batches in one kernel allocate once.
#include "test/gpu/failing_allocation.hpp"
#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {
namespace {

constexpr Index batched_order = 70, elements = batched_order * batched_order, matrices = 4;

template <class T>
std::vector<T> numbers(Random& rng) {
  std::vector<T> x(static_cast<std::size_t>(matrices * elements));
  for (T& element : x) element = static_cast<T>(spread(rng, 1));
  return x;
}

template <class T>
struct Operands {
  Random rng{61};
  const std::vector<T> before = numbers<T>(rng);
  const DeviceArray<T> a{numbers<T>(rng)}, b{numbers<T>(rng)};
  DeviceArray<T> c{before};
  const DeviceArray<T*> at_a{pointers(a)}, at_b{pointers(b)}, at_c{pointers(c)};

  static std::vector<T*> pointers(const DeviceArray<T>& x) {
    std::vector<T*> list;
    for (Index i = 0; i < matrices; ++i) list.push_back(x.data() + i * elements);
    return list;
  }

  std::string message;  ///< of the last call

  /// The call and what comes after it on the stream.
  accublas_status run(accublas_context* ctx, bool by_pointers) {
    c = before;
    const T alpha = T(-1.25), beta = T(0.5);
    const auto call = [&](auto strided, auto pointed) {
      return by_pointers ? pointed(ctx, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS, batched_order,
                                   batched_order, batched_order, &alpha, at_a.data(), batched_order, at_b.data(),
                                   batched_order, &beta, at_c.data(), batched_order, matrices)
                         : strided(ctx, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS, batched_order,
                                   batched_order, batched_order, &alpha, a.data(), batched_order, elements, b.data(),
                                   batched_order, elements, &beta, c.data(), batched_order, elements, matrices);
    };
    accublas_status status;
    if constexpr (sizeof(T) == 8)
      status = call(accublas_dgemm_strided_batched, accublas_dgemm_batched);
    else
      status = call(accublas_sgemm_strided_batched, accublas_sgemm_batched);
    message = accublas_last_error(ctx);  // the next call forgets it
    EXPECT_EQ(accublas_sync(ctx), ACCUBLAS_SUCCESS) << accublas_last_error(ctx);
    return status;
  }

  /// Whether matrix i of `got` has the bits of the one in `want`.
  static bool same(const std::vector<T>& got, const std::vector<T>& want, Index i) {
    return std::equal(got.begin() + i * elements, got.begin() + (i + 1) * elements, want.begin() + i * elements,
                      [](T x, T y) { return bits(x) == bits(y); });
  }
  static bool same(const std::vector<T>& got, const std::vector<T>& want) {
    for (Index i = 0; i < matrices; ++i)
      if (!same(got, want, i)) return false;
    return true;
  }
};

template <class T>
class BatchedFailure : public testing::Test {};
using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(BatchedFailure, Types);

TYPED_TEST(BatchedFailure, Allocations) {
  using T = TypeParam;
  for (const auto& [mode, one_kernel] :
       {std::pair("cr", true), {"dp:repro", true}, {"fixed:53", true}, {"fixed:100", false}, {"slices:3", false}})
    for (const auto& [by_pointers, mib] : {std::pair(false, 0), {true, 0}, {true, 1}}) {  // 1: copies in two parts
      Context gpu(ACCUBLAS_BACKEND_CUDA);
      gpu.set(mode);
      ASSERT_EQ(accublas_set_workspace_mib(gpu, mib), ACCUBLAS_SUCCESS);
      Operands<T> x;
      ASSERT_EQ(x.run(gpu, by_pointers), ACCUBLAS_SUCCESS) << x.message;
      const std::vector<T> want = x.c.values();
      int failures = 0, undefined = 0;
      for (const char* from : {"", "+"})
        for (int nth = 1; nth <= 20; ++nth) {
          const std::string what = std::string(mode) + (by_pointers ? " by pointers" : "") + (mib ? " in parts" : "") +
                                   ", allocation " + std::to_string(nth) + from;
          const accublas_status status =
              with_failing_allocation(std::to_string(nth) + from, [&] { return x.run(gpu, by_pointers); });
          const std::vector<T> got = x.c.values();
          if (status == ACCUBLAS_SUCCESS) {
            EXPECT_TRUE(x.same(got, want)) << what;
            continue;
          }
          ++failures;
          EXPECT_FALSE(x.message.empty()) << what;
          if (status == ACCUBLAS_ERROR_MEMORY) {
            EXPECT_TRUE(x.same(got, x.before)) << what;
          } else {
            EXPECT_EQ(status, ACCUBLAS_ERROR_C_UNDEFINED) << what << x.message;
            for (Index i = 0; i < matrices; ++i)
              EXPECT_TRUE(x.same(got, want, i) || x.same(got, x.before, i)) << what << " matrix " << i;
            ++undefined;
          }
        }
      EXPECT_GT(failures, 0) << mode;
      if (one_kernel) {
        EXPECT_EQ(undefined, 0) << mode;
      }
      ASSERT_EQ(x.run(gpu, by_pointers), ACCUBLAS_SUCCESS) << mode << x.message;  // nothing is left behind
      EXPECT_TRUE(x.same(x.c.values(), want)) << mode;
    }
}

}  // namespace
}  // namespace accublas::test
