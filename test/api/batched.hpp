// Batches of GEMM, and what calls one by one make of them.
#pragma once

#include "api.hpp"

using Index = std::int64_t;

/// Entries of a wide range, zeros, and with `specials` some NaN, Inf, subnormal and largest ones.
template <class T>
std::vector<T> entries(Index count, unsigned seed, bool specials = false) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::normal_distribution<double> normal(0, 1);
  std::vector<T> x(static_cast<std::size_t>(count));
  for (T& element : x) {
    element = static_cast<T>(uniform(random) * std::exp(2 * normal(random)));
    if (random() % 29 == 0) element = 0;
  }
  if (specials) {
    const T few[] = {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(),
                     -std::numeric_limits<T>::infinity(), std::numeric_limits<T>::denorm_min(),
                     std::numeric_limits<T>::max(),       -std::numeric_limits<T>::min()};
    for (T value : few) x[random() % x.size()] = value;
  }
  return x;
}

/// A batch in its arrays, as the call's arguments name it. C's array holds more than the results.
template <class T>
struct Batch {
  accublas_layout layout = ACCUBLAS_COL_MAJOR;
  accublas_transpose ta = ACCUBLAS_NO_TRANS, tb = ACCUBLAS_NO_TRANS;
  Index m, n, k, count;
  T alpha = T(0.75), beta = T(-1.5);
  Index lda, ldb, ldc, stride_a, stride_b, stride_c;
  Index first_a = 0, first_b = 0, first_c = 0;  // matrix 0 in its array
  std::vector<T> a, b, c;

  /// Matrices `gap` apart, leading dimensions `extra` above the least.
  Batch(accublas_layout order, int trans, Index m_, Index n_, Index k_, Index matrices, Index extra, Index gap,
        bool specials)
      : layout(order),
        ta(trans & 1 ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS),
        tb(trans & 2 ? ACCUBLAS_CONJ_TRANS : ACCUBLAS_NO_TRANS),
        m(m_),
        n(n_),
        k(k_),
        count(matrices) {
    const bool rows = layout == ACCUBLAS_ROW_MAJOR;
    const auto lay = [&](Index r, Index s, Index& ld, Index& stride) {
      ld = std::max<Index>(1, rows ? s : r) + extra;
      stride = ld * (rows ? r : s) + gap;
    };
    lay(trans & 1 ? k : m, trans & 1 ? m : k, lda, stride_a);
    lay(trans & 2 ? n : k, trans & 2 ? k : n, ldb, stride_b);
    lay(m, n, ldc, stride_c);
    a = entries<T>(stride_a * count + 1, 1, specials);
    b = entries<T>(stride_b * count + 1, 2, specials);
    c = entries<T>(stride_c * count + 1, 3, specials);
  }

  std::string text() const {
    return std::to_string(layout) + " " + std::to_string(ta) + " " + std::to_string(tb) + " " + std::to_string(m) +
           " " + std::to_string(n) + " " + std::to_string(k) + " x " + std::to_string(count) + " alpha " +
           std::to_string(alpha) + " beta " + std::to_string(beta) + " strides " + std::to_string(stride_a) + " " +
           std::to_string(stride_b) + " " + std::to_string(stride_c);
  }
  accublas_status strided(accublas_context* ctx, std::vector<T>& out, const accublas_options* options = nullptr) const {
    out = c;
    return api::gemm_strided_batched_ex(T{}, ctx, layout, ta, tb, m, n, k, &alpha, a.data() + first_a, lda, stride_a,
                                        b.data() + first_b, ldb, stride_b, &beta, out.data() + first_c, ldc, stride_c,
                                        count, options);
  }
  accublas_status by_pointers(accublas_context* ctx, std::vector<T>& out) const {
    out = c;
    std::vector<const T*> at_a, at_b;
    std::vector<T*> at_c;
    for (Index i = 0; i < count; ++i) {
      at_a.push_back(a.data() + first_a + i * stride_a);
      at_b.push_back(b.data() + first_b + i * stride_b);
      at_c.push_back(out.data() + first_c + i * stride_c);
    }
    return api::gemm_batched(T{}, ctx, layout, ta, tb, m, n, k, &alpha, at_a.data(), lda, at_b.data(), ldb, &beta,
                             at_c.data(), ldc, count);
  }
  accublas_status one_by_one(accublas_context* ctx, std::vector<T>& out) const {
    out = c;
    for (Index i = 0; i < count; ++i) {
      const accublas_status status =
          api::gemm(T{}, ctx, layout, ta, tb, m, n, k, &alpha, a.data() + first_a + i * stride_a, lda,
                    b.data() + first_b + i * stride_b, ldb, &beta, out.data() + first_c + i * stride_c, ldc);
      if (status != ACCUBLAS_SUCCESS) return status;
    }
    return ACCUBLAS_SUCCESS;
  }
};

template <class T>
class Batched : public ::testing::Test {
 protected:
  void expect_same(const api::Context& context, const Batch<T>& batch, const std::string& what) {
    std::vector<T> want, got;
    ASSERT_EQ(batch.one_by_one(context, want), ACCUBLAS_SUCCESS) << what << " " << batch.text() << context.error();
    ASSERT_EQ(batch.strided(context, got), ACCUBLAS_SUCCESS) << what << " " << batch.text() << context.error();
    for (std::size_t i = 0; i < want.size(); ++i)
      ASSERT_EQ(std::memcmp(&want[i], &got[i], sizeof(T)), 0)
          << what << " " << batch.text() << " at " << i << ": " << want[i] << " " << got[i];
    ASSERT_EQ(batch.by_pointers(context, got), ACCUBLAS_SUCCESS) << what << " " << batch.text() << context.error();
    ASSERT_TRUE(api::same_bits(want, got)) << what << " " << batch.text() << " by pointers";
  }
};

TYPED_TEST_SUITE(Batched, api::Types);
