// TRSM, LU and Cholesky's factorization in cr of matrices that decay or are sparse, at any place of the range, or whose
// rows are at several, against their definitions by exact sums. Nearly all elements must be decided without those. LU
// is also tested where elements cancel strongly.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "lib/cpu/engines.hpp"
#include "lib/numerics/cholesky_pivot.hpp"
#include "lib/numerics/substitution.hpp"
#include "test/unit/random.hpp"

namespace {

using namespace accublas;
using accublas_test::pick;
using accublas_test::Random;

enum class Decay { tenth, nine_tenths, narrow_kernel, wide_kernel, tridiagonal, identity, scaled_rows, count };

double entry_of(Decay decay, Index i, Index j, Index n) {
  const double d = std::fabs(static_cast<double>(i - j)), part = d / static_cast<double>(n);
  switch (decay) {
    case Decay::tenth:
      return std::pow(0.1, d);
    case Decay::nine_tenths:
      return std::pow(0.9, d);
    case Decay::narrow_kernel:
      return std::exp(-800 * part * part);
    case Decay::wide_kernel:
      return std::exp(-20 * part * part);
    case Decay::tridiagonal:
      return d == 0 ? 2 : d == 1 ? -1 : 0;
    case Decay::scaled_rows:
      return d == 0 ? static_cast<double>(n) : std::sin(static_cast<double>(7 * i + 13 * j));
    default:
      return d == 0;
  }
}

template <class E>
E element_of(Decay decay, Index i, Index j, Index n, int exponent) {
  using T = RealOf<E>;
  if (decay == Decay::scaled_rows) exponent += static_cast<int>(i % 3 - 1) * (sizeof(T) == 8 ? 1000 : 110);
  const double size = std::ldexp(entry_of(decay, i, j, n), exponent), phase = 0.7 * static_cast<double>(i - j);
  if constexpr (is_complex<E>)
    return {static_cast<T>(size * std::cos(phase)), static_cast<T>(size * std::sin(phase))};
  else
    return static_cast<T>(size);
}

/// RN((b - sum_q m(q) x(q)) / pivot) over q < count; without a quotient if `unit`.
template <class E, class M, class X>
E exact_unknown(const E& b, const E& pivot, bool unit, Index count, M&& m, X&& x) {
  ExactSum<double> above[parts_of<E>];
  for (Index q = 0; q < count; ++q) {
    const E a = m(q), z = x(q);
    if constexpr (is_complex<E>) {
      above[0].add(-a.re, z.re), above[0].add(a.im, z.im);
      above[1].add(-a.re, z.im), above[1].add(-a.im, z.re);
    } else {
      above[0].add(-a, z);
    }
  }
  Unknown<E> unknown = Unknown<E>::of_row(E{1}, pivot, unit);
  unknown.b = b;
  return unknown.template exact<false>(above);
}

template <class E>
class Decaying : public testing::Test {
 protected:
  using T = RealOf<E>;
  using Numbers = std::vector<E>;
  Random random{31};
  std::int64_t undecided = 0, elements = 0;
  bool counts = true;  ///< of matrices whose products neither overflow nor underflow

  /// run(execution) for every instruction set and threads, for matrices of every kind and scale.
  template <class Body>
  void for_cases(Body&& body) {
    const std::vector<int> scales =
        sizeof(T) == 8 ? std::vector<int>{0, -400, -1010, 1000} : std::vector<int>{0, -60, -135, 110};
    for (int kind = 0; kind < static_cast<int>(Decay::count); ++kind)
      for (const int scale : scales) {
        const Index n = pick(random, 20, 60);
        Numbers a(n * n);
        for (Index j = 0; j < n; ++j)
          for (Index i = 0; i < n; ++i) a[i + j * n] = element_of<E>(static_cast<Decay>(kind), i, j, n, scale);
        counts = scale == 0 || (scale == scales[1] && static_cast<Decay>(kind) != Decay::scaled_rows);
        SCOPED_TRACE(testing::Message() << "kind " << kind << " scale " << scale << " n " << n);
        body(n, a, scale);
        if (HasFatalFailure()) return;
      }
    EXPECT_LE(undecided * 10, elements);
  }

