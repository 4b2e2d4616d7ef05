// A GEMM for tests of single engines: operands on host and device, what `measure` would tell of their lines, and the
// CPU's answer.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "cuda/core/call_state.hpp"
#include "cuda/core/operand.hpp"
#include "lib/cpu/engines.hpp"
#include "lib/numerics/certificate.hpp"
#include "lib/numerics/scaling.hpp"
#include "test/gpu/device.hpp"
#include "test/gpu/gemm_data.hpp"

namespace accublas::test {

using cuda::CallState;
using cuda::Lines;
using cuda::Operand;
using cuda::Scalar;

/// Lines by the definitions of cuda/core/operand.hpp, one entry at a time.
template <class T>
class MeasuredLines {
 public:
  MeasuredLines(const Operand<T>& x)
      : exponent(padded(x), 0),
        last_bit(padded(x), cuda::no_last_bit),
        norm(padded(x), 0),
        lambda(padded(x), 0),
        special(padded(x), 0) {
    for (Index i = 0; i < x.count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const auto entry = [&](Index p) { return x.data[i * x.stride + p * x.k_stride]; };
      T top = 0;
      for (Index p = 0; p < x.k; ++p) {
        if (is_nan(entry(p)))
          special[at] |= 2;
        else if (!is_finite(entry(p)))
          special[at] |= 1;
        else
          top = std::max(top, std::abs(entry(p)));
      }
      if (special[at] & 2) special[at] = 2;
      if (special[at] || top == 0) continue;
      exponent[at] = exponent_above(top);
      long double squares = 0;
      for (Index p = 0; p < x.k; ++p) {
        if (entry(p) == 0) continue;
        last_bit[at] = std::min(last_bit[at], exponent_of_last_bit(entry(p)));
        const long double scaled = std::ldexp(static_cast<long double>(entry(p)), -exponent[at]);
        squares += scaled * scaled;
        lambda[at] += static_cast<double>(certificate_ceiling(entry(p), exponent[at]));
      }
      norm[at] = static_cast<double>(std::sqrt(squares)) * (1 + 0x1p-30);
      needed_bits = std::max<std::int64_t>(needed_bits, exponent[at] - last_bit[at]);
    }
    d_exponent = exponent, d_last_bit = last_bit, d_norm = norm, d_lambda = lambda, d_special = special;
    lines = {x.count, x.k, d_exponent.data(), d_last_bit.data(), d_norm.data(), d_lambda.data(), d_special.data(),
             nullptr, 0};
  }
  bool is_special(Index i) const { return special[static_cast<std::size_t>(i)] != 0; }

  std::vector<std::int32_t> exponent, last_bit;
  std::vector<double> norm, lambda;
  std::vector<std::uint8_t> special;
  std::int64_t needed_bits = 0;
  Lines lines{};

 private:
  static std::size_t padded(const Operand<T>& x) { return static_cast<std::size_t>(cuda::padded_lines(x.count)); }
  DeviceArray<std::int32_t> d_exponent{exponent.size()}, d_last_bit{exponent.size()};
  DeviceArray<double> d_norm{exponent.size()}, d_lambda{exponent.size()};
  DeviceArray<std::uint8_t> d_special{exponent.size()};
};

/// Operands in the engine's coordinates: `cols` runs along C's unit stride.
template <class T>
struct EngineProblem {
  Index m, n, k;  ///< of the GEMM
  T alpha, beta;
  std::vector<T> a, b, c;  ///< with margins between lines
  Matrix<const T> view_a, view_b;
  Matrix<T> view_c;
  bool transposed;
  std::unique_ptr<DeviceArray<T>> device_a, device_b;

  /// Layouts: row-major or column-major, leading dimensions a little above the least.
  EngineProblem(const GemmEntries<T>& e, T al, T be, bool row_major_a, bool row_major_b, bool row_major_c)
      : m(e.m), n(e.n), k(e.k), alpha(al), beta(be), transposed(!row_major_c && e.m > 1) {
    const auto place = [](const std::vector<T>& from, Index rows, Index cols, bool row_major, std::vector<T>& to) {
      const Index ld = (row_major ? cols : rows) + 3;
      to.assign(static_cast<std::size_t>(ld * (row_major ? rows : cols)), std::numeric_limits<T>::quiet_NaN());
      const Matrix<T> view{to.data(), row_major ? ld : 1, row_major ? 1 : ld};
      for (Index j = 0; j < cols; ++j)
        for (Index i = 0; i < rows; ++i) view(i, j) = from[static_cast<std::size_t>(i + j * rows)];
      return view;
    };
    const auto constant = [](const Matrix<T>& x) { return Matrix<const T>{x.data, x.row_stride, x.col_stride}; };
    view_a = constant(place(e.a, m, k, row_major_a, a));
    view_b = constant(place(e.b, k, n, row_major_b, b));
    view_c = place(e.c, m, n, row_major_c, c);
    device_a = std::make_unique<DeviceArray<T>>(a);
    device_b = std::make_unique<DeviceArray<T>>(b);
  }

  Operand<T> line_a(const T* data) const { return {data, view_a.row_stride, view_a.col_stride, m, k}; }
  Operand<T> line_b(const T* data) const { return {data, view_b.col_stride, view_b.row_stride, n, k}; }
  Operand<T> host_rows() const { return transposed ? line_b(b.data()) : line_a(a.data()); }
  Operand<T> host_cols() const { return transposed ? line_a(a.data()) : line_b(b.data()); }
  Operand<T> rows() const { return transposed ? line_b(device_b->data()) : line_a(device_a->data()); }
  Operand<T> cols() const { return transposed ? line_a(device_a->data()) : line_b(device_b->data()); }
  /// C in the engine's coordinates.
  Matrix<T> at(T* data) const {
    const Matrix<T> view{data, view_c.row_stride, view_c.col_stride};
    return transposed ? view.transposed() : view;
  }

  /// C's array after the CPU's engine has run.
  template <class Engine>
  std::vector<T> on_cpu(Engine&& engine, const Mode& mode) const {
    std::vector<T> out = c;
    Workspace workspace(std::size_t{1} << 30, nullptr, 0);
    accublas_report_t report{};
    Execution execution{2, cpu::detected_isa(), workspace, report};
    engine(Gemm<T>{m, n, k, alpha, view_a, view_b, beta, {out.data(), view_c.row_stride, view_c.col_stride}}, mode,
           execution);
    return out;
  }
};

}  // namespace accublas::test
