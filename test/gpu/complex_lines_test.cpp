// Compares GEMV and DOT of complex numbers on the device, in dot2, cr and fixed:T, with the CPU's real engines on the
// lines of docs/modes.md ("Complex types"), bit by bit. The lines of the real parts have data that are hard to add up.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "cuda/core/component.hpp"
#include "lib/base/integers.hpp"
#include "test/gpu/vector_test.hpp"

namespace accublas::test {
namespace {

using cuda::component_of;

/// The strides of a matrix, in numbers. The tests have contiguous columns or rows, padding, negative and general
/// strides, and a repeated row.
struct NumberStrides {
  const char* name;
  Index row, col;
};
std::vector<NumberStrides> all_strides(Index m, Index k) {
  return {{"columns", 1, m + 3},
          {"rows", k + 1, 1},
          {"even columns", 1, round_up(m, Index{2})},
          {"even rows", round_up(k, Index{2}), 1},
          {"reversed", -1, m},
          {"general", 2, 2 * m + 1},
          {"general rows", -3 * k - 2, -3},
          {"repeated row", 0, 1}};
}
std::vector<NumberStrides> plain_strides(Index m, Index k) {
  const auto all = all_strides(m, k);
  return {all.begin(), all.begin() + 4};
}

/// A complex product as real lines: m rows of 2k real numbers, and the line of x for the real parts.
template <class T>
struct Lines {
  Index m, k;
  std::vector<T> rows, column;

  Lines(Index m_, Index k_, Data data, Random& random)
      : m(m_), k(k_), rows(static_cast<std::size_t>(2 * m_ * k_)), column(static_cast<std::size_t>(2 * k_)) {
    for (T& v : rows) v = draw<T>(data, random);
    for (T& v : column) v = draw<T>(data, random);
    const Matrix<T> a{rows.data(), 2 * k, 1};
    const Vector<T> x{column.data(), 1};
    if (data == Data::cancelling || data == Data::vast) cancel(a, m, x, 2 * k, random);
    if (data == Data::ill_conditioned) make_ill_conditioned(a, m, x, 2 * k, random);
    if (data == Data::ties) make_ties(a, m, x, 2 * k, random);
  }
  /// Returns entry (i, p) of the matrix A. These lines are the rows of A or, with `conjugate`, of its conjugate.
  Complex<T> a(Index i, Index p, bool conjugate) const {
    const std::size_t at = static_cast<std::size_t>(2 * (i * k + p));
    return {rows[at], conjugate ? -rows[at + 1] : rows[at + 1]};
  }
  Complex<T> x(Index p) const {
    const std::size_t at = static_cast<std::size_t>(2 * p);
    return {column[at], -column[at + 1]};
  }
  std::vector<T> line_of_column(int component) const {
    std::vector<T> line = column;
    for (std::size_t t = 0; component == 1 && t < line.size(); t += 2) {
      line[t] = -column[t + 1];
      line[t + 1] = column[t];
    }
    return line;
  }
};

template <class T>
class GpuComplexLines : public testing::Test {
 protected:
  using E = Complex<T>;
  static constexpr T nan = std::numeric_limits<T>::quiet_NaN();

  Random random{20261128};
  Device device;
  Cpu cpu;

  /// Writes entries to a buffer of their strides, between NaNs.
  template <class Entry>
  Stored<E> stored(Index rows, Index cols, Index row_stride, Index col_stride, Entry&& entry) {
    Stored<E> to(rows, cols, row_stride, col_stride);
    std::fill(to.buffer.begin(), to.buffer.end(), E{nan, nan});
    const Matrix<E> view = to.view();
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < cols; ++j) view(i, j) = entry(i, j);
    return to;
  }