  /// got(execution) writes a result of `count` numbers, which are compared with `want`.
  template <class Body>
  void compare(const Numbers& want, Body&& got) {
    for (const cpu::Isa isa : {cpu::Isa::baseline, cpu::Isa::avx2, cpu::Isa::avx512, cpu::Isa::neon}) {
      if (isa > cpu::detected_isa()) continue;
      for (const std::size_t memory : {std::size_t{1} << 24, std::size_t{0}}) {
        accublas_report_t report{};
        Workspace workspace(memory, nullptr, 0);
        Execution execution{1, isa, workspace, report};
        const Numbers result = got(execution);
        if (counts && memory > 0) undecided += report.undecided, elements += static_cast<std::int64_t>(want.size());
        for (std::size_t i = 0; i < want.size(); ++i)
          ASSERT_EQ(std::memcmp(&result[i], &want[i], sizeof(E)), 0)
              << cpu::isa_name(isa) << " element " << i << ": " << std::hexfloat << part_of(result[i], 0) << " for "
              << part_of(want[i], 0);
      }
    }
  }

  /// Compares the LU factorizations of an n x n matrix with the one by exact sums, which goes by columns.
  void expect_lu(Index n, const Numbers& a) {
    Numbers want = a;
    const auto at = [&](Index i, Index j) -> E& { return want[i + j * n]; };
    const auto exact = [&](Index i, Index j, Index count, const E& pivot, bool unit) {
      return exact_unknown(
          at(i, j), pivot, unit, count, [&](Index q) { return at(i, q); }, [&](Index q) { return at(q, j); });
    };
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < j; ++i) at(i, j) = exact(i, j, i, E{1}, true);
      Index best = j;
      std::vector<E> value(n);
      const auto size = [&](Index i) {
        T sum = 0;
        for (int part = 0; part < parts_of<E>; ++part) sum += std::fabs(part_of(value[i], part));
        return sum;
      };
      for (Index i = j; i < n; ++i) {
        value[i] = exact(i, j, j, E{1}, true);
        if (size(i) > size(best)) best = i;
      }
      for (Index q = 0; q < n; ++q) std::swap(at(j, q), at(best, q));
      const E pivot = value[best];
      for (Index i = j + 1; i < n; ++i) at(i, j) = exact(i, j, j, pivot, pivot == 0);
      at(j, j) = pivot;
    }
    compare(want, [&](Execution& execution) {
      std::vector<E> x = a;
      std::vector<std::int64_t> pivots(n);
      std::int64_t info = 0;
      Factorization<E> f{};
      f.kind = Operation::getrf;
      f.m = f.n = n;
      f.a = {x.data(), 1, n};
      f.pivots = {pivots.data(), false};
      f.info = &info;
      cpu::factorize(f, execution);
      return x;
    });
  }
};
using DecayingTypes = testing::Types<double, float, Complex<double>, Complex<float>>;
TYPED_TEST_SUITE(Decaying, DecayingTypes);

TYPED_TEST(Decaying, TriangularSystems) {
  using E = TypeParam;
  this->for_cases([&](Index n, const std::vector<E>& a, int scale) {
    const Index sides = 6;
    std::vector<E> b(n * sides);
    for (Index i = 0; i < n * sides; ++i)
      b[i] = i % 2 ? a[i] : element_of<E>(Decay::nine_tenths, i % n, this->random() % n, n, scale);
    std::vector<E> want = b;
    for (Index s = 0; s < sides; ++s)
      for (Index i = 0; i < n; ++i)
        want[i + s * n] = exact_unknown(
            b[i + s * n], a[i + i * n], false, i, [&](Index q) { return a[i + q * n]; },
            [&](Index q) { return want[q + s * n]; });
    this->compare(want, [&](Execution& execution) {
      std::vector<E> x = b;
      const Operand<E> m{{a.data(), 1, n}, false, Structure::triangular, Triangle::lower};
      cpu::solve<E>({n, sides, E{1}, m, {x.data(), 1, n}}, Mode{ACCUBLAS_MODE_CR}, execution);
      return x;
    });
  });
}

TYPED_TEST(Decaying, Factorizations) {
  using E = TypeParam;
  using T = RealOf<E>;
  this->for_cases([&](Index n, const std::vector<E>& a, int) {
    this->expect_lu(n, a);
    // Cholesky's X^H X, in the upper triangle.
    std::vector<E> want = a;
    const auto at = [&](Index i, Index j) -> E& { return want[i + j * n]; };
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < j; ++i)
        at(i, j) = exact_unknown(
            at(i, j), at(i, i), false, i, [&](Index q) { return conjugate_if(is_complex<E>, at(q, i)); },
            [&](Index q) { return at(q, j); });
      ExactSum<double> above;
      for (Index q = 0; q < j; ++q)
        for (int part = 0; part < parts_of<E>; ++part) above.add(-part_of(at(q, j), part), part_of(at(q, j), part));
      T root = 0;
      if (!CholeskyPivot<T>{part_of(at(j, j), 0)}.exact(above, root)) return;  // not positive definite
      at(j, j) = E{root};
    }
    this->compare(want, [&](Execution& execution) {
      std::vector<E> x = a;
      std::int64_t info = 0;
      Factorization<E> f{};
      f.kind = Operation::potrf;
      f.n = n;
      f.a = {x.data(), 1, n};
      f.info = &info;
      cpu::factorize(f, execution);
      return x;
    });
  });
}

