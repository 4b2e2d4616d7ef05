// GEMM in the multiword modes on the GPU against correctly rounded results of the CPU: within the bound of the words,
// of the products that are left out and of the accumulation; special values in the class of the correct result. Run
// with ACCUBLAS_CUDA_KERNELS=portable, too, so that both ways to form the products are seen.
#include "test/gpu/multiword_bound.hpp"

namespace accublas::test {
namespace {

template <class T>
using Multiword = MultiwordTest<T>;
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Multiword, Types);

const std::vector<Kind> kinds = {{Data::phi, 0},         {Data::phi, 1},       {Data::phi, 4},       {Data::graded},
                                 {Data::block_diagonal}, {Data::triangular},   {Data::cancellation}, {Data::integers},
                                 {Data::few_special},    {Data::many_special}, {Data::zero_lines},   {Data::extreme}};

/// Whether the device and this build have the fused kernel, and nothing asks for the portable kernels.
bool fused() {
#ifdef ACCUBLAS_HAVE_HOPPER_KERNELS
  int device = 0, major = 0, minor = 0;
  require(cudaGetDevice(&device), "cudaGetDevice");
  require(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "attribute");
  require(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "attribute");
  const char* const kernels = std::getenv("ACCUBLAS_CUDA_KERNELS");
  return major == 9 && minor == 0 && !(kernels && std::string(kernels) == "portable");
#else
  return false;
#endif
}

/// Any layout, strides, offsets and leading dimensions.
TYPED_TEST(Multiword, Kinds) {
  using T = TypeParam;
  for (const Kind& kind : kinds)
    for (const WordMode& mode : word_modes<T>())
      for (int number = 0; number < scaled(4); ++number) {
        auto p = random_problem<T>(this->rng, kind, 1 + below(this->rng, 300), 1 + below(this->rng, 300),
                                   1 + below(this->rng, 400));
        if (number % 2) p.alpha = T(-1.3);
        if (number % 3 == 1) p.beta = T(0.7);
        this->expect_within(p, mode, number % 4 == 3);
        if (testing::Test::HasFatalFailure()) return;
      }
}

/// Around tiles, their halves and the steps of k; aligned operands, whole vectors and not.
TYPED_TEST(Multiword, Edges) {
  using T = TypeParam;
  for (const WordMode& mode : word_modes<T>())
    for (const accublas_transpose transa : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS})
      for (const accublas_transpose transb : {ACCUBLAS_NO_TRANS, ACCUBLAS_TRANS})
        for (const auto& [m, n, k] : {std::array<Index, 3>{64, 64, 64},
                                      {128, 256, 32},
                                      {129, 257, 65},
                                      {255, 127, 256},
                                      {256, 128, 320},
                                      {512, 260, 516},
                                      {63, 65, 1}}) {
          const auto p = packed_problem<T>(this->rng, {Data::phi, 0}, m, n, k, ACCUBLAS_COL_MAJOR, transa, transb, 0);
          this->expect_within(p, mode);
          if (testing::Test::HasFatalFailure()) return;
        }
}

/// Lines of every range in one product: tiles of both kinds of words, and sums that overflow on the way.
TYPED_TEST(Multiword, MixedRanges) {
  using T = TypeParam;
  for (const WordMode& mode : word_modes<T>())
    for (int number = 0; number < scaled(3); ++number) {
      auto p = plain_problem<T>(this->rng, {Data::phi, 0}, 700, 520, 200);
      const auto spread = [&](std::vector<T>& x) {
        for (int count = 0; count < 40; ++count)
          x[static_cast<std::size_t>(below(this->rng, static_cast<Index>(x.size())))] *=
              static_cast<T>(std::ldexp(1.0, -static_cast<int>(below(this->rng, 60))));
      };
      spread(p.a), spread(p.b);
      this->expect_within(p, mode);
      if (testing::Test::HasFatalFailure()) return;
    }
}

/// Alpha or beta zero, on the host and on the device; sums beyond the largest number that alpha brings back.
TYPED_TEST(Multiword, Scalars) {
  using T = TypeParam;
  for (const WordMode& mode : word_modes<T>()) {
    for (const T alpha : {T(0), T(1), T(2.5)})
      for (const T beta : {T(0), T(1), T(-0.5)})
        for (const bool device : {false, true}) {
          auto p = plain_problem<T>(this->rng, {Data::phi, 1}, 70, 90, 130);
          p.alpha = alpha, p.beta = beta;
          this->expect_within(p, mode, device);
          if (testing::Test::HasFatalFailure()) return;
        }
    auto p = plain_problem<T>(this->rng, {Data::phi, 0}, 70, 90, 130);
    const T large = std::ldexp(T(1), std::numeric_limits<T>::max_exponent / 2 + 2);
    for (T& x : p.a) x *= large;
    for (T& x : p.b) x *= large;
    p.alpha = 1 / large / large;
    this->expect_within(p, mode);
    if (testing::Test::HasFatalFailure()) return;
  }
}

/// Words that are split before the product, of operands along and across the terms. The results are within the bound,
/// and have the bits of a product that forms the words as it reads the operands, as in a small workspace. Bits are not
/// compared on devices without the fused kernel.
TYPED_TEST(Multiword, SplitFirst) {
  using T = TypeParam;
  for (const WordMode& mode : word_modes<T>())
    for (const auto& [m, n, k] : {std::array<Index, 3>{1024, 1030, 64}, {1100, 1024, 129}, {1025, 1281, 1}}) {
      const accublas_transpose trans = m == 1100 ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS;
      const Kind kind = m == 1025 ? Kind{Data::few_special} : Kind{Data::phi, 0.5};
      auto p = packed_problem<T>(this->rng, kind, m, n, k, ACCUBLAS_COL_MAJOR, trans, trans, m == 1024 ? 0 : 3);
      // Some groups of lines do not fit FP16's range.
      for (Index q = 0; q < k; q += 2) p.a[static_cast<std::size_t>(p.at_a.at(m / 2, q))] *= T(0x1p-40);
      if (m == 1100) p.alpha = T(-1.3), p.beta = T(0.7);
      ASSERT_EQ(accublas_set_workspace_mib(this->gpu, 1024), ACCUBLAS_SUCCESS);
      this->expect_within(p, mode);
      if (testing::Test::HasFatalFailure()) return;
      std::vector<T> split, formed;
      ASSERT_EQ(on_device(this->gpu, p, split), ACCUBLAS_SUCCESS);
      ASSERT_EQ(accublas_set_workspace_mib(this->gpu, 1), ACCUBLAS_SUCCESS);
      ASSERT_EQ(on_device(this->gpu, p, formed), ACCUBLAS_SUCCESS);
      ASSERT_EQ(beyond_word_bound(p, mode, this->exact(p), formed), "");
      if (m != 1025 && sizeof(T) == 4 && fused() && std::string(mode.word) != "tf32x1") {
        ASSERT_EQ(mismatch(p, formed, split), "") << mode.word;
      }
    }
}

/// In a workspace of any size.
TYPED_TEST(Multiword, SmallWorkspace) {
  using T = TypeParam;
  for (const WordMode& mode : word_modes<T>()) {
    const auto p = plain_problem<T>(this->rng, {Data::phi, 0}, 300, 500, 700);
    for (const std::int64_t mebibytes : {1, 2, 4}) {
      ASSERT_EQ(accublas_set_workspace_mib(this->gpu, mebibytes), ACCUBLAS_SUCCESS);
      this->expect_within(p, mode);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace accublas::test
