// SYMV and HEMV by the device's kernels in dot2, cr and fixed:T, against the CPU's GEMV with the whole matrix, bit by
// bit. What must not be read is NaN: the other triangle, the imaginary parts of a Hermitian diagonal, and the memory
// between columns and entries.
#include <gtest/gtest.h>

#include <algorithm>

#include "cuda/core/component.hpp"
#include "test/gpu/vector_test.hpp"

namespace accublas::test {
namespace {

template <class E>
class GpuSymv : public testing::Test {
 protected:
  using T = RealOf<E>;
  static constexpr int components = cuda::component_count<E>;

  Random random{20261129};
  Device device;
  Cpu cpu;

  static E poison() {
    E z{};
    for (int c = 0; c < components; ++c) *cuda::component_of(&z, c) = std::numeric_limits<T>::quiet_NaN();
    return z;
  }
  E entry(Data data) {
    E z{};
    for (int c = 0; c < components; ++c) *cuda::component_of(&z, c) = draw<T>(data, random);
    return z;
  }

  /// Draws the stored triangle. If the data are to cancel, the matrix has period n / 2 both ways, and x changes its
  /// sign after a period, but for the last bit of an entry.
  void draw_triangle(const Matrix<E>& a, Triangle part, bool hermitian, Index n, Data data) {
    const bool periodic = data == Data::cancelling && !hermitian;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j) {
        const Index half = n / 2, at_i = i % half_or_one(half), at_j = j % half_or_one(half);
        const bool copies = periodic && i >= half && i < 2 * half;
        const Index high = std::max(at_i, at_j), low = std::min(at_i, at_j);
        E& to = part == Triangle::lower ? a(i, j) : a(j, i);
        to = copies ? (part == Triangle::lower ? a(high, low) : a(low, high)) : entry(data);
        if constexpr (is_complex<E>)
          if (hermitian && i == j) to.im = std::numeric_limits<T>::quiet_NaN();
      }
  }
  static Index half_or_one(Index half) { return std::max<Index>(half, 1); }

  void check(Index n, Index row_stride, Index col_stride, Triangle part, bool hermitian, bool conjugate, Index x_stride,
             Index y_stride, T alpha, T beta, Data data, const std::vector<Case>& cases) {
    Stored<E> a(n, n, row_stride, col_stride), x(1, n, 0, x_stride), y(1, n, 0, y_stride);
    for (Stored<E>* s : {&a, &x, &y}) std::fill(s->buffer.begin(), s->buffer.end(), poison());
    draw_triangle(a.view(), part, hermitian, n, data);
    const Data of_y = data == Data::special ? data : Data::uniform;
    for (Index i = 0; i < n; ++i) x.view()(0, i) = entry(data), y.view()(0, i) = entry(of_y);
    if (data == Data::cancelling) {
      for (Index i = 0; i < n / 2; ++i)
        for (int c = 0; c < components; ++c)
          *cuda::component_of(&x.view()(0, n / 2 + i), c) = -*cuda::component_of(&x.view()(0, i), c);
      T& changed = *cuda::component_of(&x.view()(0, n / 2), 0);
      changed = std::nextafter(changed, T(0));
    }
    const accublas::Operand<E> stored{read_only(a.view()), conjugate,
                                      hermitian ? Structure::hermitian : Structure::symmetric, part};
    std::vector<T> rows, column[components];
    for (Index i = 0; i < n; ++i)
      for (Index q = 0; q < n; ++q) {
        const E whole = stored(i, q);
        for (int c = 0; c < components; ++c) rows.push_back(*cuda::component_of(&whole, c));
      }
    for (Index q = 0; q < n; ++q) {
      const E number = x.view()(0, q);
      if constexpr (is_complex<E>) {
        for (const T t : {number.re, -number.im}) column[0].push_back(t);
        for (const T t : {number.im, number.re}) column[1].push_back(t);
      } else {
        column[0].push_back(number);
      }
    }
    const DeviceArray<E> a_device(a.buffer), x_device(x.buffer);
    for (const Case& c : cases) {
      Stored<E> expected = y;
      for (int part_of = 0; part_of < components; ++part_of)
        cpu.gemv(c, Gemv<T>{n,
                            components * n,
                            alpha,
                            {rows.data(), components * n, 1},
                            {column[part_of].data(), 1},
                            beta,
                            {cuda::component_of(expected.view().data, part_of), components * y_stride}});
      const DeviceArray<E> y_device(y.buffer);
      cuda::Symv<E> call{n, stored, x.in(static_cast<const E*>(x_device.data())).row(0), y.in(y_device.data()).row(0)};
      call.a.stored = a.in(static_cast<const E*>(a_device.data()));
      device.symv(c, call, alpha, beta);
      const std::vector<E> got = y_device.values();
      for (std::size_t e = 0; e < got.size(); ++e)
        for (int k = 0; k < components; ++k)
          ASSERT_TRUE(same_bits(*cuda::component_of(&got[e], k), *cuda::component_of(&expected.buffer[e], k)))
              << name(c) << " n " << n << " strides " << row_stride << ' ' << col_stride << " part "
              << static_cast<int>(part) << (hermitian ? " Hermitian" : "") << (conjugate ? " conjugate" : "") << " x "
              << x_stride << " y " << y_stride << " alpha " << alpha << " beta " << beta << " data "
              << static_cast<int>(data) << " entry " << e << " component " << k << ": " << std::hexfloat
              << *cuda::component_of(&got[e], k) << " for " << *cuda::component_of(&expected.buffer[e], k);
      device.check_state();
    }
  }

