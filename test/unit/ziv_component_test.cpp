// Ziv's test of a component of a complex result against exact sums: it never decides wrongly, and decides nearly
// always.
#include "lib/numerics/ziv_component.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "lib/numerics/component_sum.hpp"

namespace accublas {
namespace {

using Engine = std::mt19937_64;

enum class TermKind { plain, few_bits, cancelling, near_ends, special, count };

template <class T>
T component_number(Engine& rng, TermKind numbers) {
  const double unit = static_cast<double>(static_cast<std::int64_t>(rng())) * 0x1p-63;
  switch (numbers) {
    case TermKind::few_bits:
      return static_cast<T>(static_cast<int>(rng() % 17) - 8);
    case TermKind::cancelling:
      return static_cast<T>(rng() % 2 ? 1 : -1) * (1 + static_cast<T>(rng() % 3) * std::numeric_limits<T>::epsilon());
    case TermKind::near_ends:
      return static_cast<T>(std::ldexp(unit, (static_cast<int>(rng() % 3) - 1) * (sizeof(T) == 8 ? 1020 : 126)));
    case TermKind::special: {
      using Limits = std::numeric_limits<T>;
      const T of[] = {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), T(0)};
      if (rng() % 3 == 0) return of[rng() % 4];
      // The parts of a factor may lie so far apart that the smaller one underflows beside the larger one.
      const int far = (static_cast<int>(rng() % 3) - 1) * (sizeof(T) == 8 ? 900 : 90);
      return static_cast<T>(rng() % 2 ? std::ldexp(unit, far) : unit);
    }
    default:
      return static_cast<T>(unit);
  }
}

/// A sum of two parts; `error` says how far the exact one, their sum, may be from what the triple says.
TripleSum known_sum(Engine& rng, double value, double second, bool exact) {
  if (exact) return {value, second, 0, 0};
  const double off = std::ldexp(value, -100 - static_cast<int>(rng() % 8));
  return {value + 0.0, second + off, 0, std::fabs(off) + std::fabs(second) * 0x1p-52};
}

template <class T>
void try_components(TermKind numbers, int least_decided_of_100) {
  Engine rng(static_cast<unsigned>(numbers) * 2 + sizeof(T));
  int decided = 0, cases = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto number = [&] { return rng() % 8 == 0 ? T(0) : component_number<T>(rng, numbers); };
    const int range = rng() % 4 ? 30 : 1400,
              exponent = rng() % 2 ? 0 : static_cast<int>(rng() % (2 * range + 1)) - range;
    using Terms = ComponentTerms<T>;
    const typename Terms::Pair alpha{number(), component_number<T>(rng, numbers)}, beta{number(), number()},
        c{number(), number()};
    if (is_zero(alpha.own) && is_zero(alpha.other)) continue;
    ++cases;
    TripleSum sums[2];
    ComponentSum<T> exact;
    for (int of : {0, 1}) {
      // A sum that is not finite is not known.
      const TermKind of_sum = numbers == TermKind::special ? TermKind::few_bits : numbers;
      const double value = component_number<T>(rng, of_sum),
                   second = rng() % 2 ? 0 : std::ldexp(double{component_number<T>(rng, of_sum)}, -60);
      sums[of] = known_sum(rng, value, second, rng() % 2);
      const T factor = of == 0 ? alpha.own : alpha.other;
      // An infinite factor takes the sign of the whole sum.
      constexpr int unit = FloatFormat<double>::min_exponent;
      Wide<40> whole{};
      for (const double part : {value, second}) {
        const Decoded d = decode(part);
        const Wide<40> mantissa = wide_from<40>(static_cast<std::int64_t>(d.mantissa));
        whole = wide_add(whole, wide_negate_if(wide_shift_left(mantissa, d.exponent - unit), d.negative));
      }
      exact.add(factor, whole, unit + exponent);
    }
    exact.add(beta.own, c.own);
    exact.add(beta.other, c.other);
    T out = 0;
    if (!Terms::in_range({alpha, beta}, sums[0], sums[1], exponent, c).ziv_test(&out)) continue;
    ++decided;
    const T expected = exact.round();
    ASSERT_EQ(std::memcmp(&out, &expected, sizeof out), 0) << "case " << i << ": " << out << " for " << expected;
  }
  EXPECT_GE(decided * 100, cases * least_decided_of_100);
}

TEST(ZivComponent, DecidesAsExactSumsDo) {
  const int least[] = {98, 75, 60, 15, 45};
  for (int i = 0; i < static_cast<int>(TermKind::count); ++i) {
    SCOPED_TRACE(i);
    try_components<double>(TermKind{i}, least[i]);
    try_components<float>(TermKind{i}, least[i]);
  }
}

}  // namespace
}  // namespace accublas
