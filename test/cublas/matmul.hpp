// Calls of cublasLtMatmul for the tests. There are descriptors that destroy themselves, operands with random layouts,
// and the result that docs/cublas.md defines, which accublas's GEMM on the CPU and the epilogue's formulas compute.
#pragma once

#include <cublasLt.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "lib/numerics/gelu.hpp"
#include "test/context.hpp"
#include "test/typed_routines.hpp"

namespace accublas::test {

template <class E>
struct LtTypes;
#define ACCUBLAS_LT_TYPES(E, number, compute_type, letter)                                  \
  template <>                                                                               \
  struct LtTypes<E> {                                                                       \
    static constexpr cudaDataType_t data = number;                                          \
    static constexpr cublasComputeType_t compute = compute_type;                            \
    static constexpr const char *routine = letter "gemm", *batched = letter "gemm_batched"; \
  };
ACCUBLAS_LT_TYPES(double, CUDA_R_64F, CUBLAS_COMPUTE_64F, "d")
ACCUBLAS_LT_TYPES(float, CUDA_R_32F, CUBLAS_COMPUTE_32F, "s")
ACCUBLAS_LT_TYPES(std::complex<double>, CUDA_C_64F, CUBLAS_COMPUTE_64F, "z")
ACCUBLAS_LT_TYPES(std::complex<float>, CUDA_C_32F, CUBLAS_COMPUTE_32F, "c")
#undef ACCUBLAS_LT_TYPES

/// Random numbers for the tests.
class LtRandom {
 public:
  explicit LtRandom(std::uint64_t seed) : state_(seed * 2 + 1) {}
  int below(int n) { return static_cast<int>(next() % static_cast<unsigned>(n)); }
  /// Returns a number with all bits in use or, with `integers`, a small integer, whose products are exact.
  template <class E>
  E number(bool integers) {
    if constexpr (typed::is_complex<E>) {
      const auto re = number<typename E::value_type>(integers);
      return {re, number<typename E::value_type>(integers)};
    } else {
      if (integers) return static_cast<E>(below(7) - 3);
      return static_cast<E>(std::ldexp(static_cast<double>(static_cast<std::int64_t>(next64())), -61 - below(4)));
    }
  }

 private:
  std::uint32_t next() {
    return static_cast<std::uint32_t>((state_ = state_ * 6364136223846793005u + 1442695040888963407u) >> 33);
  }
  std::uint64_t next64() {
    return static_cast<std::uint64_t>(next()) << 33 ^ static_cast<std::uint64_t>(next()) << 11 ^ next();
  }
  std::uint64_t state_;
};

/// A description of a product.
class LtDescription {
 public:
  LtDescription(cublasComputeType_t compute, cudaDataType_t scale) {
    EXPECT_EQ(cublasLtMatmulDescCreate(&description_, compute, scale), CUBLAS_STATUS_SUCCESS);
  }
  ~LtDescription() { cublasLtMatmulDescDestroy(description_); }
  LtDescription(const LtDescription&) = delete;
  LtDescription& operator=(const LtDescription&) = delete;
  template <class T>
  void set(cublasLtMatmulDescAttributes_t which, T value) {
    EXPECT_EQ(cublasLtMatmulDescSetAttribute(description_, which, &value, sizeof value), CUBLAS_STATUS_SUCCESS)
        << which;
  }
  operator cublasLtMatmulDesc_t() const { return description_; }

 private:
  cublasLtMatmulDesc_t description_ = nullptr;
};

/// One matrix or more: its layout and its elements.
template <class E>
struct LtMatrix {
  std::int64_t rows = 0, cols = 0, ld = 0, stride = 0;
  int count = 1;
  bool by_rows = false;
  std::vector<E> values;