  void check(Index m, Index k, const NumberStrides& strides, bool conjugate, Index x_stride, Index y_stride, T alpha,
             T beta, Data data, const std::vector<Case>& cases, bool scalars_on_device = false) {
    Lines<T> lines(m, k, data, random);
    if (strides.row == 0)
      for (Index i = 1; i < m; ++i) std::copy_n(lines.rows.begin(), 2 * k, lines.rows.begin() + 2 * i * k);
    if (x_stride == 0)
      for (std::size_t t = 2; t < lines.column.size(); ++t) lines.column[t] = lines.column[t - 2];
    const Stored<E> a =
        stored(m, k, strides.row, strides.col, [&](Index i, Index p) { return lines.a(i, p, conjugate); });
    const Stored<E> x = stored(1, k, 0, x_stride, [&](Index, Index p) { return lines.x(p); });
    const Data of_y = data == Data::special ? data : Data::uniform;
    const Stored<E> y = stored(1, m, 0, y_stride, [&](Index, Index) {
      return E{draw<T>(of_y, random), draw<T>(of_y, random)};
    });
    const DeviceArray<E> a_device(a.buffer), x_device(x.buffer);
    const DeviceArray<T> scalars(std::vector<T>{alpha, beta});
    for (const Case& c : cases) {
      Stored<E> expected = y;
      for (const int component : {0, 1}) {
        const std::vector<T> column = lines.line_of_column(component);
        cpu.expected_gemv<T>(c, {m,
                                 2 * k,
                                 alpha,
                                 {lines.rows.data(), 2 * k, 1},
                                 {column.data(), 1},
                                 beta,
                                 {component_of(expected.view().data, component), 2 * y_stride}});
      }
      const DeviceArray<E> y_device(y.buffer);
      const Gemv<E> g{m,
                      k,
                      E{7, 7},
                      a.in(static_cast<const E*>(a_device.data())),
                      x.in(static_cast<const E*>(x_device.data())).row(0),
                      E{7, 7},
                      y.in(y_device.data()).row(0),
                      conjugate};
      device.gemv(c, g, cuda::Scalar<T>{scalars_on_device ? T(9) : alpha, scalars_on_device ? scalars.data() : nullptr},
                  cuda::Scalar<T>{scalars_on_device ? T(9) : beta, scalars_on_device ? scalars.data() + 1 : nullptr});
      const std::vector<E> got = y_device.values();
      for (std::size_t e = 0; e < got.size(); ++e)
        for (const int component : {0, 1})
          ASSERT_TRUE(same_bits(*component_of(&got[e], component), *component_of(&expected.buffer[e], component)))
              << name(c) << ' ' << m << 'x' << k << ' ' << strides.name << (conjugate ? " conjugate" : "")
              << " strides " << x_stride << ' ' << y_stride << " alpha " << alpha << " beta " << beta << " data "
              << static_cast<int>(data) << " entry " << e << " component " << component << ": " << std::hexfloat
              << *component_of(&got[e], component) << " for " << *component_of(&expected.buffer[e], component);
    }
    device.check_state();
  }

  void check_dot(Index n, Index x_stride, Index y_stride, bool conjugate, Data data, const std::vector<Case>& cases) {
    Lines<T> lines(1, n, data, random);
    for (std::vector<T>* v : {&lines.rows, &lines.column})
      if ((v == &lines.rows ? x_stride : y_stride) == 0)
        for (std::size_t t = 2; t < v->size(); ++t) (*v)[t] = (*v)[t - 2];
    const Stored<E> x = stored(1, n, 0, x_stride, [&](Index, Index p) { return lines.a(0, p, conjugate); });
    const Stored<E> y = stored(1, n, 0, y_stride, [&](Index, Index p) { return lines.x(p); });
    const DeviceArray<E> x_device(x.buffer), y_device(y.buffer);
    for (const Case& c : cases) {
      T expected[2] = {77, 77};
      for (const int component : {0, 1}) {
        const std::vector<T> column = lines.line_of_column(component);
        cpu.dot(c, Dot<T>{2 * n, {lines.rows.data(), 1}, {column.data(), 1}, &expected[component]});
      }
      const DeviceArray<E> result(1);
      device.dot(c, Dot<E>{n, x.in(static_cast<const E*>(x_device.data())).row(0),
                           y.in(static_cast<const E*>(y_device.data())).row(0), result.data(), conjugate});
      const E got = result.values()[0];
      for (const int component : {0, 1})
        ASSERT_TRUE(same_bits(*component_of(&got, component), expected[component]))
            << name(c) << " n " << n << (conjugate ? " conjugate" : "") << " strides " << x_stride << ' ' << y_stride
            << " data " << static_cast<int>(data) << " component " << component << ": " << std::hexfloat
            << *component_of(&got, component) << " for " << expected[component];
    }
    device.check_state();
  }
};

using Types = testing::Types<double, float>;
TYPED_TEST_SUITE(GpuComplexLines, Types);

const std::vector<Case> kernel_cases = {
    {cuda::VectorMode::dot2, 0, false}, {cuda::VectorMode::cr, 0, false}, {cuda::VectorMode::fixed, 53, false}};

TYPED_TEST(GpuComplexLines, Sizes) {
  bool conjugate = false;
  for (Index m : {1, 2, 7, 8, 9, 31, 32, 33, 64, 65, 100})
    for (Index k : {1, 2, 7, 8, 9, 63, 64, 65, 127, 128, 129, 513})
      for (const NumberStrides& strides : all_strides(m, k))
        this->check(m, k, strides, conjugate = !conjugate, 1, 1, 1, 0, Data::cancelling, kernel_cases);
}

TYPED_TEST(GpuComplexLines, Data) {
  bool conjugate = false;
  for (Data data : all_data)
    for (Index m : {5, 70})
      for (const NumberStrides& strides : plain_strides(m, 350))
        this->check(m, 350, strides, conjugate = !conjugate, 1, 1, 1, 0, data, all_cases());
}

TYPED_TEST(GpuComplexLines, Scalars) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  for (T alpha : {T(1), T(-0.3), T(0), T(1e-30), T(1e30), inf, nan})
    for (T beta : {T(0), T(1), T(-1.7), inf, nan})
      for (const NumberStrides& strides : plain_strides(40, 130))
        for (Data data : {Data::cancelling, Data::special, Data::ties})
          for (bool on_device : {false, true})
            this->check(40, 130, strides, on_device, 1, 1, alpha, beta, data, kernel_cases, on_device);
}

