// Operands for the tests of the int8 engine's kernels, with all that is hard to measure and to convert, and their
// Lines.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/float_bits.hpp"
#include "test/gpu/device.hpp"

namespace accublas::test {

using cuda::Lines, cuda::Operand, cuda::padded_lines;

/// x 2^e in T, rounded where it has to be.
template <class T>
T scaled(double x, int e) {
  return static_cast<T>(std::scalbn(x, e));
}

/// Entries of one line, of the given kind.
enum class Kind {
  uniform,
  spread,
  whole_range,
  subnormal,
  least,
  largest,
  powers,
  few_bits,
  ties,
  sparse,
  one_entry,
  rising,
  zero,
  inf,
  nan,
  both,
  count
};
template <class T>
std::vector<T> line_of(Kind kind, Index k, std::mt19937_64& random) {
  constexpr int top = std::numeric_limits<T>::max_exponent, bottom = std::numeric_limits<T>::min_exponent;
  constexpr int digits = std::numeric_limits<T>::digits;
  auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  auto unit = [&] { return static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-63; };
  auto sign = [&] { return below(2) ? 1.0 : -1.0; };
  const int base = below(top - bottom - 200) + bottom + 100;
  std::vector<T> line(static_cast<std::size_t>(k));
  for (T& x : line) {
    switch (kind) {
      case Kind::uniform:
        x = scaled<T>(unit(), base);
        break;
      case Kind::spread:
        x = scaled<T>(unit(), base - below(80));
        break;
      case Kind::whole_range:
        x = scaled<T>(unit(), bottom - digits + below(top - bottom + digits));
        break;
      case Kind::subnormal:
        x = scaled<T>(unit(), bottom - 1 - below(digits));
        break;
      case Kind::least:
        x = scaled<T>(sign() * below(3), bottom - digits);
        break;
      case Kind::largest:
        x = static_cast<T>(sign()) * std::numeric_limits<T>::max();
        break;
      case Kind::powers:
        x = scaled<T>(sign(), base - below(60));
        break;
      case Kind::few_bits:
        x = scaled<T>(below(2001) - 1000, base);
        break;
      // Around halves of every scale: a long run of ones or zeros after a few bits.
      case Kind::ties: {
        const int cut = below(digits - 2) + 1;
        const double head = std::floor(std::fabs(unit()) * std::ldexp(1.0, cut)) * 2 + 1;
        const double nudge = below(3) - 1;
        const double value = head + nudge * std::ldexp(1.0, cut + 1 - digits);
        x = scaled<T>(sign() * value, base - below(20));
        break;
      }
      // The largest last, and far above the first.
      case Kind::rising:
        x = scaled<T>(unit(), base - 60 + static_cast<int>(60 * (&x - line.data()) / k));
        break;
      case Kind::sparse:
        x = below(20) ? static_cast<T>(below(2) ? 0.0 : -0.0) : scaled<T>(unit(), base);
        break;
      default:
        x = static_cast<T>(below(2) ? 0.0 : -0.0);
    }
  }
  if (k == 0) return line;
  auto any = [&]() -> T& { return line[random() % static_cast<std::size_t>(k)]; };
  const T infinity = std::numeric_limits<T>::infinity(), not_a_number = std::numeric_limits<T>::quiet_NaN();
  const bool special = kind == Kind::inf || kind == Kind::nan || kind == Kind::both;
  if (special)
    for (T& x : line) x = below(2) ? scaled<T>(unit(), base) : T(0);
  if (kind == Kind::one_entry) any() = scaled<T>(unit(), base);
  if (kind == Kind::inf || kind == Kind::both) any() = below(2) ? infinity : -infinity;
  if (kind == Kind::nan || kind == Kind::both) {
    // The least payload in the low bits counts too.
    using Bits = typename FloatFormat<T>::Bits;
    any() = below(2) ? not_a_number : from_bits<T>(FloatFormat<T>::quiet_nan | Bits(below(2)));
  }
  return line;
}

/// Distance of entries in memory. `padding` elements between lines, `step` between neighbours, perhaps backwards.
struct Layout {
  bool adjacent;  ///< lines side by side, else each line contiguous
  Index step, padding;
  bool back_lines, back_terms;
};
inline std::vector<Layout> layouts() {
  return {{false, 1, 0, false, false}, {true, 1, 0, false, false}, {false, 1, 3, false, false},
          {true, 1, 5, false, false},  {false, 3, 1, true, false}, {true, 2, 1, false, true},
          {true, 1, 1, true, true}};
}

/// A host copy by lines, and the operand in device memory; what lies between the entries is NaN.
template <class T>
class TestOperand {
 public:
  TestOperand(std::vector<std::vector<T>> lines, Index k, const Layout& l)
      : lines_(std::move(lines)), memory_(fill(k, l)) {
    operand_.data = memory_.data() + offset_;
  }
  const Operand<T>& operand() const { return operand_; }
  const std::vector<T>& line(Index i) const { return lines_[static_cast<std::size_t>(i)]; }