  LtMatrix() = default;
  /// A stride of 0 repeats the first matrix.
  LtMatrix(LtRandom& random, std::int64_t m, std::int64_t n, bool row_major, int batch, bool repeated, bool integers)
      : rows(m), cols(n), count(batch), by_rows(row_major) {
    ld = (by_rows ? n : m) + random.below(3);
    const std::int64_t size = ld * (by_rows ? m : n);
    stride = repeated ? 0 : size + random.below(4);
    values.resize(static_cast<std::size_t>(size + stride * (batch - 1)));
    for (E& x : values) x = random.number<E>(integers);
  }
  std::size_t at(int matrix, std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(matrix * stride + (by_rows ? i * ld + j : i + j * ld));
  }
};

class LtLayout {
 public:
  template <class E>
  explicit LtLayout(const LtMatrix<E>& x, cudaDataType_t type = LtTypes<E>::data) {
    EXPECT_EQ(cublasLtMatrixLayoutCreate(&layout_, type, static_cast<std::uint64_t>(x.rows),
                                         static_cast<std::uint64_t>(x.cols), x.ld),
              CUBLAS_STATUS_SUCCESS);
    set(CUBLASLT_MATRIX_LAYOUT_ORDER, std::int32_t{x.by_rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL});
    set(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, std::int32_t{x.count});
    set(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, x.stride);
  }
  ~LtLayout() { cublasLtMatrixLayoutDestroy(layout_); }
  LtLayout(const LtLayout&) = delete;
  LtLayout& operator=(const LtLayout&) = delete;
  template <class T>
  void set(cublasLtMatrixLayoutAttribute_t which, T value) {
    EXPECT_EQ(cublasLtMatrixLayoutSetAttribute(layout_, which, &value, sizeof value), CUBLAS_STATUS_SUCCESS) << which;
  }
  operator cublasLtMatrixLayout_t() const { return layout_; }

 private:
  cublasLtMatrixLayout_t layout_ = nullptr;
};

/// The epilogues. They are made of the bits of ReLU (2), bias (4), ReLU's gradient (8), the bias's gradient (16), GELU
/// (32), its gradient (64) and the auxiliary matrix (128). The values 1, 256 and 512 are DEFAULT, BGRADA and BGRADB.
constexpr unsigned lt_epilogues[] = {1, 2, 4, 6, 32, 36, 130, 134, 160, 164, 136, 152, 192, 208, 256, 512};
inline std::string lt_name(unsigned epilogue) { return "epilogue " + std::to_string(epilogue); }

/// The arguments of a call, in host memory. The call itself may use copies in device memory.
template <class E>
struct LtProblem {
  cublasOperation_t op_a = CUBLAS_OP_N, op_b = CUBLAS_OP_N;
  unsigned epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  bool in_place = true;  ///< D is C
  LtMatrix<E> a, b, c, d;
  E alpha{1}, beta{};
  std::vector<E> bias;             ///< the bias, or its gradient
  std::vector<std::uint8_t> mask;  ///< ReLU's mask
  std::vector<E> argument;         ///< GELU's argument
  std::int64_t bias_stride = 0, aux_ld = 0, aux_stride = 0;

  std::int64_t m() const { return d.rows; }
  std::int64_t n() const { return d.cols; }
  std::int64_t k() const { return op_a == CUBLAS_OP_N ? a.cols : a.rows; }
  bool has_mask() const { return (epilogue & 128) != 0 && (epilogue & (2 | 8)) != 0; }
  bool has_argument() const { return (epilogue & 128) != 0 && (epilogue & (32 | 64)) != 0; }
  bool has_bias() const { return (epilogue & (4 | 16 | 256 | 512)) != 0; }
  bool sums_bias() const { return (epilogue & (16 | 256 | 512)) != 0; }

