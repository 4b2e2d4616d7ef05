// Code that the tests of DOT, GEMV and the norms on the device share: data that are hard to add up, and calls that must
// agree with the CPU's engines bit by bit.
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "cuda/core/call_state.hpp"
#include "cuda/core/component.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/vector/vector_kernels.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/numerics/finish.hpp"
#include "test/gpu/device.hpp"

namespace accublas::test {

/// `ill_conditioned`: condition 1e16; `cancelling`: 1e20 and more; `vast`: up to 1e300; `ties`: sums halfway between
/// two numbers.
enum class Data {
  uniform,
  wide,
  ill_conditioned,
  cancelling,
  vast,
  ties,
  subnormal,
  overflowing,
  special,
  small_integers,
  extremes,
  zeros
};
inline constexpr Data all_data[] = {Data::uniform, Data::wide,           Data::ill_conditioned, Data::cancelling,
                                    Data::vast,    Data::ties,           Data::subnormal,       Data::overflowing,
                                    Data::special, Data::small_integers, Data::extremes,        Data::zeros};

using Random = std::mt19937_64;

template <class T>
T draw(Data data, Random& random) {
  const int top = std::numeric_limits<T>::max_exponent, bottom = std::numeric_limits<T>::min_exponent;
  const double u = std::uniform_real_distribution<double>(-1, 1)(random);
  switch (data) {
    case Data::uniform:
    case Data::ill_conditioned:
    case Data::ties:
      return static_cast<T>(u);
    case Data::wide:
      return static_cast<T>(u * std::exp(10 * std::normal_distribution<double>()(random)));
    case Data::cancelling:
      return static_cast<T>(std::ldexp(u, static_cast<int>(random() % 40)));
    case Data::vast:
      return static_cast<T>(std::ldexp(u, static_cast<int>(random() % static_cast<unsigned>(top - 30)) - top / 2));
    case Data::subnormal:
      return static_cast<T>(std::ldexp(u, bottom / 2 - static_cast<int>(random() % 30)));
    case Data::overflowing:
      return static_cast<T>(std::ldexp(u, top / 2 - static_cast<int>(random() % 4)));
    case Data::special: {
      const T values[] = {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
                          std::numeric_limits<T>::quiet_NaN(), T(0)};
      const auto which = random() % 2000;
      return which < 4 ? values[which] : static_cast<T>(u);
    }
    case Data::small_integers:
      return static_cast<T>(static_cast<int>(random() % 5)) - 2;
    case Data::extremes: {
      const T largest = std::numeric_limits<T>::max();
      const T values[] = {largest, -largest, T(1), T(-1), std::ldexp(T(1), top - 54), std::ldexp(T(-3), top - 54),
                          T(0)};
      return values[random() % 7];
    }
    case Data::zeros:
      return random() % 8 == 0 ? static_cast<T>(u) : T(0);
  }
  return 0;
}

/// A matrix of any strides in a buffer of its own, on the host and on the device.
template <class T>
struct Stored {
  std::vector<T> buffer;
  Index offset, row_stride, col_stride;