/// Returns A = [I X; W 0] by columns, where I has the order `known`. The numerators after `known` steps are -W X, whose
/// terms cancel in pairs but for those of the last level. A level is some 2^-50 (single precision: 2^-20) of the one
/// before. Every other row has one pair of the last level: a number and half of its last bit, which make a tie.
template <class E>
std::vector<E> cancelling_matrix(Index n, Index known, int levels, int exponent, Random& random) {
  using T = RealOf<E>;
  constexpr int step = sizeof(T) == 8 ? 50 : 20;
  constexpr T half = std::numeric_limits<T>::epsilon() / 2;
  std::vector<E> a(n * n);
  const auto number = [&](double most) { return most * static_cast<double>(random() >> 11) * 0x1p-53; };
  const auto element = [&](auto&& part) -> E {
    if constexpr (is_complex<E>)
      return {static_cast<T>(part()), static_cast<T>(part())};
    else
      return static_cast<T>(part());
  };
  for (Index q = 0; q < known; ++q) a[q + q * n] = E{T(1)};
  for (Index q = 0; q + 1 < known; q += 2) {
    const int level = q < 4 ? levels - 1 : static_cast<int>(random() % static_cast<unsigned>(levels));
    const double size = std::ldexp(1, exponent - step * level);
    const bool last = level == levels - 1;
    for (Index j = known; j < n; ++j) {
      const E x = element([&] { return size * (1 + number(1)); });
      a[q + j * n] = x;
      a[q + 1 + j * n] = last ? element([&] { return size; }) : x;
    }
    for (Index i = known; i < n; ++i) {
      const bool tie = last && i % 2 == 0;
      const E w = tie ? E{T(q == 0)} : element([&] { return number(0.5); });
      a[i + q * n] = w;
      a[i + (q + 1) * n] = tie ? E{q == 0 ? half : T(0)} : last ? element([&] { return number(0.5); }) : E{T(-1)} * w;
    }
  }
  return a;
}

TYPED_TEST(Decaying, CancellingElements) {
  constexpr bool wide = sizeof(RealOf<TypeParam>) == 8;
  this->counts = false;
  for (const int levels : {2, 3, 4, 7})
    for (const int exponent : {0, wide ? 960 : 110, wide ? -620 : -20, wide ? -880 : -60}) {
      const Index known = pick(this->random, 30, 50), n = known + pick(this->random, 10, 20);
      SCOPED_TRACE(testing::Message() << "levels " << levels << " exponent " << exponent << " n " << n);
      this->expect_lu(n, cancelling_matrix<TypeParam>(n, known, levels, exponent, this->random));
      if (testing::Test::HasFatalFailure()) return;
    }
}

/// Products that underflow are summed again after their lines have been lifted. A line whose largest entry meets a zero
/// lies high already, and its least entries must keep their bits.
TEST(LiftedSums, KeepTheLeastEntriesOfHighLines) {
  const double z = std::ldexp(1 + 0x1p-52, -500), w = std::ldexp(1 + 0x1p-52, -470);
  for (int high = 980; high < 1024; ++high)
    for (const double least : {0x1p-1074, 0x3p-1074, 0x5p-1074}) {
      const double x[] = {std::ldexp(1, high), 3 * least, least, z}, y[] = {0, 0x1p200, -0x3p200, w};
      for (const cpu::Isa isa : {cpu::Isa::baseline, cpu::Isa::avx2, cpu::Isa::avx512, cpu::Isa::neon}) {
        if (isa > cpu::detected_isa()) continue;
        EXPECT_EQ(cpu::cr_element<double>(isa, 4, 1, {x, 1}, {y, 1}, 0, nullptr), z * w) << high;
        EXPECT_EQ(cpu::cr_element<double>(isa, 4, 1, {y, 1}, {x, 1}, 0, nullptr), z * w) << high;
      }
    }
}

}  // namespace