  /// `orders` has a bit for each matrix that is stored by rows: 1 A, 2 B, 4 C, 8 D.
  LtProblem(LtRandom& random, std::int64_t m, std::int64_t n, std::int64_t k, cublasOperation_t of_a,
            cublasOperation_t of_b, unsigned orders, int count, unsigned function, bool d_is_c, bool integers = false)
      : op_a(of_a), op_b(of_b), epilogue(function), in_place(d_is_c) {
    const auto matrix = [&](std::int64_t rows, std::int64_t cols, unsigned bit, bool may_repeat) {
      return LtMatrix<E>(random, rows, cols, (orders & bit) != 0, count, may_repeat && random.below(4) == 0, integers);
    };
    a = op_a == CUBLAS_OP_N ? matrix(m, k, 1, true) : matrix(k, m, 1, true);
    b = op_b == CUBLAS_OP_N ? matrix(k, n, 2, true) : matrix(n, k, 2, true);
    d = matrix(m, n, 8, false);
    c = in_place ? d : matrix(m, n, 4, true);
    alpha = random.number<E>(integers);
    beta = random.below(3) == 0 ? E{} : random.number<E>(integers);
    if (has_bias()) {
      const std::int64_t length = function == CUBLASLT_EPILOGUE_BGRADB ? n : m;
      bias_stride = length + random.below(3);
      bias.resize(static_cast<std::size_t>(bias_stride * count));
      for (E& x : bias) x = random.number<E>(integers);
    }
    if (!(epilogue & 128)) return;
    const std::int64_t multiple = has_mask() ? 128 : 8;
    aux_ld = (m + multiple - 1) / multiple * multiple;
    aux_stride = aux_ld * n + multiple * random.below(2);
    if (has_mask()) {
      mask.resize(static_cast<std::size_t>(aux_stride * count / 8));
      for (std::uint8_t& x : mask) x = static_cast<std::uint8_t>(random.below(256));
    } else {
      argument.resize(static_cast<std::size_t>(aux_stride * count));
      for (E& x : argument) x = random.number<E>(integers);
    }
  }

  /// Sets the attributes of the call. The epilogue's memory is at `at_bias` and `at_aux`.
  void describe(LtDescription& to, void* at_bias, void* at_aux) const {
    to.set(CUBLASLT_MATMUL_DESC_TRANSA, std::int32_t{op_a});
    to.set(CUBLASLT_MATMUL_DESC_TRANSB, std::int32_t{op_b});
    to.set(CUBLASLT_MATMUL_DESC_EPILOGUE, std::uint32_t{epilogue});
    if (has_bias()) {
      to.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, at_bias);
      if (d.count > 1) to.set(CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, bias_stride);
    }
    if (has_mask() || has_argument()) {
      to.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, at_aux);
      to.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, aux_ld);
      if (d.count > 1) to.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, aux_stride);
    }
  }

  /// Replaces D, the bias's gradient and the auxiliary matrix by the results, which the CPU computes.
  void compute() {
    const Context cpu(ACCUBLAS_BACKEND_CPU);
    for (int matrix = 0; matrix < d.count; ++matrix) {
      const std::vector<E> left = gathered(a, matrix, op_a), right = gathered(b, matrix, op_b);
      std::vector<E> result = gathered(in_place ? d : c, matrix, CUBLAS_OP_N);
      ASSERT_EQ(typed::gemm(E{}, cpu, ACCUBLAS_COL_MAJOR, ACCUBLAS_NO_TRANS, ACCUBLAS_NO_TRANS, m(), n(), k(), &alpha,
                            left.data(), m(), right.data(), k(), &beta, result.data(), m()),
                ACCUBLAS_SUCCESS)
          << cpu.error();
      for (std::int64_t j = 0; j < n(); ++j)
        for (std::int64_t i = 0; i < m(); ++i)
          d.values[d.at(matrix, i, j)] = finished(result[static_cast<std::size_t>(i + j * m())], matrix, i, j);
      if constexpr (!typed::is_complex<E>) sum(matrix, left, right);
    }
  }

 private:
  static std::vector<E> gathered(const LtMatrix<E>& x, int matrix, cublasOperation_t op) {
    std::vector<E> out;
    const bool plain = op == CUBLAS_OP_N;
    const std::int64_t rows = plain ? x.rows : x.cols, cols = plain ? x.cols : x.rows;
    for (std::int64_t j = 0; j < cols; ++j)
      for (std::int64_t i = 0; i < rows; ++i) {
        E value = x.values[plain ? x.at(matrix, i, j) : x.at(matrix, j, i)];
        if constexpr (typed::is_complex<E>)
          if (op == CUBLAS_OP_C) value = std::conj(value);
        out.push_back(value);
      }
    return out;
  }
  E finished(E x, int matrix, std::int64_t i, std::int64_t j) {
    if (epilogue & 4) x += bias[static_cast<std::size_t>(matrix * bias_stride + i)];
    if constexpr (!typed::is_complex<E>) {
      const auto aux = static_cast<std::size_t>(matrix * aux_stride + j * aux_ld + i);
      if (has_mask() && (epilogue & 2)) {
        if (i % 8 == 0) mask[aux / 8] = 0;
        if (!(x < 0)) mask[aux / 8] |= static_cast<std::uint8_t>(1u << (aux % 8));
      }
      if (epilogue & 2) x = x > 0 || std::isnan(x) ? x : 0;
      if (epilogue & 8) x = (mask[aux / 8] >> (aux % 8) & 1) ? x : 0;
      if (epilogue & 32) {
        if (has_argument()) argument[aux] = x;
        x = static_cast<E>(gelu(x));
      }
      if (epilogue & 64) x = static_cast<E>(static_cast<double>(x) * gelu_derivative(argument[aux]));
    }
    return x;
  }
  /// Computes the sums by Sum2 in binary64.
  void sum(int matrix, const std::vector<E>& left, const std::vector<E>& right) {
    if (!sums_bias()) return;
    const std::int64_t length = epilogue == CUBLASLT_EPILOGUE_BGRADB ? n() : m();
    for (std::int64_t i = 0; i < length; ++i) {
      double high = 0, low = 0;
      const std::int64_t terms = epilogue & 16 ? n() : k();
      for (std::int64_t p = 0; p < terms; ++p) {
        const double x = epilogue == CUBLASLT_EPILOGUE_BGRADA   ? left[static_cast<std::size_t>(i + p * m())]
                         : epilogue == CUBLASLT_EPILOGUE_BGRADB ? right[static_cast<std::size_t>(p + i * k())]
                                                                : d.values[d.at(matrix, i, p)];
        const double s = high + x, t = s - high;
        low += (high - (s - t)) + (x - t);
        high = s;
      }
      bias[static_cast<std::size_t>(matrix * bias_stride + i)] = static_cast<E>(high + low);
    }
  }
};

