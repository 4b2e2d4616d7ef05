// Complex products whose alpha or beta has an imaginary part combine dot2's pairs or cr's sums of both parts by vector
// kernels. These tests compare their bits with those of products that are computed element by element.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "lib/cpu/engines.hpp"
#include "lib/cpu/structured/components.hpp"
#include "test/unit/random.hpp"

namespace accublas::cpu {
namespace {

using accublas_test::pick;
using accublas_test::Random;

enum class CombinedData { random, integers, wide, zeros, special, last = special };

template <class T>
std::vector<Complex<T>> combined_numbers(Index count, CombinedData data, Random& random) {
  std::vector<Complex<T>> numbers(static_cast<std::size_t>(count));
  const auto part = [&]() -> T {
    const T fraction = static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random));
    switch (data) {
      case CombinedData::integers:
        return static_cast<T>(pick(random, -5000, 5000)) / 2;
      case CombinedData::wide:
        return std::ldexp(fraction, pick(random, std::numeric_limits<T>::min_exponent / 2, 60));
      case CombinedData::zeros:
        return pick(random, 0, 9) == 0 ? fraction : T(0);
      case CombinedData::special:
        return pick(random, 0, 999) == 0 ? std::numeric_limits<T>::infinity() : fraction;
      default:
        return fraction;
    }
  };
  for (Complex<T>& z : numbers) z = {part(), part()};
  return numbers;
}

/// Computes a product into a copy of C, by blocks or element by element.
template <class T>
std::vector<Complex<T>> combined_product(Product<Complex<T>> p, std::vector<Complex<T>> c, const Mode& mode,
                                         bool by_elements, Isa isa, std::size_t bytes) {
  Workspace workspace{bytes, nullptr, 0};
  accublas_report_t report{};
  Execution execution{2, isa, workspace, report, 0};
  p.c.data = c.data();
  if (p.in_place) p.a.stored.data = c.data();
  if (by_elements)
    product_by_elements(p, mode, execution);
  else
    structured_product<Complex<T>>(p, mode, ACCUBLAS_ENGINE_DOT2, nullptr, execution);
  return c;
}

template <class T>
class CombinedParts : public testing::Test {};
using CombinedTypes = testing::Types<double, float>;
TYPED_TEST_SUITE(CombinedParts, CombinedTypes);

TYPED_TEST(CombinedParts, AreThoseOfElements) {
  using T = TypeParam;
  using E = Complex<T>;
  Random random{39};
  const E factors[] = {{0, 2}, {T(0.3), T(-0.7)}, {1, 1}, {-1, 0}};
  constexpr Index m = 75, k = 70;
  for (int shape = 0; shape < 4; ++shape)
    for (int kind = 0; kind <= static_cast<int>(CombinedData::last); ++kind) {
      const CombinedData data = static_cast<CombinedData>(kind);
      const Index n = shape == 0 ? 70 : m;
      const auto a = combined_numbers<T>(m * m, data, random), b = combined_numbers<T>(m * m, data, random),
                 c = combined_numbers<T>(m * n, data, random);
      Product<E> p{m,
                   n,
                   k,
                   factors[pick(random, 0, 2)],
                   {{a.data(), 1, m}},
                   {{b.data(), m, 1}},
                   factors[kind % 4],
                   {nullptr, 1, m}};
      if (shape == 1) p.wanted = Triangle::lower;
      if (shape == 2) {  // HER2K
        p.wanted = Triangle::upper;
        p.hermitian = p.two_pairs = true;
        p.beta = {p.beta.re, 0};
        p.b.conjugate = p.b2.conjugate = true;
        p.a2 = {{b.data(), 1, m}};
        p.b2.stored = {a.data(), m, 1};
      }
      if (shape == 3) {  // TRMM
        p.k = m;
        p.in_place = true;
        p.beta = {};
        p.a.stored = {nullptr, 1, m};
        p.b.structure = Structure::triangular;
        p.b.part = Triangle::upper;
        p.transposed = kind % 2 == 1;
      }
      for (const accublas_mode mode : {ACCUBLAS_MODE_DOT2, ACCUBLAS_MODE_CR}) {
        const auto expected = combined_product(p, c, Mode{mode}, true, detected_isa(), std::size_t{1} << 26);
        for (const Isa isa : {Isa::baseline, Isa::avx2, detected_isa()})
          for (const std::size_t bytes : {std::size_t{1} << 26, std::size_t{1} << 19}) {
            if (isa > detected_isa()) continue;
            const auto result = combined_product(p, c, Mode{mode}, false, isa, bytes);
            for (Index at = 0; at < m * n; ++at)
              ASSERT_EQ(std::memcmp(&result[at], &expected[at], sizeof(E)), 0)
                  << "shape " << shape << ", data " << kind << ", mode " << mode << ", instruction set "
                  << isa_name(isa) << ", C(" << at % m << ", " << at / m << ") is " << result[at].re << " + "
                  << result[at].im << " i, not " << expected[at].re << " + " << expected[at].im << " i";
          }
      }
    }
}

/// Updates an upper triangle, where rows from 33 on of the first columns lie in memory that cannot be read.
TYPED_TEST(CombinedParts, LeaveTheOtherTriangleUnread) {
  using E = Complex<TypeParam>;
  constexpr Index n = 40, k = 8, readable = 33;
  const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), bytes = 2 * n * page;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  for (std::size_t j = 0; j < readable; ++j)
    ASSERT_EQ(mprotect(static_cast<char*>(memory) + (2 * j + 1) * page, page, PROT_NONE), 0);
  const std::size_t numbers = page / sizeof(E);
  Random random{40};
  const auto a = combined_numbers<TypeParam>(n * k, CombinedData::random, random);
  for (const E beta : {E{2, 0}, E{2, 1}}) {
    Product<E> p{n, n, k, {1, 1}, {{a.data(), 1, n}}, {{a.data(), n, 1}}, beta};
    p.c = {static_cast<E*>(memory) + numbers - readable, 1, static_cast<Index>(2 * numbers)};
    p.wanted = Triangle::upper;
    for (const accublas_mode mode : {ACCUBLAS_MODE_DOT2, ACCUBLAS_MODE_CR}) {
      Workspace workspace{std::size_t{1} << 26, nullptr, 0};
      accublas_report_t report{};
      Execution execution{2, detected_isa(), workspace, report, 0};
      structured_product<E>(p, Mode{mode}, ACCUBLAS_ENGINE_DOT2, nullptr, execution);
    }
  }
  munmap(memory, bytes);
}

}  // namespace
}  // namespace accublas::cpu
