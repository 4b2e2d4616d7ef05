// Elements of GER and its kind against exact sums: what is summed quickly never decides wrongly, and decides nearly
// always.
#include "lib/numerics/update_element.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "lib/numerics/exact_sum.hpp"

namespace accublas {
namespace {

using Random = std::mt19937_64;
std::uint64_t below(Random& rng, std::uint64_t n) { return rng() % n; }

enum class Data { plain, narrow, few_bits, whole_range, special, count };

template <class T>
T number(Random& rng, Data data) {
  using Limits = std::numeric_limits<T>;
  const double unit = static_cast<double>(static_cast<std::int64_t>(rng())) * 0x1p-63;
  switch (data) {
    case Data::narrow:  // products cancel in all but their last bits
      return static_cast<T>(below(rng, 2) ? 1 : -1) * (1 + static_cast<T>(below(rng, 3)) * Limits::epsilon());
    case Data::few_bits:
      return static_cast<T>(below(rng, 17)) - 8;
    case Data::whole_range:
      return static_cast<T>(std::ldexp(
          unit, Limits::min_exponent - Limits::digits +
                    static_cast<int>(below(rng, Limits::max_exponent - Limits::min_exponent + Limits::digits))));
    case Data::special:
      if (below(rng, 3) == 0) {
        const T of[] = {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), T(0), -T(0), Limits::max()};
        return of[below(rng, 6)];
      }
      [[fallthrough]];
    default:
      return static_cast<T>(unit);
  }
}
template <class E>
E any(Random& rng, Data data) {
  using T = RealOf<E>;
  if constexpr (is_complex<E>)
    return {number<T>(rng, data), below(rng, 4) ? number<T>(rng, data) : T(0)};
  else
    return number<T>(rng, data);
}

/// A part of an inner product of x and y, and of x2 and y2 with their sign.
template <class E>
ExactSum<RealOf<E>> inner(const UpdateElement<E>& e, int part, bool difference) {
  using T = RealOf<E>;
  ExactSum<T> sum;
  const auto add = [&](const E& x, const E& y, T sign) {
    if constexpr (is_complex<E>) {
      sum.add(sign * x.re, part == 0 ? y.re : y.im);
      sum.add(part == 0 ? -sign * x.im : sign * x.im, part == 0 ? y.im : y.re);
    } else {
      sum.add(x, y);
    }
  };
  add(e.x, e.y, 1);
  if (e.two_pairs) add(e.x2, e.y2, difference ? T(-1) : T(1));
  return sum;
}

template <class E>
RealOf<E> reference(const UpdateElement<E>& e, int part, RealOf<E> c) {
  using T = RealOf<E>;
  if constexpr (is_complex<E>) {
    ComponentSum<T> sum;
    const auto add = [&](T factor, const ExactSum<T>& s) {
      T special;
      if (is_zero(factor)) return;
      s.special(special) ? sum.add_special(factor, special) : sum.add(factor, s.value(), LongAccumulator::min_exponent);
    };
    add(e.alpha.re, inner(e, part, false));
    add(part == 0 ? -e.alpha.im : e.alpha.im, inner(e, 1 - part, e.hermitian));
    sum.add(T(1), c);
    return sum.round();
  } else {
    return inner(e, part, false).finish(e.alpha, T(1), &c);
  }
}

template <class E>
class UpdateElements : public testing::Test {};
using Numbers = testing::Types<double, float, Complex<double>, Complex<float>>;
TYPED_TEST_SUITE(UpdateElements, Numbers);

TYPED_TEST(UpdateElements, AreRoundedOnce) {
  using E = TypeParam;
  using T = RealOf<E>;
  Random rng{7};
  for (int kind = 0; kind < static_cast<int>(Data::count); ++kind) {
    const Data data = static_cast<Data>(kind);
    int decided = 0, number_of = 0;
    for (int i = 0; i < 20000; ++i) {
      UpdateElement<E> e{any<E>(rng, data), any<E>(rng, data), any<E>(rng, data)};
      if (below(rng, 4) == 0) e.alpha = E{1};
      e.two_pairs = below(rng, 2);
      e.hermitian = is_complex<E> && below(rng, 2);
      e.x2 = any<E>(rng, data), e.y2 = any<E>(rng, data);
      if (e.alpha == T(0)) continue;
      for (int part = 0; part < (is_complex<E> ? 2 : 1); ++part) {
        T c = number<T>(rng, data), quick;
        // Ties, and sums that cancel.
        if (below(rng, 4) == 0) c = -reference(e, part, T(0));
        if (below(rng, 8) == 0) c = std::ldexp(c, std::numeric_limits<T>::digits);
        const T want = reference(e, part, c);
        ASSERT_EQ(to_bits(e.rounded(part, c)), to_bits(want)) << kind << " " << i;
        ASSERT_EQ(to_bits(UpdateElement<E>::exactly(e, part, c)), to_bits(want)) << kind << " " << i;
        ++number_of;
        if (!e.quickly(part, c, &quick)) continue;
        ++decided;
        ASSERT_EQ(to_bits(quick), to_bits(want)) << kind << " " << i << ": " << quick << " for " << want;
      }
    }
    if (data == Data::plain) {
      EXPECT_GT(decided, 0.7 * number_of);
    }
  }
}

}  // namespace
}  // namespace accublas