using LtFunction = decltype(&cublasLtMatmul);

/// Makes the call of a problem on arrays that hold its operands.
template <class E, template <class> class Array>
class LtCall {
 public:
  explicit LtCall(const LtProblem<E>& problem)
      : problem_(problem),
        a_(problem.a.values),
        b_(problem.b.values),
        c_(problem.c.values),
        d_(problem.d.values),
        bias_(problem.bias),
        mask_(problem.mask),
        argument_(problem.argument),
        factors_(std::vector<E>{problem.alpha, problem.beta}) {}

  /// The attributes that a test changes before the call.
  LtDescription description{LtTypes<E>::compute, LtTypes<E>::data};
  bool factors_on_device = false, without_c = false;
  std::int64_t more_terms = 0;  ///< rows that B's layout has in excess, which is a bad argument

  cublasStatus_t run(LtFunction function, cublasLtHandle_t handle, cudaStream_t stream = nullptr) {
    problem_.describe(description, bias_.data(),
                      problem_.has_mask() ? static_cast<void*>(mask_.data()) : argument_.data());
    if (factors_on_device)
      description.set(CUBLASLT_MATMUL_DESC_POINTER_MODE, std::int32_t{CUBLASLT_POINTER_MODE_DEVICE});
    LtMatrix<E> b = problem_.b;
    b.rows += more_terms;
    const LtLayout layout_a(problem_.a), layout_b(b), layout_c(problem_.c), layout_d(problem_.d);
    const E* const factors = factors_on_device ? factors_.data() : host_factors_;
    return function(handle, description, factors, a_.data(), layout_a, b_.data(), layout_b, factors + 1,
                    without_c           ? nullptr
                    : problem_.in_place ? d_.data()
                                        : c_.data(),
                    layout_c, d_.data(), layout_d, nullptr, nullptr, 0, stream);
  }
  /// Restores the operands that the call writes.
  void begin() { d_ = problem_.d.values, bias_ = problem_.bias, mask_ = problem_.mask, argument_ = problem_.argument; }