 private:
  std::vector<T> fill(Index k, const Layout& l) {
    const Index count = static_cast<Index>(lines_.size());
    const Index inner = l.step, outer = (l.adjacent ? count : k) * l.step + l.padding;
    operand_.count = count;
    operand_.k = k;
    operand_.stride = (l.adjacent ? inner : outer) * (l.back_lines ? -1 : 1);
    operand_.k_stride = (l.adjacent ? outer : inner) * (l.back_terms ? -1 : 1);
    offset_ = 0;
    if (l.back_lines && count > 0) offset_ -= (count - 1) * operand_.stride;
    if (l.back_terms && k > 0) offset_ -= (k - 1) * operand_.k_stride;
    std::vector<T> out(static_cast<std::size_t>(outer * (l.adjacent ? k : count) + 1),
                       std::numeric_limits<T>::quiet_NaN());
    for (Index i = 0; i < count; ++i)
      for (Index p = 0; p < k; ++p)
        out[static_cast<std::size_t>(offset_ + i * operand_.stride + p * operand_.k_stride)] =
            lines_[static_cast<std::size_t>(i)][static_cast<std::size_t>(p)];
    return out;
  }
  std::vector<std::vector<T>> lines_;
  Operand<T> operand_{};
  Index offset_ = 0;
  DeviceArray<T> memory_;
};

/// Three lines so far apart that offsets pass 2^31 entries; `adjacent`: terms are.
template <class T>
class FarOperand {
 public:
  FarOperand(const std::vector<std::vector<T>>& lines, bool adjacent) {
    constexpr Index far = (Index{1} << 30) + 5;
    const Index k = static_cast<Index>(lines[0].size()), count = static_cast<Index>(lines.size());
    const std::size_t entries = static_cast<std::size_t>((adjacent ? k : count) * far);
    require(cudaMalloc(reinterpret_cast<void**>(&memory_), entries * sizeof(T)), "cudaMalloc");
    operand_ = {memory_, adjacent ? 1 : far, adjacent ? far : 1, count, k};
    for (Index i = 0; i < count; ++i)
      for (Index p = 0; p < k; ++p)
        require(cudaMemcpy(memory_ + i * operand_.stride + p * operand_.k_stride,
                           &lines[static_cast<std::size_t>(i)][static_cast<std::size_t>(p)], sizeof(T),
                           cudaMemcpyHostToDevice),
                "copy to device");
  }
  ~FarOperand() { cudaFree(memory_); }
  FarOperand(const FarOperand&) = delete;
  const Operand<T>& operand() const { return operand_; }

 private:
  T* memory_ = nullptr;
  Operand<T> operand_{};
};

/// Lines of all kinds in turn, from kind `first`.
template <class T>
std::vector<std::vector<T>> lines_of_all_kinds(Index count, Index k, std::uint64_t seed, int first = 0) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<T>> lines;
  for (Index i = 0; i < count; ++i)
    lines.push_back(line_of<T>(static_cast<Kind>((i + first) % static_cast<int>(Kind::count)), k, random));
  return lines;
}

/// Lines in device memory, and copies on the host.
class TestLines {
 public:
  TestLines(Index count, Index k, bool keep_nonzero)
      : size_(static_cast<std::size_t>(padded_lines(count))),
        words_(ceil_div(k, 64)),
        exponent(size_),
        last_bit(size_),
        norm(size_),
        lambda(size_),
        special(size_),
        nonzero(keep_nonzero ? size_ * static_cast<std::size_t>(words_) : 0),
        lines_{count,           k,
               exponent.data(), last_bit.data(),
               norm.data(),     lambda.data(),
               special.data(),  keep_nonzero ? nonzero.data() : nullptr,
               words_} {}
  const Lines& lines() const { return lines_; }

 private:
  std::size_t size_;
  Index words_;

 public:
  DeviceArray<std::int32_t> exponent, last_bit;
  DeviceArray<double> norm, lambda;
  DeviceArray<std::uint8_t> special;
  DeviceArray<std::uint64_t> nonzero;

 private:
  Lines lines_;
};

/// Lines whose arrays are on the host, for the functions of cuda/scaling/scaling.hpp.
class HostLines {
 public:
  explicit HostLines(const TestLines& d)
      : exponent(d.exponent.values()),
        last_bit(d.last_bit.values()),
        norm(d.norm.values()),
        lambda(d.lambda.values()),
        special(d.special.values()),
        nonzero(d.nonzero.values()),
        lines_{d.lines().count, d.lines().k,    exponent.data(), last_bit.data(), norm.data(),
               lambda.data(),   special.data(), nonzero.data(),  d.lines().words} {}
  HostLines(const HostLines&) = delete;
  const Lines& lines() const { return lines_; }
  std::vector<std::int32_t> exponent, last_bit;
  std::vector<double> norm, lambda;
  std::vector<std::uint8_t> special;
  std::vector<std::uint64_t> nonzero;

 private:
  Lines lines_;
};

inline cuda::DeviceModel device_model() {
  cuda::DeviceModel model{};
  require(cudaGetDevice(&model.device), "cudaGetDevice");
  cudaDeviceGetAttribute(&model.processors, cudaDevAttrMultiProcessorCount, model.device);
  cudaDeviceGetAttribute(&model.major, cudaDevAttrComputeCapabilityMajor, model.device);
  cudaDeviceGetAttribute(&model.minor, cudaDevAttrComputeCapabilityMinor, model.device);
  return model;
}

}  // namespace accublas::test