  Stored(Index rows, Index cols, Index row_stride_, Index col_stride_)
      : row_stride(row_stride_), col_stride(col_stride_) {
    const auto reach = [](Index n, Index stride) { return n > 0 ? (n - 1) * std::abs(stride) : 0; };
    offset = (row_stride < 0 ? reach(rows, row_stride) : 0) + (col_stride < 0 ? reach(cols, col_stride) : 0);
    buffer.resize(static_cast<std::size_t>(reach(rows, row_stride) + reach(cols, col_stride) + 1));
  }
  Matrix<T> in(T* base) const { return {base + offset, row_stride, col_stride}; }
  Matrix<const T> in(const T* base) const { return {base + offset, row_stride, col_stride}; }
  Matrix<T> view() { return in(buffer.data()); }
  Matrix<const T> view() const { return in(buffer.data()); }
};

/// The second half takes back what the first one brought, but for the last bit of a few entries.
template <class T>
void cancel(Matrix<T> a, Index m, Vector<T> x, Index k, Random& random) {
  const Index half = k / 2;
  for (Index p = half; p < 2 * half; ++p) {
    for (Index i = 0; i < m; ++i) a(i, p) = -a(i, p - half);
    x[p] = x[p - half];
  }
  for (int times = 0; times < 3 && k > 0; ++times) {
    const auto p = static_cast<Index>(random() % static_cast<std::uint64_t>(k));
    x[p] = std::nextafter(x[p], T(0));
  }
}

/// Condition 1e16: a sum of uniform numbers that cancel, and one product 2^-53 times as large as the sum of their
/// magnitudes.
template <class T>
void make_ill_conditioned(Matrix<T> a, Index m, Vector<T> x, Index k, Random& random) {
  cancel(a, m, x, k, random);
  const Index half = k / 2;
  for (Index p = half; p < 2 * half; ++p) x[p] = x[p - half];  // without the changed bits
  x[0] = static_cast<T>(std::ldexp(0.4 * std::acos(-1.0) * static_cast<double>(k), -30));
  x[half] = 0;
  for (Index i = 0; i < m; ++i)
    a(i, 0) = static_cast<T>(std::ldexp(1 + std::abs(draw<double>(Data::uniform, random)), -25));
}

/// Sums of one number and half a unit in its last place; the other terms cancel in pairs.
template <class T>
void make_ties(Matrix<T> a, Index m, Vector<T> x, Index k, Random& random) {
  for (Index p = 0; p < k; ++p) x[p] = 1;
  const T half = std::numeric_limits<T>::epsilon() / 2;
  for (Index i = 0; i < m; ++i) {
    for (Index p = 0; p + 1 < k; p += 2) a(i, p + 1) = -a(i, p);
    if (k < 2) continue;
    const auto pair = static_cast<Index>(random() % static_cast<std::uint64_t>(k / 2));
    a(i, 2 * pair) = 1 + std::abs(a(i, 2 * pair)) / 2;
    a(i, 2 * pair + 1) = half;
    if (k % 2 == 1) a(i, k - 1) = 0;
  }
}

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// The modes under test; fixed with its number of bits.
struct Case {
  cuda::VectorMode mode;
  int bits;
  bool all_undecided;
};
inline std::vector<Case> all_cases() {
  using cuda::VectorMode;
  std::vector<Case> cases = {{VectorMode::dot2, 0, false}, {VectorMode::cr, 0, false}, {VectorMode::cr, 0, true}};
  for (int bits : {2, 24, 53, 70, 150}) cases.push_back({VectorMode::fixed, bits, false});
  cases.push_back({VectorMode::fixed, 40, true});
  return cases;
}
inline std::string name(const Case& c) {
  const char* mode = c.mode == cuda::VectorMode::dot2 ? "dot2" : c.mode == cuda::VectorMode::cr ? "cr" : "fixed";
  return std::string(mode) + ' ' + std::to_string(c.bits) + (c.all_undecided ? " undecided" : "");
}

/// The CPU's engines, in an execution of their own.
class Cpu {
 public:
  template <class T>
  void dot(const Case& c, const Dot<T>& d) {
    Workspace workspace{std::size_t{256} << 20, nullptr, 0};
    accublas_report_t report{};
    Execution execution{2, cpu::detected_isa(), workspace, report, 0};
    if (d.n <= 0) {
      *d.result = 0;
      return;
    }
    switch (c.mode) {
      case cuda::VectorMode::dot2:
        cpu::dot2_dot(d, execution);
        break;
      case cuda::VectorMode::cr:
        cpu::cr_dot(d, execution);
        break;
      case cuda::VectorMode::fixed:
        cpu::fixed_dot(d, fixed(c.bits), execution);
        break;
    }
  }
  /// GEMV by the engine, and what is done before it: no elements or terms, and alpha = 0.
  template <class T>
  void expected_gemv(const Case& c, const Gemv<T>& g) {
    if (g.m == 0 || g.k == 0) return;
    if (g.alpha != 0 || std::isnan(g.alpha)) return gemv(c, g);
    if (g.beta == 1) return;
    for (Index i = 0; i < g.m; ++i) g.y[i] = finish_scaled(g.beta, g.y[i]);
  }
  template <class T>
  void gemv(const Case& c, const Gemv<T>& g) {
    Workspace workspace{std::size_t{256} << 20, nullptr, 0};
    accublas_report_t report{};
    Execution execution{2, cpu::detected_isa(), workspace, report, 0};
    switch (c.mode) {
      case cuda::VectorMode::dot2:
        cpu::dot2_gemv(g, execution);
        break;
      case cuda::VectorMode::cr:
        cpu::cr_gemv(g, execution);
        break;
      case cuda::VectorMode::fixed:
        cpu::fixed_gemv(g, fixed(c.bits), execution);
        break;
    }
  }

  template <class T>
  void norm(const Case& c, cuda::Terms terms, const Reduction<T>& r) {
    Workspace workspace{std::size_t{256} << 20, nullptr, 0};
    accublas_report_t report{};
    Execution execution{2, cpu::detected_isa(), workspace, report, 0};
    const bool dot2 = c.mode == cuda::VectorMode::dot2;
    if (r.n <= 0) {
      *r.result = 0;
    } else if (terms == cuda::Terms::squares) {
      dot2 ? cpu::dot2_nrm2(r, execution) : cpu::cr_nrm2(r, execution);
    } else {
      dot2 ? cpu::dot2_asum(r, execution) : cpu::cr_asum(r, execution);
    }
  }

