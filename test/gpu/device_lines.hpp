// Lines of an operand measured on the host, by definition, and copied to the device.
#pragma once

#include <cmath>
#include <memory>

#include "cuda/core/call_state.hpp"
#include "cuda/core/device_model.hpp"
#include "cuda/core/operand.hpp"
#include "cuda/scaling/scaling.hpp"
#include "lib/base/integers.hpp"
#include "lib/numerics/certificate.hpp"
#include "lib/numerics/scaling.hpp"
#include "test/gpu/device.hpp"

namespace accublas::test {

/// A device whose model is asked for.
inline cuda::DeviceModel device_model() {
  cuda::DeviceModel model{};
  cudaDeviceProp properties;
  require(cudaGetDevice(&model.device), "cudaGetDevice");
  require(cudaGetDeviceProperties(&properties, model.device), "cudaGetDeviceProperties");
  model.major = properties.major;
  model.minor = properties.minor;
  model.processors = properties.multiProcessorCount;
  return model;
}

struct HostLines {
  Index count, k, words;
  std::vector<std::int32_t> exponent, last_bit;
  std::vector<double> norm, lambda;
  std::vector<std::uint8_t> special;
  std::vector<std::uint64_t> nonzero;

  /// Lines of zeros.
  HostLines(Index lines, Index terms) : count(lines), k(terms), words(ceil_div(terms, 64)) {
    const std::size_t padded = static_cast<std::size_t>(cuda::padded_lines(lines));
    exponent.assign(padded, 0);
    last_bit.assign(padded, cuda::no_last_bit);
    norm.assign(padded, 0);
    lambda.assign(padded, 0);
    special.assign(padded, 0);
    nonzero.assign(padded * static_cast<std::size_t>(words), 0);
  }

  /// Entry (i, p) is data[i stride + p k_stride].
  template <class T>
  HostLines(Index lines, Index terms, const std::vector<T>& data, Index stride, Index k_stride)
      : HostLines(lines, terms) {
    for (Index i = 0; i < lines; ++i) {
      const std::size_t at = static_cast<std::size_t>(i);
      const auto entry = [&](Index p) { return data[static_cast<std::size_t>(i * stride + p * k_stride)]; };
      T largest = 0;
      for (Index p = 0; p < terms; ++p) {
        const T x = entry(p);
        if (is_nan(x)) special[at] = 2;
        if (!is_finite(x) && special[at] == 0) special[at] = 1;
        largest = std::fmax(largest, std::fabs(x));
      }
      if (special[at] != 0 || largest == 0) continue;
      exponent[at] = exponent_above(largest);
      double squares = 0;
      for (Index p = 0; p < terms; ++p) {
        const T x = entry(p);
        if (x == 0) continue;
        nonzero[at * static_cast<std::size_t>(words) + static_cast<std::size_t>(p / 64)] |= std::uint64_t{1} << p % 64;
        last_bit[at] = std::min(last_bit[at], exponent_of_last_bit(x));
        const double ceiling = static_cast<double>(certificate_ceiling(x, exponent[at]));
        lambda[at] += ceiling;
        squares += ceiling * ceiling;
      }
      norm[at] = std::sqrt(squares) * 0x1p-24 * (1 + 0x1p-40);
    }
  }

  cuda::SideSummary summary() const {
    cuda::SideSummary s{};
    double largest = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      largest = std::max(largest, norm[i]);
      if (norm[i] > 0) s.needed_bits = std::max(s.needed_bits, exponent[i] - last_bit[i]);
      s.special += special[i] != 0;
      if (!(norm[i] > 0)) continue;
      const int above = norm_exponent(norm[i]);
      s.peak = std::max(s.peak, 64 - above);
      s.largest_relative_norm =
          std::max<unsigned long long>(s.largest_relative_norm, to_bits(std::scalbn(norm[i], -above)));
    }
    s.largest_norm = to_bits(largest);
    return s;
  }
};

class DeviceLines {
 public:
  explicit DeviceLines(const HostLines& host)
      : exponent_(host.exponent),
        last_bit_(host.last_bit),
        norm_(host.norm),
        lambda_(host.lambda),
        special_(host.special),
        nonzero_(host.nonzero),
        count_(host.count),
        k_(host.k),
        words_(host.words) {}
  cuda::Lines lines(bool with_nonzero = true) const {
    return {count_,
            k_,
            exponent_.data(),
            last_bit_.data(),
            norm_.data(),
            lambda_.data(),
            special_.data(),
            with_nonzero ? nonzero_.data() : nullptr,
            words_};
  }

 private:
  DeviceArray<std::int32_t> exponent_, last_bit_;
  DeviceArray<double> norm_, lambda_;
  DeviceArray<std::uint8_t> special_;
  DeviceArray<std::uint64_t> nonzero_;
  Index count_, k_, words_;
};

/// Returns lines whose arrays are in host memory.
inline cuda::Lines host_lines(HostLines& h) {
  return {
      h.count,          h.k,    h.exponent.data(), h.last_bit.data(), h.norm.data(), h.lambda.data(), h.special.data(),
      h.nonzero.data(), h.words};
}

/// The state of a call in device memory.
class DeviceState {
 public:
  explicit DeviceState(const cuda::CallState& state) : memory_(std::vector<cuda::CallState>{state}) {}
  cuda::CallState* data() const { return memory_.data(); }
  cuda::CallState read() const { return memory_.values()[0]; }

 private:
  DeviceArray<cuda::CallState> memory_;
};

}  // namespace accublas::test