  /// Checks both triangles and both layouts, of complex numbers symmetric and Hermitian matrices and their conjugates.
  void check_all(Index n, Index x_stride, Index y_stride, T alpha, T beta, Data data, const std::vector<Case>& cases) {
    for (const Triangle part : {Triangle::upper, Triangle::lower})
      for (const bool rows : {false, true})
        for (int kind = 0; kind < (is_complex<E> ? 4 : 1); ++kind) {
          if (this->HasFatalFailure()) return;
          check(n, rows ? n + 3 : 1, rows ? 1 : n + 3, part, (kind & 1) != 0, (kind & 2) != 0, x_stride, y_stride,
                alpha, beta, data, cases);
        }
  }
};

using SymvTypes = testing::Types<double, float, Complex<double>, Complex<float>>;
TYPED_TEST_SUITE(GpuSymv, SymvTypes);

const std::vector<Case> symv_cases = {
    {cuda::VectorMode::dot2, 0, false}, {cuda::VectorMode::cr, 0, false}, {cuda::VectorMode::fixed, 53, false}};

TYPED_TEST(GpuSymv, Orders) {
  for (const Index n : {1, 2, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 191, 192, 193, 255, 256, 257, 321, 400})
    this->check_all(n, 1, 1, 1, 0, Data::cancelling, symv_cases);
  this->check_all(1000, 1, 1, 1, 0, Data::wide, symv_cases);
}

TYPED_TEST(GpuSymv, Data) {
  for (const Data data : all_data)
    for (const Index n : {5, 150}) this->check_all(n, 1, 1, 1, 0, data, all_cases());
}

TYPED_TEST(GpuSymv, Scalars) {
  using T = RealOf<TypeParam>;
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  for (const T alpha : {T(-0.3), T(1e-30), T(1e30), inf, nan})
    for (const T beta : {T(0), T(1), T(-1.7), inf, nan})
      for (const Data data : {Data::cancelling, Data::special})
        this->check_all(70, 1, 1, alpha, beta, data, symv_cases);
}

TYPED_TEST(GpuSymv, Strides) {
  for (const Index x_stride : {1, -2, 3, 0})
    for (const Index y_stride : {1, -1, 3}) this->check_all(140, x_stride, y_stride, 2, 1, Data::wide, all_cases());
  for (const Triangle part : {Triangle::upper, Triangle::lower})
    for (const Index n : {1, 130})
      for (const bool conjugate : {false, true}) {
        const Index strides[][2] = {{2, 2 * n + 1}, {-3 * n - 2, -3}, {-1, n}, {n, -1}};
        for (const auto& s : strides)
          this->check(n, s[0], s[1], part, is_complex<TypeParam>, conjugate, 1, 1, -1, 1, Data::wide, symv_cases);
      }
}

}  // namespace
}  // namespace accublas::test