  /// Returns whether all bits are those of a problem that was computed, also in the memory between the elements.
  bool has(const LtProblem<E>& wanted) const {
    return same(d_, wanted.d.values) && same(bias_, wanted.bias) && same(mask_, wanted.mask) &&
           same(argument_, wanted.argument);
  }
  const Array<E>& d() const { return d_; }
  std::vector<E> bias() const { return bias_.values(); }
  std::vector<std::uint8_t> mask() const { return mask_.values(); }
  std::vector<E> argument() const { return argument_.values(); }

 private:
  template <class T>
  static bool same(const Array<T>& x, const std::vector<T>& y) {
    const std::vector<T> values = x.values();
    return values.size() == y.size() && std::memcmp(values.data(), y.data(), y.size() * sizeof(T)) == 0;
  }
  const LtProblem<E> problem_;
  Array<E> a_, b_, c_, d_, bias_;
  Array<std::uint8_t> mask_;
  Array<E> argument_, factors_;
  const E host_factors_[2] = {problem_.alpha, problem_.beta};
};

/// Compares a call with random orders, transpositions, batch and epilogue with the CPU's result. `synchronize` waits
/// for the call.
template <class E, template <class> class Array, class Synchronize>
void check_matmul(cublasLtHandle_t handle, LtRandom& random, int most, bool may_be_on_device,
                  const Synchronize& synchronize) {
  const auto size = [&] { return 1 + random.below(most); };
  const auto op = [&] { return static_cast<cublasOperation_t>(random.below(3)); };
  const int m = size(), n = size(), k = size(), count = random.below(3) == 0 ? 1 + random.below(4) : 1;
  const cublasOperation_t op_a = op(), op_b = op();
  unsigned orders = static_cast<unsigned>(random.below(16));
  // A conjugate without a transposition goes to cublasLt.
  const auto conjugated = [&](cublasOperation_t of, unsigned bit) {
    return typed::is_complex<E> && of == CUBLAS_OP_C && ((orders & bit) != 0) != ((orders & 8) != 0);
  };
  if (conjugated(op_a, 1)) orders ^= 1;
  if (conjugated(op_b, 2)) orders ^= 2;
  const int epilogues = typed::is_complex<E> ? 3 : static_cast<int>(std::size(lt_epilogues));
  unsigned epilogue = lt_epilogues[random.below(epilogues)];
  if (typed::is_complex<E> && epilogue == 2) epilogue = CUBLASLT_EPILOGUE_BIAS;
  if (epilogue & 128) orders &= ~8u;
  const bool in_place = random.below(2) == 0;
  if (in_place) orders = (orders & ~4u) | (orders & 8) / 2;
  LtProblem<E> problem(random, m, n, k, op_a, op_b, orders, count, epilogue, in_place);
  LtCall<E, Array> call(problem);
  call.factors_on_device = may_be_on_device && random.below(3) == 0;
  call.without_c = problem.beta == E{} && !call.factors_on_device && random.below(2) == 0;
  ASSERT_EQ(call.run(cublasLtMatmul, handle), CUBLAS_STATUS_SUCCESS) << lt_name(epilogue);
  synchronize();
  problem.compute();
  EXPECT_TRUE(call.has(problem)) << LtTypes<E>::routine << ' ' << m << " x " << n << " x " << k << ", ops " << op_a
                                 << op_b << ", orders " << orders << ", count " << count << ", " << lt_name(epilogue)
                                 << ", in place " << in_place << ", factors on device " << call.factors_on_device
                                 << ", beta 0: " << (problem.beta == E{});
}

}  // namespace accublas::test
