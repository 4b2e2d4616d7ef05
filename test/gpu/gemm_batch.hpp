// Batches of GEMM problems for the GPU tests: by strides and by pointers, on the device, one by one on the CPU.
#pragma once

#include "test/gpu/gemm_problem.hpp"

namespace accublas::test {

/// Problems of one shape, one after the other in one array an operand.
template <class T>
struct Batch {
  std::vector<Problem<T>> problems;
  Index stride_a = 0, stride_b = 0, stride_c = 0;
  std::vector<T> a, b, c;

  Batch(Random& rng, const std::vector<Kind>& kinds, Index count, Index m, Index n, Index k, accublas_layout layout,
        int trans, Index extra) {
    const auto transpose = [](bool yes) { return yes ? ACCUBLAS_TRANS : ACCUBLAS_NO_TRANS; };
    for (Index i = 0; i < count; ++i)
      problems.push_back(packed_problem<T>(rng, kinds[static_cast<std::size_t>(i) % kinds.size()], m, n, k, layout,
                                           transpose(trans & 1), transpose(trans & 2), extra));
    const auto append = [&](std::vector<T>& all, const std::vector<T>& one) {
      all.insert(all.end(), one.begin(), one.end());
      all.insert(all.end(), static_cast<std::size_t>(extra), std::numeric_limits<T>::quiet_NaN());
    };
    for (const Problem<T>& p : problems) append(a, p.a), append(b, p.b), append(c, p.c);
    stride_a = static_cast<Index>(a.size()) / count;
    stride_b = static_cast<Index>(b.size()) / count;
    stride_c = static_cast<Index>(c.size()) / count;
  }
  Index count() const { return static_cast<Index>(problems.size()); }
  void scalars(T alpha, T beta) {
    for (Problem<T>& p : problems) p.alpha = alpha, p.beta = beta;
  }
  std::string describe() const { return std::to_string(count()) + " x " + problems[0].describe(); }

  /// By the CPU, one by one.
  std::vector<T> expected(const Context& cpu) const {
    std::vector<T> out = c, one;
    for (std::size_t i = 0; i < problems.size(); ++i) {
      EXPECT_EQ(on_host(cpu, problems[i], one), ACCUBLAS_SUCCESS) << cpu.error();
      std::copy(one.begin(), one.end(), out.begin() + static_cast<std::ptrdiff_t>(i) * stride_c);
    }
    return out;
  }
};

/// A batch in device memory, with its pointers.
template <class T>
struct BatchOnDevice {
  DeviceArray<T> a, b, c, scalars;
  DeviceArray<const T*> at_a, at_b;
  DeviceArray<T*> at_c;

  explicit BatchOnDevice(const Batch<T>& x)
      : a(x.a),
        b(x.b),
        c(x.c),
        scalars(std::vector<T>{x.problems[0].alpha, x.problems[0].beta}),
        at_a(pointers<const T*>(a.data(), x.stride_a, x.count())),
        at_b(pointers<const T*>(b.data(), x.stride_b, x.count())),
        at_c(pointers<T*>(c.data(), x.stride_c, x.count())) {}

  template <class P>
  static std::vector<P> pointers(T* base, Index stride, Index count) {
    std::vector<P> list;
    for (Index i = 0; i < count; ++i) list.push_back(base + i * stride);
    return list;
  }

  accublas_status run(accublas_context* ctx, const Batch<T>& x, bool by_pointers, bool device_scalars) const {
    const Problem<T>& p = x.problems[0];
    const T* alpha = device_scalars ? scalars.data() : &p.alpha;
    const T* beta = device_scalars ? scalars.data() + 1 : &p.beta;
    accublas_set_pointer_mode(ctx, device_scalars ? ACCUBLAS_POINTER_DEVICE : ACCUBLAS_POINTER_HOST);
    const auto call = [&](auto strided, auto pointed) {
      return by_pointers
                 ? pointed(ctx, p.layout, p.transa, p.transb, p.m, p.n, p.k, alpha, at_a.data(), p.lda(), at_b.data(),
                           p.ldb(), beta, at_c.data(), p.ldc(), x.count())
                 : strided(ctx, p.layout, p.transa, p.transb, p.m, p.n, p.k, alpha, a.data(), p.lda(), x.stride_a,
                           b.data(), p.ldb(), x.stride_b, beta, c.data(), p.ldc(), x.stride_c, x.count());
    };
    if constexpr (sizeof(T) == 8)
      return call(accublas_dgemm_strided_batched, accublas_dgemm_batched);
    else
      return call(accublas_sgemm_strided_batched, accublas_sgemm_batched);
  }
};

/// The first element that differs.
template <class T>
std::string difference(const Batch<T>& x, const std::vector<T>& want, const std::vector<T>& got) {
  for (std::size_t q = 0; q < want.size(); ++q) {
    if (bits(want[q]) == bits(got[q])) continue;
    std::ostringstream out;
    out << x.describe() << ": element " << static_cast<Index>(q) % x.stride_c << " of matrix "
        << static_cast<Index>(q) / x.stride_c << ": want " << want[q] << ", got " << got[q] << std::hex << " ("
        << bits(want[q]) << ", " << bits(got[q]) << ")";
    return out.str();
  }
  return "";
}

template <class T>
class GemmBatched : public testing::Test {
 protected:
  Context cpu{ACCUBLAS_BACKEND_CPU}, gpu{ACCUBLAS_BACKEND_CUDA};

  void set(const char* mode) {
    cpu.set(mode);
    gpu.set(mode);
  }
  void expect_same(const Batch<T>& x, const std::string& what, bool device_scalars = false) {
    const std::vector<T> want = x.expected(cpu);
    for (bool by_pointers : {false, true}) {
      const BatchOnDevice<T> operands(x);
      ASSERT_EQ(operands.run(gpu, x, by_pointers, device_scalars), ACCUBLAS_SUCCESS)
          << what << " " << x.describe() << gpu.error();
      ASSERT_EQ(accublas_sync(gpu), ACCUBLAS_SUCCESS) << what << " " << x.describe() << gpu.error();
      ASSERT_EQ(difference(x, want, operands.c.values()), "") << what << (by_pointers ? " by pointers" : " by strides")
                                                              << (device_scalars ? ", scalars on the device" : "");
    }
  }
};

inline const std::vector<Kind> ordinary_batches = {
    {Data::phi, 0}, {Data::phi, 1}, {Data::phi, 3}, {Data::cancellation}, {Data::integers}};
inline const std::vector<Kind> hard_batches = {{Data::ties},        {Data::whole_range},  {Data::subnormal},
                                               {Data::overflow},    {Data::many_special}, {Data::zero_lines},
                                               {Data::few_special}, {Data::graded},       {Data::phi, 10},
                                               {Data::extreme},     {Data::triangular}};

}  // namespace accublas::test