 private:
  static Mode fixed(int bits) {
    Mode mode{};
    mode.parameter = bits;
    return mode;
  }
};

/// The device's kernels, with scratch full of NaN.
class Device {
 public:
  Device() : state_(1) {
    state_.zero();
    model = {};
    require(cudaGetDevice(&model.device), "cudaGetDevice");
    const auto read = [&](int* value, cudaDeviceAttr which) {
      require(cudaDeviceGetAttribute(value, which, model.device), "cudaDeviceGetAttribute");
    };
    read(&model.processors, cudaDevAttrMultiProcessorCount);
    read(&model.major, cudaDevAttrComputeCapabilityMajor);
    read(&model.minor, cudaDevAttrComputeCapabilityMinor);
#ifdef ACCUBLAS_HAVE_HOPPER_KERNELS
    model.hopper_kernels = model.major == 9 && model.minor == 0;
#endif
  }

  template <class T>
  void dot(const Case& c, const Dot<T>& d, cudaStream_t stream = nullptr) {
    DeviceArray<unsigned char> scratch(cuda::vector_scratch_bytes(model, c.mode, 1, d.n, cuda::component_count<T>));
    const cuda::VectorCall call{model, state_.data(), scratch.data(), stream, c.all_undecided};
    switch (c.mode) {
      case cuda::VectorMode::dot2:
        cuda::dot2_dot(call, d);
        break;
      case cuda::VectorMode::cr:
        cuda::cr_dot(call, d);
        break;
      case cuda::VectorMode::fixed:
        cuda::fixed_dot(call, d, c.bits);
        break;
    }
    require(cudaDeviceSynchronize(), "dot");
  }
  template <class T>
  void norm(const Case& c, cuda::Terms terms, const Reduction<T>& r) {
    DeviceArray<unsigned char> scratch(cuda::norm_scratch_bytes(model, r.n));
    const cuda::VectorCall call{model, state_.data(), scratch.data(), nullptr, c.all_undecided};
    cuda::norm(call, c.mode, terms, r);
    require(cudaDeviceSynchronize(), "norm");
  }
  template <class T>
  void gemv(const Case& c, const Gemv<T>& g, cuda::Scalar<RealOf<T>> alpha, cuda::Scalar<RealOf<T>> beta) {
    DeviceArray<unsigned char> scratch(cuda::vector_scratch_bytes(model, c.mode, g.m, g.k, cuda::component_count<T>));
    put_gemv(c, g, alpha, beta, scratch.data(), nullptr);
    require(cudaDeviceSynchronize(), "gemv");
  }
  template <class T>
  void put_gemv(const Case& c, const Gemv<T>& g, cuda::Scalar<RealOf<T>> alpha, cuda::Scalar<RealOf<T>> beta,
                void* scratch, cudaStream_t stream) {
    const cuda::VectorCall call{model, state_.data(), scratch, stream, c.all_undecided};
    switch (c.mode) {
      case cuda::VectorMode::dot2:
        cuda::dot2_gemv(call, g, alpha, beta);
        break;
      case cuda::VectorMode::cr:
        cuda::cr_gemv(call, g, alpha, beta);
        break;
      case cuda::VectorMode::fixed:
        cuda::fixed_gemv(call, g, c.bits, alpha, beta);
        break;
    }
  }

  template <class E>
  void symv(const Case& c, const cuda::Symv<E>& s, RealOf<E> alpha, RealOf<E> beta) {
    DeviceArray<unsigned char> scratch(cuda::symv_scratch_bytes(model, c.mode, s.n, cuda::component_count<E>));
    const cuda::VectorCall call{model, state_.data(), scratch.data(), nullptr, c.all_undecided};
    cuda::symv(call, c.mode, s, c.bits, cuda::Scalar<RealOf<E>>{alpha, nullptr},
               cuda::Scalar<RealOf<E>>{beta, nullptr});
    require(cudaDeviceSynchronize(), "symv");
  }

  /// Fails where a call left something behind; returns the last call's count of undecided outputs.
  unsigned long long check_state() {
    const cuda::VectorState s = state_.values()[0];
    bool clean = s.exact_arrived == 0 && s.open == 0;
    for (std::uint32_t arrived : s.arrived) clean = clean && arrived == 0;
    EXPECT_TRUE(clean) << "the state is not as it was";
    return s.undecided;
  }

  cuda::DeviceModel model;

 private:
  DeviceArray<cuda::VectorState> state_;
};

}  // namespace accublas::test