TYPED_TEST(GpuComplexLines, Strides) {
  for (Index x_stride : {1, -2, 3, 0})
    for (Index y_stride : {1, -1, 3})
      for (const NumberStrides& strides : all_strides(45, 200))
        this->check(45, 200, strides, y_stride < 0, x_stride, y_stride, 2, 1, Data::wide, all_cases());
}

/// Tests shapes that cover every way to divide a product among thread blocks.
TYPED_TEST(GpuComplexLines, Shapes) {
  const Index shapes[][2] = {{1, 60000},  {3, 30000},  {20, 15000}, {300, 2500}, {1000, 500},
                             {1601, 300}, {4225, 129}, {2305, 513}, {9001, 65}};
  for (const auto& s : shapes)
    for (const NumberStrides& strides : plain_strides(s[0], s[1]))
      for (Data data : {Data::cancelling, Data::special})
        this->check(s[0], s[1], strides, data == Data::special, 1, 1, 1, TypeParam(0.5), data, kernel_cases);
}

/// Tests that the first pass decides data of phi 10 and condition 1e16.
TYPED_TEST(GpuComplexLines, FirstPassDecides) {
  for (const NumberStrides& strides : plain_strides(500, 1000))
    for (Data data : {Data::uniform, Data::wide, Data::ill_conditioned}) {
      this->check(500, 1000, strides, true, 1, 1, 1, 0, data, {{cuda::VectorMode::cr, 0, false}});
      EXPECT_EQ(this->device.check_state(), 0u) << strides.name << " data " << static_cast<int>(data);
    }
}

TYPED_TEST(GpuComplexLines, Dots) {
  std::vector<Case> cases = kernel_cases;
  cases.push_back({cuda::VectorMode::cr, 0, true});
  for (Index n : {1,   2,   15,   16,   17,   31,   33,   255,  256,  257,   511,   512,
                  513, 800, 1024, 2049, 4999, 8191, 8192, 8193, 8705, 20000, 70001, 300000})
    for (const bool conjugate : {false, true}) this->check_dot(n, 1, 1, conjugate, Data::cancelling, cases);
  for (Data data : all_data)
    for (Index n : {1, 3, 750, 35001}) this->check_dot(n, 1, 1, n % 2 == 0, data, all_cases());
  const Index strides[][2] = {{2, 1}, {1, -1}, {-3, 2}, {0, 1}, {1, 0}, {-1, -7}};
  for (const auto& s : strides)
    for (Index n : {1, 100, 9001}) this->check_dot(n, s[0], s[1], n % 2 == 0, Data::wide, all_cases());
  this->check_dot((Index{3} << 20) + 77, 1, 1, true, Data::cancelling, kernel_cases);
}

}  // namespace
}  // namespace accublas::test
